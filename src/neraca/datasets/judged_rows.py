"""The judged hits among rows of a run, whatever the rows are stored in: lines of a file, or a data frame."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import Any, NoReturn, Protocol

import numpy as np

from neraca.datasets.fields import Floats, Ints, Words, mixed
from neraca.datasets.judged import RankedJudgments
from neraca.datasets.qrels import Qrels


class Rows(Protocol):
    """Rows of a run."""

    @property
    def starts(self) -> Ints:
        """Rows, the first one included, whose query is another than that of the row before."""

    @property
    def queries(self) -> list[str]:
        """The queries of these rows."""

    def documents(self, rows: Ints) -> list[Any]:
        """The documents of some rows, as something that sorts as their ids do."""

    def hashes(self) -> Words:
        """A hash of each document: equal for equal ids; different ones may, very seldom, share one."""

    def scores(self) -> Floats:
        """The scores, without NaN."""

    def fail(self, query: str, first: int, again: int) -> NoReturn:
        """Raise `InputError`: two rows of a query have the same document."""

    def __len__(self) -> int:
        """Number of rows."""


class Finder:
    """Finds the judged documents of all queries, by hash.

    Parameters
    ----------
    qrels
        The judgments.
    hashes, documents
        Of `qrels.documents`, made as those of the rows are.
    single
        Rank by scores rounded to single precision.
    """

    def __init__(self, qrels: Qrels, hashes: Words, documents: list[Any], single: bool = False) -> None:
        self._number = {query: number for number, query in enumerate(qrels.queries)}
        self._documents, self._single = documents, single
        self._owners = np.repeat(np.arange(len(qrels.queries)), qrels.lengths)
        keys = _paired(hashes, self._owners)
        self._order = np.argsort(keys)
        self._keys = keys[self._order]
        bits = max(16, (32 * len(keys)).bit_length())
        self._shift = np.uint64(64 - bits)
        self._likely = np.zeros(1 << bits, dtype=bool)
        self._likely[hashes >> self._shift] = True
        self._returned = np.zeros(len(qrels.queries), dtype=np.int64)
        self._strangers: set[str] = set()
        self._parts = [(np.empty(0, dtype=np.int64),) * 3]

    def add(self, rows: Rows) -> bool:
        """Find those among more rows; False where a query stood in earlier rows or stands here in two places."""
        names = rows.queries
        numbers = np.array([self._number.get(name, -1) for name in names], dtype=np.int64)
        strangers = {name for name, number in zip(names, numbers.tolist(), strict=True) if number < 0}
        known = numbers[numbers >= 0]
        if self._returned[known].any() or self._strangers & strangers:
            return False
        np.add.at(self._returned, known, np.diff(rows.starts, append=len(rows))[numbers >= 0])
        if len(known) + len(strangers) < len(names) or len(np.unique(known)) < len(known):
            return False
        self._strangers |= strangers
        self._parts.append(self._found(rows, rows.starts, names, numbers, None))
        return True

    def of_scattered(self, rows: Rows) -> RankedJudgments:
        """Those among all rows, in which a query may stand in many places."""
        number = {name: place for place, name in enumerate(dict.fromkeys(rows.queries))}
        owner = np.repeat([number[name] for name in rows.queries], np.diff(rows.starts, append=len(rows)))
        order = np.argsort(owner, kind="stable")
        starts = np.searchsorted(owner[order], np.arange(len(number)))
        numbers = np.array([self._number.get(name, -1) for name in number], dtype=np.int64)
        self._returned[numbers[numbers >= 0]] = np.diff(starts, append=len(rows))[numbers >= 0]
        self._strangers = number.keys() - self._number.keys()
        self._parts = [self._found(rows, starts, list(number), numbers, order)]
        return self.judged()

    def judged(self) -> RankedJudgments:
        """All that were found."""
        owner, rank, place = map(np.concatenate, zip(*self._parts, strict=True))
        order = np.lexsort((rank, owner))
        return RankedJudgments(owner[order], rank[order], place[order], self._returned, len(self._strangers))

    def _found(
        self, rows: Rows, starts: Ints, names: list[str], numbers: Ints, order: Ints | None
    ) -> tuple[Ints, Ints, Ints]:
        """Owner, rank and place of the judged documents; `order` brings the rows of each query together."""
        hashes, scores = rows.hashes(), rows.scores()
        if self._single:
            scores = rounded(scores)
        segment = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(rows)))
        if order is not None:
            hashes, scores = hashes[order], scores[order]
        _check_duplicates(rows, hashes, segment, names, order)
        rises = scores[1:] > scores[:-1]
        rises[starts[1:] - 1] = False
        if rises.any():
            by_score = np.lexsort((-scores, segment))
            hashes, scores = hashes[by_score], scores[by_score]
            order = by_score if order is None else order[by_score]
        at = np.flatnonzero(self._likely[hashes >> self._shift])
        owner = numbers[segment[at]]
        keys = _paired(hashes[at], owner)
        nearest = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        good = self._keys[nearest] == keys
        at, owner, place = at[good], owner[good], self._order[nearest[good]]
        here = rows.documents(at if order is None else order[at])
        if here != [self._documents[number] for number in place.tolist()]:  # others of the same hash
            place = np.array([self._places.get(pair, -1) for pair in zip(owner.tolist(), here, strict=True)])
            at, owner, place = at[place >= 0], owner[place >= 0], place[place >= 0]
        rank = at - starts[segment[at]] + 1
        _untie(rows, scores, starts, at, rank, order)
        return owner, rank, place

    @cached_property
    def _places(self) -> dict[tuple[int, Any], int]:
        """The place of each judged document by number of the query and document, without hashes."""
        return {pair: place for place, pair in enumerate(zip(self._owners.tolist(), self._documents, strict=True))}


def rounded(scores: Floats) -> Floats:
    """To single precision."""
    with np.errstate(over="ignore"):  # they are infinite then, as a float in C is
        return scores.astype(np.float32).astype(np.float64)


def _paired(hashes: Words, owner: Ints) -> Words:
    with np.errstate(over="ignore"):
        return mixed(hashes + (owner + 1).astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93))


def _untie(rows: Rows, scores: Floats, starts: Ints, at: Ints, rank: Ints, order: Ints | None) -> None:
    """Correct the ranks of judged documents whose score others of their query have too: the greater id stands first."""
    new = np.ones(len(scores) + 1, dtype=bool)
    new[1:-1] = scores[1:] != scores[:-1]
    new[starts] = True
    tied = np.flatnonzero(~(new[at] & new[at + 1]))
    if len(tied):
        bounds = np.flatnonzero(new)
        group = np.searchsorted(bounds, at[tied], side="right") - 1
        first, end = bounds[group], bounds[group + 1]
        names = rows.documents(at[tied] if order is None else order[at[tied]])
        rank[tied] += greater(rows.documents, order, first, end, names) - (at[tied] - first)


def greater(
    documents: Callable[[Ints], list[Any]], order: Ints | None, first: Ints, end: Ints, names: list[Any]
) -> Ints:
    """For each name how many of the documents in the rows from `first` to `end` are greater; `order` as in `Finder`."""
    groups, places = np.unique(first, return_index=True)
    sizes = end[places] - groups
    inside = np.arange(sizes.sum()) + np.repeat(groups - (np.cumsum(sizes) - sizes), sizes)
    whole = documents(inside if order is None else order[inside])
    rising: dict[int, list[Any]] = {}
    done = 0
    for group, size in zip(groups.tolist(), sizes.tolist(), strict=True):
        rising[group] = sorted(whole[done : done + size])
        done += size
    pairs = zip(first.tolist(), names, strict=True)
    return np.array([len(rising[group]) - bisect_right(rising[group], name) for group, name in pairs])


def _check_duplicates(rows: Rows, hashes: Words, segment: Ints, names: list[str], order: Ints | None) -> None:
    bits = np.uint64(max(1, len(names).bit_length()))
    keys = hashes >> bits
    keys |= segment.astype(np.uint64) << (np.uint64(64) - bits)
    keys.sort()
    twice = keys[1:] == keys[:-1]
    if not twice.any():
        return
    found: list[tuple[int, int, str]] = []
    for number in np.unique(keys[1:][twice] >> (np.uint64(64) - bits)).astype(np.int64).tolist():
        inside = np.flatnonzero(segment == number)
        inside = inside if order is None else order[inside]
        seen: dict[Any, int] = {}
        for row, document in zip(inside.tolist(), rows.documents(inside), strict=True):
            if (first := seen.setdefault(document, row)) != row:  # else hashes are equal by chance
                found.append((row, first, names[number]))
                break
    if found:
        again, first, query = min(found)
        rows.fail(query, first, again)
