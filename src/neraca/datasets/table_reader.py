"""Read tables from CSV, TSV, XLSX, JSON, JSON Lines, Parquet and Arrow files.

The ending of the name gives the format; text formats may be packed with gzip or Zstandard (`answers.csv.gz`).  Values
are those of JSON: text, numbers, True and False, lists, objects, None; dates become ISO text.  CSV and TSV hold only
text, so that an id such as `007` stays as it is.

Rows come in batches and can be read again.  CSV, TSV, JSON Lines, Parquet and Arrow files are read as streams; XLSX
and JSON files are held whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from neraca.datasets import csv_files as delimited
from neraca.datasets import json_tables, parquet, spreadsheet
from neraca.datasets.compressed import PACKED, is_packed
from neraca.datasets.row_batch import RowBatch, TableFile
from neraca.errors import InputError
from neraca.translation import say

#: A batch ends with the row that brings it to one of these lengths.
ROWS, CHARACTERS = 10_000, 20_000_000


class Format(NamedTuple):
    """The reader and the properties of the files with one ending.

    Attributes
    ----------
    read
        Yields the batches of a file.
    held
        Whether the file is read whole.
    ragged
        Whether a batch has only the columns of its own rows.
    text
        Whether all values are text.
    packed
        Whether the file may be packed.
    """

    read: Callable[[TableFile], Iterator[RowBatch]]
    held: bool = False
    ragged: bool = False
    text: bool = False
    packed: bool = False


FORMATS = {
    **dict.fromkeys(delimited.SUFFIXES, Format(delimited.read_delimited, text=True, packed=True)),
    **dict.fromkeys(spreadsheet.SUFFIXES, Format(spreadsheet.read_spreadsheet, held=True)),
    **dict.fromkeys(json_tables.LINES_SUFFIXES, Format(json_tables.read_json_lines, ragged=True, packed=True)),
    ".json": Format(json_tables.read_json, held=True, packed=True),
    parquet.PARQUET: Format(parquet.read_parquet),
    **dict.fromkeys(parquet.ARROW_SUFFIXES, Format(parquet.read_arrow)),
}
READABLE = tuple(FORMATS)


class TableReader:
    """A table file, read batch by batch; each iteration reads the file again.

    Parameters
    ----------
    path
        .csv .tsv .txt (delimited text), .xlsx .xlsm, .jsonl .ndjson (an object a line), .json (a list of objects,
        or an object with one such list inside), all these also packed (.csv.gz, .csv.zst); .parquet, .arrow .feather
        .ipc (Arrow file or stream).
    encoding
        Encoding of a text file; default that of its byte order mark, else UTF-8.
    sheet
        Name of a sheet in a workbook; default the first.
    delimiter
        Delimiter of a text file; default tab for .tsv, else the one of comma, semicolon and tab that fits.
    rows, characters
        A batch ends with the row that brings it to one of these lengths; default `ROWS` and `CHARACTERS`.

    Raises
    ------
    InputError
        If there is no such file, or its format has no such option.  During iteration: if it is not of its format or
        not a table; gives the line and the remedy.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        encoding: str | None = None,
        sheet: str | None = None,
        delimiter: str | None = None,
        rows: int | None = None,
        characters: int | None = None,
    ) -> None:
        self.path = Path(path)
        self._file = TableFile(self.path, encoding, sheet, delimiter, rows or ROWS, characters or CHARACTERS)
        _check_readable(self._file)
        _check_options(self._file)
        self._format = FORMATS[self._file.suffix]

    def __iter__(self) -> Iterator[RowBatch]:
        try:
            yield from self._held if self._format.held else self._format.read(self._file)
        except OSError as error:
            raise InputError(
                say("{file}: cannot be read: {reason}", file=self.path, reason=error.strerror or error)
            ) from error

    @cached_property
    def _held(self) -> list[RowBatch]:
        return list(self._format.read(self._file))

    @cached_property
    def _first(self) -> RowBatch:
        """The first batch without its rows."""
        return replace(next(iter(self)), data=[], numbers=())

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """All names, in the order of the file; a JSON Lines file is read once for the names in all its objects."""
        if self._format.ragged:
            return tuple(dict.fromkeys(name for batch in self for name in batch.columns))
        return self._first.columns

    @property
    def header(self) -> str:
        """The file and, if it has one, the position of its header: "answers.csv line 1"."""
        return self._first.header

    def kinds(self) -> dict[str, set[str]]:
        """Return the kinds of the values of each column, see `RowBatch.kinds`; read the table if necessary."""
        if self._format.text:
            return {name: {"other"} for name in self.columns}
        kinds: dict[str, set[str]] = {}
        for batch in self:
            for name, of_batch in batch.kinds().items():
                kinds.setdefault(name, set()).update(of_batch)
        return kinds


