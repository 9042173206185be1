"""Tables that are too large to be held: rows come in blocks, and can be gone through again.

CSV, TSV, JSON Lines, Parquet and Arrow files are read as a stream, whatever their size; XLSX and JSON are held whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from neraca.datasets.delimited import long_cells, records, text_encoding
from neraca.datasets.table import (
    DELIMITED,
    FRAMES,
    JSON_LINES,
    Table,
    checked_suffix,
    delimiter_of,
    frame_column,
    frame_errors,
    frame_rows,
    json_lines,
    kinds,
    read_table,
)
from neraca.errors import InputError

if TYPE_CHECKING:
    import polars as pl

#: A block ends with the row that makes it this long.
ROWS, CHARACTERS = 10_000, 20_000_000
#: Rows of the first block of a Parquet file: it shows how long rows are.
_FIRST = 1_000


@dataclass(frozen=True)
class RowBatch:
    """Some rows of a table, one after the other in its file.

    Attributes
    ----------
    columns
        All names of the table, in the order of the file.
    numbers
        Where each row starts: the line of a text file, the row of a sheet, else the position from 1.
    unit
        What that is called: line or row.
    read
        Which share of the file has been read with it.
    given
        The rows, or a data frame of them.
    """

    columns: tuple[str, ...]
    numbers: Sequence[int]
    unit: str
    read: float
    given: list[dict[str, Any]] | pl.DataFrame

    def __len__(self) -> int:
        return len(self.numbers)

    def place(self, index: int) -> str:
        """Where row `index` (from 0) of the block stands in the file, for people: "line 12" or "row 12"."""
        return f"{self.unit} {self.numbers[index]}"

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """One mapping a row; of JSON a row has only what its object has."""
        return self.given if isinstance(self.given, list) else frame_rows(self.given)

    def column(self, name: str) -> list[Any]:
        """The values of a column; None where a row has none."""
        if isinstance(self.given, list):
            return [row.get(name) for row in self.given]
        return frame_column(self.given[name])


class TableReader:
    """A table file, block by block; each time it is gone through, the file is read anew.

    Parameters
    ----------
    path, encoding, sheet, delimiter
        As of `read_table`.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        encoding: str | None = None,
        sheet: str | None = None,
        delimiter: str | None = None,
    ) -> None:
        self.path = Path(path)
        self._options = {"encoding": encoding, "sheet": sheet, "delimiter": delimiter}
        self._rows, self._characters = ROWS, CHARACTERS
        self.suffix = checked_suffix(self.path, encoding, sheet, delimiter)
        self.unit = "line" if self.suffix in (*DELIMITED, *JSON_LINES) else "row"

    def __iter__(self) -> Iterator[RowBatch]:
        try:
            if self.suffix in DELIMITED:
                yield from self._delimited()
            elif self.suffix in JSON_LINES:
                yield from self._json_lines()
            elif self.suffix in FRAMES:
                yield from self._frames()
            else:
                yield from self._held()
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from error

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """All names, in the order of the file; of JSON Lines those of every object, for which it is read once."""
        return self._objects[0] if self.suffix in JSON_LINES else next(iter(self)).columns

    @property
    def header(self) -> str:
        """The file and, if it has one, the place of its header: "answers.csv line 1"."""
        return f"{self.path} {self.unit} {self._head}" if self._head else str(self.path)

    @cached_property
    def _head(self) -> int:
        if self.suffix in DELIMITED:
            with self._opened() as file, long_cells():
                return next(records(self.path, file, *self._reading))[0]
        return self._table.head if self.suffix not in (*JSON_LINES, *FRAMES) else 0

    @property
    def framed(self) -> bool:
        """Whether its blocks are data frames, whose columns have types."""
        return self.suffix in FRAMES

    def kinds(self) -> dict[str, set[str]]:
        """Of each column the kinds of its values, see `neraca.datasets.table.kinds`; text where all is text."""
        if self.suffix in DELIMITED:
            return {name: {"other"} for name in self.columns}
        found: dict[str, set[str]] = {name: set() for name in self.columns}
        for block in self:
            for name in self.columns:
                found[name] |= kinds(block.column(name))
        return found

    # each format

    @cached_property
    def _reading(self) -> tuple[str, str | None]:
        """Encoding and delimiter."""
        chosen = delimiter_of(self.suffix, self._options["delimiter"])
        return text_encoding(self.path, self._options["encoding"]), chosen

    def _opened(self) -> TextIO:
        return cast("TextIO", self.path.open(encoding=self._reading[0], newline=""))

    def _delimited(self) -> Iterator[RowBatch]:
        with self._opened() as file:
            found = records(self.path, file, *self._reading)
            with long_cells():
                _, columns = next(found)
            empty = True
            while True:
                with long_cells():  # which holds for the whole process, and so only while a block is read
                    numbers, cells = self._some(found)
                if not cells and not empty:
                    return
                empty = False
                rows = [dict(zip(columns, row, strict=True)) for row in cells]
                yield RowBatch(tuple(columns), numbers, self.unit, self._share(file.buffer), rows)

    @cached_property
    def _objects(self) -> tuple[tuple[str, ...], int]:
        """All names in a file of JSON Lines, and how many objects there are."""
        names: dict[str, None] = {}
        count = 0
        for _, row in json_lines(self.path, self._reading[0]):
            names.update(dict.fromkeys(row))
            count += 1
        return tuple(names), count

    def _json_lines(self) -> Iterator[RowBatch]:
        (columns, total), done = self._objects, 0
        found = json_lines(self.path, self._reading[0])
        while rows := (block := self._some(found))[1]:
            done += len(rows)
            yield RowBatch(columns, block[0], self.unit, done / total, rows)

    def _frames(self) -> Iterator[RowBatch]:
        with frame_errors(self.path):
            lazy, total = self._lazy
            columns = tuple(lazy.collect_schema().names())
        done, step = 0, min(self._rows, _FIRST)
        while done < total or not done:
            with frame_errors(self.path):
                frame = lazy.slice(done, step).collect()
            numbers = range(done + 1, done + 1 + len(frame))
            done += max(1, len(frame))
            yield RowBatch(columns, numbers, self.unit, min(1.0, done / max(total, 1)), frame)
            each = frame.estimated_size() / max(1, len(frame))
            step = max(1, min(self._rows, int(self._characters / max(each, 1))))

    @cached_property
    def _lazy(self) -> tuple[pl.LazyFrame, int]:
        """The columns, of which slices are read, and the number of rows."""
        import polars as pl

        if self.suffix == ".parquet":
            lazy = pl.scan_parquet(self.path, glob=False, hive_partitioning=False)
        else:
            with self.path.open("rb") as file:
                whole = file.read(6) == b"ARROW1"
            lazy = pl.scan_ipc(self.path) if whole else pl.read_ipc_stream(self.path).lazy()
        return lazy, int(lazy.select(pl.len()).collect().item())

    @cached_property
    def _table(self) -> Table:
        return read_table(self.path, **self._options)

    def _held(self) -> Iterator[RowBatch]:
        table, done = self._table, 0
        while done < len(table) or not done:
            some = range(done, min(done + self._rows, len(table)))
            rows, numbers = table.rows[some.start : some.stop], table.numbers[some.start : some.stop]
            done = max(1, some.stop)
            yield RowBatch(table.columns, numbers, self.unit, done / max(1, len(table)), rows)

    def _some(self, found: Iterator[tuple[int, Any]]) -> tuple[list[int], list[Any]]:
        """The next rows, up to the length of a block."""
        numbers, rows, characters = [], [], 0
        for number, row in found:
            numbers.append(number)
            rows.append(row)
            characters += _length(row)
            if len(rows) >= self._rows or characters >= self._characters:
                break
        return numbers, rows

    def _share(self, file: Any) -> float:
        return float(file.tell() / max(1, self.path.stat().st_size))


def _length(row: Any) -> int:
    """About how many characters a row has."""
    if isinstance(row, dict):
        return sum(len(value) for value in row.values() if isinstance(value, str | list))
    return sum(map(len, row))
