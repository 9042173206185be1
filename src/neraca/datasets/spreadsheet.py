"""Read and write XLSX: the first sheet or a named one; formulas give their last computed value."""

from __future__ import annotations

import math
import re
import warnings
import zipfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from neraca.datasets.cells import plain, plain_text
from neraca.datasets.columns import headings
from neraca.datasets.compressed import check_unfolded
from neraca.datasets.row_batch import OutputColumns, Row, RowBatch, TableFile, split_rows
from neraca.errors import InputError
from neraca.translation import say

SUFFIXES = (".xlsx", ".xlsm")
LONGEST_CELL = 32_767
MOST_ROWS = 1_048_576
#: A sheet is held whole: its XML may have so many bytes, and its table so many cells, the empty ones counted.
MOST_BYTES, MOST_CELLS = 1 << 30, 30_000_000
_EXACT = 10**15
#: Rows by which the width of a column is measured; its most letters, those of a rounded number, and of a filter's sign.
_MEASURED, _WIDEST, _SHORT, _FILTER = 200, 60, 10, 3
#: Numbers with more decimals are shown with so many; the cell holds them all.
_DECIMALS = 4
_TIME_FORMAT = "yyyy-mm-dd hh:mm:ss"
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def read_spreadsheet(file: TableFile) -> Iterator[RowBatch]:
    """Read one sheet whole and yield its rows in batches; skip rows in which every cell is empty."""
    import openpyxl

    path = file.path
    with path.open("rb") as opened, warnings.catch_warnings():
        # openpyxl warns of styles and validations that it does not read; they hold no data.
        warnings.simplefilter("ignore")
        try:
            _check_size(path)
            book = openpyxl.load_workbook(opened, read_only=True, data_only=True)
            page = _page(path, book, file.sheet)
            page.reset_dimensions()
            columns, numbers, rows, head = _parse(path, page.iter_rows(values_only=True))
        except InputError:
            raise
        except Exception as error:  # a damaged archive makes openpyxl raise anything
            raise InputError(
                say(
                    "{file}: not a readable XLSX file ({kind}: {error}); open it in a spreadsheet program and "
                    "save it anew, without a password, as .xlsx or CSV",
                    file=path,
                    kind=type(error).__name__,
                    error=error,
                )
            ) from error
    yield from split_rows(file, columns, numbers, rows, head)


def _check_size(path: Path) -> None:
    """Raise `InputError` if the workbook unfolds to more than memory should hold."""
    with zipfile.ZipFile(path) as archive:
        unfolded = sum(part.file_size for part in archive.infolist())
    check_unfolded(path, unfolded, path.stat().st_size, say("save it as .csv in a spreadsheet program"))
    if unfolded > MOST_BYTES:
        raise InputError(
            say("{file}: {n:,} MiB of XML, but a workbook is held whole; save it as .csv", file=path, n=unfolded >> 20)
        )


def _page(path: Path, book: Any, sheet: str | None) -> Any:
    names = [page.title for page in book.worksheets]
    if sheet is not None and sheet not in names:
        raise InputError(
            say(
                "{file}: no sheet {sheet!r}; choose one with --sheet: {names}",
                file=path,
                sheet=sheet,
                names=", ".join(names),
            )
        )
    if not names:
        raise InputError(say("{file}: the workbook has no sheet with cells", file=path))
    return book.worksheets[names.index(sheet) if sheet is not None else 0]


def _parse(path: Path, sheet: Iterable[Sequence[Any]]) -> tuple[tuple[str, ...], Sequence[int], list[Row], int]:
    """Return the names of the columns, the number of each row, the rows, and the row number of the header."""
    columns: tuple[str, ...] = ()
    rows: list[Row] = []
    numbers = array("q")
    head = 0
    for number, raw in enumerate(sheet, start=1):
        cells = [None if value is None else _value(value) for value in raw]
        while cells and cells[-1] is None:
            cells.pop()
        if not cells:
            continue
        if not columns:
            columns, head = headings(cells, f"{path} {say('row {number}', number=number)}"), number
            continue
        if len(columns) * len(rows) > MOST_CELLS:
            raise InputError(
                say(
                    "{file} row {number}: over {most:,} cells, but a workbook is held whole; save it as .csv, or "
                    "delete the columns that hold nothing",
                    file=path,
                    number=number,
                    most=MOST_CELLS,
                )
            )
        if len(cells) > len(columns):
            raise InputError(
                say(
                    "{file} row {number}: a value in column {n}, but the header (row {head}) names only "
                    "{columns} columns; name it or clear the cell",
                    file=path,
                    number=number,
                    n=len(cells),
                    head=head,
                    columns=len(columns),
                )
            )
        cells += [None] * (len(columns) - len(cells))
        rows.append(dict(zip(columns, cells, strict=True)))
        numbers.append(number)
    if not columns:
        raise InputError(say("{file}: the sheet is empty; its first row must name the columns", file=path))
    return columns, numbers, rows, head


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), value) if "_x" in value else value or None
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return plain(value)


