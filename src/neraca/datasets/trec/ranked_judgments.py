"""Find the ranks of the judged documents of a run, which are all that metrics need, however long its rankings are.

Documents are ranked by falling score, and equal scores by falling document id, as in trec_eval.  The rows of
a run come from lines of a file or from a data frame (`Rows`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from neraca.datasets.trec.line_fields import mixed
from neraca.datasets.trec.qrels import Qrels

if TYPE_CHECKING:
    from neraca.datasets.trec.line_fields import Floats, Ints, Words

    Bools = NDArray[np.bool_]


class Ties(NamedTuple):
    """Hits with equal scores in the same ranking; only their ids decide their order.

    Attributes
    ----------
    first, last
        Shape (m,): rank of the first and of the last hit with the same score as this judged hit.
    lines
        Number of hits of judged queries, judged or not, that share their score with another hit.
    """

    first: Ints
    last: Ints
    lines: int


class RankedJudgments(NamedTuple):
    """Positions of the judged documents in a run.

    Attributes
    ----------
    owner, rank, place
        Shape (m,): for each judged document that was returned, the index of its query in `qrels.queries`, its rank
        from 1, and its index in `qrels.documents`, or -1 if it occurs higher in the same ranking.  Sorted by query,
        then by rank.
    returned
        Shape (n,): number of documents returned for each judged query.
    unjudged_queries
        Number of queries of the run that nobody judged.
    ties
        Hits with equal scores; None if the ranking has no scores.
    """

    owner: Ints
    rank: Ints
    place: Ints
    returned: Ints
    unjudged_queries: int
    ties: Ties | None = None

    def down_to(self, depth: int) -> RankedJudgments:
        """Return the judgments of rankings cut at this rank, without ties, because these may reach below it."""
        rows = self.rank <= depth
        returned = np.minimum(self.returned, depth)
        return RankedJudgments(self.owner[rows], self.rank[rows], self.place[rows], returned, self.unjudged_queries)


class Rows(Protocol):
    """Rows of a run."""

    @property
    def starts(self) -> Ints:
        """The rows whose query differs from the query of the row before; the first row is included."""

    @property
    def queries(self) -> list[str]:
        """The queries of these rows."""

    def documents(self, rows: Ints) -> list[Any]:
        """Return the documents of some rows, as values that sort as their ids do."""

    def hashes(self) -> Words:
        """Return a hash of each document; equal ids have equal hashes, and different ids very rarely do."""

    def scores(self) -> Floats:
        """Return the scores, without NaN."""

    def fail(self, query: str, first: int, again: int) -> NoReturn:
        """Raise `InputError` because two rows of a query have the same document."""

    def __len__(self) -> int:
        """Return the number of rows."""


class JudgedFinder:
    """Finds the judged documents of all queries, by hash.

    Parameters
    ----------
    qrels
        The judgments.
    hashes, documents
        The hashes and the values of `qrels.documents`, made as `Rows` makes them.
    single
        Whether to round scores to single precision before ranking.
    rising
        Whether to rank equal scores by rising document id.
    """

    def __init__(
        self, qrels: Qrels, hashes: Words, documents: list[Any], single: bool = False, rising: bool = False
    ) -> None:
        self._number = {query: number for number, query in enumerate(qrels.queries)}
        self._documents, self._single, self._rising = documents, single, rising
        self._owners = np.repeat(np.arange(len(qrels.queries)), qrels.lengths)
        keys = _paired(hashes, self._owners)
        self._order = np.argsort(keys)
        self._keys = keys[self._order]
        bits = max(16, (32 * len(keys)).bit_length())
        self._shift = np.uint64(64 - bits)
        self._likely = np.zeros(1 << bits, dtype=bool)
        self._likely[hashes >> self._shift] = True
        self._returned = np.zeros(len(qrels.queries), dtype=np.int64)
        self._unjudged: set[str] = set()
        self._parts = [(np.empty(0, dtype=np.int64),) * 5]
        self._tied_lines = 0

    def add(self, rows: Rows) -> bool:
        """Find judged documents in more rows; return False if the rows of a query are not together."""
        names = rows.queries
        numbers = np.array([self._number.get(name, -1) for name in names], dtype=np.int64)
        unjudged = {name for name, number in zip(names, numbers.tolist(), strict=True) if number < 0}
        judged = numbers[numbers >= 0]
        if len(set(names)) < len(names) or self._returned[judged].any() or self._unjudged & unjudged:
            return False
        self._returned[judged] = np.diff(rows.starts, append=len(rows))[numbers >= 0]
        self._unjudged |= unjudged
        self._parts.append(self._find(rows, rows.starts, names, numbers, None))
        return True

    def scattered(self, rows: Rows) -> RankedJudgments:
        """Find judged documents in all rows of a run; the rows of a query need not be together."""
        segments = {name: segment for segment, name in enumerate(dict.fromkeys(rows.queries))}
        segment = np.repeat([segments[name] for name in rows.queries], np.diff(rows.starts, append=len(rows)))
        order = np.argsort(segment, kind="stable")
        starts = np.searchsorted(segment[order], np.arange(len(segments)))
        numbers = np.array([self._number.get(name, -1) for name in segments], dtype=np.int64)
        self._returned[numbers[numbers >= 0]] = np.diff(starts, append=len(rows))[numbers >= 0]
        self._unjudged = segments.keys() - self._number.keys()
        self._tied_lines = 0
        self._parts = [self._find(rows, starts, list(segments), numbers, order)]
        return self.judgments()

    def judgments(self) -> RankedJudgments:
        """Return the judged documents found so far."""
        columns = tuple(map(np.concatenate, zip(*self._parts, strict=True)))
        order = np.lexsort((columns[1], columns[0]))
        owner, rank, place, first, last = (column[order] for column in columns)
        ties = Ties(first, last, self._tied_lines)
        return RankedJudgments(owner, rank, place, self._returned, len(self._unjudged), ties)

    def _find(
        self, rows: Rows, starts: Ints, names: list[str], numbers: Ints, order: Ints | None
    ) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Return owner, rank and place of the judged documents, and the first and last rank with the score of each.

        `order` brings the rows of each query together.
        """
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
        matches = self._keys[nearest] == keys
        at, owner, place = at[matches], owner[matches], self._order[nearest[matches]]
        documents = rows.documents(at if order is None else order[at])
        if documents != [self._documents[number] for number in place.tolist()]:  # another document has the same hash
            place = np.array([self._places.get(pair, -1) for pair in zip(owner.tolist(), documents, strict=True)])
            at, owner, place = at[place >= 0], owner[place >= 0], place[place >= 0]
        rank = at - starts[segment[at]] + 1
        new = new_scores(scores, starts)
        self._tied_lines += count_tied(new, segment, numbers)
        rank, first, last = _untied(rows, new, at, rank, order, self._rising)
        return owner, rank, place, first, last

    @cached_property
    def _places(self) -> dict[tuple[int, Any], int]:
        """(index of the query, document) → index in `qrels.documents`, without hashes."""
        return {pair: place for place, pair in enumerate(zip(self._owners.tolist(), self._documents, strict=True))}


