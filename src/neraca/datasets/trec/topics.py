"""Read TREC topics: `<top>` of the classic tracks, with fields that are not closed; later XML; id, tab, question.

    <top>                                   <topic number="1" type="faceted">       301<tab>organized crime
    <num> Number: 301                         <query>obama family tree</query>
    <title> International Organized Crime     <description>Find …</description>
    <desc> Description: …                   </topic>
    </top>

All three may be packed with gzip or Zstandard.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from neraca.datasets.columns import is_recognised, remedies
from neraca.datasets.compressed import suffix_of
from neraca.datasets.dataset import Dataset
from neraca.datasets.trec.line_blocks import LineBlock, file_head, line_blocks
from neraca.errors import InputError
from neraca.nearest import nearest
from neraca.records import Item

SUFFIXES = (".topics", ".xml", ".sgml")
#: Attributes and fields that may hold the id of a topic.
_IDS = ("number", "num", "id", "qid", "identifier")
#: Fields that may hold the question, if the user names none; `text` is the text outside of all fields.
_QUESTIONS = ("title", "query", "text")
#: Labels that the classic tracks put before the text of a field.
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
#: Tags that do not end a field: tags that separate words, and tags that do not.
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
    """Return whether the name or the beginning of a file shows topics with tags; read only the beginning."""
    if suffix_of(path) in SUFFIXES:
        return True
    return bool(_BEGINS.match(file_head(path)))


def is_numbered(path: Path) -> bool:
    """Return whether a .tsv or .txt begins with a number and a question, and not with names of columns."""
    if suffix_of(path) not in (".tsv", ".txt"):
        return False
    number, *texts = file_head(path).partition(b"\n")[0].decode(errors="replace").split("\t")
    return number.strip().isdigit() and len(texts) == 1 and not is_recognised(texts[0])


def read_topics(path: Path, field: str = "title", *, encoding: str | None = None) -> Dataset:
    """Read topics; the fields besides the question become `Item.extra`, each on one line.

    An id with the label of a number (`Number: 051`) loses its leading zeros, as in TREC's judgments.

    Parameters
    ----------
    path
        Topics in any of the three forms.
    field
        The field with the question: `title` (if it is missing: `query`, or the text outside of all fields), `desc`, …
    encoding
        Encoding of the file; default: that of the XML declaration, else UTF-8.

    Raises
    ------
    InputError
        If a topic has no id or no such field, or the file has no topic; names file and line.
    """
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
    return Dataset(tuple(items), str(path))


@dataclass(frozen=True)
class _Topic:
    """A topic: the number of its first line, and the texts of its fields and attributes by name in lower case."""

    line: int
    fields: dict[str, list[str]]

    def fail(self, path: Path, problem: str, advice: Mapping[str, str] = {}) -> NoReturn:
        raise InputError(f"{path} line {self.line}: {problem}", advice)

    def take_id(self, path: Path) -> str:
        """Remove the id from the fields and return it."""
        for field in _IDS:
            texts = self.fields.pop(field, [])
            if parts := _tidy(field, texts):
                return _ZEROS.sub("", parts[0]) if parts[0] != texts[0].strip() else parts[0]
        self.fail(path, 'the topic has no id; write <num> 301, or <topic number="301">')

    def take_question(self, path: Path, name: str, field: str) -> str:
        """Remove the question from the fields and return it."""
        for place in _QUESTIONS if field == "title" else (field,):
            if parts := _tidy(place, self.fields.pop(place, [])):
                return " ".join(parts)
        other_fields = self.extra()
        if not other_fields:
            self.fail(path, f"the topic {name!r} has no {field}; write one")
        problem = f"the topic {name!r} has no {field} ({nearest(field, other_fields)})"
        self.fail(path, f"{problem}; call the field of the question title", remedies("query"))

    def extra(self) -> dict[str, Any]:
        """Return the fields that are not empty: a text, or a list of texts if a field occurs more than once."""
        tidy = {name: _tidy(name, parts) for name, parts in self.fields.items()}
        return {name: parts[0] if len(parts) == 1 else parts for name, parts in tidy.items() if parts}


def _tidy(name: str, parts: list[str]) -> list[str]:
    """Return the texts of a field without label, line breaks and entities; leave out empty texts."""
    plain = (" ".join(_ENTITY.sub(lambda entity: html.unescape(entity[0]), part).split()) for part in parts)
    label = rf"{re.escape(_LABELS[name])}\s*:\s*" if name in _LABELS else ""
    return [text for part in plain if (text := re.sub(f"^{label}", "", part, flags=re.IGNORECASE))]


def _text(path: Path, encoding: str | None) -> str:
    data = b"".join(block.data for block in line_blocks(path))
    if encoding is None and (declared := _DECLARED.match(data)):
        encoding = declared[1].decode()
    if encoding is None or encoding.lower() in ("utf-8", "utf8"):
        return LineBlock(path, data).text()
    try:
        return data.decode(encoding)
    except (LookupError, UnicodeError) as error:
        raise InputError(f"{path}: cannot be read as {encoding}: {error}; save the file as UTF-8") from error


def _topics(text: str) -> Iterator[_Topic]:
    """Yield topics with tags.  Only the tags of topics must be correct: a field ends where the next one begins."""
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    text = _LITERAL.sub(lambda literal: html.escape(literal[1]), text)
    topic: _Topic | None = None
    parts: list[str] = []  # the texts of the open field
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
    return {part[1].lower(): [part[2] or part[3] or part[4] or ""] for part in _ATTRIBUTE.finditer(text)}


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
