"""Read logs of events with millions of rows, block by block as data frames of text.

A log differs from a table of questions: it is long, machines write it, and a few of its lines are malformed.  These
are counted and left out.  A `LogTable` returns the fields that it is asked for; the name of a nested field has dots
(`event_attributes.object.id`).
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from neraca.datasets import csv_files as delimited
from neraca.datasets import parquet
from neraca.datasets.columns import headings
from neraca.datasets.compressed import opened, suffix_of
from neraca.datasets.text_encoding import text_encoding, undecodable
from neraca.errors import InputError

if TYPE_CHECKING:
    import polars as pl

#: Bytes and rows of a block; polars and others write this many rows of Parquet as one group, which is read whole.
BYTES, ROWS = 32 * 2**20, 2**18
#: Number of first rows that are searched for names of fields.
SAMPLE = 5_000
#: A file has another encoding if more lines than these, and more than this share of its lines, are not UTF-8.
SEVERAL, SHARE = 5, 0.01
#: A text in JSON, which is kept, or a number that JSON does not know.
_TEXT_OR_NAN = re.compile(rb'("(?:[^"\\]|\\.)*")|-?\bInfinity\b|\bNaN\b')
_SURPLUS = "\ufdd0"


class LogBlock(NamedTuple):
    """Some rows of a log.

    Attributes
    ----------
    frame
        A column for each requested field; null if a row lacks it.
    first
        The line or row number of the first row.
    broken
        Number of malformed lines, which are left out.
    undecodable
        Number of lines with bytes that are not UTF-8, in whose place the frame has the sign U+FFFD.
    """

    frame: pl.DataFrame
    first: int
    broken: int = 0
    undecodable: int = 0


class LogTable(Protocol):
    """A table of a log, in a file or a database."""

    @property
    def name(self) -> str:
        """The file, or the database and table, for messages."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its fields, nested ones with dots."""

    def blocks(self, fields: Mapping[str, str]) -> Iterator[LogBlock]:
        """Yield its rows in blocks; `fields` maps the name of a column in the frame to a field."""


def pick(frame: pl.DataFrame, fields: Mapping[str, str]) -> pl.DataFrame:
    """Select fields of a frame: columns, fields of structs, and fields of JSON text in a column."""
    import polars as pl

    def field(path: str) -> pl.Expr:
        if path in frame.columns:
            return pl.col(path)
        name, _, inner = path.partition(".")
        if name not in frame.columns:
            return pl.lit(None, dtype=pl.String)
        if isinstance(frame.schema[name], pl.Struct):
            expression = pl.col(name)
            for part in inner.split("."):
                expression = expression.struct.field(part)
            return expression
        return pl.col(name).cast(pl.String).str.json_path_match(f"$.{inner}")

    return frame.select(**{name: field(path) for name, path in fields.items()})


