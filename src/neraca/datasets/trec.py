"""TREC's text files: qrels (query, subtopic, document, grade) and runs (query, Q0, document, rank, score, tag).

Fields are separated by spaces, tabs or both; blank lines and lines that start with # are skipped; Windows line ends
and gzip (by content, whatever the name) are read.  Every other irregularity is an error that names file and line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import IO, Any, NoReturn

from neraca.errors import InputError

RUN = ("query", "Q0", "document", "rank", "score", "tag")
QRELS = ("query", "subtopic", "document", "grade")

#: Bytes that are taken apart at a time: small enough to stay in the processor's cache.
SIZE = 1 << 19
BOM = b"\xef\xbb\xbf"
_GAP = re.compile(rb"[\x00-\x20]+")
_ODD = bytes([*range(9), *range(14, 32)])  # control characters that str.split does not take for gaps, or not always
_BLANK = "".join(map(chr, range(33)))  # Python's own strip would take other alphabets' spaces too
_END = "\0"


@dataclass(frozen=True)
class LineBlock:
    """Whole lines of a file.

    Attributes
    ----------
    path
        The file.
    data
        The lines, each with its line end.
    first
        Number of the first line, from 1.
    numbers
        The number of each line, where some were left out; else empty.
    """

    path: Path
    data: bytes
    first: int = 1
    numbers: Sequence[int] = ()

    def line(self, row: int) -> int:
        """The number of a line in the file; rows count from 0."""
        return self.numbers[row] if self.numbers else self.first + row

    def fail(self, row: int, told: str) -> NoReturn:
        """Raise `InputError` about one line, counted from 0."""
        raise InputError(f"{self.path} line {self.line(row)}: {told}")

    def tidy(self, columns: Sequence[str]) -> LineBlock:
        """The same without comments and blank lines, one space between fields; raises `InputError`."""
        lines, numbers = [], []
        for row, line in enumerate(self.data.split(b"\n")[:-1]):
            fields = [field for field in _GAP.split(line) if field]
            if not fields or fields[0].startswith(b"#"):
                continue
            if len(fields) != len(columns):
                found = f"found {len(fields)} in {line.decode(errors='replace').strip()[:80]!r}"
                self.fail(row, f"a line has {len(columns)} fields ({', '.join(columns)}); {found}")
            lines.append(b" ".join(fields) + b"\n")
            numbers.append(self.first + row)
        return LineBlock(self.path, b"".join(lines), self.first, numbers)

    def text(self) -> str:
        """The lines as text; raises `InputError` where they are not UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            self.fail(self.data.count(b"\n", 0, error.start), "this is not UTF-8 text; save the file as UTF-8")

    def columns(self, columns: Sequence[str]) -> tuple[LineBlock, list[list[str]]]:
        """The fields by column, and the block whose rows they are; raises `InputError`."""
        step = len(columns) + 1
        found, lines = self._split(), self.data.count(b"\n")
        regular = len(found) == step * lines and found[step - 1 :: step].count(_END) == lines
        if regular and not any(field.startswith("#") for field in set(found[::step])):
            return self, [found[place::step] for place in range(len(columns))]
        tidy = self.tidy(columns)
        found = tidy._split()
        return tidy, [found[place::step] for place in range(len(columns))]

    def _split(self) -> list[str]:
        """All fields, and a mark after each line."""
        text = self.text()
        if text.isascii() and len(self.data.translate(None, _ODD)) == len(self.data):
            return text.replace("\n", f" {_END} ").split()
        lines = (re.split("[\0-\x20]+", line.strip(_BLANK)) for line in text.split("\n")[:-1])
        return [field for line in lines for field in (*line, _END)]

    def read(self, kind: Callable[[str], float], fields: Sequence[str], what: str) -> list[float]:
        """A column as numbers; raises `InputError` where one is none."""
        try:
            values = list(map(kind, fields))
            if "_" not in "".join(fields) and (total := float(sum(values))) == total:
                return values
        except (ValueError, OverflowError):
            pass
        for row, field in enumerate(fields):
            if _is_none(kind, field):
                self.fail(row, f"the {what} {field[:80]!r} is not a {'whole ' if kind is int else ''}number")
        return values


def _is_none(kind: Callable[[str], float], field: str) -> bool:
    try:
        return "_" in field or math.isnan(float(kind(field)))
    except (ValueError, OverflowError):
        return True


def blocks(path: Path) -> Iterator[LineBlock]:
    """The file in blocks of whole lines; raises `InputError` where it cannot be read or is empty."""
    number, rest = 1, b""
    with opened(path) as file:
        while chunk := file.read(SIZE):
            data = rest + chunk if rest else chunk
            if number == 1 and not rest:
                data = data.removeprefix(BOM)
            end = data.rfind(b"\n") + 1
            if end:
                block = data[:end].replace(b"\r\n", b"\n") if b"\r" in data else data[:end]
                yield LineBlock(path, block, number)
                number += block.count(b"\n")
            rest = data[end:]
    if rest:
        yield LineBlock(path, rest + b"\n", number)
    elif number == 1:
        raise InputError(f"{path}: the file is empty")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes, unpacked where it is gzip; raises `InputError` where that fails."""
    if not path.is_file():
        other = "a folder" if path.is_dir() else "a pipe or a device"
        raise InputError(f"{path}: {f'this is {other}, not a file' if path.exists() else 'no such file'}")
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        if not packed:
            yield raw
            return
        import gzip
        import zlib

        try:
            yield gzip.GzipFile(fileobj=raw)  # type: ignore[misc]
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(f"{path}: the gzip file is damaged: {error}") from error


def nested(found: Iterable[LineBlock]) -> dict[str, dict[str, float]]:
    """A run as query → document → score; raises `InputError`."""
    run: dict[str, dict[str, float]] = {}
    for block in found:
        tidy, columns = block.columns(RUN)
        queries, docs, scores = columns[0], columns[2], tidy.read(float, columns[4], "score")
        start = 0
        for query, group in groupby(queries):
            end = start + len(list(group))
            known = run.setdefault(query, {})
            before = len(known)
            known.update(zip(docs[start:end], scores[start:end], strict=True))
            if len(known) != before + end - start:
                fail_on_duplicate(block.path, RUN)
            start = end
    return run


def fail_on_duplicate(path: Path, columns: Sequence[str]) -> NoReturn:
    """Raise `InputError` about the first document of a file that stands there twice for its query (and subtopic)."""
    seen: dict[Any, tuple[LineBlock, int]] = {}
    for block in blocks(path):
        tidy, found = block.columns(columns)
        keys = zip(found[0], found[2], found[1] if columns is QRELS else found[0], strict=True)
        for row, key in enumerate(keys):
            if key in seen:
                first, at = seen[key]
                tidy.fail(row, f"query {key[0]!r} has the document {key[1]!r} already in line {first.line(at)}")
            seen[key] = (tidy, row)
    raise InputError(f"{path}: a document stands twice for a query; the file changed while it was read")
