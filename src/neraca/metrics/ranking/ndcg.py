"""DCG and nDCG: gain by grade, discounted by rank; nDCG divides by the DCG of the best possible ranking."""

from __future__ import annotations

import math

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ints, Ranking
from neraca.stats.intervals.interval import Floats

#: The largest grade for `gains=exp`; 2^grade overflows soon after it.
LARGEST = 1000


@metric(
    "DCG",
    high=math.inf,
    empty="expected",
    not_for="to compare questions with different numbers of relevant documents: `nDCG`",
)
def dcg(ranking: Ranking, *, at: int = 0, gains: str = "linear", discount: str = "log2") -> Floats:
    r"""Discounted cumulative gain: the sum of the gains of the hits, each divided by the logarithm of its rank.

    $$ DCG@k = \sum_{i \le k} g(r_i) / \log_2(i+1) $$

    $r_i$ is the grade of the hit at rank i.  The gain is $g(r) = r$ with `gains=linear`, as in trec_eval, or $2^r - 1$
    with `gains=exp`.  Unjudged hits and negative grades gain nothing.  `discount=jk` is the discount of the first
    paper: none at rank 1, then $\log_2 i$.

    References
    ----------
    Järvelin, K. and Kekäläinen, J. (2002). ACM TOIS 20(4), 422-446; Burges, C. et al. (2005). ICML, 89-96 (`exp`).

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> dcg(ranking([1, 1, 0, 0, 1]), at=5)
    array([2.01778256])
    """
    return ranking.sum(_discounted_gains(ranking.grades, ranking.rank, at, gains, discount))


@metric(
    "nDCG",
    empty="expected",
    not_for="where one answer is all a user wants (`RR`), or values are compared over sets with other grades or gains",
)
def ndcg(ranking: Ranking, *, at: int = 0, gains: str = "linear", discount: str = "log2") -> Floats:
    r"""DCG divided by the DCG of all judged grades in the best order; 0 when no document is relevant.

    $$ nDCG@k = DCG@k / IDCG@k $$

    IDCG is the DCG of the best order, the ideal ranking.  Parameters as for `DCG`.

    References
    ----------
    Järvelin, K. and Kekäläinen, J. (2002). ACM TOIS 20(4), 422-446.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> ndcg(ranking([0, 1, 0, 1, 1]), at=5)
    array([0.67973105])
    """
    ideal = ranking.pool_sum(_discounted_gains(ranking.pool, ranking.pool_rank, at, gains, discount))
    return ranking.ratio(dcg(ranking, at=at, gains=gains, discount=discount), ideal)


def _discounted_gains(grades: Floats, rank: Ints, at: int, gains: str, discount: str) -> Floats:
    """g(r_i) / log2(i+1) for each grade r_i at rank i, 0 below the cutoff; shapes (m,), (m,) -> (m,)."""
    if gains not in ("linear", "exp"):
        raise SpecError(f"DCG: gains is linear or exp, not {gains!r}")
    if discount not in ("log2", "jk"):
        raise SpecError(f"DCG: discount is log2 or jk, not {discount!r}")
    gain: Floats = np.maximum(grades, 0.0)
    if gains == "exp":
        if (largest := gain.max(initial=0.0)) > LARGEST:
            raise SpecError(f"DCG: gains=exp needs grades of at most {LARGEST}, not {largest:g}")
        gain = np.exp2(gain) - 1.0
    discounted = gain / (np.log2(rank + 1.0) if discount == "log2" else np.maximum(np.log2(rank), 1.0))
    return discounted * (rank <= at) if at else discounted
