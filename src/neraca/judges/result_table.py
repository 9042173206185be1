"""Two results of queries, compared: which rows and columns are in both, whatever their order.

Values that are equal but for rounding become one number first; from there on everything is counting.
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
#: How many rows each round of a search for a pairing of columns looks at, before the best one so far is taken.
EFFORT = 3_000_000


def cell(value: Any) -> Cell:
    """A database's value as a number, text or None, so that equal values are equal whatever type they came as.

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
    """What a query returned.

    Attributes
    ----------
    columns
        Their m names; one may stand there twice.
    rows
        n rows of m cells; see `cell`.
    ties
        Where the order of the rows counts, for each row the number of the place that it shares with those that may
        stand before or after it; None: the order plays no part.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    ties: tuple[int, ...] | None = None

    @classmethod
    def of(cls, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> ResultTable:
        """From what a database returned."""
        return cls(tuple(columns), tuple(tuple(map(cell, row)) for row in rows))


@dataclass(frozen=True, kw_only=True)
class Matching:
    """How two results are compared.

    Attributes
    ----------
    columns
        Which columns belong together: `any` (names and order play no part; those under which most rows agree),
        `named` (by name, without case), `ordered` (by place, whatever their names).
    key
        Names of columns by which a row is found again; (): by all its values.  Columns then go by name.
    tolerance
        By which numbers may differ, times the larger of 1 and the number.  Whole numbers must be equal.
    """

    columns: Columns = "any"
    key: tuple[str, ...] = ()
    tolerance: float = 1e-9


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """What two results have in common.

    Attributes
    ----------
    rows, columns
        How many are in both, were returned, and are expected.
    why
        The first difference in words; "" where the results are the same.
    """

    rows: tuple[int, int, int]
    columns: tuple[int, int, int]
    why: str = ""


def compare_results(returned: ResultTable, expected: ResultTable, how: Matching | None = None) -> Agreement:
    """Compare a result with the expected one.

    Rows are a multiset: each is counted as often as it is there.  A row is in both if all the values of an expected
    row stand in it, in the columns that belong together; a column if it holds the same values as often.  With a key,
    a row is in both if its key is, and a column if it agrees in all rows that are in both.  The results are the same
    if they have the same number of columns and the same rows, in an order that `expected.ties` allows.

    Numbers near each other are taken for one from the smallest on: those within the tolerance of the first are it,
    the next begins another.  So what differs by more is never taken for equal.

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
    mine, theirs = _numbered((returned, expected), how.tolerance)
    pairs, cut = _pairs((returned.columns, mine), (expected.columns, theirs), how)
    size = len(returned.rows), len(expected.rows)
    ours, those = _joined([mine[i] for i in pairs.values()], [theirs[j] for j in pairs], size)
    whole = len(pairs) == len(theirs)
    same = in_both(ours, those) if whole else 0
    if how.key:
        rows, columns = _by_key(expected.columns, (mine, theirs), pairs, how.key)
    else:
        rows, columns = same, _columns_in_both(mine, theirs, pairs if how.columns != "any" else None)
    if len(mine) != len(theirs):
        why = f"{_many(len(mine), 'column')} returned, {len(theirs)} expected"
    elif not whole:
        missing = next(name for place, name in enumerate(expected.columns) if place not in pairs)
        why = f"there is no column {missing}"
    elif not same == size[0] == size[1]:
        there = "is there" if same == 1 else "are there"
        why = f"{same:,} of {_many(size[1], 'expected row')} {there}, of {size[0]:,} returned"
        why += " (not every pairing of the columns was tried)" if cut else ""
    else:
        why = _misplaced(ours, those, expected.ties or ())
    return Agreement(rows=(rows, *size), columns=(columns, len(mine), len(theirs)), why=why)


def _misplaced(ours: Ints, those: Ints, ties: Iterable[int]) -> str:
    """Whether the same rows stand in an order that ties do not allow."""
    blocks: dict[int, Ints] = {}
    for place, tie in enumerate(ties):
        blocks.setdefault(tie, []).append(place)
    wrong = any(in_both((ours[p] for p in block), (those[p] for p in block)) < len(block) for block in blocks.values())
    return "the rows are right, their order is not" if wrong else ""


def in_both(one: Iterable[Hashable], other: Iterable[Hashable]) -> int:
    """The size of the intersection of two multisets.

    >>> in_both("aab", "abb")
    2
    """
    return sum((Counter(one) & Counter(other)).values())


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _numbered(tables: Sequence[ResultTable], tolerance: float) -> list[list[Ints]]:
    """The columns of each table with equal numbers for equal cells."""
    cells = {value for table in tables for row in table.rows for value in row}
    known: dict[Cell, int] = {value: place for place, value in enumerate(v for v in cells if isinstance(v, str | None))}
    start, whole, group = -math.inf, False, len(known)
    for value in sorted(v for v in cells if isinstance(v, int | float)):
        integral = isinstance(value, int) or (value.is_integer() and abs(value) < _EXACT)
        far = start == -math.inf or value - start > tolerance * max(1.0, abs(start))
        if far or (whole and integral):
            start, whole, group = value, False, group + 1
        whole = whole or integral
        known[value] = group
    return [[[known[row[j]] for row in table.rows] for j in range(len(table.columns))] for table in tables]


