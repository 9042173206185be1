"""The view that all ranking metrics share: grade and rank of the hits that somebody judged, as flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from neraca.metrics import vector
from neraca.metrics.scorable import Scorable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neraca.stats.interval import Floats

    Ints = NDArray[np.int64]


#: Why no ranking metric is defined where nothing was to be found and nothing was returned.
CORRECT_EMPTY = "correct empty: nothing to find, nothing returned"


@dataclass(frozen=True)
class Ranking:
    """What is judged of n rankings: m hits of theirs, and the p documents that are known.

    A hit that nobody judged is in none of the arrays: it gains nothing, and only the ranks of the others tell that
    it is there.  The arrays are numpy's, or `vector.Vector` where there is so little that importing numpy would
    cost more than the work.

    Attributes
    ----------
    grades, rank, owner
        Shape (m,): of each judged hit its grade, its rank from 1, and the row of its answer; in the order of
        the answers, and of the ranks within an answer.  A document that stood higher already has the grade -inf:
        it gains nothing.
    returned
        Shape (n,): how many hits each answer has, judged or not; 0 for an answer that failed.
    pool, pool_owner, pool_rank
        Shape (p,): all judged grades of each answer's item, best first; the row of the answer; the rank in this
        ideal order, from 1.
    top
        The largest grade that anybody gave in the whole collection, at least 1.
    expects
        For each answer what its item expects: `results`, `none`, or "" where nobody said.
    failed
        Shape (n,): the target gave no answer; it counts as an empty one, whatever came before it failed.
    undecided
        Why nobody can say anything of an answer, or "".
    unscored
        The same, and besides it the correct empties, of which no ranking metric is defined.
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
    expects: Sequence[str]
    failed: Sequence[bool]
    undecided: Sequence[str]
    unscored: Sequence[str]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Look up the grade of every hit."""
        import numpy as np

        hits, known = part.column("grades"), part.column("known")
        failed = np.asarray(part.column("failed", False), dtype=bool)
        expects = np.asarray(part.column("expects", ""), dtype=np.str_)
        undecided = part.why_not("grades")
        empty = (expects == "none") & (hits.returned == 0) & ~failed
        unscored = [why or (CORRECT_EMPTY if none else "") for why, none in zip(undecided, empty.tolist(), strict=True)]
        return cls(
            hits.grade,
            hits.rank,
            hits.owner,
            hits.returned,
            known.grade,
            known.owner,
            known.rank,
            known.top,
            expects,  # type: ignore[arg-type]
            failed,  # type: ignore[arg-type]
            undecided,
            unscored,
        )

    @property
    def n(self) -> int:
        """Number of answers."""
        return len(self.returned)

    @property
    def xp(self) -> Any:
        """The module that computes with these arrays: numpy, or `vector` with the few functions of it that it has."""
        if isinstance(self.grades, vector.Vector):
            return vector
        import numpy as np

        return np

    def relevant(self, rel: float, at: int = 0) -> Floats:
        """1 for each judged hit with a grade of at least `rel` in the first `at` ranks (0: all), else 0; shape (m,)."""
        good: Any = self.grades >= rel
        return (good & (self.rank <= at) if at else good) * 1.0  # type: ignore[no-any-return]

    def known_relevant(self, rel: float) -> Floats:
        """How many judged documents have a grade of at least `rel`, shape (n,)."""
        return self.pool_sum((self.pool >= rel) * 1.0)

    def sum(self, values: Any) -> Floats:
        """Sum over the judged hits of each answer, shapes (m,) -> (n,)."""
        return self.xp.bincount(self.owner, weights=values, minlength=self.n) * 1.0  # type: ignore[no-any-return]

    def pool_sum(self, values: Any) -> Floats:
        """Sum over the known documents of each answer, shapes (p,) -> (n,)."""
        return self.xp.bincount(self.pool_owner, weights=values, minlength=self.n) * 1.0  # type: ignore[no-any-return]

    def running(self, counts: Any) -> Floats:
        """For each judged hit the sum of counts of its answer down to its rank, shape (m,); exact for whole numbers."""
        up_to = self.xp.cumsum(counts)
        return up_to - (up_to - counts)[self._first]  # type: ignore[no-any-return]

    @cached_property
    def _first(self) -> Any:
        """For each judged hit the place of the first one of its answer, shape (m,)."""
        if self.xp is not vector:
            return self.xp.searchsorted(self.owner, self.owner)
        first: dict[int, int] = {}
        return [first.setdefault(owner, place) for place, owner in enumerate(self.owner)]

    def ratio(self, part: Any, whole: Any, otherwise: float = 0.0) -> Floats:
        """Part / whole, and `otherwise` where whole is not above 0; shapes (n,), (n,) -> (n,)."""
        positive = whole > 0
        return self.xp.where(positive, part / self.xp.where(positive, whole, 1.0), otherwise)  # type: ignore[no-any-return]
