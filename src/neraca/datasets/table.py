"""Tables that people have, whatever the file: CSV, TSV, XLSX, JSON, JSON Lines, Parquet, Arrow.

The ending of the name says the format.  Values are plain: text, numbers, True and False, lists, objects, None;
dates become ISO text.  CSV and TSV hold text only, so that an id such as `007` stays what it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec

from neraca.datasets.cells import plain, plain_text, shown
from neraca.datasets.columns import Parts
from neraca.datasets.delimited import read_delimited, text_encoding, undecodable, write_delimited
from neraca.datasets.spreadsheet import read_spreadsheet, write_spreadsheet
from neraca.errors import InputError
from neraca.files import write_atomic

if TYPE_CHECKING:
    import polars as pl

DELIMITED = (".csv", ".tsv", ".txt")
SPREADSHEETS = (".xlsx", ".xlsm")
JSON_LINES = (".jsonl", ".ndjson")
FRAMES = (".parquet", ".arrow", ".feather", ".ipc")
READABLE = (*DELIMITED, *SPREADSHEETS, *JSON_LINES, ".json", *FRAMES)
WRITABLE = (".csv", ".tsv", ".xlsx", *JSON_LINES, ".json", ".parquet")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows by column name, and where each came from.

    Attributes
    ----------
    columns
        All names, in the order of the file.
    rows
        One mapping a row.  Of JSON and JSON Lines a row has only what its object has: ask with `get`.
    source
        The file.
    numbers
        Where each row starts: the line of a text file, the row of a sheet, else the position from 1.
    head
        Line or row of the header; 0 when the format has none.
    """

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    source: Path
    numbers: Sequence[int]
    head: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def place(self, index: int) -> str:
        """Where row `index` (from 0) stands in the file, for people: "line 12" or "row 12"."""
        return f"{self._unit} {self.numbers[index]}"

    @property
    def header(self) -> str:
        """The file and, if it has one, the place of its header: "questions.csv line 1"."""
        return f"{self.source} {self._unit} {self.head}" if self.head else str(self.source)

    @property
    def _unit(self) -> str:
        return "line" if self.source.suffix.lower() in (*DELIMITED, *JSON_LINES) else "row"


def read_table(
    path: Path | str, *, encoding: str | None = None, sheet: str | None = None, delimiter: str | None = None
) -> Table:
    """Read a table; its format follows from the ending of the name.

    Parameters
    ----------
    path
        .csv .tsv .txt (delimited text), .xlsx .xlsm, .jsonl .ndjson (an object a line), .json (a list of objects,
        or an object with one such list inside), .parquet, .arrow .feather .ipc (Arrow file or stream).
    encoding
        Of a text file; default what its byte order mark says, else UTF-8.
    sheet
        Of a workbook; default the first.
    delimiter
        Of delimited text; default tab for .tsv, else whichever of comma, semicolon and tab fits.

    Raises
    ------
    InputError
        The file is not there, not of its format or not a table: says the line and the remedy.
    """
    path = Path(path)
    suffix = checked_suffix(path, encoding, sheet, delimiter)
    try:
        if suffix in DELIMITED:
            parts = read_delimited(path, text_encoding(path, encoding), delimiter_of(suffix, delimiter))
        elif suffix in SPREADSHEETS:
            parts = read_spreadsheet(path, sheet)
        elif suffix in FRAMES:
            parts = _read_frame(path, suffix)
        else:
            parts = (_read_lines if suffix in JSON_LINES else _read_json)(path, text_encoding(path, encoding))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    return Table(parts.columns, parts.rows, path, parts.numbers, parts.head)


def checked_suffix(path: Path, encoding: str | None, sheet: str | None, delimiter: str | None) -> str:
    """The ending of the file's name; raises `InputError` where it cannot be read, or not with these options."""
    suffix = _readable(path)
    _check_options(path, suffix, encoding, sheet, delimiter)
    return suffix


def delimiter_of(suffix: str, given: str | None) -> str | None:
    """The delimiter for `csv`; None: whichever fits."""
    return {"\\t": "\t", "tab": "\t"}.get(given or "", given) or ("\t" if suffix == ".tsv" else None)


def _readable(path: Path) -> str:
    suffix = path.suffix.lower()
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file in it ({' '.join(READABLE)})")
    if not path.is_file():
        raise InputError(f"{path}: no such file; check the name and the folder ({Path.cwd()})")
    if suffix == ".xls":
        raise InputError(f"{path}: the old .xls format is not read; save it as .xlsx or as CSV UTF-8")
    if suffix in (".gz", ".zip", ".bz2", ".xz", ".zst"):
        raise InputError(f"{path}: is compressed; unpack it first")
    if suffix not in READABLE:
        raise InputError(f"{path}: {suffix or 'a name without ending'} is not read; use one of {' '.join(READABLE)}")
    return suffix


