"""DCG and nDCG: graded gain, discounted by rank; nDCG divides by the best possible ranking."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ints, Ranking
from neraca.stats.interval import Floats


@metric("DCG", high=np.inf)
def dcg(ranking: Ranking, *, at: int = 0, gains: str = "linear", discount: str = "log2") -> Floats:
    r"""Discounted cumulative gain: gains of the hits, each divided by the logarithm of its rank.

    $$ DCG@k = \sum_{i \le k} g(r_i) / \log_2(i+1) $$

    $g(r) = r$ (`gains=linear`, as trec_eval) or $2^r - 1$ (`gains=exp`); unjudged hits and negative grades gain
    nothing.  `discount=jk` is the original one: no discount at rank 1, then $\log_2 i$.

    References
    ----------
    Järvelin, K. and Kekäläinen, J. (2002). ACM TOIS 20(4), 422-446; Burges, C. et al. (2005). ICML, 89-96 (`exp`).

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> dcg(ranking([1, 1, 0, 0, 1]), at=5)
    array([2.01778256])
    """
    discounted = _gain(ranking.grades, gains) / _discount(ranking.rank, discount)
    return ranking.sum(np.where(ranking.rank <= at, discounted, 0.0) if at else discounted)


@metric("nDCG")
def ndcg(ranking: Ranking, *, at: int = 0, gains: str = "linear", discount: str = "log2") -> Floats:
    r"""DCG divided by the DCG of all judged grades in the best order; 0 when no document is relevant.

    References
    ----------
    Järvelin, K. and Kekäläinen, J. (2002). ACM TOIS 20(4), 422-446.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> ndcg(ranking([0, 1, 0, 1, 1]), at=5)
    array([0.67973105])
    """
    discounted = _gain(ranking.pool, gains) / _discount(ranking.pool_rank, discount)
    if at:
        discounted = np.where(ranking.pool_rank <= at, discounted, 0.0)
    ideal = np.bincount(ranking.pool_owner, weights=discounted, minlength=len(ranking.lengths))
    return np.where(ideal > 0, dcg(ranking, at=at, gains=gains, discount=discount) / np.where(ideal > 0, ideal, 1), 0.0)


def _gain(grades: Floats, gains: str) -> Floats:
    if gains not in ("linear", "exp"):
        raise SpecError(f"DCG: gains is linear or exp, not {gains!r}")
    positive = np.maximum(np.nan_to_num(grades), 0.0)
    return np.exp2(positive) - 1 if gains == "exp" else positive


def _discount(rank: Ints, discount: str) -> Floats:
    if discount not in ("log2", "jk"):
        raise SpecError(f"DCG: discount is log2 or jk, not {discount!r}")
    return np.log2(rank + 1.0) if discount == "log2" else np.maximum(1.0, np.log2(np.maximum(rank, 1)))
