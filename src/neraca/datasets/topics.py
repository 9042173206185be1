"""TREC's topics: `<top>` of the classic tracks, whose fields are never closed; XML of later ones; id, tab, question.

    <top>                                   <topic number="1" type="faceted">       301<tab>organized crime
    <num> Number: 301                         <query>obama family tree</query>
    <title> International Organized Crime     <description>Find …</description>
    <desc> Description: …                   </topic>
    </top>

All three may be packed with gzip.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from neraca.datasets.beir import head, judgments
from neraca.datasets.columns import is_recognised
from neraca.datasets.trec import LineBlock, blocks
from neraca.errors import InputError, nearest

if TYPE_CHECKING:
    from neraca.datasets.dataset import Dataset

SUFFIXES = (".topics", ".xml", ".sgml")
#: Where a topic says its id: an attribute, or a field.
_IDS = ("number", "num", "id", "qid", "identifier")
#: Where it says its question, when nobody chose; `text` is what stands in it outside of all fields.
_QUESTIONS = ("title", "query", "text")
#: Words that the classic tracks put before a field's text.
_LABELS = {
    "num": "number",
    "number": "number",
    "title": "topic",
    "dom": "domain",
    "desc": "description",
    "smry": "summary",
    "narr": "narrative",
    "con": "concept(s)",
    "fac": "factor(s)",
    "def": "definition(s)",
}
#: Tags inside a field that do not end it: those that divide words, and those that do not.
_BREAKS = frozenset({"br", "li", "p", "ul"})
_STYLES = frozenset({"b", "em", "i", "strong", "sub", "sup"})
_BEGINS = re.compile(rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<top(ics?)?[\s>]", re.IGNORECASE | re.DOTALL)
_DECLARED = re.compile(rb"\s*<\?xml[^>]*\sencoding\s*=\s*[\"']([\w.-]+)", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LITERAL = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w.:-]*)(?P<rest>\s[^<>]*?)?(?P<alone>/?)>")
_ATTRIBUTE = re.compile(r"([\w.:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_ENTITY = re.compile(r"&#?\w+;")
_ZEROS = re.compile(r"^0+(?=\d+$)")


def is_topics(path: Path) -> bool:
    """Whether the file's name or its beginning is that of topics with tags; reads no more than the beginning."""
    if path.name.lower().removesuffix(".gz").endswith(SUFFIXES):
        return True
    return bool(_BEGINS.match(head(path)))


def is_numbered(path: Path) -> bool:
    """Whether a .tsv or .txt begins with a number and a question, where a table has the names of its columns."""
    if not path.name.lower().removesuffix(".gz").endswith((".tsv", ".txt")):
        return False
    number, *rest = head(path).partition(b"\n")[0].decode(errors="replace").split("\t")
    return number.strip().isdigit() and len(rest) == 1 and not is_recognised(rest[0])


def read_topics(path: Path, qrels: Path | None = None, field: str = "title", *, encoding: str | None = None) -> Dataset:
    """Read topics; the fields that are not the question become `Item.extra`, each on one line.

    An id that is called a number (`Number: 051`) is one, and loses its leading zeros, as in TREC's judgments.

    Parameters
    ----------
    path
        Topics in any of the three forms.
    qrels
        Judgments, TREC's or BEIR's; a topic that they do not judge stays without.
    field
        The field that is asked: `title` (where there is none: `query`, or the text outside of all fields), `desc`, …
    encoding
        Default what an XML declaration says, else UTF-8.

    Raises
    ------
    InputError
        A topic has no id or no such field, or there is none: names file and line.
    """
    # Here, because dataset.py reads topics by this function.
    from neraca.datasets.dataset import Dataset, with_qrels
    from neraca.records import Item

    text = _text(path, encoding)
    tagged = text.lstrip().startswith("<")
    lines: dict[str, int] = {}
    items: list[Item] = []
    for topic in _topics(text) if tagged else _table(path, text, field):
        name = topic.take_id(path)
        if name in lines:
            topic.fail(path, f"the topic {name!r} is already in line {lines[name]}; every id must occur once")
        lines[name] = topic.line
        query = topic.take_question(path, name, field.lower())
        items.append(Item(id=name, query=query, extra=topic.extra()))
    if not items:
        raise InputError(
            f"{path}: no topic in it; a topic begins with <top> or <topic>, or is a line id, tab, question"
        )
    dataset = Dataset(tuple(items), str(path))
    return dataset if qrels is None else with_qrels(dataset, judgments(qrels))


