"""ERR, expected reciprocal rank: how soon a user who reads down the list is satisfied."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@metric("ERR", empty="expected", not_for="where users want several documents: after one good hit little counts")
def expected_reciprocal_rank(ranking: Ranking, *, at: int = 0, top: float = 0) -> Floats:
    r"""The expected 1/rank at which a user stops; a better hit satisfies the user with a higher probability.

    $$ ERR@k = \sum_{i \le k} \frac{1}{i} R_i \prod_{j < i} (1 - R_j), \quad R_i = (2^{g_i} - 1) / 2^{top} $$

    $R_i$ is the probability that the hit at rank i, of grade $g_i$, satisfies the user.  Unjudged hits and negative
    grades never do.  `top` is the largest grade of the scale.  Without it the largest grade in the collection is taken,
    so give it where data sets are compared.  Even a perfect ranking has less than 1.

    Raises
    ------
    SpecError
        A grade of the collection is above `top`.

    References
    ----------
    Chapelle, O., Metzler, D., Zhang, Y. and Grinspan, P. (2009). Expected reciprocal rank for graded relevance.
    CIKM, 621-630.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> expected_reciprocal_rank(ranking([1, 0, 2]))  # 1/4 + 3/4 * 3/4 / 3
    array([0.4375])
    """
    if top and not top >= ranking.top:
        raise SpecError(f"ERR: top is {top:g}, but the largest grade is {ranking.top:g}; give top={ranking.top:g}")
    top = top or ranking.top
    # (2^g - 1) / 2^top, without numbers as large as 2^g
    R = np.where(ranking.grades > 0, np.exp2(np.maximum(ranking.grades, 0.0) - top) - 2.0**-top, 0.0)
    if at:
        R = R * (ranking.rank <= at)
    return ranking.sum(R * _reached(ranking, R) / ranking.rank)


def _reached(ranking: Ranking, R: Floats) -> Floats:
    """The probability that the user comes down to each judged hit, shapes (m,) -> (m,).

    Each answer has a product of its own: one product over all answers would carry the rounding of one into the next.
    """
    unsatisfied = [1.0] * ranking.n
    reached = []
    for owner, satisfies in zip(ranking.owner.tolist(), R.tolist(), strict=True):
        reached.append(unsatisfied[owner])
        unsatisfied[owner] *= 1.0 - satisfies
    return np.array(reached, dtype=np.float64)
