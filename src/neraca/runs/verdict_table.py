"""Verdicts as columns: hundreds of thousands of them in little memory, one record at a time where one is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from typing import Any, Self, get_args, overload

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical, Codes
from neraca.records import Verdict, VerdictStatus

Ints = NDArray[np.int64]
STATUSES: tuple[VerdictStatus, ...] = get_args(VerdictStatus)
_STATUS_CODES = {status: code for code, status in enumerate(STATUSES)}
_WORDS = ("item", "about", "aspect", "by", "why", "of", "at")
_KINDS: dict[str, Any] = {"trial": np.int8, "value": np.float64, "status": np.int8}
_COLUMNS = (*_WORDS, *_KINDS)
#: So many records exist at once while columns are made of them.
CHUNK = 20_000


@dataclass(frozen=True, eq=False)
class VerdictTable(Sequence[Verdict]):
    """n verdicts in the order in which they were given; as a sequence, `Verdict` records made when asked for.

    Attributes
    ----------
    item, about, aspect, by, why, of, at
        Words, as in `Verdict`; of most columns many recur.
    trial
        Shape (n,); in as few bytes as the largest needs, as the codes of the words are.
    value
        Shape (n,); NaN where there is none.
    status
        Shape (n,): place in `STATUSES`.
    """

    item: Categorical
    trial: NDArray[np.signedinteger[Any]]
    about: Categorical
    aspect: Categorical
    by: Categorical
    value: NDArray[np.float64]
    status: NDArray[np.int8]
    why: Categorical
    of: Categorical
    at: Categorical

    @classmethod
    def made(cls, verdicts: Iterable[Verdict]) -> Self:
        """Take verdicts over, a chunk at a time, so that few records exist at once."""
        words = {name: Codes() for name in _WORDS}
        parts: dict[str, list[NDArray[Any]]] = {name: [np.zeros(0, _KINDS.get(name, np.int8))] for name in _COLUMNS}
        given = iter(verdicts)
        while chunk := list(islice(given, CHUNK)):
            for name in _COLUMNS:
                column: Iterable[Any] = map(attrgetter(name), chunk)
                if name in words:
                    column = map(words[name].__getitem__, column)
                elif name == "value":
                    column = [np.nan if value is None else value for value in column]
                elif name == "status":
                    column = map(_STATUS_CODES.__getitem__, column)
                values = list(column)
                kind = np.float64 if name == "value" else np.min_scalar_type(-1 - max(values))  # -128 takes 1 byte
                parts[name].append(np.array(values, kind))
        columns: dict[str, Any] = {name: np.concatenate(parts.pop(name)) for name in _COLUMNS}
        return cls(**columns | {name: Categorical(tuple(known), columns[name]) for name, known in words.items()})

    @classmethod
    def joined(cls, tables: Sequence[Self]) -> Self:
        """The verdicts of several tables below each other."""
        if len(tables) == 1:
            return tables[0]
        columns: dict[str, Any] = {name: [getattr(table, name) for table in tables] for name in _COLUMNS}
        for name, several in columns.items():
            kind = _KINDS.get(name)
            columns[name] = np.concatenate([np.zeros(0, kind), *several]) if kind else Categorical.joined(several)
        return cls(**columns)

    def __len__(self) -> int:
        return len(self.value)

    @overload
    def __getitem__(self, row: int) -> Verdict: ...
    @overload
    def __getitem__(self, row: slice) -> Self: ...
    def __getitem__(self, row: int | slice) -> Verdict | Self:
        if isinstance(row, slice):
            return self.take(np.arange(len(self))[row])
        value = float(self.value[row])
        return Verdict(
            **{name: getattr(self, name)[row] for name in _WORDS},
            trial=int(self.trial[row]),
            value=None if value != value else value,
            status=STATUSES[self.status[row]],
        )

    def __iter__(self) -> Iterator[Verdict]:
        return (self[row] for row in range(len(self)))

    def take(self, rows: Ints | NDArray[np.bool_]) -> Self:
        """The verdicts of these rows, in this order."""
        places = np.flatnonzero(rows) if rows.dtype == bool else rows
        return type(self)(**{name: getattr(self, name).take(places) for name in _COLUMNS})

    def dated(self) -> Self:
        """The same, where a verdict that does not tell its time is as old as the one before it."""
        silent = self.at.where([not word for word in self.at.words])
        if not silent.any():
            return self
        rows = np.maximum.accumulate(np.where(silent, 0, np.arange(len(self))))
        return replace(self, at=self.at.take(rows))

    def compact(self) -> Self:
        """The same verdicts, whose columns hold no other words than theirs."""
        return replace(self, **{name: getattr(self, name).compact() for name in _WORDS})

    def key(self, *columns: str) -> Ints:
        """For each verdict a number that is equal where these columns are; shape (n,).

        >>> table = VerdictTable.made([Verdict(item=i, about="answer", aspect="valid", by="rules") for i in "aba"])
        >>> table.key("item", "trial").tolist()
        [0, 1, 0]
        """
        key = np.zeros(len(self), dtype=np.int64)
        for name in columns:
            column = getattr(self, name)
            codes, size = (column.codes, len(column.words)) if isinstance(column, Categorical) else (column, 0)
            key = combined(key, codes, size or int(codes.max(initial=0)) + 1)
        return key

    def by_items(self, some: int) -> Iterator[Ints]:
        """Rows of about so many verdicts at a time, those on one item together and in the order of the table.

        >>> table = VerdictTable.made([Verdict(item=i, about="answer", aspect="valid", by="rules") for i in "abab"])
        >>> [rows.tolist() for rows in table.by_items(1)]
        [[0, 2], [1, 3]]
        """
        rows = np.argsort(self.item.codes, kind="stable")
        ends = np.flatnonzero(np.append(np.diff(self.item.codes[rows]) != 0, True)[: len(rows)]) + 1
        start = 0
        for end in ends.tolist():
            if end - start >= some or end == len(rows):
                yield rows[start:end]
                start = end

    def newest(self) -> Self:
        """The last verdict in each place (item, trial, about, aspect, by), in the order in which they were given."""
        rows = last_of_each(self.key("item", "trial", "about", "aspect", "by"))
        return self if len(rows) == len(self) else self.take(rows)


def times(at: Categorical) -> Ints:
    """For each verdict a number that rises with the time it was given; shape (n,)."""
    rank: Ints = np.argsort(np.argsort(np.array(at.words, dtype=np.str_), kind="stable"))[at.codes]
    return rank


def moments(at: Categorical) -> Ints:
    """For each verdict a number that is equal to that of others only if they tell the same time; shape (n,).

    >>> moments(Categorical.of(["2026-01-01T08:00:00Z", "", "2026-01-01T08:00:00Z", ""])).tolist()
    [1, -1, 1, -2]
    """
    moment = times(at)
    silent = at.where([not word for word in at.words])
    moment[silent] = -1 - np.arange(np.count_nonzero(silent))
    return moment


def combined(key: Ints, codes: NDArray[Any], size: int) -> Ints:
    """A number for each pair of a key and a code below `size`; keys are numbered anew before they get too large."""
    if len(key) and int(key.max()) >= (1 << 62) // max(size, 1):
        key = numbered(key)
    return np.asarray(key * size + codes, dtype=np.int64)


def numbered(key: Ints) -> Ints:
    """Equal keys as equal numbers from 0, in the order of the keys.

    >>> numbered(np.array([70, 30, 70, 50])).tolist()
    [2, 0, 2, 1]
    """
    order = np.argsort(key, kind="stable")
    numbers = np.empty(len(key), dtype=np.int64)
    numbers[order] = np.cumsum(np.diff(key[order], prepend=key[order[:1]]) != 0)
    return numbers


def distinct(key: Ints) -> Ints:
    """The different keys, rising.

    >>> distinct(np.array([7, 3, 7])).tolist()
    [3, 7]
    """
    key = np.sort(key)
    different: Ints = key[np.diff(key, prepend=key[:1] - 1) != 0]
    return different


def last_of_each(key: Ints) -> Ints:
    """Rows of which no later one has the same key, in their order.

    >>> last_of_each(np.array([7, 3, 7, 5])).tolist()
    [1, 2, 3]
    """
    order: Ints = np.argsort(key, kind="stable")
    last = np.append(np.diff(key[order]) != 0, True)[: len(key)]
    rows: Ints = np.sort(order[last])
    return rows
