"""Read tables of ready values: a row for each query, a column of numbers for each system."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from neraca.datasets.cells import blank, plain_text, shown, trimmed
from neraca.datasets.columns import NAMES, column_named
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import read_table
from neraca.errors import InputError

#: Usual names of the column of queries, including names of a question's id.
IDS = (*NAMES["id"], "topic", "item", *NAMES["query"], "q", "index", "unnamed: 0")
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+(?:,(\d+))?\s*")


class NoNumbers(NamedTuple):
    """Non-empty cells of a column that are not numbers: how many, the first and its place, and if one has a comma."""

    times: int
    first: str
    comma: bool

    @classmethod
    def added(cls, before: NoNumbers | None, cell: Any, place: str) -> NoNumbers:
        """Count another cell.

        >>> NoNumbers.added(None, "4,5", "line 3")
        NoNumbers(times=1, first='"4,5" (line 3)', comma=True)
        """
        match = _DECIMAL_COMMA.fullmatch(plain_text(cell))
        comma = bool(match and match[1])
        if before is None:
            return cls(1, f"{shown(cell)} ({place})", comma)
        return before._replace(times=before.times + 1, comma=before.comma or comma)


@dataclass(frozen=True)
class ValueTable:
    """Values of systems on the same queries.

    Attributes
    ----------
    ids
        The ids of the queries; their numbers from 1 if the table has no column of ids.
    systems
        Name → values, shape (n,), NaN if a cell is not a number.
    tags
        Name of a column that does not hold numbers → its values.
    sessions
        The session of each query, "" for none; None if the table has no such column.
    no_numbers
        System → non-empty cells that are not numbers, if there are any.
    session
        The column of the sessions; "" if the table has none.
    taken
        The systems, if nobody named them; else ().
    """

    ids: Sequence[str]
    systems: Mapping[str, np.ndarray[tuple[int], np.dtype[np.float64]]]
    tags: Mapping[str, Sequence[str]]
    sessions: Sequence[str] | None
    no_numbers: Mapping[str, NoNumbers]
    session: str = ""
    taken: Sequence[str] = ()


def read_value_table(path: Path | str, systems: Sequence[str] = (), **table_format: str | None) -> ValueTable:
    """Read the columns of these systems; without names, all columns in which most non-empty cells are numbers.

    `table_format`: encoding, sheet and delimiter, as in `read_table`.

    Raise `InputError` if a column is missing, no column holds numbers, or two rows have the same id.
    """
    table = read_table(path, **table_format)
    if unknown := [name for name in systems if name not in table.columns]:
        raise InputError(f'{table.header}: no column "{unknown[0]}" (found: {", ".join(table.columns) or "none"})')
    other_columns = [name for name in table.columns if name not in systems]
    id_column, session = (column_named(names, other_columns) for names in (IDS, NAMES["session"]))
    free = [name for name in table.columns if name not in (id_column, session)]
    numbers = {name: numbers_of_column(table, name) for name in free}
    chosen = list(systems) or [name for name in free if _is_numeric(numbers[name][0], table.column(name))]
    if not chosen:
        raise InputError(
            f"{table.header}: no column holds numbers (found: {', '.join(table.columns) or 'none'}); a table of values "
            "has a row for each query and a column for each system; for TREC runs name the qrels too: --qrels FILE"
        )
    return ValueTable(
        ids=_ids(table, id_column),
        systems={name: numbers[name][0] for name in chosen},
        tags={name: list(map(plain_text, table.column(name))) for name in free if name not in chosen},
        sessions=list(map(trimmed, table.column(session))) if session else None,
        no_numbers={name: odd for name in chosen if (odd := numbers[name][1])},
        session=session,
        taken=() if systems else chosen,
    )


def _ids(table: RowBatch, column: str) -> list[str]:
    if not len(table):
        raise InputError(f"{table.path}: there is no row below the names of the columns")
    ids = list(map(plain_text, table.column(column))) if column else [str(row + 1) for row in range(len(table))]
    row_by_id: dict[str, int] = {}
    for row, name in enumerate(ids):
        if blank(name):
            raise InputError(f"{table.path} {table.place(row)}, column {column!r}: the id is empty")
        if name in row_by_id:
            first = table.place(row_by_id[name])
            raise InputError(f"{table.path} {table.place(row)}, column {column!r}: {name!r} is also the id of {first}")
        row_by_id[name] = row
    return ids


def numbers_of_column(
    table: RowBatch, column: str
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], NoNumbers | None]:
    """Return the numbers of a column, and its non-empty cells that are not numbers; None: there are none."""
    cells: Sequence[Any] = table.column(column)
    values: list[float] = []
    odd: NoNumbers | None = None
    if _has_decimal_commas(cells):
        cells = [plain_text(cell).replace(",", ".") for cell in cells]
    for row, cell in enumerate(cells):
        number = _number(cell)
        values.append(number)
        if math.isnan(number) and not blank(plain_text(cell)):
            odd = NoNumbers.added(odd, cell, table.place(row))
    return np.array(values, dtype=np.float64), odd


def _has_decimal_commas(cells: Sequence[Any]) -> bool:
    """Return whether all cells are numbers, with decimal commas; 1,500 alone is ambiguous and does not count.

    >>> _has_decimal_commas(["1,5", "2", ""]), _has_decimal_commas(["1,500", "2,250"])
    (True, False)
    """
    matches = [_DECIMAL_COMMA.fullmatch(cell) for cell in map(plain_text, cells) if not blank(cell)]
    decimals = [match[1] for match in matches if match and match[1]]
    return all(matches) and any(len(digits) != 3 for digits in decimals)


def _number(cell: Any) -> float:
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def _is_numeric(values: np.ndarray[tuple[int], np.dtype[np.float64]], cells: Sequence[Any]) -> bool:
    filled = sum(not blank(plain_text(cell)) for cell in cells)
    return 2 * int((~np.isnan(values)).sum()) > filled
