"""Write tables batch by batch; at the end the file is there whole, or not at all.

CSV, TSV, XLSX, JSON Lines and Parquet are written as batches arrive; the rows of JSON are held until the end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from neraca.datasets.csv_files import delimited_writer
from neraca.datasets.json_tables import LINES_SUFFIXES, json_lines_writer, json_writer
from neraca.datasets.parquet import PARQUET, parquet_writer
from neraca.datasets.row_batch import OutputColumns, RowBatch
from neraca.datasets.spreadsheet import spreadsheet_writer
from neraca.datasets.table_reader import TableReader
from neraca.errors import InputError
from neraca.files import replacing

Write = Callable[[RowBatch], object]

WRITERS: dict[str, Callable[[Path, OutputColumns], AbstractContextManager[Write]]] = {
    ".csv": partial(delimited_writer, delimiter=","),
    ".tsv": partial(delimited_writer, delimiter="\t"),
    ".xlsx": spreadsheet_writer,
    **dict.fromkeys(LINES_SUFFIXES, json_lines_writer),
    ".json": json_writer,
    PARQUET: parquet_writer,
}
WRITABLE = tuple(WRITERS)


class TableWriter:
    """Writes one batch after the other, and names the file in every error."""

    def __init__(self, path: Path, write: Write) -> None:
        self._path, self._write = path, write

    def write(self, batch: RowBatch) -> None:
        """Write rows; raise `InputError` if the format cannot hold a value."""
        with _errors_with_name(self._path):
            self._write(batch)


@contextmanager
def table_writer(
    path: Path | str, source: TableReader | RowBatch, added: Mapping[str, Collection[str]] | None = None
) -> Iterator[TableWriter]:
    """Write `path` with the columns of `source` and new ones; the ending of its name gives the format.

    A value that the format cannot hold raises an error at once.  The new file replaces the old one when the `with`
    block ends without an error.  Until then, and after an error, the old file stays.

    CSV and TSV are UTF-8 without a byte order mark.  There and in XLSX nested values are JSON text, and None is an
    empty cell.  In XLSX every text stays text, even a formula.  A Parquet column of several types, or of objects, is
    text.

    Parameters
    ----------
    path
        .csv .tsv .xlsx .jsonl .ndjson .json .parquet
    source
        The table whose batches are written, each with the new columns (`RowBatch.with_columns`).
    added
        New column → the kinds of its values, see `value_kinds`.

    Raises
    ------
    InputError
        If the ending is unknown, the file cannot be written, or the format cannot hold a value.
    """
    path, added = Path(path), added or {}
    check_output(path, source.path)
    columns = OutputColumns([*source.columns, *added], lambda: {**source.kinds(), **added})
    with replacing(path) as beside, ExitStack() as stack:
        with _errors_with_name(path):
            write = stack.enter_context(WRITERS[path.suffix.lower()](beside, columns))
        yield TableWriter(path, write)
        with _errors_with_name(path):
            stack.close()  # some formats write only at the end


def write_batch(path: Path | str, batch: RowBatch) -> None:
    """Write a table of one batch, whole or not at all; raise `InputError`.  See `table_writer`."""
    with table_writer(path, batch) as writer:
        writer.write(batch)


def write_table(path: Path | str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> None:
    """Write a table from its rows, whole or not at all; raise `InputError`.

    Parameters
    ----------
    path
        The file; see `table_writer`.
    rows
        Column → value of each row; a missing value is an empty cell (JSON: left out).
    columns
        The columns to write, in this order; default all, in order of first occurrence.
    """
    names = tuple(columns) if columns is not None else tuple(dict.fromkeys(key for row in rows for key in row))
    write_batch(path, RowBatch(names, [{name: row[name] for name in names if name in row} for row in rows]))


def check_output(
    path: Path, source: Path, same: str = "is the table that is read; give the new one another name"
) -> None:
    """Raise `InputError` if a table cannot be written to `path`, with the message `same` if `path` is `source`."""
    suffix = path.suffix.lower()
    if suffix not in WRITABLE:
        raise InputError(f"{path}: {suffix or 'a name without ending'} is not written; use one of {' '.join(WRITABLE)}")
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file in it")
    if path.exists() and path.samefile(source):
        raise InputError(f"{path}: {same}")


@contextmanager
def _errors_with_name(path: Path) -> Iterator[None]:
    """Name the file in an error about a value that it cannot hold."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except (TypeError, UnicodeError) as error:
        raise InputError(f"{path}: a value cannot be written: {error}") from error
