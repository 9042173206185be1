"""Read documents in the forms of TREC's collections: `<DOC>` with a `<DOCNO>`, and lines of id, tab and text."""

from __future__ import annotations

import html
import re
from collections.abc import Container, Iterator
from pathlib import Path

from neraca.datasets.compressed import suffix_of
from neraca.datasets.trec.line_blocks import BOM, file_head, opened
from neraca.errors import InputError

_BEGINS = re.compile(rb"\s*<DOC>", re.IGNORECASE)
_START = re.compile(rb"<DOC>", re.IGNORECASE)
_END = re.compile(rb"</DOC>", re.IGNORECASE)
_NUMBER = re.compile(r"<DOCNO>\s*(.*?)\s*</DOCNO>", re.IGNORECASE | re.DOTALL)
_HEADER = re.compile(r"<DOCHDR>.*?</DOCHDR>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")


def is_document_file(path: Path, columns: Container[str]) -> bool:
    """Return whether a file begins with `<DOC>`, or is a .tsv or .txt whose first line has none of these columns."""
    head = file_head(path)
    if _BEGINS.match(head):
        return True
    cells = head.partition(b"\n")[0].decode(errors="replace").strip("\r").split("\t")
    named = any(cell.strip().strip('"').casefold() in columns for cell in cells)
    return suffix_of(path) in (".tsv", ".txt") and len(cells) > 1 and not named


def tagged_files(folder: Path) -> list[Path]:
    """Return the files in a folder, and in folders inside, that begin with `<DOC>`; TREC's disks hold many."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and _BEGINS.match(file_head(path))]


def read_document_file(path: Path) -> Iterator[tuple[str, str]]:
    """Yield id and text of each document, one at a time; raise `InputError` for a document without an id."""
    tagged = bool(_BEGINS.match(file_head(path)))
    yield from _read_tagged(path) if tagged else _read_lines(path)


def _read_lines(path: Path) -> Iterator[tuple[str, str]]:
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            name, tab, text = line.removeprefix(BOM).decode("utf-8", "replace").strip("\r\n").partition("\t")
            if not tab and name.strip():
                raise InputError(f"{path} line {number}: a line is an id, a tab and the text; found {name[:80]!r}")
            if tab:
                yield name.strip(), text.replace("\t", " ")


def _read_tagged(path: Path) -> Iterator[tuple[str, str]]:
    parts: list[bytes] = []
    inside, first = False, 0
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            if not inside and (start := _START.search(line)):
                inside, first, line = True, number, line[start.end() :]
            if not inside:
                continue
            end = _END.search(line)
            parts.append(line[: end.start()] if end else line)
            if end:
                yield _document(path, first, b"".join(parts).decode("utf-8", "replace"))
                parts, inside = [], False


def _document(path: Path, line: int, text: str) -> tuple[str, str]:
    number = _NUMBER.search(text)
    if number is None:
        raise InputError(f"{path} line {line}: the document has no <DOCNO>")
    body = _HEADER.sub(" ", text[: number.start()] + text[number.end() :])
    return number[1], " ".join(html.unescape(_TAG.sub(" ", body)).split())