def _check_options(path: Path, suffix: str, encoding: str | None, sheet: str | None, delimiter: str | None) -> None:
    if sheet is not None and suffix not in SPREADSHEETS:
        raise InputError(f"{path}: only {' '.join(SPREADSHEETS)} have sheets; leave --sheet out")
    if encoding is not None and suffix in (*SPREADSHEETS, *FRAMES):
        raise InputError(f"{path}: {suffix} knows its own encoding; leave --encoding out")
    if delimiter is not None and suffix not in DELIMITED:
        raise InputError(f"{path}: only {' '.join(DELIMITED)} have a delimiter; leave --delimiter out")
    if delimiter is not None and delimiter not in ("\\t", "tab") and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InputError(f"{path}: a delimiter is one character, or tab, not {delimiter!r}")


def _decoded(data: bytes | str) -> Any:
    """Decode JSON; `NaN`, which is none but which Python and pandas write, as None."""
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        if not (b"NaN" in data if isinstance(data, bytes) else "NaN" in data):
            raise
        try:
            return json.loads(data, parse_constant={"NaN": None}.__getitem__)
        except (ValueError, KeyError):
            pass
        raise


def _lines(path: Path, encoding: str) -> Iterator[bytes | str]:
    if encoding != "utf-8-sig":
        with path.open(encoding=encoding, newline="\n") as text:
            yield from text
        return
    with path.open("rb") as file:
        _skip_mark(file)
        yield from file


def _skip_mark(file: IO[bytes]) -> None:
    if file.read(3) != b"\xef\xbb\xbf":
        file.seek(0)


def _read_lines(path: Path, encoding: str) -> Parts:
    rows: list[dict[str, Any]] = []
    numbers: list[int] = []
    columns: dict[str, None] = {}
    for number, row in json_lines(path, encoding):
        columns.update(dict.fromkeys(row))
        rows.append(row)
        numbers.append(number)
    return Parts(tuple(columns), rows, numbers)


