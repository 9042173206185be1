"""CSV and its kin: one record after another, cells divided by a comma, a semicolon, a tab or whatever is given.

Read as a stream: whatever the size of the file, only its rows are in memory.
"""

from __future__ import annotations

import codecs
import csv
import io
import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from neraca.datasets.cells import plain_text
from neraca.datasets.columns import Parts, headings
from neraca.errors import InputError

LONGEST = 64 * 2**20
_SAMPLE = 2**16
_SNIFFED = (",", ";", "\t")
_ALONE = "\ufdd0"  # a character that Unicode keeps out of text for good
_limit = threading.Lock()
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CAUSES = {
    "unexpected end of data": 'the quote " that opens here is never closed; close it, or write it twice if it is text',
    "field larger": f'a cell is longer than {LONGEST:,} characters; is a quote " left open?',
    "expected after": 'text follows a closing quote "; write a quote inside quoted text twice ("")',
}


def read_delimited(path: Path, encoding: str, delimiter: str | None) -> Parts:
    """Read `path`; without a `delimiter`, the one among `,` `;` and tab that fits its first lines."""
    with path.open(encoding=encoding, newline="") as file, long_cells():
        found = records(path, file, encoding, delimiter)
        head, columns = next(found)
        rows: list[dict[str, Any]] = []
        numbers = array("q")
        for number, cells in found:
            rows.append(dict(zip(columns, cells, strict=True)))
            numbers.append(number)
    return Parts(tuple(columns), rows, numbers, head)


def records(path: Path, file: TextIO, encoding: str, delimiter: str | None) -> Iterator[tuple[int, Sequence[str]]]:
    """The header, then every row: the line where it starts, and its cells, as many as the header has.

    `file` is `path` opened with this encoding; whoever goes on with it does so within `long_cells`.
    """
    try:
        if delimiter is None:
            sample = file.read(_SAMPLE)
            file.seek(0)
            delimiter = sniff(sample, whole=len(sample) < _SAMPLE)
        yield from _parse(path, file, delimiter)
    except UnicodeError as error:
        raise InputError(undecodable(path, encoding, error)) from error


def _parse(path: Path, file: Iterable[str], delimiter: str) -> Iterator[tuple[int, Sequence[str]]]:
    reader = csv.reader(_lines(path, file), delimiter=delimiter, strict=True)
    columns: tuple[str, ...] = ()
    start = 1
    try:
        for cells in reader:
            number, start = start, reader.line_num + 1
            if not any(cells) or (len(cells) == 1 and cells[0].isspace()):
                continue
            if not columns:
                columns = headings(cells, f"{path} line {number}")
                yield number, columns
                continue
            if len(cells) != len(columns):
                cells = _fitted(cells, len(columns), delimiter, f"{path} line {number}")
            yield number, cells
    except csv.Error as error:
        cause = next((words for part, words in _CAUSES.items() if part in str(error)), str(error))
        raise InputError(f"{path} line {start}: {cause}") from error
    if not columns:
        raise InputError(f"{path}: the file is empty; its first line must name the columns")


def _lines(path: Path, file: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(file, start=1):
        if "\0" in line:
            raise InputError(
                f"{path} line {number}: a NUL character; the file is damaged, is not text, "
                "or is UTF-16 without a mark (then give --encoding utf-16-le)"
            )
        yield line


def _fitted(cells: list[str], width: int, delimiter: str, where: str) -> list[str]:
    """The cells, when those beyond the last named column are empty, as spreadsheets write them."""
    if len(cells) > width and not any(cells[width:]):
        return cells[:width]
    name = "tab" if delimiter == "\t" else delimiter
    raise InputError(
        f"{where}: {len(cells)} cells where the header has {width}; the delimiter is {name!r}: "
        'put text that contains it in quotes ("), or give another with --delimiter'
    )


@contextmanager
def long_cells() -> Iterator[None]:
    """Let csv read long cells.  Its limit is the whole process's, so it is put back, one reader at a time."""
    with _limit:
        before = csv.field_size_limit(LONGEST)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def sniff(sample: str, *, whole: bool = True) -> str:
    r"""The delimiter that a file's first lines speak for, among `,` `;` and tab.

    The one that divides most records like the header wins, then the one with more columns.  A header that none
    of them divides is that of a single column, whose text may contain them all: then it is a character that
    stands in no text.

    >>> sniff("id;question\n1;Where, and when?\n2;A, B\n")
    ';'
    >>> sniff("question\nWhere, and when?\n")
    '\ufdd0'
    """
    if not sample.strip(",;\t\r\n "):
        return ","
    best, chosen = (0.0, 1), _ALONE
    for delimiter in _SNIFFED:
        records: list[list[str]] = []
        try:
            for record in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
                records += [record] if any(record) else []
        except csv.Error:
            continue
        if not whole and len(records) > 1:
            records.pop()
        width = len(records[0]) if records else 0
        alike = sum(len(record) == width for record in records) / max(1, len(records))
        if width > 1 and (alike, width) > best:
            best, chosen = (alike, width), delimiter
    return chosen


def text_encoding(path: Path, wanted: str | None) -> str:
    """How `path` is encoded: as wanted, else as its byte order mark says, else UTF-8."""
    if wanted is not None:
        try:
            "".encode(wanted)
        except LookupError as error:
            raise InputError(f"{path}: no text encoding is called {wanted!r}; try utf-8, utf-16 or cp1252") from error
        name = codecs.lookup(wanted).name
        return "utf-8-sig" if name == "utf-8" else name
    with path.open("rb") as file:
        start = file.read(4)
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8-sig")


def undecodable(path: Path, encoding: str, error: UnicodeError) -> str:
    """Say which byte of `path` cannot be read as `encoding`, and what to do."""
    shown = "UTF-8" if encoding == "utf-8-sig" else encoding
    remedy = "save the file as UTF-8, or give the encoding that it has (--encoding cp1252)"
    if not encoding.startswith(("utf-16", "utf-32")):
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    line.decode(encoding)
                except UnicodeDecodeError as found:
                    byte = found.start + 1
                    return f"{path} line {number}: byte {byte} (0x{line[found.start]:02x}) is not {shown}; {remedy}"
    return f"{path}: cannot be read as {shown}: {error}; {remedy}"


def write_delimited(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], delimiter: str) -> bytes:
    """UTF-8 without a mark, CRLF between records as RFC 4180 has it, nested values as JSON."""
    return header_line(columns, delimiter) + record_lines(columns, rows, delimiter)


def header_line(columns: Sequence[str], delimiter: str) -> bytes:
    """The line that names the columns."""
    # Whoever guesses the delimiter from the header must not find another in it.
    doubtful = any(character in name for name in columns for character in _SNIFFED)
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL if doubtful else csv.QUOTE_MINIMAL).writerow(columns)
    return _carried(file.getvalue())


def record_lines(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], delimiter: str) -> bytes:
    """The lines of rows."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return _carried(file.getvalue())


def _cell(value: Any) -> Any:
    """The text of a value, or a number that csv itself writes with all its digits."""
    if type(value) is str or (type(value) is float and value == value):
        return value
    return plain_text(value)


def _carried(text: str) -> bytes:
    if "\0" in text:
        raise InputError("a cell holds a NUL character, which CSV and TSV cannot carry; write .jsonl or .parquet")
    return text.encode()
