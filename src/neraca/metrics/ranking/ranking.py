"""The view of all ranking metrics: grade and rank of the judged hits, as flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from neraca.grades import UNJUDGED
from neraca.metrics.ranking.empty_answers import CORRECT_EMPTY, REFUSED, EmptyAnswers
from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ranking:
    """The judgements of n rankings: m judged hits, and the p judged documents of their items.

    Unjudged hits gain nothing and are in none of the arrays; only the ranks of the other hits show them.  The grade -1
    means "in the pool, not judged".  It stays in the arrays for metrics of sampled pools; `judged` marks the others.

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
        Shape (n,): what the item of each answer expects: `results`, `none`, or "" (not known).
    failed
        Shape (n,): whether the target failed; its answer counts as empty, even if hits came before the failure.
    undecided
        For each answer why it cannot be evaluated at all, or "".
    unscored
        The same, with reasons for correct empty answers and right refusals, which metrics without the parameter `empty`
        cannot score.
    empties
        The answers without hits, and what they are worth.
    """

    needs: ClassVar[tuple[str, ...]] = ("grades", "known")
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
    empties: EmptyAnswers

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Look up the grade of every hit."""
        hits, pool = part.column("grades"), part.column("known")
        failed = np.asarray(part.column("failed", False), dtype=bool)
        expects = np.asarray(part.column("expects", ""), dtype=np.str_)
        undecided = part.why_not("grades")
        empties = EmptyAnswers.of(part, undecided)
        right = np.where(empties.right, CORRECT_EMPTY, np.where(empties.refused, REFUSED, "")).tolist()
        unscored = [why or reason for why, reason in zip(undecided, right, strict=True)]
        return cls(
            hits.grade,
            hits.rank,
            hits.owner,
            hits.returned,
            pool.grade,
            pool.owner,
            pool.rank,
            pool.top,
            expects,
            failed,
            undecided,
            unscored,
            empties,
        )

    @property
    def n(self) -> int:
        """Number of answers."""
        return len(self.returned)

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Whether each hit was judged, shape (m,); a repeated document counts as judged."""
        return np.not_equal(self.grades, UNJUDGED)

    def of_judged(self) -> Self:
        """Return the same ranking with the grade -1 removed, so that these hits count as unjudged."""
        hits, pool = self.judged, self.pool != UNJUDGED
        if hits.all() and pool.all():
            return self
        return replace(
            self,
            grades=self.grades[hits],
            rank=self.rank[hits],
            owner=self.owner[hits],
            pool=self.pool[pool],
            pool_owner=self.pool_owner[pool],
            pool_rank=self.pool_rank[pool],
        )

    def relevant(self, rel: float, at: int = 0) -> Floats:
        """Return 1 for each judged hit of grade `rel` or more in the first `at` ranks (0: all), else 0; shape (m,)."""
        good = self.grades >= rel
        return (good & (self.rank <= at) if at else good).astype(np.float64)

    def known_relevant(self, rel: float) -> Floats:
        """Count the judged documents with a grade of at least `rel`, shape (n,)."""
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

    def ratio(self, part: Floats, whole: NDArray[Any], otherwise: float | Floats = 0.0) -> Floats:
        """Return part / whole, or `otherwise` where whole is not above 0; shapes (n,), (n,) -> (n,)."""
        quotient: Floats = np.divide(part, whole, out=np.full(self.n, otherwise), where=whole > 0)
        return quotient


@dataclass(frozen=True, eq=False)
class AnyRanking(Ranking):
    """Rankings for metrics that need no judgement: answers without judged hits are scored too."""

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Leave out only answers that may not be whole, or are rightly empty."""
        ranking, whole = part.view(Ranking), part.why_not()
        right = ranking.empties.right.tolist()
        unscored = [why or (CORRECT_EMPTY if none else "") for why, none in zip(whole, right, strict=True)]
        columns = {field.name: getattr(ranking, field.name) for field in fields(Ranking)}
        return cls(**columns | {"undecided": whole, "unscored": unscored})
