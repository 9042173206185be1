"""Two results of queries compared: which rows and columns are in both, whatever their order.

First equal values, rounding apart, get the same number; from there on everything is counting.
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

#: Above it a float cannot tell one whole number from the next.
_EXACT = 2.0**53
#: Rows that each round of a search for a pairing of columns looks at before it takes the best one so far.
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
        """Make a table of what a database returned."""
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


def compare_results(returned: ResultTable, expected: ResultTable, how: Matching | None = None) -> Agreement:
    """Compare a result with the expected one.

    Rows are a multiset: each counts as often as it is there.  A row is in both if it has all the values of an expected
    row in the paired columns; a column is in both if it holds the same values as often.  With a key, a row is in both
    if its key is, and a column if it agrees in all rows that are in both.  The results are the same if they have the
    same number of columns and the same rows, in an order that `expected.ties` allows.

    Numbers are grouped from the smallest on: those within the tolerance of the first number of a group belong to it,
    and the next number begins another group.  So numbers that differ by more are never taken for equal.

    Raises
    ------
    InputError
        Where the expected result lacks a column of the key.

    Examples
    --------
    >>> one = ResultTable(("city", "n"), (("Medan", 2), ("Binjai", 1)))
    >>> other = ResultTable(("count", "place"), ((2.0, "Medan"), (3, "Binjai")))
    >>> compare_results(other, one)
    Agreement(rows=(1, 2, 2), columns=(1, 2, 2), why='1 of 2 expected rows is there, of 2 returned')
    """
    how = how or Matching()
    columns, others = _numbered((returned, expected), how.tolerance)
    pairs, cut = _pairs((returned.columns, columns), (expected.columns, others), how)
    size = len(returned.rows), len(expected.rows)
    rows, expected_rows = _joined([columns[i] for i in pairs.values()], [others[j] for j in pairs], size)
    whole = len(pairs) == len(others)
    same = in_both(rows, expected_rows) if whole else 0
    if how.key:
        row_count, column_count = _by_key(expected.columns, (columns, others), pairs, how.key)
    else:
        row_count = same
        column_count = _columns_in_both(columns, others, pairs if how.columns != "any" else None)
    if len(columns) != len(others):
        why = f"{_many(len(columns), 'column')} returned, {len(others)} expected"
    elif not whole:
        missing = next(name for place, name in enumerate(expected.columns) if place not in pairs)
        why = f"there is no column {missing}"
    elif not same == size[0] == size[1]:
        there = "is there" if same == 1 else "are there"
        why = f"{same:,} of {_many(size[1], 'expected row')} {there}, of {size[0]:,} returned"
        why += " (not every pairing of the columns was tried)" if cut else ""
    else:
        why = _misplaced(rows, expected_rows, expected.ties or ())
    return Agreement(rows=(row_count, *size), columns=(column_count, len(columns), len(others)), why=why)


def _misplaced(rows: Ints, expected: Ints, ties: Iterable[int]) -> str:
    """Return what is wrong if the same rows stand in an order that ties do not allow, else ""."""
    blocks: dict[int, Ints] = {}
    for place, tie in enumerate(ties):
        blocks.setdefault(tie, []).append(place)
    wrong = any(
        in_both((rows[p] for p in block), (expected[p] for p in block)) < len(block) for block in blocks.values()
    )
    return "the rows are right, their order is not" if wrong else ""


def in_both(a: Iterable[Hashable], b: Iterable[Hashable]) -> int:
    """Return the size of the intersection of two multisets.

    >>> in_both("aab", "abb")
    2
    """
    return sum((Counter(a) & Counter(b)).values())


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _numbered(tables: Sequence[ResultTable], tolerance: float) -> list[list[Ints]]:
    """Return the columns of each table with equal numbers for equal cells."""
    cells = {value for table in tables for row in table.rows for value in row}
    numbers: dict[Cell, int] = {
        value: place for place, value in enumerate(v for v in cells if isinstance(v, str | None))
    }
    start, whole, group = -math.inf, False, len(numbers)
    for value in sorted(v for v in cells if isinstance(v, int | float)):
        integral = isinstance(value, int) or (value.is_integer() and abs(value) < _EXACT)
        far = start == -math.inf or value - start > tolerance * max(1.0, abs(start))
        if far or (whole and integral):
            start, whole, group = value, False, group + 1
        whole = whole or integral
        numbers[value] = group
    return [[[numbers[row[j]] for row in table.rows] for j in range(len(table.columns))] for table in tables]


def _joined(columns: Sequence[Ints], others: Sequence[Ints], size: tuple[int, int]) -> tuple[Ints, Ints]:
    """Return numbers of the rows of both tables, equal where these columns are."""
    rows, other_rows = [0] * size[0], [0] * size[1]
    for column, other in zip(columns, others, strict=True):
        rows, other_rows = _step(rows, other_rows, column, other)
    return rows, other_rows


def _step(rows: Ints, other_rows: Ints, column: Ints, other: Ints) -> tuple[Ints, Ints]:
    numbers: dict[tuple[int, int], int] = {}
    return (
        [numbers.setdefault(pair, len(numbers)) for pair in zip(rows, column, strict=True)],
        [numbers.setdefault(pair, len(numbers)) for pair in zip(other_rows, other, strict=True)],
    )


Side = tuple[Sequence[str], list[Ints]]


def _pairs(returned: Side, expected: Side, how: Matching) -> tuple[dict[int, int], bool]:
    """Return place of an expected column → place of the returned column paired with it; whether a search was cut."""
    (names, columns), (expected_names, others) = returned, expected
    if how.columns == "any" and not how.key:
        if len(columns) < len(others):
            return {}, False
        search = _Search(returned, expected)
        return search.best, search.cut
    if how.columns == "ordered" and not how.key:
        return {j: j for j in range(min(len(columns), len(others)))}, False
    places: dict[tuple[str, int], int] = {name: place for place, name in enumerate(_counted(names))}
    return {j: places[name] for j, name in enumerate(_counted(expected_names)) if name in places}, False


def _counted(names: Iterable[str]) -> list[tuple[str, int]]:
    """Return each name with its repetition, from 0, since a name may stand there twice."""
    seen: Counter[str] = Counter()
    counted = []
    for name in map(str.casefold, names):
        counted.append((name, seen[name]))
        seen[name] += 1
    return counted


def _columns_in_both(columns: list[Ints], others: list[Ints], pairs: Mapping[int, int] | None) -> int:
    """Return how many columns hold the same values as often; with `pairs` only paired ones count."""
    values, expected = ([tuple(sorted(column)) for column in table] for table in (columns, others))
    return in_both(values, expected) if pairs is None else sum(values[i] == expected[j] for j, i in pairs.items())


def _by_key(
    names: Sequence[str], tables: tuple[list[Ints], list[Ints]], pairs: Mapping[int, int], key: Sequence[str]
) -> tuple[int, int]:
    """Return the number of rows whose key is in both, and of columns that agree in all of them."""
    columns, others = tables
    folded = [name.casefold() for name in names]
    if lacking := [name for name in key if name.casefold() not in folded]:
        raise InputError(f"the expected result has no column {lacking[0]} (key); it has {', '.join(names)}")
    places = [folded.index(name.casefold()) for name in key]
    if not all(place in pairs for place in places):
        return 0, 0
    size = len(columns[0]), len(others[0])
    rows, expected = _joined([columns[pairs[j]] for j in places], [others[j] for j in places], size)
    both = in_both(rows, expected)
    agree = [
        in_both(zip(rows, columns[i], strict=True), zip(expected, others[j], strict=True)) for j, i in pairs.items()
    ]
    return both, sum(count == both for count in agree) if both or not any(size) else 0


class _Search:
    """The pairing of columns under which most rows agree, by depth-first search.

    Further columns never make more rows agree.  So a branch that has no more rows left than the best pairing so far is
    cut off.  The first rounds are content with a pairing under which few rows are lost, and so cut off most branches.

    Attributes
    ----------
    best
        Place of an expected column → place of a returned one; empty if no pairing keeps a row.
    """

    def __init__(self, returned: Side, expected: Side) -> None:
        (self._names, self._columns), (self._expected_names, self._others) = returned, expected
        # Columns with many different values first: there a wrong pair shows at once.
        self._order = sorted(range(len(self._others)), key=lambda j: (-len(set(self._others[j])), j))
        self._ranked = {j: self._candidates(j) for j in self._order}
        size = len(self._columns[0]) if self._columns else 0, len(self._others[0]) if self._others else 0
        self._rows = sum(size)
        self.best: dict[int, int] = {}
        for share in (0, 0.01, 0.1, 0.5, 1):  # of the rows that may be lost
            if not self.best:
                self._effort = EFFORT
                self._most = min(size) - 1 - int(share * min(size))
                self._extend([0] * size[0], [0] * size[1], min(size), {})

    @property
    def cut(self) -> bool:
        """Whether the last round ended before all pairings were tried."""
        return self._effort <= 0

    def _candidates(self, j: int) -> Ints:
        overlap = [in_both(column, self._others[j]) for column in self._columns]
        named = [name.casefold() == self._expected_names[j].casefold() for name in self._names]
        return sorted(range(len(overlap)), key=lambda i: (-overlap[i], not named[i], i != j, i))

    def _extend(self, rows: Ints, expected: Ints, both: int, pairs: dict[int, int]) -> None:
        """Pair the next column; `both` rows agree so far."""
        if len(pairs) == len(self._order):
            self._most, self.best = both, pairs
            return
        j = self._order[len(pairs)]
        tried: list[Ints] = []
        for i in self._ranked[j]:
            if i in pairs.values() or self._columns[i] in tried:
                continue
            tried.append(self._columns[i])
            self._effort -= self._rows
            further = _step(rows, expected, self._columns[i], self._others[j])
            if self._is_worth(kept := in_both(*further)):
                self._extend(*further, kept, {**pairs, j: i})

    def _is_worth(self, both: int) -> bool:
        return both > self._most and not (self.cut and (self.best or self._most >= 0))
