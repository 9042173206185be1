"""Store verdicts as columns: hundreds of thousands in little memory, with records made one at a time when used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from operator import attrgetter
from typing import Any, Self, get_args, overload

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical, Codes
from neraca.records import Verdict, VerdictStatus
from neraca.runs.session_contents import SESSION

Ints = NDArray[np.int64]
STATUSES: tuple[VerdictStatus, ...] = get_args(VerdictStatus)
_STATUS_CODES = {status: code for code, status in enumerate(STATUSES)}
_WORDS = ("item", "about", "aspect", "by", "why", "caution", "of", "at")
_KINDS: dict[str, Any] = {"trial": np.int8, "value": np.float64, "status": np.int8}
_COLUMNS = (*_WORDS, *_KINDS)
#: Number of records in memory while columns are made.
CHUNK = 20_000


@dataclass(frozen=True, eq=False)
class VerdictTable(Sequence[Verdict]):
    """n verdicts in the order in which they were given; as a sequence, it makes `Verdict` records when used.

    Attributes
    ----------
    item, about, aspect, by, why, caution, of, at
        Texts, as in `Verdict`; most columns hold many repeated texts.
    trial
        Shape (n,); a number takes as few bytes as the largest one needs.
    value
        Shape (n,); NaN for a verdict without a value.
    status
        Shape (n,): index in `STATUSES`.
    """

    item: Categorical
    trial: NDArray[np.signedinteger[Any]]
    about: Categorical
    aspect: Categorical
    by: Categorical
    value: NDArray[np.float64]
    status: NDArray[np.int8]
    why: Categorical
    caution: Categorical
    of: Categorical
    at: Categorical

    @classmethod
    def made(cls, verdicts: Iterable[Verdict]) -> Self:
        """Make a table of verdicts, a chunk at a time, so that few records exist at once."""
        codes_by_word = {name: Codes() for name in _WORDS}
        parts: dict[str, list[NDArray[Any]]] = {name: [np.zeros(0, _KINDS.get(name, np.int8))] for name in _COLUMNS}
        source = iter(verdicts)
        while chunk := list(islice(source, CHUNK)):
            for name in _COLUMNS:
                column: Iterable[Any] = map(attrgetter(name), chunk)
                if name in codes_by_word:
                    column = map(codes_by_word[name].__getitem__, column)
                elif name == "value":
                    column = [np.nan if value is None else value for value in column]
                elif name == "status":
                    column = map(_STATUS_CODES.__getitem__, column)
                values = list(column)
                kind = np.float64 if name == "value" else np.min_scalar_type(-1 - max(values))  # -128 takes 1 byte
                parts[name].append(np.array(values, kind))
        columns: dict[str, Any] = {name: np.concatenate(parts.pop(name)) for name in _COLUMNS}
        words = {name: Categorical(tuple(codes), columns[name]) for name, codes in codes_by_word.items()}
        return cls(**columns | words)

    @classmethod
    def joined(cls, tables: Sequence[Self]) -> Self:
        """Put the verdicts of several tables one after the other."""
        if len(tables) == 1:
            return tables[0]
        columns: dict[str, Any] = {name: [getattr(table, name) for table in tables] for name in _COLUMNS}
        for name, parts in columns.items():
            kind = _KINDS.get(name)
            columns[name] = np.concatenate([np.zeros(0, kind), *parts]) if kind else Categorical.joined(parts)
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

    @cached_property
    def on_hits(self) -> NDArray[np.bool_]:
        """The mask of the verdicts on hits, shape (n,)."""
        return self.about.where(lambda about: about.startswith("hit:"))

    @property
    def on_answers(self) -> NDArray[np.bool_]:
        """The mask of the verdicts on whole answers or conversations, or on questions made from answers, shape (n,)."""
        return self.about.where(lambda about: about in ("answer", SESSION) or about.startswith("question:"))

    def take(self, rows: Ints | NDArray[np.bool_]) -> Self:
        """Return the verdicts of these rows, in this order."""
        places = np.flatnonzero(rows) if rows.dtype == bool else rows
        return type(self)(**{name: getattr(self, name).take(places) for name in _COLUMNS})

    def dated(self) -> Self:
        """Return the same verdicts; a verdict without a time gets the time of the verdict before it."""
        without_time = self.at.isin([""])
        if not without_time.any():
            return self
        rows = np.maximum.accumulate(np.where(without_time, 0, np.arange(len(self))))
        return replace(self, at=self.at.take(rows))

    def compact(self) -> Self:
        """Return the same verdicts, without unused words in the columns."""
        return replace(self, **{name: getattr(self, name).compact() for name in _WORDS})

    def key(self, *columns: str) -> Ints:
        """Return a number for each verdict; verdicts have equal numbers if these columns are equal.  Shape (n,).

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
        """Yield rows of at least `some` verdicts at a time; verdicts on one item stay together, in the table's order.

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
        """Return the last verdict of each (item, trial, about, aspect, by), in the order in which they were given."""
        rows = last_of_each(self.key("item", "trial", "about", "aspect", "by"))
        return self if len(rows) == len(self) else self.take(rows)


def times(at: Categorical) -> Ints:
    """Return a number for each verdict that rises with its time; shape (n,)."""
    rank: Ints = np.argsort(np.argsort(np.array(at.words, dtype=np.str_), kind="stable"))[at.codes]
    return rank


def moments(at: Categorical) -> Ints:
    """Return a number for each verdict; verdicts have equal numbers if they have the same known time.  Shape (n,).

    >>> moments(Categorical.of(["2026-01-01T08:00:00Z", "", "2026-01-01T08:00:00Z", ""])).tolist()
    [1, -1, 1, -2]
    """
    moment = times(at)
    without_time = at.isin([""])
    moment[without_time] = -1 - np.arange(np.count_nonzero(without_time))
    return moment


def combined(key: Ints, codes: NDArray[Any], size: int) -> Ints:
    """Return a number for each pair of a key and a code below `size`; renumber keys before they get too large."""
    if len(key) and int(key.max()) >= (1 << 62) // max(size, 1):
        key = numbered(key)
    return np.asarray(key * size + codes, dtype=np.int64)


def numbered(key: Ints) -> Ints:
    """Number the distinct keys from 0 in rising order, and return the number of each key.

    >>> numbered(np.array([70, 30, 70, 50])).tolist()
    [2, 0, 2, 1]
    """
    order = np.argsort(key, kind="stable")
    numbers = np.empty(len(key), dtype=np.int64)
    numbers[order] = np.cumsum(np.diff(key[order], prepend=key[order[:1]]) != 0)
    return numbers


def distinct(key: Ints) -> Ints:
    """Return the distinct keys in rising order.

    >>> distinct(np.array([7, 3, 7])).tolist()
    [3, 7]
    """
    key = np.sort(key)
    different: Ints = key[np.diff(key, prepend=key[:1] - 1) != 0]
    return different


def last_of_each(key: Ints) -> Ints:
    """Return the rows whose key does not come again in a later row, in their order.

    >>> last_of_each(np.array([7, 3, 7, 5])).tolist()
    [1, 2, 3]
    """
    order: Ints = np.argsort(key, kind="stable")
    last = np.append(np.diff(key[order]) != 0, True)[: len(key)]
    rows: Ints = np.sort(order[last])
    return rows