def read_table(
    path: Path | str, *, encoding: str | None = None, sheet: str | None = None, delimiter: str | None = None
) -> RowBatch:
    """Read a whole table as one batch; raise `InputError`.

    Parameters
    ----------
    path, encoding, sheet, delimiter
        The arguments of `TableReader`.
    """
    batches = list(TableReader(path, encoding=encoding, sheet=sheet, delimiter=delimiter))
    columns = dict.fromkeys(name for batch in batches for name in batch.columns)
    rows = [row for batch in batches for row in batch.rows]
    numbers = [number for batch in batches for number in batch.numbers]
    return replace(batches[0], columns=tuple(columns), data=rows, numbers=numbers, share=1.0)


def _check_readable(file: TableFile) -> None:
    path, suffix = file.path, file.suffix
    if path.is_dir():
        raise InputError(
            say("{file}: is a folder; name a file in it ({formats})", file=path, formats=" ".join(READABLE))
        )
    if not path.is_file():
        raise InputError(
            say("{file}: no such file; check the name and the folder ({folder})", file=path, folder=Path.cwd())
        )
    if suffix == ".xls":
        raise InputError(say("{file}: the old .xls format is not read; save it as .xlsx or as CSV UTF-8", file=path))
    if suffix in (".zip", ".bz2", ".xz"):
        raise InputError(
            say(
                "{file}: is compressed; unpack it first, or pack it as {formats}",
                file=path,
                formats=say(" or ").join(PACKED),
            )
        )
    if is_packed(path) and not suffix:
        raise InputError(
            say(
                "{file}: the name does not say what is inside; name it as in table.csv{suffix}",
                file=path,
                suffix=path.suffix,
            )
        )
    if is_packed(path) and suffix in READABLE and not FORMATS[suffix].packed:
        raise InputError(say("{file}: packed {suffix} files are not read; unpack it first", file=path, suffix=suffix))
    if suffix not in READABLE:
        raise InputError(
            say(
                "{file}: {suffix} is not read; use one of {formats}",
                file=path,
                suffix=suffix or say("a name without ending"),
                formats=" ".join(READABLE),
            )
        )


def _check_options(file: TableFile) -> None:
    path, suffix, delimiter = file.path, file.suffix, file.delimiter
    if file.sheet is not None and suffix not in spreadsheet.SUFFIXES:
        raise InputError(
            say(
                "{file}: only {formats} have sheets; leave --sheet out",
                file=path,
                formats=" ".join(spreadsheet.SUFFIXES),
            )
        )
    if file.encoding is not None and suffix in (*spreadsheet.SUFFIXES, parquet.PARQUET, *parquet.ARROW_SUFFIXES):
        raise InputError(say("{file}: {suffix} knows its own encoding; leave --encoding out", file=path, suffix=suffix))
    if delimiter is not None and suffix not in delimited.SUFFIXES:
        raise InputError(
            say(
                "{file}: only {formats} have a delimiter; leave --delimiter out",
                file=path,
                formats=" ".join(delimited.SUFFIXES),
            )
        )
    if delimiter is not None and delimiter not in ("\\t", "tab") and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InputError(
            say("{file}: a delimiter is one character, or tab, not {delimiter!r}", file=path, delimiter=delimiter)
        )
