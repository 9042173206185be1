"""Compare two results of queries: count the rows and columns that are in both, whatever their order.

First, equal values (apart from rounding) get the same number.  The rest is counting.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from neraca.errors import InputError

Cell = int | float | str | None
Ints = list[int]
Columns = Literal["any", "named", "ordered"]

#: From here on, a float cannot tell a whole number from the next one.
_EXACT = 2.0**53
#: Most rows that one round of the search for a pairing of columns reads; then the best pairing so far is taken.
EFFORT = 3_000_000


def cell(value: Any) -> Cell:
    """Return a database's value as a number, text or None, so that equal values of different types are equal.

    True is 1; decimals are numbers; dates and times are ISO text, at midnight the date alone, with a time zone in
    UTC; lists, tables and anything else are text.

    >>> cell(Decimal("2.50")), cell(True), cell(dt.datetime(2024, 5, 1)), cell(None)
    (2.5, 1, '2024-05-01', None)
    """
    match value:
        case None | str():
            return value
        case bool() | int() | float() | Decimal():
            return _number(value)
        case dt.datetime():
            moment: dt.datetime = value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value
            return moment.isoformat().removesuffix("T00:00:00").replace("T", " ")
        case dt.date() | dt.time():
            return value.isoformat()
        case bytes() | bytearray() | memoryview():
            return f"\\x{bytes(value).hex()}"
        case list() | tuple() | dict():
            return json.dumps(value, sort_keys=True, default=lambda part: cell(part))
    return str(value)


def _number(value: int | float | Decimal) -> Cell:
    if value != value or not -1e300 < value < 1e300:
        return str(value).casefold().removesuffix("inity")
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    return int(value) if isinstance(value, bool) else value


@dataclass(frozen=True)
class ResultTable:
    """The result of a query.

    Attributes
    ----------
    columns
        The names of the m columns; a name may occur twice.
    rows
        n rows of m cells; see `cell`.
    ties
        If the order of rows counts, a number for each row; rows with the same number may change places.  None: the
        order does not count.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    ties: tuple[int, ...] | None = None

    @classmethod
    def of(cls, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> ResultTable:
        """Make a table of the columns and rows that a database returned."""
        return cls(tuple(columns), tuple(tuple(map(cell, row)) for row in rows))


@dataclass(frozen=True, kw_only=True)
class Matching:
    """The options for comparing two results.

    Attributes
    ----------
    columns
        The pairing of columns: `any` (the pairs under which most rows agree; names and order do not count), `named`
        (by name, ignoring case), `ordered` (by position, ignoring names).
    key
        Names of the columns that identify a row; (): all its values do.  With a key, columns are paired by name.
    tolerance
        Numbers are equal within this tolerance times the larger of 1 and the number.  Whole numbers must be equal.
    """

    columns: Columns = "any"
    key: tuple[str, ...] = ()
    tolerance: float = 1e-9


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The agreement of two results.

    Attributes
    ----------
    rows, columns
        Counts of the shared, the returned and the expected ones.
    why
        The first difference in words; "" if the results are the same.
    """

    rows: tuple[int, int, int]
    columns: tuple[int, int, int]
    why: str = ""


def compare_results(returned: ResultTable, expected: ResultTable, matching: Matching | None = None) -> Agreement:
    """Compare a result with the expected one.

    Rows are a multiset: each counts as often as it occurs.  A row is in both if an expected row has the same values in
    the paired columns; a column is in both if it holds the same values equally often.  With a key, a row is in both if
    its key is, and a column if it agrees in all rows that are in both.  The results are the same if they have the same
    number of columns and the same rows, in an order that `expected.ties` allows.

    Numbers are grouped from the smallest on: numbers within the tolerance of the first number of a group belong to it,
    and the next number begins a new group.  So numbers that differ by more than the tolerance are never equal.

    Raise `InputError` if the expected result lacks a column of the key.

    >>> one = ResultTable(("city", "n"), (("Medan", 2), ("Binjai", 1)))
    >>> other = ResultTable(("count", "place"), ((2.0, "Medan"), (3, "Binjai")))
    >>> compare_results(other, one)
    Agreement(rows=(1, 2, 2), columns=(1, 2, 2), why='1 of 2 expected rows is there, of 2 returned')
    """
    matching = matching or Matching()
    columns, expected_columns = _number_cells((returned, expected), matching.tolerance)
    pairs, is_cut = _pair_columns((returned.columns, columns), (expected.columns, expected_columns), matching)
    size = len(returned.rows), len(expected.rows)
    rows, expected_rows = _number_rows([columns[i] for i in pairs.values()], [expected_columns[j] for j in pairs], size)
    all_paired = len(pairs) == len(expected_columns)
    shared_rows = in_both(rows, expected_rows) if all_paired else 0
    if matching.key:
        row_count, column_count = _count_by_key(expected.columns, (columns, expected_columns), pairs, matching.key)
    else:
        row_count = shared_rows
        column_count = _columns_in_both(columns, expected_columns, pairs if matching.columns != "any" else None)
    if len(columns) != len(expected_columns):
        why = f"{_counted(len(columns), 'column')} returned, {len(expected_columns)} expected"
    elif not all_paired:
        missing = next(name for place, name in enumerate(expected.columns) if place not in pairs)
        why = f"there is no column {missing}"
    elif not shared_rows == size[0] == size[1]:
        verb = "is" if shared_rows == 1 else "are"
        why = f"{shared_rows:,} of {_counted(size[1], 'expected row')} {verb} there, of {size[0]:,} returned"
        why += " (not every pairing of the columns was tried)" if is_cut else ""
    else:
        why = _misplaced(rows, expected_rows, expected.ties or ())
    return Agreement(rows=(row_count, *size), columns=(column_count, len(columns), len(expected_columns)), why=why)


def _misplaced(rows: Ints, expected: Ints, ties: Iterable[int]) -> str:
    """Return a description of the problem if the rows are in an order that ties do not allow, else ""."""
    blocks: dict[int, Ints] = {}
    for place, tie in enumerate(ties):
        blocks.setdefault(tie, []).append(place)
    is_misplaced = any(
        in_both((rows[p] for p in block), (expected[p] for p in block)) < len(block) for block in blocks.values()
    )
    return "the rows are right, their order is not" if is_misplaced else ""


def in_both(a: Iterable[Hashable], b: Iterable[Hashable]) -> int:
    """Return the size of the intersection of two multisets.

    >>> in_both("aab", "abb")
    2
    """
    return sum((Counter(a) & Counter(b)).values())


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _number_cells(tables: Sequence[ResultTable], tolerance: float) -> list[list[Ints]]:
    """Return the columns of each table, with cells replaced by numbers that are equal for equal cells."""
    cells = {value for table in tables for row in table.rows for value in row}
    numbers: dict[Cell, int] = {
        value: place for place, value in enumerate(v for v in cells if isinstance(v, str | None))
    }
    start, has_whole, group = -math.inf, False, len(numbers)
    for value in sorted(v for v in cells if isinstance(v, int | float)):
        integral = isinstance(value, int) or (value.is_integer() and abs(value) < _EXACT)
        is_beyond = start == -math.inf or value - start > tolerance * max(1.0, abs(start))
        if is_beyond or (has_whole and integral):
            start, has_whole, group = value, False, group + 1
        has_whole = has_whole or integral
        numbers[value] = group
    return [[[numbers[row[j]] for row in table.rows] for j in range(len(table.columns))] for table in tables]


def _number_rows(columns: Sequence[Ints], expected_columns: Sequence[Ints], size: tuple[int, int]) -> tuple[Ints, Ints]:
    """Return a number for each row of both tables, equal for rows that are equal in these columns."""
    rows, expected_rows = [0] * size[0], [0] * size[1]
    for column, expected_column in zip(columns, expected_columns, strict=True):
        rows, expected_rows = _add_column(rows, expected_rows, column, expected_column)
    return rows, expected_rows


def _add_column(rows: Ints, expected_rows: Ints, column: Ints, expected_column: Ints) -> tuple[Ints, Ints]:
    """Return new numbers of the rows, equal for rows that were equal before and are equal in this column."""
    numbers: dict[tuple[int, int], int] = {}
    return (
        [numbers.setdefault(pair, len(numbers)) for pair in zip(rows, column, strict=True)],
        [numbers.setdefault(pair, len(numbers)) for pair in zip(expected_rows, expected_column, strict=True)],
    )


Side = tuple[Sequence[str], list[Ints]]


def _pair_columns(returned: Side, expected: Side, matching: Matching) -> tuple[dict[int, int], bool]:
    """Return position of expected column → position of its returned column, and whether the search was cut short."""
    (names, columns), (expected_names, expected_columns) = returned, expected
    if matching.columns == "any" and not matching.key:
        if len(columns) < len(expected_columns):
            return {}, False
        search = _Search(returned, expected)
        return search.best, search.cut
    if matching.columns == "ordered" and not matching.key:
        return {j: j for j in range(min(len(columns), len(expected_columns)))}, False
    places: dict[tuple[str, int], int] = {name: place for place, name in enumerate(_numbered_names(names))}
    return {j: places[name] for j, name in enumerate(_numbered_names(expected_names)) if name in places}, False


def _numbered_names(names: Iterable[str]) -> list[tuple[str, int]]:
    """Return each name with the number of its repetition, from 0, because a name may occur twice."""
    repetitions: Counter[str] = Counter()
    numbered = []
    for name in map(str.casefold, names):
        numbered.append((name, repetitions[name]))
        repetitions[name] += 1
    return numbered


def _columns_in_both(columns: list[Ints], expected_columns: list[Ints], pairs: Mapping[int, int] | None) -> int:
    """Return the number of columns that hold the same values equally often; with `pairs`, of paired columns only."""
    values, expected = ([tuple(sorted(column)) for column in table] for table in (columns, expected_columns))
    return in_both(values, expected) if pairs is None else sum(values[i] == expected[j] for j, i in pairs.items())


def _count_by_key(
    names: Sequence[str], tables: tuple[list[Ints], list[Ints]], pairs: Mapping[int, int], key: Sequence[str]
) -> tuple[int, int]:
    """Return the number of rows whose key is in both results, and of columns that agree in all these rows."""
    columns, expected_columns = tables
    folded = [name.casefold() for name in names]
    if lacking := [name for name in key if name.casefold() not in folded]:
        raise InputError(f"the expected result has no column {lacking[0]} (key); it has {', '.join(names)}")
    places = [folded.index(name.casefold()) for name in key]
    if not all(place in pairs for place in places):
        return 0, 0
    size = len(columns[0]), len(expected_columns[0])
    rows, expected = _number_rows([columns[pairs[j]] for j in places], [expected_columns[j] for j in places], size)
    shared_rows = in_both(rows, expected)
    agree = [
        in_both(zip(rows, columns[i], strict=True), zip(expected, expected_columns[j], strict=True))
        for j, i in pairs.items()
    ]
    return shared_rows, sum(count == shared_rows for count in agree) if shared_rows or not any(size) else 0


class _Search:
    """A depth-first search for the pairing of columns under which most rows agree.

    A further column never makes more rows agree.  So a branch with no more agreeing rows than the best pairing so far
    is cut off.  The first rounds accept only pairings that lose few rows, and so cut off most branches.

    Attributes
    ----------
    best
        Position of expected column → position of returned column; empty if no row agrees under any pairing.
    """

    def __init__(self, returned: Side, expected: Side) -> None:
        (self._names, self._columns), (self._expected_names, self._expected_columns) = returned, expected
        # Columns with many distinct values first: in them a wrong pair is noticed at once.
        self._order = sorted(
            range(len(self._expected_columns)), key=lambda j: (-len(set(self._expected_columns[j])), j)
        )
        self._ranked = {j: self._candidates(j) for j in self._order}
        size = (
            len(self._columns[0]) if self._columns else 0,
            len(self._expected_columns[0]) if self._expected_columns else 0,
        )
        self._rows = sum(size)
        self.best: dict[int, int] = {}
        for share in (0, 0.01, 0.1, 0.5, 1):  # the share of rows that may be lost
            if not self.best:
                self._effort = EFFORT
                self._most = min(size) - 1 - int(share * min(size))
                self._extend([0] * size[0], [0] * size[1], min(size), {})

    @property
    def cut(self) -> bool:
        """Whether the last round ended before all pairings were tried."""
        return self._effort <= 0

    def _candidates(self, j: int) -> Ints:
        overlap = [in_both(column, self._expected_columns[j]) for column in self._columns]
        same_name = [name.casefold() == self._expected_names[j].casefold() for name in self._names]
        return sorted(range(len(overlap)), key=lambda i: (-overlap[i], not same_name[i], i != j, i))

    def _extend(self, rows: Ints, expected: Ints, shared_rows: int, pairs: dict[int, int]) -> None:
        """Pair the next column; `shared_rows` is the number of rows that agree so far."""
        if len(pairs) == len(self._order):
            self._most, self.best = shared_rows, pairs
            return
        j = self._order[len(pairs)]
        tried: list[Ints] = []
        for i in self._ranked[j]:
            if i in pairs.values() or self._columns[i] in tried:
                continue
            tried.append(self._columns[i])
            self._effort -= self._rows
            further = _add_column(rows, expected, self._columns[i], self._expected_columns[j])
            if self._is_worth(still_shared := in_both(*further)):
                self._extend(*further, still_shared, {**pairs, j: i})

    def _is_worth(self, shared_rows: int) -> bool:
        return shared_rows > self._most and not (self.cut and (self.best or self._most >= 0))