def json_lines(path: Path, encoding: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each object of a file of JSON Lines with its line; raises `InputError`, also where there is none."""
    number = found = 0
    try:
        for number, line in enumerate(_lines(path, encoding), start=1):
            if not line.strip():
                continue
            row = _decoded(line)
            if not isinstance(row, dict):
                raise InputError(f"{path} line {number}: must be a JSON object, found {shown(row)}")
            found += 1
            yield number, row
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"{path} line {number}: not a JSON object: {error}; write one object a line") from error
    except UnicodeError as error:
        raise InputError(undecodable(path, encoding, error)) from error
    if not found:
        raise InputError(f"{path}: the file is empty; write one JSON object a line")


def _read_json(path: Path, encoding: str) -> Parts:
    with path.open("rb") as file:
        _skip_mark(file)
        data = file.read()
    try:
        found = _decoded(data if encoding == "utf-8-sig" else data.decode(encoding))
    except UnicodeError as error:
        raise InputError(undecodable(path, encoding, error)) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"{path}{_line_of(error, data)}: not valid JSON: {error}") from error
    rows = _one_list(path, found) if isinstance(found, dict) else found
    if not isinstance(rows, list):
        raise InputError(f"{path}: must be a list of objects, found {shown(found)}")
    columns: dict[str, None] = {}
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError(f"{path} row {number}: must be an object, found {shown(row)}")
        columns.update(dict.fromkeys(row))
    return Parts(tuple(columns), rows, range(1, len(rows) + 1))


def _line_of(error: Exception, data: bytes) -> str:
    _, mark, byte = str(error).rpartition("(byte ")
    if not mark:
        return ""
    hint = " (one object a line? then its name must end in .jsonl)" if "trailing" in str(error) else ""
    line = data.count(b"\n", 0, int(byte.rstrip(")"))) + 1
    return f" line {line}{hint}"


def _one_list(path: Path, found: Mapping[str, Any]) -> list[Any]:
    lists = {
        key: value
        for key, value in found.items()
        if isinstance(value, list) and all(isinstance(row, dict) for row in value)
    }
    if len(lists) != 1:
        names = f"found {', '.join(lists)}" if lists else f"found {', '.join(found) or 'nothing'}"
        raise InputError(
            f'{path}: must be a list of objects, or have one such list inside ({{"data": [...]}}); {names}'
        )
    return next(iter(lists.values()))


def _read_frame(path: Path, suffix: str) -> Parts:
    import polars as pl

    with path.open("rb") as file:
        arrow = pl.read_ipc if file.read(6) == b"ARROW1" else pl.read_ipc_stream
    read: Callable[..., pl.DataFrame] = pl.read_parquet if suffix == ".parquet" else arrow
    with path.open("rb") as file, frame_errors(path):  # opened: a name could be taken for a pattern
        frame = read(file)
    rows = [row for part in frame.iter_slices(10_000) for row in frame_rows(part)]
    return Parts(tuple(frame.columns), rows, range(1, len(rows) + 1))


@contextmanager
def frame_errors(path: Path) -> Iterator[None]:
    """Say in our words that a file of columns cannot be read."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        suffix = path.suffix.lower()
        raise InputError(f"{path}: not a readable {suffix} file: {error}; write it anew") from error


def frame_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of a data frame with plain values."""
    rows = frame.to_dicts()
    odd = [name for name, kind in frame.schema.items() if _is_odd(kind)]
    for row in rows if odd else ():
        for name in odd:
            row[name] = plain(row[name])
    return rows


def frame_column(column: pl.Series) -> list[Any]:
    """The plain values of a column."""
    values: list[Any] = column.to_list()
    return list(map(plain, values)) if _is_odd(column.dtype) else values


def _is_odd(kind: Any) -> bool:
    """Whether values of this type may have to be made plain."""
    import polars as pl

    return kind not in (pl.String, pl.Boolean, pl.Null) and not kind.is_integer()


def write_table(path: Path | str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> None:
    """Write a table whole or not at all; its format follows from the ending of the name.

    CSV and TSV are UTF-8 without a mark.  There and in XLSX nested values are JSON text, and None is an empty cell;
    in XLSX every text stays text, formulas too.  A Parquet column of more than one type, or of objects, is text.

    Parameters
    ----------
    path
        .csv .tsv .xlsx .jsonl .ndjson .json .parquet
    rows
        Column → value; what is missing is left empty (JSON: left out).
    columns
        Which, in this order; default all, in order of occurrence.

    Raises
    ------
    InputError
        The ending is not written, or a value cannot be carried by the format.
    """
    path = Path(path)
    suffix = writable_suffix(path)
    names = list(columns) if columns is not None else list(dict.fromkeys(key for row in rows for key in row))
    try:
        data = encoded(suffix, names, rows)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except (TypeError, UnicodeError) as error:
        raise InputError(f"{path}: a value cannot be written: {error}") from error
    write_atomic(path, data)


def writable_suffix(path: Path) -> str:
    """The ending of the file's name; raises `InputError` where it is not written."""
    suffix = path.suffix.lower()
    if suffix not in WRITABLE:
        raise InputError(f"{path}: {suffix or 'a name without ending'} is not written; use one of {' '.join(WRITABLE)}")
    return suffix


def encoded(suffix: str, names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as the content of a file with this ending."""
    if suffix in (".csv", ".tsv"):
        return write_delimited(names, rows, "\t" if suffix == ".tsv" else ",")
    if suffix == ".xlsx":
        return write_spreadsheet(names, rows)
    if suffix == ".parquet":
        return _write_frame(names, rows)
    objects = [{name: row[name] for name in names if name in row} for row in rows]
    if suffix in JSON_LINES:
        return msgspec.json.Encoder().encode_lines(objects)
    return msgspec.json.format(msgspec.json.encode(objects), indent=2) + b"\n"


def _write_frame(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bytes:
    import io

    import polars as pl

    file = io.BytesIO()
    columns = {name: [row.get(name) for row in rows] for name in names}
    pl.DataFrame({name: series(name, values, kinds(values)) for name, values in columns.items()}).write_parquet(file)
    return file.getvalue()


def kinds(values: Iterable[Any]) -> set[str]:
    """Of which kinds values are: bool, int, float, list (of texts), other; those that are None are of none.

    >>> sorted(kinds([1, None, 2.5, ["a"], {"b": 1}]))
    ['float', 'int', 'list', 'other']
    """
    return {_kind(value) for value in values if value is not None}


def _kind(value: Any) -> str:
    if isinstance(value, bool | float):
        return type(value).__name__
    if isinstance(value, int):
        return "int" if -(2**63) <= value < 2**63 else "other"
    texts = isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)
    return "list" if texts else "other"


def series(name: str, values: Sequence[Any], kinds: Collection[str]) -> pl.Series:
    """A column of the one type that all its values have; of text, when they have several or are objects."""
    import polars as pl

    types: dict[str, Any] = {"bool": pl.Boolean, "int": pl.Int64, "float": pl.Float64, "list": pl.List(pl.String)}
    chosen = types.get(next(iter(kinds)), pl.String) if len(kinds) == 1 else pl.String
    if chosen == pl.String:
        values = [None if value is None else plain_text(value) for value in values]
    return pl.Series(name, values, chosen)