def nested_fields(value: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the names of all fields of an object; the name of a nested field has a dot.

    >>> list(nested_fields({"a": 1, "b": {"c": 2}, "d": '{"e": 3}'}))
    ['a', 'b', 'b.c', 'd', 'd.e']
    """
    for name, inner in value.items():
        yield f"{prefix}{name}"
        if isinstance(inner, str) and inner.startswith("{"):
            try:
                inner = msgspec.json.decode(inner)
            except msgspec.DecodeError:
                continue
        if isinstance(inner, Mapping):
            yield from nested_fields(inner, f"{prefix}{name}.")


@dataclass(frozen=True)
class DelimitedLog:
    """A log in a CSV or TSV file, in UTF-8."""

    path: Path
    delimiter: str = ""

    @property
    def name(self) -> str:
        """The file."""
        return str(self.path)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names in its header, and the fields of JSON values in its first rows."""
        head, delimiter, _ = self._header()
        with opened(self.path) as file:
            sample = _cut(file.read(2**18), whole=True)[0]
        first = self._frame(sample.split(b"\n", 1)[1] if b"\n" in sample else b"", head, delimiter)
        inside = dict.fromkeys(name for row in first.head(SAMPLE).to_dicts() for name in nested_fields(row))
        return tuple(dict.fromkeys([*head, *(name for name in inside if name != _SURPLUS)]))

    def blocks(self, fields: Mapping[str, str]) -> Iterator[LogBlock]:
        """Yield its rows in blocks; a row with more cells than the header counts as broken.  Leave out empty lines."""
        import polars as pl

        head, delimiter, start = self._header()
        with opened(self.path) as file:
            file.seek(start)
            line = 2
            for block in _byte_blocks(file, self.path, quotes=True):
                block, undecodable = _decodable(block, self.path, line)
                frame = self._frame(block, head, delimiter)
                valid = frame.filter(pl.col(_SURPLUS).is_null())
                broken = len(frame) - len(valid)
                if len(head) > 1:  # a line without a cell is no row
                    valid = valid.filter(~pl.all_horizontal(pl.all().is_null()))
                yield LogBlock(pick(valid, fields), line, broken, undecodable)
                line += len(frame)

    def _header(self) -> tuple[tuple[str, ...], str, int]:
        """Return the names, the delimiter, and the byte at which the first row begins."""
        encoding = text_encoding(self.path, None)
        with opened(self.path) as file:
            line = file.readline()
            start = file.tell()
            sample = line + file.read(2**16)
        if encoding != "utf-8-sig":
            raise InputError(
                f"{self.path}: a log is read as UTF-8, and this is {encoding}; {_as_utf8(self.path, encoding)}"
            )
        try:
            text = line.decode("utf-8-sig").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InputError(undecodable(self.path, "utf-8-sig", error, _as_utf8(self.path))) from error
        usual = "\t" if suffix_of(self.path) == ".tsv" else delimited.sniff(sample.decode("utf-8-sig", "replace"))
        delimiter = {"\\t": "\t", "tab": "\t"}.get(self.delimiter, self.delimiter) or usual
        if not text.strip():
            raise InputError(f"{self.path}: the file is empty; its first line must name the columns")
        if "\r" in text:
            raise InputError(
                f"{self.path}: its lines end with a carriage return alone, as on an old Mac; save it with line ends of "
                "Unix or Windows"
            )
        if len(delimiter.encode()) != 1:
            raise InputError(
                f"{self.path} line 1: no delimiter is known for {text[:60]!r}; name it, one character: "
                "--delimiter '|', and let the first line name the columns"
            )
        cells = next(iter(csv.reader([text], delimiter=delimiter)))
        return headings(cells, f"{self.path} line 1"), delimiter, start

    def _frame(self, block: bytes, head: tuple[str, ...], delimiter: str) -> pl.DataFrame:
        import polars as pl

        names = [*map(str, range(len(head))), _SURPLUS]  # one more column than the header has, for surplus cells
        try:
            frame = pl.read_csv(
                delimiter.join(names).encode() + b"\n" + block,
                infer_schema=False,
                separator=delimiter,
                encoding="utf8-lossy",
                truncate_ragged_lines=True,
                raise_if_empty=False,
            )
            return frame.rename(dict(zip(names, head, strict=False)))
        except pl.exceptions.PolarsError as error:
            cause = str(error).partition("\n")[0]
            raise InputError(f"{self.path}: cannot be read as a table: {cause}; write it anew") from error


@dataclass(frozen=True)
class JsonLog:
    """A log in a JSON Lines file."""

    path: Path

    @property
    def name(self) -> str:
        """The file."""
        return str(self.path)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The fields of its objects: of all in the first block, and of some in each later one."""
        fields: dict[str, None] = {}
        flat_rows: set[tuple[str, ...]] = set()
        objects = 0
        with opened(self.path) as file:
            for number, block in enumerate(_byte_blocks(file, self.path)):
                block = _decodable(block[: BYTES // 16] if number else block, self.path, 1)[0]
                for line in block.split(b"\n"):
                    row = _object(line)
                    objects += row is not None
                    names = tuple(row or ())
                    if row and (names not in flat_rows or any(map(_is_nested, row.values()))):
                        flat_rows.add(names)
                        fields |= dict.fromkeys(nested_fields(row))
        if not objects:
            raise InputError(f"{self.path}: no line is a JSON object; write one event a line")
        return tuple(fields)

    def blocks(self, fields: Mapping[str, str]) -> Iterator[LogBlock]:
        """Yield its rows in blocks; a line that is not a JSON object counts as broken."""
        import polars as pl

        names = dict.fromkeys(path.partition(".")[0] for path in fields.values())
        flat = {path for path in fields.values() if path in self.columns}
        schema = {**dict.fromkeys(names, pl.String), **{path: pl.String for path in flat if "." not in path}}
        line = 1
        with opened(self.path) as file:
            for block in _byte_blocks(file, self.path):
                block, undecodable = _decodable(block, self.path, line)
                lines = block.count(b"\n") + (not block.endswith(b"\n"))
                try:
                    frame, broken = pl.read_ndjson(block, schema=schema), 0
                except pl.exceptions.PolarsError:
                    valid = [text for text in map(_without_nan, block.split(b"\n")) if _object(text) is not None]
                    broken = sum(map(bool, map(bytes.strip, block.split(b"\n")))) - len(valid)
                    frame = pl.read_ndjson(b"\n".join(valid), schema=schema) if valid else pl.DataFrame(schema=schema)
                yield LogBlock(pick(frame, fields), line, broken, undecodable)
                line += lines


def _is_nested(value: object) -> bool:
    return isinstance(value, dict) or (isinstance(value, str) and value.startswith("{"))


def _without_nan(line: bytes) -> bytes:
    """Return a line of JSON with null for NaN and Infinity, which Python and pandas write and JSON does not know."""
    return _TEXT_OR_NAN.sub(lambda match: match[1] or b"null", line) if b"NaN" in line or b"Infinity" in line else line


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        row = msgspec.json.decode(_without_nan(line))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return row if isinstance(row, dict) else None


@dataclass(frozen=True)
class FrameLog:
    """A log in a Parquet or Arrow file."""

    path: Path

    @property
    def name(self) -> str:
        """The file."""
        return str(self.path)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns and of the fields of nested values."""
        import polars as pl

        first = parquet.first_rows(self.path, SAMPLE)
        nested = [
            name
            for name, kind in first.schema.items()
            if isinstance(kind, pl.Struct) or (kind == pl.String and first[name].str.starts_with("{").any())
        ]
        inside = (name for row in first.select(nested).to_dicts() for name in nested_fields(row))
        return tuple(dict.fromkeys([*first.columns, *inside]))

    def blocks(self, fields: Mapping[str, str]) -> Iterator[LogBlock]:
        """Yield its rows in blocks; read only the requested columns."""
        names = [*dict.fromkeys(path.partition(".")[0] for path in fields.values())]
        row = 1
        for frame in parquet.frames(self.path, names, ROWS):
            yield LogBlock(pick(frame, fields), row)
            row += len(frame)


def _decodable(block: bytes, path: Path, first: int) -> tuple[bytes, int]:
    """Return a block with U+FFFD in place of bytes that are not UTF-8, and the number of lines that have such bytes.

    Raise `InputError` if these are so many lines that the file has another encoding; `first` is the number of the
    first line of the block.
    """
    try:
        block.decode()
    except UnicodeDecodeError:
        lines = block.split(b"\n")
        numbers = [number for number, line in enumerate(lines) if not _is_utf8(line)]
        if len(numbers) > max(SEVERAL, SHARE * len(lines)):
            raise InputError(
                f"{path} line {first + numbers[0]}: not UTF-8, and {len(numbers) - 1:,} more of {len(lines):,} lines "
                f"are not; {_as_utf8(path)}"
            ) from None
        return block.decode(errors="replace").encode(), len(numbers)
    return block, 0


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _as_utf8(path: Path, encoding: str = "") -> str:
    """Say how to convert a log."""
    likely = "" if encoding else "the log may be in Latin-1 or Windows-1252; "
    return f"{likely}save it as UTF-8: iconv -f {encoding or 'cp1252'} -t utf-8 {path.name} > utf8{suffix_of(path)}"


def _byte_blocks(file: IO[bytes], path: Path, quotes: bool = False) -> Iterator[bytes]:
    """Yield a file in parts that end at a line end; with `quotes`, never inside a quoted cell."""
    tail = b""
    if (start := file.read(len(codecs.BOM_UTF8))) != codecs.BOM_UTF8:
        tail = start
    while data := file.read(BYTES):
        block, tail = _cut(tail + data, quotes)
        if block:
            yield block
        if len(tail) > 8 * BYTES:
            raise InputError(f'{path}: a quote " that opens in the log is never closed; mend that line')
    if tail.strip():
        yield tail


def _cut(data: bytes, quotes: bool = False, whole: bool = False) -> tuple[bytes, bytes]:
    """Split bytes after the last line end that is not inside quotes; with `whole`, keep a text without one whole."""
    end = data.rfind(b"\n")
    while quotes and end >= 0 and data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, end)
    if end < 0 and whole:
        return data, b""
    return data[: end + 1], data[end + 1 :]