def rounded(scores: Floats) -> Floats:
    """Round scores to single precision."""
    with np.errstate(over="ignore"):  # large scores become infinite, as a float in C does
        return scores.astype(np.float32).astype(np.float64)


def _paired(hashes: Words, owner: Ints) -> Words:
    with np.errstate(over="ignore"):
        return mixed(hashes + (owner + 1).astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93))


def new_scores(scores: Floats, starts: Ints) -> Bools:
    """Return whether each row starts a query or differs in score from the row before; the last value marks the end.

    >>> new_scores(np.array([2.0, 2, 1, 1]), np.array([0, 3])).tolist()
    [True, False, True, True, True]
    """
    new = np.ones(len(scores) + 1, dtype=bool)
    new[1:-1] = scores[1:] != scores[:-1]
    new[starts] = True
    return new


def count_tied(new: Bools, segment: Ints, numbers: Ints) -> int:
    """Count the rows that share their score with a neighbour; queries with a number below 0 are not judged or counted.

    >>> count_tied(np.array([True, False, True, True, True]), np.array([0, 0, 0, 1]), np.array([5, -1]))
    2
    """
    tied = ~(new[:-1] & new[1:])
    return int(np.count_nonzero(tied & (numbers >= 0)[segment])) if tied.any() else 0


def _untied(rows: Rows, new: Bools, at: Ints, rank: Ints, order: Ints | None, rising: bool) -> tuple[Ints, Ints, Ints]:
    """Order judged documents by id among the documents of their query with the same score.

    Return the ranks, and the first and the last rank with the same score.
    """
    top, bottom = rank.copy(), rank.copy()
    tied = np.flatnonzero(~(new[at] & new[at + 1]))
    if len(tied):
        bounds = np.flatnonzero(new)
        group = np.searchsorted(bounds, at[tied], side="right") - 1
        first, end = bounds[group], bounds[group + 1]
        names = rows.documents(at[tied] if order is None else order[at[tied]])
        top[tied] -= at[tied] - first
        bottom[tied] += end - 1 - at[tied]
        rank[tied] = top[tied] + count_before(rows.documents, order, first, end, names, rising)
    return rank, top, bottom


def count_before(
    documents: Callable[[Ints], list[Any]],
    order: Ints | None,
    first: Ints,
    end: Ints,
    names: list[Any],
    rising: bool = False,
) -> Ints:
    """Count, for each name, the documents before it in the rows from `first` to `end`, which have equal scores.

    Greater ids come before; with `rising`, smaller ids.  `order` is as in `_find`.
    """
    ends = dict(zip(first.tolist(), end.tolist(), strict=True))
    groups = np.array(list(ends))
    sizes = np.array(list(ends.values())) - groups
    inside = np.arange(sizes.sum()) + np.repeat(groups - (np.cumsum(sizes) - sizes), sizes)
    members = documents(inside if order is None else order[inside])
    ordered: dict[int, list[Any]] = {}
    start = 0
    for group, size in zip(groups.tolist(), sizes.tolist(), strict=True):
        ordered[group] = sorted(members[start : start + size])
        start += size
    pairs = zip(first.tolist(), names, strict=True)
    if rising:
        return np.array([bisect_left(ordered[group], name) for group, name in pairs])
    return np.array([len(ordered[group]) - bisect_right(ordered[group], name) for group, name in pairs])


def _check_duplicates(rows: Rows, hashes: Words, segment: Ints, names: list[str], order: Ints | None) -> None:
    """Call `rows.fail` for the first document that occurs twice for its query."""
    bits = np.uint64(max(1, len(names).bit_length()))
    keys = hashes >> bits
    keys |= segment.astype(np.uint64) << (np.uint64(64) - bits)
    keys.sort()
    twice = keys[1:] == keys[:-1]
    if not twice.any():
        return
    duplicates: list[tuple[int, int, str]] = []
    for number in set((keys[1:][twice] >> (np.uint64(64) - bits)).tolist()):
        inside = np.flatnonzero(segment == number)
        inside = inside if order is None else order[inside]
        first_rows: dict[Any, int] = {}
        for row, document in zip(inside.tolist(), rows.documents(inside), strict=True):
            if (first := first_rows.setdefault(document, row)) != row:  # otherwise the hashes are equal by chance
                duplicates.append((row, first, names[number]))
                break
    if duplicates:
        again, first, query = min(duplicates)
        rows.fail(query, first, again)