@dataclass(frozen=True)
class _Topic:
    """The line it begins in, and its fields and attributes by name in lower case, each as often as it occurs."""

    line: int
    fields: dict[str, list[str]]

    def fail(self, path: Path, told: str) -> NoReturn:
        raise InputError(f"{path} line {self.line}: {told}")

    def take_id(self, path: Path) -> str:
        """The id, taken out of the fields."""
        for place in _IDS:
            written = self.fields.pop(place, [])
            if parts := _tidy(place, written):
                return _ZEROS.sub("", parts[0]) if parts[0] != written[0].strip() else parts[0]
        self.fail(path, 'the topic has no id; write <num> 301, or <topic number="301">')

    def take_question(self, path: Path, name: str, field: str) -> str:
        """The question, taken out of the fields."""
        for place in _QUESTIONS if field == "title" else (field,):
            if parts := _tidy(place, self.fields.pop(place, [])):
                return " ".join(parts)
        others = self.extra()
        known = f"choose another field by columns.query / --query-column: {nearest(field, others)}" if others else ""
        self.fail(path, f"the topic {name!r} has no {field}; {known or 'write one'}")

    def extra(self) -> dict[str, Any]:
        """The fields that say something: text, or a list of texts where a field occurs more than once."""
        told = {name: _tidy(name, parts) for name, parts in self.fields.items()}
        return {name: parts[0] if len(parts) == 1 else parts for name, parts in told.items() if parts}


def _tidy(name: str, parts: list[str]) -> list[str]:
    """The texts of a field without its label, line breaks and entities; those that are empty are left out."""
    plain = (" ".join(_ENTITY.sub(lambda found: html.unescape(found[0]), part).split()) for part in parts)
    label = rf"{re.escape(_LABELS[name])}\s*:\s*" if name in _LABELS else ""
    return [told for part in plain if (told := re.sub(f"^{label}", "", part, flags=re.IGNORECASE))]


def _text(path: Path, encoding: str | None) -> str:
    data = b"".join(block.data for block in blocks(path))
    if encoding is None and (declared := _DECLARED.match(data)):
        encoding = declared[1].decode()
    if encoding is None or encoding.lower() in ("utf-8", "utf8"):
        return LineBlock(path, data).text()
    try:
        return data.decode(encoding)
    except (LookupError, UnicodeError) as error:
        raise InputError(f"{path}: cannot be read as {encoding}: {error}; save the file as UTF-8") from error


def _topics(text: str) -> Iterator[_Topic]:
    """Topics with tags.  Only a topic's own tags must be right: a field ends where it is closed or the next begins."""
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    text = _LITERAL.sub(lambda found: html.escape(found[1]), text)
    topic: _Topic | None = None
    parts: list[str] = []  # those of the field that is open
    line, start = 1, 0
    for tag in _TAG.finditer(text):
        name = tag["name"].lower()
        if topic:
            parts[-1] += text[start : tag.start()] + " " * (name in _BREAKS)
        line += text.count("\n", start, tag.start())
        start = tag.end()
        if name in ("top", "topic"):
            if topic:
                yield topic
            topic = None if tag["end"] else _Topic(line, _attributes(tag["rest"] or ""))
            name = "text"
        line += tag[0].count("\n")
        if topic and name not in _BREAKS | _STYLES:
            closed = tag["end"] or tag["alone"]
            parts = topic.fields.setdefault("text" if closed else name, [])
            parts.append("")
    if topic:
        parts[-1] += text[start:]
        yield topic


def _attributes(text: str) -> dict[str, list[str]]:
    return {found[1].lower(): [found[2] or found[3] or found[4] or ""] for found in _ATTRIBUTE.finditer(text)}


def _table(path: Path, text: str, field: str) -> Iterator[_Topic]:
    if field.lower() != "title":
        raise InputError(f"{path}: lines of id, tab and question have no field {field!r}; leave it out")
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.split("\t")
        if not line.strip():
            continue
        if len(fields) != 2 or not fields[0].strip() or not fields[1].strip():
            raise InputError(f"{path} line {number}: a line is an id, a tab and a question; found {line[:80]!r}")
        yield _Topic(number, {"id": fields[:1], "title": fields[1:]})