class _Sheet:
    """A sheet to read on screen: a bold header that stays in view, filters, and wide enough columns."""

    def __init__(self, page: Any, columns: Sequence[str], formats: Mapping[str, str], where: str = "") -> None:
        self._page, self._columns, self._formats, self._where = page, columns, formats, where
        self._total = 0
        self._begun = False

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows; the header comes before the first of them."""
        if not self._begun:
            self._begin(rows[:_MEASURED])
        first, self._total = self._total + 1, self._total + len(rows)
        if self._total >= MOST_ROWS:
            raise InputError(
                say(
                    "{where}{total:,} rows, but a sheet holds {most:,}; write .csv or .parquet",
                    where=self._where,
                    total=self._total,
                    most=MOST_ROWS - 1,
                )
            )
        for number, row in enumerate(rows, start=first):
            where = f"{self._where}row {number}"
            self._page.append(
                [_cell(self._page, row.get(n), f"{where}, column {n}", self._formats.get(n, "")) for n in self._columns]
            )

    def end(self) -> None:
        """Set the filters, which cover all rows."""
        if not self._begun:
            self._begin(())
        if self._columns:
            self._page.auto_filter.ref = f"A1:{_letters(len(self._columns))}{self._total + 1}"

    def _begin(self, rows: Sequence[Row]) -> None:
        from openpyxl.styles import Font

        self._begun = True  # also if a name is too long: the file is then not kept
        for place, name in enumerate(self._columns, start=1):
            longest = max(len(plain_text(row.get(name)) if row.get(name) is not None else "") for row in [{}, *rows])
            is_number = any(isinstance(row.get(name), float) for row in rows)
            shown = min(longest, _SHORT) if is_number else longest
            width = min(_WIDEST, max(shown, len(name) + _FILTER)) + 2
            self._page.column_dimensions[_letters(place)].width = width
        self._page.freeze_panes = "A2"
        head = [_cell(self._page, name, f"the name of column {name[:40]!r}") for name in self._columns]
        for cell in head:
            cell.font = Font(bold=True)
        self._page.append(head)


def _letters(place: int) -> str:
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(place))


@contextmanager
def spreadsheet_writer(path: Path, columns: OutputColumns) -> Iterator[Callable[[RowBatch], object]]:
    """Write one sheet; write every text as text, even if it looks like a formula, a number or an error."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = _Sheet(book.create_sheet("data"), columns.names, {})
    try:
        yield lambda batch: sheet.write(batch.rows)
        sheet.end()
    finally:  # also after an error, because openpyxl keeps a temporary file until the book is saved
        book.save(path)


def write_sheets(path: Path, sheets: Mapping[str, RowBatch], formats: Mapping[str, str] | None = None) -> None:
    """Write a workbook of several sheets, each with a header; see `spreadsheet_writer` for texts.

    `formats` are number formats of a spreadsheet program, such as `0.00`, by the heading of a column.  Another column
    of numbers has one format, with as many decimals as its longest number needs, at most `_DECIMALS`.
    """
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    try:
        for title, batch in sheets.items():
            own_formats = _formats_by_need(batch) | dict(formats or {})
            sheet = _Sheet(book.create_sheet(title), batch.columns, own_formats, f"{title}: ")
            sheet.write(batch.rows)
            sheet.end()
    finally:  # also after an error: openpyxl keeps temporary files until the book is saved
        book.save(path)


def _formats_by_need(batch: RowBatch) -> dict[str, str]:
    """Return column → number format for the columns with a number that is not whole."""
    decimals = {name: max((_decimals(row.get(name)) for row in batch.rows), default=0) for name in batch.columns}
    return {name: f"0.{'0' * n}" for name, n in decimals.items() if n}


def _decimals(value: Any) -> int:
    """Return how many decimals a number needs, at most `_DECIMALS`; 0 for a text.

    >>> [_decimals(value) for value in (2.0, 0.5, 1 / 3, math.nan, "0.25")]
    [0, 1, 4, 0, 0]
    """
    if not isinstance(value, float) or not math.isfinite(value):
        return 0
    return next((n for n in range(_DECIMALS) if round(value, n) == value), _DECIMALS)


def _cell(page: Any, value: Any, where: str, number_format: str = "") -> Any:
    from openpyxl.cell import WriteOnlyCell

    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isnan(value):
        return None
    cell = WriteOnlyCell(page)
    if (isinstance(value, int) and abs(value) < _EXACT) or (isinstance(value, float) and math.isfinite(value)):
        # Write all digits: openpyxl would round to 16.  Longer integers become text, because Excel keeps 15 digits.
        cell.value, cell.data_type = repr(value if value else 0), "n"  # a spreadsheet program would show -0.0 as -0
        if number_format or (isinstance(value, float) and round(value, _DECIMALS) != value):
            cell.number_format = number_format or f"0.{'0' * _DECIMALS}"
        return cell
    if isinstance(value, datetime) and value.tzinfo is None:
        cell.value, cell.number_format = value, _TIME_FORMAT
        return cell
    text = _UNSAFE.sub(lambda unsafe: f"_x{ord(unsafe[0]):04X}_", plain_text(value))
    if len(text) > LONGEST_CELL:
        raise InputError(
            say(
                "{where}: {n:,} characters, but a cell holds {most:,}; write .csv or .parquet",
                where=where,
                n=len(text),
                most=LONGEST_CELL,
            )
        )
    cell.value, cell.data_type = text, "s"
    if text.startswith(("=", "+", "-", "@")):
        cell.quotePrefix = True
    return cell
