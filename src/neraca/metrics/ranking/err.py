"""ERR, expected reciprocal rank: how soon a user who reads down the list can expect to be satisfied."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats


@metric("ERR")
def expected_reciprocal_rank(ranking: Ranking, *, at: int = 0, top: float = 0) -> Floats:
    r"""Expected 1/rank at which a user stops who is satisfied by a hit the more probably the better it is.

    $$ ERR@k = \sum_{i \le k} \frac{1}{i} R_i \prod_{j < i} (1 - R_j), \quad R_i = (2^{g_i} - 1) / 2^{top} $$

    with $R_i$ the probability that the hit at rank i, of grade $g_i$, satisfies; unjudged hits and negative grades
    never do.  `top` is the largest grade of the scale; without it the largest that anybody gave in the collection,
    so give it where data sets are compared.  Even a perfect ranking has less than 1.

    Raises
    ------
    SpecError
        Where a grade of the collection is above `top`.

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
    satisfied = np.where(ranking.grades > 0, np.exp2(np.maximum(ranking.grades, 0.0) - top) - 2.0**-top, 0.0)
    if at:
        satisfied = satisfied * (ranking.rank <= at)
    return ranking.sum(satisfied * _reached(ranking, satisfied) / ranking.rank)


def _reached(ranking: Ranking, satisfied: Floats) -> Floats:
    """The probability that the user comes down to each judged hit, shapes (m,) -> (m,).

    Multiplied answer by answer: a running product over all of them would carry the rounding of one into the next.
    """
    going_on = [1.0] * ranking.n
    reached = []
    for owner, probability in zip(ranking.owner.tolist(), satisfied.tolist(), strict=True):
        reached.append(going_on[owner])
        going_on[owner] *= 1.0 - probability
    return np.array(reached, dtype=np.float64)
