"""XLSX: the first sheet or a named one, read row by row; formulas give their last computed value."""

from __future__ import annotations

import io
import math
import re
import warnings
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from neraca.datasets.cells import plain, plain_text
from neraca.datasets.columns import Parts, headings
from neraca.errors import InputError

LONGEST = 32_767
MOST_ROWS = 1_048_576
_EXACT = 10**15
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def read_spreadsheet(path: Path, sheet: str | None) -> Parts:
    """Read one sheet of `path`; rows in which every cell is empty are passed over."""
    import openpyxl

    with path.open("rb") as file, warnings.catch_warnings():
        # openpyxl warns of styles and validations that it does not read; they carry no data.
        warnings.simplefilter("ignore")
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            page = _page(path, book, sheet)
            page.reset_dimensions()
            return _parse(path, page.iter_rows(values_only=True))
        except InputError:
            raise
        except Exception as error:  # a damaged archive makes openpyxl raise anything
            raise InputError(
                f"{path}: not a readable XLSX file ({type(error).__name__}: {error}); "
                "open it in a spreadsheet program and save it anew, without a password, as .xlsx or CSV"
            ) from error


def _page(path: Path, book: Any, sheet: str | None) -> Any:
    names = [page.title for page in book.worksheets]
    if sheet is not None and sheet not in names:
        raise InputError(f"{path}: no sheet {sheet!r}; choose one with --sheet: {', '.join(names)}")
    if not names:
        raise InputError(f"{path}: the workbook has no sheet with cells")
    return book.worksheets[names.index(sheet) if sheet is not None else 0]


def _parse(path: Path, sheet: Iterable[Sequence[Any]]) -> Parts:
    columns: tuple[str, ...] = ()
    rows: list[dict[str, Any]] = []
    numbers = array("q")
    head = 0
    for number, raw in enumerate(sheet, start=1):
        cells = [None if value is None else _value(value) for value in raw]
        while cells and cells[-1] is None:
            cells.pop()
        if not cells:
            continue
        if not columns:
            columns, head = headings(cells, f"{path} row {number}"), number
            continue
        if len(cells) > len(columns):
            raise InputError(
                f"{path} row {number}: a value in column {len(cells)}, but the header (row {head}) names only "
                f"{len(columns)} columns; name it or clear the cell"
            )
        cells += [None] * (len(columns) - len(cells))
        rows.append(dict(zip(columns, cells, strict=True)))
        numbers.append(number)
    if not columns:
        raise InputError(f"{path}: the sheet is empty; its first row must name the columns")
    return Parts(columns, rows, numbers, head)


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), value) if "_x" in value else value or None
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return plain(value)


def write_spreadsheet(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bytes:
    """One sheet; every text is written as text, also when it looks like a formula, a number or an error."""
    import openpyxl

    if len(rows) >= MOST_ROWS:
        raise InputError(f"{len(rows):,} rows, but a sheet holds {MOST_ROWS - 1:,}; write .csv or .parquet")
    book = openpyxl.Workbook(write_only=True)
    page = book.create_sheet("data")
    file = io.BytesIO()
    try:
        page.append([_cell(page, column, f"the name of column {column[:40]!r}") for column in columns])
        for number, row in enumerate(rows, start=1):
            page.append([_cell(page, row.get(column), f"row {number}, column {column}") for column in columns])
    finally:  # also after an error: openpyxl keeps a temporary file until the book is saved
        book.save(file)
    return file.getvalue()


def _cell(page: Any, value: Any, where: str) -> Any:
    from openpyxl.cell import WriteOnlyCell

    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isnan(value):
        return None
    cell = WriteOnlyCell(page)
    if (isinstance(value, int) and abs(value) < _EXACT) or (isinstance(value, float) and math.isfinite(value)):
        # As digits: openpyxl itself would round to 16 of them.  Longer integers become text, as Excel keeps 15.
        cell.value, cell.data_type = repr(value), "n"
        return cell
    text = _UNSAFE.sub(lambda found: f"_x{ord(found[0]):04X}_", plain_text(value))
    if len(text) > LONGEST:
        raise InputError(f"{where}: {len(text):,} characters, but a cell holds {LONGEST:,}; write .csv or .parquet")
    cell.value, cell.data_type = text, "s"
    if text.startswith(("=", "+", "-", "@")):
        cell.quotePrefix = True
    return cell