def _joined(mine: Sequence[Ints], theirs: Sequence[Ints], size: tuple[int, int]) -> tuple[Ints, Ints]:
    """Numbers of the rows of both, equal where these columns are."""
    ours, those = [0] * size[0], [0] * size[1]
    for one, other in zip(mine, theirs, strict=True):
        ours, those = _step(ours, those, one, other)
    return ours, those


def _step(ours: Ints, those: Ints, one: Ints, other: Ints) -> tuple[Ints, Ints]:
    known: dict[tuple[int, int], int] = {}
    return (
        [known.setdefault(pair, len(known)) for pair in zip(ours, one, strict=True)],
        [known.setdefault(pair, len(known)) for pair in zip(those, other, strict=True)],
    )


Side = tuple[Sequence[str], list[Ints]]


def _pairs(returned: Side, expected: Side, how: Matching) -> tuple[dict[int, int], bool]:
    """Place of an expected column → place of the returned one that belongs to it; and whether a search was cut."""
    (names, mine), (wanted, theirs) = returned, expected
    if how.columns == "any" and not how.key:
        if len(mine) < len(theirs):
            return {}, False
        search = _Search(returned, expected)
        return search.found, search.cut
    if how.columns == "ordered" and not how.key:
        return {j: j for j in range(min(len(mine), len(theirs)))}, False
    places: dict[tuple[str, int], int] = {name: place for place, name in enumerate(_counted(names))}
    return {j: places[name] for j, name in enumerate(_counted(wanted)) if name in places}, False


def _counted(names: Iterable[str]) -> list[tuple[str, int]]:
    """Each name, and the how-manieth of that name it is."""
    seen: Counter[str] = Counter()
    found = []
    for name in map(str.casefold, names):
        found.append((name, seen[name]))
        seen[name] += 1
    return found


def _columns_in_both(mine: list[Ints], theirs: list[Ints], pairs: Mapping[int, int] | None) -> int:
    """How many columns hold the same values as often; with `pairs` only those that belong together."""
    ours, those = ([tuple(sorted(column)) for column in columns] for columns in (mine, theirs))
    return in_both(ours, those) if pairs is None else sum(ours[i] == those[j] for j, i in pairs.items())


def _by_key(
    wanted: Sequence[str], cells: tuple[list[Ints], list[Ints]], pairs: Mapping[int, int], key: Sequence[str]
) -> tuple[int, int]:
    """Rows whose key is in both, and columns that agree in all of them."""
    mine, theirs = cells
    folded = [name.casefold() for name in wanted]
    if lacking := [name for name in key if name.casefold() not in folded]:
        raise InputError(f"the expected result has no column {lacking[0]} (key); it has {', '.join(wanted)}")
    places = [folded.index(name.casefold()) for name in key]
    if not all(place in pairs for place in places):
        return 0, 0
    size = len(mine[0]), len(theirs[0])
    ours, those = _joined([mine[pairs[j]] for j in places], [theirs[j] for j in places], size)
    rows = in_both(ours, those)
    agree = [in_both(zip(ours, mine[i], strict=True), zip(those, theirs[j], strict=True)) for j, i in pairs.items()]
    return rows, sum(both == rows for both in agree) if rows or not any(size) else 0


class _Search:
    """The pairing of columns under which most rows agree, by depth-first search.

    Rows that agree in some columns are at least as many as those that agree in further ones too, so a branch that
    has no more of them than the best pairing so far is left.  The first rounds are content with a pairing under which
    few rows are lost, and so leave most branches at once.
    """

    def __init__(self, returned: Side, expected: Side) -> None:
        (self._names, self._mine), (self._wanted, self._theirs) = returned, expected
        # Columns with many different values first: there a wrong pair shows at once.
        self._order = sorted(range(len(self._theirs)), key=lambda j: (-len(set(self._theirs[j])), j))
        self._near = {j: self._candidates(j) for j in self._order}
        size = len(self._mine[0]) if self._mine else 0, len(self._theirs[0]) if self._theirs else 0
        self._rows = sum(size)
        self.found: dict[int, int] = {}
        for share in (0, 0.01, 0.1, 0.5, 1):  # of the rows that may be lost
            if not self.found:
                self._effort = EFFORT
                self._best = min(size) - 1 - int(share * min(size))
                self._go([0] * size[0], [0] * size[1], min(size), {})

    @property
    def cut(self) -> bool:
        """Whether the last round ended before all was tried."""
        return self._effort <= 0

    def _candidates(self, j: int) -> Ints:
        overlap = [in_both(column, self._theirs[j]) for column in self._mine]
        named = [name.casefold() == self._wanted[j].casefold() for name in self._names]
        return sorted(range(len(overlap)), key=lambda i: (-overlap[i], not named[i], i != j, i))

    def _go(self, ours: Ints, those: Ints, both: int, pairs: dict[int, int]) -> None:
        """Pair the next column; `both` rows agree so far."""
        if len(pairs) == len(self._order):
            self._best, self.found = both, pairs
            return
        j = self._order[len(pairs)]
        tried: list[Ints] = []
        for i in self._near[j]:
            if i in pairs.values() or self._mine[i] in tried:
                continue
            tried.append(self._mine[i])
            self._effort -= self._rows
            further = _step(ours, those, self._mine[i], self._theirs[j])
            if self._worth(kept := in_both(*further)):
                self._go(*further, kept, {**pairs, j: i})

    def _worth(self, both: int) -> bool:
        return both > self._best and not (self.cut and (self.found or self._best >= 0))
