"""Read the sections of document files: plain text, Markdown by headings, HTML by headings, and PDF by pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from neraca.datasets.compressed import opened, suffix_of
from neraca.datasets.text_encoding import SAVE, read_text, text_encoding
from neraca.errors import InputError, MissingExtra

#: Elements of a page whose text is not the page's own, and those between which a line ends.
_APART = frozenset({"script", "style", "template", "noscript", "svg", "nav", "footer", "aside"})
_BLOCKS = frozenset(
    {
        *("address", "article", "blockquote", "body", "br", "dd", "div", "dl", "dt", "figcaption", "figure", "form"),
        *("header", "hr", "li", "main", "ol", "p", "pre", "section", "table", "tr", "ul"),
    }
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
#: The lines between two `---` at the start of a Markdown file.
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FRONT_TITLE = re.compile(r"""^title:[ \t]*["']?(.*?)["']?[ \t]*$""", re.MULTILINE)


class Section(NamedTuple):
    """A part of a file: the headings above it, its text, and what is put after `#` in its address ("" for the top)."""

    headings: tuple[str, ...]
    text: str
    anchor: str


class DocumentFile(NamedTuple):
    """The title and sections of a file, and what was lost of it, in words ("" if nothing was)."""

    title: str
    sections: tuple[Section, ...]
    lost: str = ""


#: A heading and the text below it: level (0: before the first heading), heading, text.
_Part = tuple[int, str, str]


def read_document_file(path: Path, encoding: str | None = None) -> DocumentFile:
    """Return the sections of a file that have text.

    Parameters
    ----------
    path
        A file with one of the endings of `READERS`.
    encoding
        Encoding of texts; None: that of its byte order mark or of its `<meta charset>`, else UTF-8.

    Raises
    ------
    InputError
        If the file cannot be opened or decoded, or is no such file.
    MissingExtra
        If the package that reads this kind of file is not installed.
    """
    return READERS[suffix_of(path)](path, encoding)


def _text(path: Path, encoding: str | None) -> DocumentFile:
    text = read_text(path, encoding).strip()
    return DocumentFile("", (Section((), text, ""),) if text else ())


def _markdown(path: Path, encoding: str | None) -> DocumentFile:
    """Read a Markdown file; text and quotes stay as they are written."""
    from markdown_it import MarkdownIt

    text = read_text(path, encoding)
    front = _FRONT_MATTER.match(text)
    title = _FRONT_TITLE.search(front[1]) if front else None
    text = text[front.end() :] if front else text
    # Without the rule `inline`, the marks inside a line are not read: only headings matter here.
    tokens = MarkdownIt("commonmark").disable("inline").parse(text)
    lines = text.splitlines(keepends=True)
    marks: list[tuple[int, str, int, int]] = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            start, below = token.map
            marks.append((int(token.tag[1]), tokens[index + 1].content.replace("`", ""), start, below))
    ends = [*(start for _, _, start, _ in marks), len(lines)]
    parts: list[_Part] = [(0, "", "".join(lines[: ends[0]]))]
    for (level, heading, _, below), end in zip(marks, ends[1:], strict=True):
        parts.append((level, heading, "".join(lines[below:end])))
    return _document(title[1] if title else "", parts)


def _html(path: Path, encoding: str | None) -> DocumentFile:
    """Read a page: what a reader sees of its body, without scripts, menus and footers."""
    try:
        from lxml import etree, html
    except ImportError as error:
        raise MissingExtra(f'{path}: HTML needs lxml: pip install "neraca[html]"') from error
    try:
        with opened(path) as file:
            data = file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    name = _charset(path, data, encoding)
    try:
        text = data.decode(name)
    except (UnicodeError, LookupError) as error:
        raise InputError(f"{path}: cannot be read as {name}; {SAVE}") from error
    # Without `huge_tree` the parser stops at 256 levels of elements, with it at 2,048, and leaves out what follows.
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        page = html.document_fromstring(text.encode(), parser=parser)
    except (etree.ParserError, ValueError):  # nothing but spaces and comments
        return DocumentFile("", ())
    title = " ".join((page.findtext(".//title") or "").split())
    body = page.find("body")
    parts = _page_parts(etree.iterwalk(page if body is None else body, events=("start", "end")))
    cut = next((error.line for error in parser.error_log if "depth" in error.message), 0)
    return _document(title, parts, f"all from line {cut} on, where elements are nested too deeply" if cut else "")


def _charset(path: Path, data: bytes, encoding: str | None) -> str:
    """Return the encoding of a page: the one that was named, its byte order mark, UTF-8 if it is, else what it says."""
    name = text_encoding(path, encoding)
    if encoding is not None or not name.startswith("utf-8"):
        return name
    try:
        data.decode("utf-8-sig")
        return "utf-8-sig"
    except UnicodeDecodeError as error:
        charset = _CHARSET.search(data[:2048])
        if charset is None:
            raise InputError(f"{path}: not UTF-8, and the page does not say its encoding; {SAVE}") from error
        return charset[1].decode()


def _page_parts(walk: Any) -> Iterator[_Part]:
    """Yield the headings of a page and the text below each."""
    level, heading, pieces = 0, "", list[str]()
    for event, element in walk:
        is_heading = element.tag in _HEADINGS
        if event == "start" and element.tag in _APART:
            walk.skip_subtree()
            continue
        if event == "start" and is_heading:
            yield level, heading, _lines(pieces)
            level, pieces = int(element.tag[1]), []
        elif event == "end" and is_heading:
            heading, pieces = " ".join("".join(pieces).split()), []
        if element.tag in _BLOCKS:
            pieces.append("\n")
        elif element.tag in ("td", "th"):
            pieces.append(" ")
        # A line end in the source of a page is a space to its reader.
        pieces.append(_SPACES.sub(" ", (element.text if event == "start" else element.tail) or ""))
    yield level, heading, _lines(pieces)


def _lines(pieces: Iterable[str]) -> str:
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    return "\n".join(filter(None, lines))


def _document(title: str, parts: Iterable[_Part], lost: str = "") -> DocumentFile:
    """Return the sections of the parts that have text; the title is the first heading if the file has no other."""
    path: list[tuple[int, str]] = []
    anchors: dict[str, int] = {}
    sections: list[Section] = []
    for level, heading, text in parts:
        anchor = ""
        if level:
            path = [entry for entry in path if entry[0] < level] + [(level, heading)]
            anchor = _slug(heading)
            anchors[anchor] = number = anchors.get(anchor, -1) + 1
            anchor = f"{anchor}-{number}" if number else anchor
            title = title or heading
        if text.strip():
            sections.append(Section(tuple(name for _, name in path), text.strip(), anchor))
    return DocumentFile(title, tuple(sections), lost)


def _slug(heading: str) -> str:
    """Return the address of a heading as most programs write it.

    >>> _slug("How do I pay? (EU only)")
    'how-do-i-pay-eu-only'
    """
    return re.sub(r"[^\w\- ]", "", heading.casefold()).strip().replace(" ", "-")


def _pdf(path: Path, encoding: str | None) -> DocumentFile:
    """Read the text of each page; say which pages have none, as scanned pages."""
    try:
        import pypdf
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise MissingExtra(f'{path}: PDF needs pypdf: pip install "neraca[pdf]"') from error
    import logging

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it says of broken files is said below
    broken = (PyPdfError, ValueError, LookupError, TypeError, AttributeError, RecursionError, NotImplementedError)
    try:
        reader = pypdf.PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(f"{path}: needs a password; save it without one")
        pages, info = list(reader.pages), reader.metadata
    except broken as error:
        raise InputError(f"{path}: cannot be read as PDF: {error}") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    sections: list[Section] = []
    textless: list[int] = []
    unreadable: list[int] = []
    for number, page in enumerate(pages, 1):
        try:
            text = page.extract_text().strip()
        except broken:
            unreadable.append(number)
            continue
        if text:
            sections.append(Section((f"page {number}",), text, f"page={number}"))
        else:
            textless.append(number)
    lost = [
        f"{reason}: {_ranges(numbers)} of {len(pages)}"
        for reason, numbers in (("pages without text, as scanned ones", textless), ("unreadable pages", unreadable))
        if numbers
    ]
    return DocumentFile(str((info and info.title) or "").strip(), tuple(sections), "; ".join(lost))


def _ranges(numbers: Sequence[int]) -> str:
    """Return page numbers with neighbours joined.

    >>> _ranges([1, 2, 3, 7, 9, 10])
    '1-3, 7, 9-10'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)


#: Ending of a file → what reads it.
READERS: dict[str, Callable[[Path, str | None], DocumentFile]] = {
    **dict.fromkeys((".txt", ".text"), _text),
    **dict.fromkeys((".md", ".markdown"), _markdown),
    **dict.fromkeys((".html", ".htm", ".xhtml"), _html),
    ".pdf": _pdf,
}
