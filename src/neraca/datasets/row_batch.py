"""Batches of rows that are read or written together, and the file that they come from."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from neraca.datasets.cells import plain
from neraca.datasets.compressed import suffix_of
from neraca.translation import say

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
_SIZED = (str, list)


@dataclass(frozen=True)
class TableFile:
    """A table file and the options for reading it.

    Attributes
    ----------
    path, encoding, sheet, delimiter
        The arguments of `read_table`.
    rows, characters
        A batch ends with the row that brings it to this number of rows or characters.
    """

    path: Path
    encoding: str | None
    sheet: str | None
    delimiter: str | None
    rows: int
    characters: int

    @property
    def suffix(self) -> str:
        """The ending of its name, in lower case; see `suffix_of`."""
        return suffix_of(self.path)


@dataclass(frozen=True)
class RowBatch:
    """Consecutive rows of a table, or all of them.

    Attributes
    ----------
    columns
        The names of the columns, in the order of the file; new ones come last.
    data
        The rows, or a data frame of them.
    path
        The file.
    unit
        The word for a position in the file: `line` or `row`.
    numbers
        The position of each row: the line of a text file, the row of a sheet, else a number from 1.
    head
        Line or row of the header; 0 if the format has none.
    share
        Share of the file that has been read by the end of this batch, from 0 to 1.
    added
        The new columns: name → a value for each row.
    """

    columns: tuple[str, ...]
    data: list[Row] | pl.DataFrame
    path: Path = Path()
    unit: str = "row"
    numbers: Sequence[int] = ()
    head: int = 0
    share: float = 1.0
    added: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.data)

    def place(self, index: int) -> str:
        """Return the position of row `index` (from 0) in the file, for people: "line 12" or "row 12"."""
        return say(f"{self.unit} {{number}}", number=self.numbers[index])

    @property
    def header(self) -> str:
        """The file and, if it has one, the position of its header: "questions.csv line 1"."""
        return f"{self.path} {say(f'{self.unit} {{number}}', number=self.head)}" if self.head else str(self.path)

    @cached_property
    def rows(self) -> list[Row]:
        """One mapping for each row, new columns last.  Rows of JSON may lack columns: use `get`."""
        rows = self.data if isinstance(self.data, list) else _frame_rows(self.data)
        if not self.added:
            return rows
        added = zip(*self.added.values(), strict=True)
        return [{**row, **dict(zip(self.added, values, strict=True))} for row, values in zip(rows, added, strict=True)]

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of a column; None for rows that lack it."""
        if name in self.added:
            return self.added[name]
        if isinstance(self.data, list):
            return [row.get(name) for row in self.data]
        values: list[Any] = self.data[name].to_list()
        return list(map(plain, values)) if _is_special(self.data[name].dtype) else values

    def kinds(self) -> dict[str, set[str]]:
        """Return the kinds of the values of each column (see `value_kinds`), except the columns of a data frame."""
        names = self.columns if isinstance(self.data, list) else self.added
        return {name: value_kinds(self.column(name)) for name in names}

    def with_columns(self, added: Mapping[str, Sequence[Any]]) -> RowBatch:
        """Return the same rows with new columns after their own."""
        return replace(self, columns=(*self.columns, *added), added={**self.added, **added})

    def select(self, indices: Sequence[int]) -> RowBatch:
        """Return the rows at these indices, in this order; indices may repeat."""
        data = [self.data[index] for index in indices] if isinstance(self.data, list) else self.data[indices]
        added = {name: [values[index] for index in indices] for name, values in self.added.items()}
        return replace(self, data=data, numbers=[self.numbers[index] for index in indices], added=added)


def _frame_rows(frame: pl.DataFrame) -> list[Row]:
    """Return the rows of a data frame with values that JSON can hold."""
    rows = frame.to_dicts()
    special = [name for name, kind in frame.schema.items() if _is_special(kind)]
    for row in rows if special else ():
        for name in special:
            row[name] = plain(row[name])
    return rows


def _is_special(kind: Any) -> bool:
    """Return whether values of this type of a data frame may need conversion by `plain`."""
    import polars as pl

    if isinstance(kind, pl.List):
        return _is_special(kind.inner)
    return kind not in (pl.String, pl.Boolean, pl.Null) and not kind.is_integer()


class OutputColumns(NamedTuple):
    """The columns of a table to write: all names, and a function that returns the kinds of their values.

    The function leaves out the columns of data frames, because these have types.
    """

    names: Sequence[str]
    kinds: Callable[[], Mapping[str, Collection[str]]]


def value_kinds(values: Iterable[Any]) -> set[str]:
    """Return the kinds of values: bool, int, float, list (of texts), other; None has no kind.

    >>> sorted(value_kinds([1, None, 2.5, ["a"], {"b": 1}]))
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


def take_batches(
    records: Iterator[tuple[int, Row]],
    file: TableFile,
    guard: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Iterator[tuple[Sequence[int], list[Row]]]:
    """Yield (numbers, rows) of one batch after the other, at least one.

    Parameters
    ----------
    records
        Each row with its number in the file.
    guard
        A context that is open while the rows of a batch are read, but not while the caller works on them.
    """
    first = True
    while True:
        numbers, rows, characters = array("q"), [], 0
        with guard():
            for number, row in records:
                numbers.append(number)
                rows.append(row)
                characters += sum(len(value) for value in row.values() if isinstance(value, _SIZED))
                if len(rows) >= file.rows or characters >= file.characters:
                    break
        if not (rows or first):
            return
        first = False
        yield numbers, rows


def split_rows(
    file: TableFile, columns: tuple[str, ...], numbers: Sequence[int], rows: list[Row], head: int = 0
) -> Iterator[RowBatch]:
    """Split the rows of a file that was read whole into batches, at least one."""
    for start in range(0, max(1, len(rows)), file.rows):
        end = min(start + file.rows, len(rows))
        share = end / max(1, len(rows))
        yield RowBatch(columns, rows[start:end], file.path, "row", numbers[start:end], head, share)
