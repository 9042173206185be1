"""The view that all ranking metrics share: grade and rank of the judged hits, as flat arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from neraca.stats.interval import Floats

if TYPE_CHECKING:
    from neraca.metrics.batch import Batch
    from neraca.records import Hit

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Ranking:
    """The judgements of n rankings: m judged hits, and the p judged documents of their items.

    Unjudged hits are in none of the arrays.  They gain nothing, and only the ranks of the other hits show them.

    Attributes
    ----------
    grades, rank, owner
        Shape (m,): the grade of each judged hit, its rank from 1, and the row of its answer; in the order of the
        answers, and of the ranks within an answer.  A repeated document has the grade -inf: it gains nothing.
    returned
        Shape (n,): the number of hits of each answer, judged or not; 0 for an answer that failed.
    pool, pool_owner, pool_rank
        Shape (p,): the grades of all judged documents of each answer's item, best first; the row of the answer; the
        rank in this ideal order, from 1.
    top
        The largest grade in the whole collection, at least 1.
    expects
        Shape (n,): what the item of each answer expects: `results`, `none`, or "" where nobody said.
    failed
        Shape (n,): whether the target failed; its answer counts as empty, even if hits came before the failure.
    undecided
        Why an answer cannot be evaluated at all, or "".
    unscored
        The same, also for correct empty answers, for which no ranking metric is defined.
    """

    grades: Floats
    rank: Ints
    owner: Ints
    returned: Ints
    pool: Floats
    pool_owner: Ints
    pool_rank: Ints
    top: float
    expects: NDArray[np.str_]
    failed: NDArray[np.bool_]
    undecided: Sequence[str]
    unscored: Sequence[str]

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Look up the grade of every hit of a batch."""
        known = [batch.relevance.grades.get(item.id) for item, _ in batch.pairs]
        hits = [() if answer.failed else answer.hits for _, answer in batch.pairs]
        expects = [item.expected for item, _ in batch.pairs]
        undecided = batch.why_not()
        unscored = list(undecided)
        for row, (_, answer) in enumerate(batch.pairs):
            if undecided[row]:
                continue
            if known[row] is None and not expects[row]:
                undecided[row] = unscored[row] = "nobody judged its hits, and what it expects is not said"
            elif known[row] is None and expects[row] == "results" and hits[row]:
                undecided[row] = unscored[row] = "nobody judged its hits"
            elif expects[row] == "none" and not hits[row] and not answer.failed:
                unscored[row] = "correct empty: nothing to find, nothing returned"
        judged = [_judged(found, grades or {}) for found, grades in zip(hits, known, strict=True)]
        pools = [sorted((grades or {}).values(), reverse=True) for grades in known]
        return cls(
            np.array([grade for part in judged for grade, _ in part], dtype=np.float64),
            np.array([rank for part in judged for _, rank in part], dtype=np.int64),
            np.repeat(np.arange(len(judged)), [len(part) for part in judged]),
            np.array([len(found) for found in hits], dtype=np.int64),
            np.array([grade for pool in pools for grade in pool], dtype=np.float64),
            np.repeat(np.arange(len(pools)), [len(pool) for pool in pools]),
            np.array([rank for pool in pools for rank in range(1, len(pool) + 1)], dtype=np.int64),
            batch.relevance.top,
            np.array(expects, dtype=np.str_),
            np.array([answer.failed for _, answer in batch.pairs], dtype=np.bool_),
            undecided,
            unscored,
        )

    @property
    def n(self) -> int:
        """Number of answers."""
        return len(self.returned)

    def relevant(self, rel: float, at: int = 0) -> Floats:
        """1 for each judged hit with a grade of at least `rel` in the first `at` ranks (0: all), else 0; shape (m,)."""
        good = self.grades >= rel
        return (good & (self.rank <= at) if at else good).astype(np.float64)

    def known_relevant(self, rel: float) -> Floats:
        """The number of judged documents with a grade of at least `rel`, shape (n,)."""
        return self.pool_sum(self.pool >= rel)

    def sum(self, values: NDArray[Any]) -> Floats:
        """Sum numbers, or count truth values, over the judged hits of each answer; shapes (m,) -> (n,)."""
        return np.bincount(self.owner, weights=values, minlength=self.n).astype(np.float64, copy=False)

    def pool_sum(self, values: NDArray[Any]) -> Floats:
        """Sum numbers, or count truth values, over the judged documents of each answer's item; shapes (p,) -> (n,)."""
        return np.bincount(self.pool_owner, weights=values, minlength=self.n).astype(np.float64, copy=False)

    def running(self, counts: NDArray[Any]) -> Floats:
        """Sum counts within the answer of each judged hit down to its rank; shapes (m,) -> (m,), exact for integers."""
        up_to: Floats = np.cumsum(counts, dtype=np.float64)
        before: Floats = (up_to - counts)[self._first]
        return up_to - before

    @cached_property
    def _first(self) -> Ints:
        """The place of the first judged hit of the same answer, shape (m,)."""
        return np.searchsorted(self.owner, self.owner)

    def ratio(self, part: Floats, whole: NDArray[Any], otherwise: float = 0.0) -> Floats:
        """Part / whole, and `otherwise` where whole is not above 0; shapes (n,), (n,) -> (n,)."""
        quotient: Floats = np.divide(part, whole, out=np.full(self.n, otherwise), where=whole > 0)
        return quotient


def _judged(hits: Iterable[Hit], known: Mapping[str, float]) -> list[tuple[float, int]]:
    """Grade and rank of each judged hit; the grade of a repeated document is -inf."""
    seen: set[str] = set()
    judged = []
    for rank, hit in enumerate(hits, start=1):
        if hit.id in seen:
            judged.append((-math.inf, rank))
        elif hit.id in known:
            judged.append((known[hit.id], rank))
        seen.add(hit.id)
    return judged
