"""Read and write CSV and similar files, whose cells are separated by a comma, a semicolon, a tab or another character.

Files are read as streams: only the rows of one batch are in memory.
"""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TextIO

from neraca.datasets.columns import headings
from neraca.datasets.compressed import opened_with_share
from neraca.datasets.csv_text import csv_text
from neraca.datasets.row_batch import OutputColumns, RowBatch, TableFile, take_batches
from neraca.datasets.text_encoding import remedies_for, text_encoding, undecodable
from neraca.errors import InputError
from neraca.translation import say

SUFFIXES = (".csv", ".tsv", ".txt")
LONGEST_CELL = 64 * 2**20
_SAMPLE = 2**16
_SNIFFED = (",", ";", "\t")
_NO_DELIMITER = "\ufdd0"  # a character that Unicode will never use in text
_limit = threading.Lock()
_CAUSES = {
    "unexpected end of data": 'the quote " that opens here is never closed; close it, or write it twice if it is text',
    "field larger": 'a cell is longer than {n:,} characters; is a quote " left open?',
    "expected after": 'text follows a closing quote "; write a quote inside quoted text twice ("")',
}


def read_delimited(file: TableFile) -> Iterator[RowBatch]:
    """Yield the rows in batches; if no delimiter is set, use the one of `,` `;` and tab that fits the first lines."""
    encoding = text_encoding(file.path, file.encoding)
    with (
        opened_with_share(file.path) as (opened, share),
        io.TextIOWrapper(opened, encoding, newline="") as text,
    ):
        records = _records(file, text, encoding)
        with _long_cells():
            head, columns = next(records)
        rows = ((number, dict(zip(columns, cells, strict=True))) for number, cells in records)
        for numbers, batch in take_batches(rows, file, _long_cells):
            yield RowBatch(tuple(columns), batch, file.path, "line", numbers, head, share())


def _records(file: TableFile, text: TextIO, encoding: str) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield (first line, cells) of the header and then of every row; a row has as many cells as the header."""
    delimiter = {"\\t": "\t", "tab": "\t"}.get(file.delimiter or "", file.delimiter)
    if file.suffix == ".tsv":
        delimiter = delimiter or "\t"
    try:
        if delimiter is None:
            sample = text.read(_SAMPLE)
            text.seek(0)
            delimiter = sniff(sample, whole=len(sample) < _SAMPLE)
        yield from _parse(file.path, text, delimiter)
    except UnicodeError as error:
        raise InputError(undecodable(file.path, encoding, error), remedies_for(file.path)) from error


def _parse(path: Path, text: Iterable[str], delimiter: str) -> Iterator[tuple[int, Sequence[str]]]:
    reader = csv.reader(_lines(path, text), delimiter=delimiter, strict=True)
    columns: tuple[str, ...] = ()
    start = 1
    try:
        for cells in reader:
            number, start = start, reader.line_num + 1
            if not any(cells) or (len(cells) == 1 and cells[0].isspace()):
                continue
            if not columns:
                columns = headings(cells, f"{path} {say('line {number}', number=number)}")
                yield number, columns
                continue
            if len(cells) != len(columns):
                cells = _fit_width(cells, len(columns), delimiter, f"{path} {say('line {number}', number=number)}")
            yield number, cells
    except csv.Error as error:
        cause = next((say(words, n=LONGEST_CELL) for part, words in _CAUSES.items() if part in str(error)), str(error))
        raise InputError(f"{path} {say('line {number}', number=start)}: {cause}") from error
    if not columns:
        raise InputError(say("{file}: the file is empty; its first line must name the columns", file=path))


def _lines(path: Path, text: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(text, start=1):
        if "\0" in line:
            raise InputError(
                say(
                    "{file} line {number}: a NUL character; the file is damaged, is not text, or is UTF-16 "
                    "without a mark (then save it as UTF-8)",
                    file=path,
                    number=number,
                )
            )
        yield line


def _fit_width(cells: list[str], width: int, delimiter: str, where: str) -> list[str]:
    """Drop empty cells beyond the last named column, which spreadsheets write; raise `InputError` for other widths."""
    if len(cells) > width and not any(cells[width:]):
        return cells[:width]
    name = say("tab") if delimiter == "\t" else delimiter
    raise InputError(
        say(
            "{where}: {n} cells where the header has {width}; the delimiter is {name!r}: put text that "
            'contains it in quotes ("), or save the file with commas',
            where=where,
            n=len(cells),
            width=width,
            name=name,
        ),
        {
            "delimiter": say('pass --delimiter ";"'),
            "study": say('write delimiter = ";" where the study names the file'),
            "replay": say('write delimiter = ";" in the table of the target'),
        },
    )


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let csv read long cells.  Its limit is global, so only one reader at a time changes it and restores it."""
    with _limit:
        before = csv.field_size_limit(LONGEST_CELL)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def sniff(sample: str, *, whole: bool = True) -> str:
    r"""Return the delimiter that fits a file's first lines best, among `,` `;` and tab.

    The delimiter that splits most records into as many cells as the header wins; ties go to more columns.  A header
    that none of them splits has a single column, whose text may contain all of them: return a character that occurs
    in no text.

    >>> sniff("id;question\n1;Where, and when?\n2;A, B\n")
    ';'
    >>> sniff("question\nWhere, and when?\n")
    '\ufdd0'
    """
    if not sample.strip(",;\t\r\n "):
        return ","
    best, chosen = (0.0, 1), _NO_DELIMITER
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


@contextmanager
def delimited_writer(path: Path, columns: OutputColumns, delimiter: str) -> Iterator[Callable[[RowBatch], object]]:
    """Write UTF-8 without a byte order mark, CRLF after records (RFC 4180), nested values as JSON."""
    # A program that guesses the delimiter from the header must not find another one in it.
    ambiguous = any(character in name for name in columns.names for character in _SNIFFED)
    quoting: Literal[0, 1] = csv.QUOTE_ALL if ambiguous else csv.QUOTE_MINIMAL
    with path.open("wb") as file:
        file.write(csv_text([columns.names], delimiter, quoting=quoting).encode())

        def write(batch: RowBatch) -> None:
            records = ([row.get(name) for name in columns.names] for row in batch.rows)
            file.write(csv_text(records, delimiter).encode())

        yield write
