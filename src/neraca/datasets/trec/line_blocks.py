"""Read lines of TREC's files: qrels (query, subtopic, document, grade), runs (query, Q0, document, rank, score, tag).

Fields are separated by spaces, tabs or both.  Blank lines and lines that start with # are skipped.  Windows line ends
are accepted, and files that are packed with gzip or Zstandard, which their content shows.  Files in another encoding
than UTF-8 are read as `file_encoding.files_in` says, or as their byte order mark does.  Every other irregularity is
an error that names file and line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

from neraca.datasets import compressed
from neraca.datasets.text_encoding import SAVE, bad_byte, remedies_for
from neraca.datasets.trec.file_encoding import as_utf8
from neraca.errors import InputError

RUN = ("query", "Q0", "document", "rank", "score", "tag")
QRELS = ("query", "subtopic", "document", "grade")
#: Hints for a line, by the numbers of fields it should have and has.
_HINTS = {
    (len(QRELS), len(RUN)): "; that is the line of a run: name the qrels first, then the runs",
    (
        len(RUN),
        len(QRELS),
    ): "; that is the line of qrels: name runs here, and the qrels where they are asked for",
}

#: Bytes that are parsed at a time: small enough to stay in the processor's cache.
BLOCK_SIZE = 1 << 18
BOM = b"\xef\xbb\xbf"
_GAP = re.compile(rb"[\x00-\x20]+")
_ODD = bytes([*range(9), *range(14, 32)])  # control characters that `str.split` does not always take as gaps
_BLANK = "".join(map(chr, range(33)))  # `str.strip` alone would also remove the spaces of other scripts
_END = "\0"


class LineBlock(NamedTuple):
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
        The number of each line if some lines were left out; else empty.
    """

    path: Path
    data: bytes
    first: int = 1
    numbers: Sequence[int] = ()

    def line(self, row: int) -> int:
        """Return the number of a line in the file; rows count from 0."""
        return self.numbers[row] if self.numbers else self.first + row

    def fail(self, row: int, problem: str) -> NoReturn:
        """Raise `InputError` about one line, counted from 0."""
        raise InputError(f"{self.path} line {self.line(row)}: {problem}")

    def tidy(self, columns: Sequence[str], surplus: bool = False) -> LineBlock:
        """Return the lines without comments and blank lines, with one space between fields; raise `InputError`.

        With `surplus`, fields after the last column are left out too.
        """
        lines, numbers = [], []
        for row, line in enumerate(self.data.split(b"\n")[:-1]):
            fields = [field for field in _GAP.split(line) if field]
            if not fields or fields[0].startswith(b"#"):
                continue
            if surplus:
                del fields[len(columns) :]
            if len(fields) != len(columns):
                excerpt = f"found {len(fields)} in {line.decode(errors='replace').strip()[:80]!r}"
                hint = _HINTS.get((len(columns), len(fields)), "")
                self.fail(row, f"a line has {len(columns)} fields ({', '.join(columns)}); {excerpt}{hint}")
            lines.append(b" ".join(fields) + b"\n")
            numbers.append(self.first + row)
        return LineBlock(self.path, b"".join(lines), self.first, numbers)

    def text(self) -> str:
        """Return the lines as text; raise `InputError` if they are not UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            line = self.line(self.data.count(b"\n", 0, error.start))
            problem = f"{self.path} line {line}: {bad_byte(error)}; {SAVE}"
            raise InputError(problem, remedies_for(self.path)) from error

    def columns(self, columns: Sequence[str]) -> tuple[LineBlock, list[list[str]]]:
        """Return the block with only the lines that hold fields, and their fields by column; raise `InputError`."""
        step = len(columns) + 1
        fields, lines = self._split(), self.data.count(b"\n")
        regular = len(fields) == step * lines and fields[step - 1 :: step].count(_END) == lines
        if regular and not any(field.startswith("#") for field in set(fields[::step])):
            return self, [fields[place::step] for place in range(len(columns))]
        tidy = self.tidy(columns)
        fields = tidy._split()
        return tidy, [fields[place::step] for place in range(len(columns))]

    def _split(self) -> list[str]:
        """Return all fields, with `_END` after each line."""
        text = self.text()
        if text.isascii() and len(self.data.translate(None, _ODD)) == len(self.data):
            return text.replace("\n", f" {_END} ").split()
        lines = (re.split("[\0-\x20]+", line.strip(_BLANK)) for line in text.split("\n")[:-1])
        return [field for line in lines for field in (*line, _END)]

    def read(self, kind: Callable[[str], float], fields: Sequence[str], name: str) -> list[float]:
        """Return the fields of the column `name` as numbers; raise `InputError` if one is not a number."""
        numbers = {field: _number(kind, field) for field in set(fields)}
        if wrong := {field for field, number in numbers.items() if number != number}:
            row, field = next((row, field) for row, field in enumerate(fields) if field in wrong)
            self.fail(row, f"the {name} {field[:80]!r} is not a {'whole ' if kind is int else ''}number")
        return [numbers[field] for field in fields]


def _number(kind: Callable[[str], float], field: str) -> float:
    """Return a field as a number; NaN if it is none, has underscores (which Python accepts), or is out of range."""
    try:
        number = kind(field)
        float(number)  # a whole number may be too large for a float
        return math.nan if "_" in field else number
    except (ValueError, OverflowError):
        return math.nan


def line_blocks(path: Path, size: int = BLOCK_SIZE) -> Iterator[LineBlock]:
    """Yield the file in blocks of whole lines; raise `InputError` if it cannot be read or is empty.

    Parameters
    ----------
    size
        Number of bytes to read at a time.
    """
    number, tail = 1, b""
    with opened(path) as file:
        while chunk := file.read(size):
            data = tail + chunk if tail else chunk
            if number == 1 and not tail:
                data = data.removeprefix(BOM)
            end = data.rfind(b"\n") + 1
            if end:
                lines = data[:end].replace(b"\r\n", b"\n") if b"\r" in data else data[:end]
                yield LineBlock(path, lines, number)
                number += lines.count(b"\n")
            tail = data[end:]
    if tail:
        yield LineBlock(path, tail + b"\n", number)
    elif number == 1:
        raise InputError(f"{path}: the file is empty")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading UTF-8, decompressed if it is packed; raise `InputError` if it is no file."""
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "a pipe or a device"
        raise InputError(f"{path}: {f'this is {kind}, not a file' if path.exists() else 'no such file'}")
    with compressed.opened(path) as file:
        yield as_utf8(path, file)


def file_head(path: Path, size: int = 4096) -> bytes:
    """Return the first bytes of a file, decompressed, without a byte order mark; b"" if it cannot be read."""
    try:
        with opened(path) as file:
            return file.read(size).removeprefix(BOM)
    except (InputError, OSError):
        return b""
