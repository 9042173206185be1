"""Compat, compatibility: rank-biased overlap of a ranking with the ideal ranking that is nearest to it."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ints, Ranking
from neraca.stats.intervals.interval import Floats

#: A rank below all others.
NEVER = np.iinfo(np.int64).max


@metric("Compat", empty="expected", not_for="where an ideal order is not known: grades alone are served by `nDCG`")
def compatibility(ranking: Ranking, *, at: int = 0, p: float = 0.95) -> Floats:
    r"""The rank-biased overlap of the ranking with the ideal one, divided by that of the ideal one with itself.

    $$ Compat = \frac{\sum_{i \le k} p^{i-1} |I_i \cap S_i| / i}{\sum_{i \le k} p^{i-1} |I_i| / i} $$

    $S_i$ are the first i hits and $I_i$ the first i documents of the ideal ranking.  The ideal ranking has all
    documents with a grade above 0, best grade first, equal grades in the order of the hits.  The depth k is the length
    of the longer ranking, as in ir_measures; `Compat@1000` is what the authors' program computes.  The value is 0 when
    nothing is relevant.

    Raises
    ------
    SpecError
        Unless 0 < p < 1.

    References
    ----------
    Clarke, C., Vtyurina, A. and Smucker, M. (2021). Assessing top-k preferences. ACM TOIS 39(3), 33.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> compatibility(ranking([0, 1]), p=0.5).round(4)  # (0 + 0.5/2) / (1 + 0.5/2)
    array([0.2])
    """
    if not 0 < p < 1:
        raise SpecError(f"Compat: p is above 0 and below 1, not {p!r}")
    ideal = ranking.pool > 0
    depth = np.full(ranking.n, at) if at else np.maximum(ranking.returned, ranking.pool_sum(ideal).astype(np.int64))
    i = np.arange(1.0, depth.max(initial=0) + 1.0)
    weight = np.concatenate([[0.0], np.cumsum(p ** (i - 1.0) / i)])  # weight[d] = sum of p^(i-1) / i down to depth d

    def weight_from(first: Ints, owner: Ints) -> Floats:
        """The sum of p^(i-1) / i from the depth `first` down to the depth of the answer."""
        k = depth[owner]
        difference: Floats = weight[k] - weight[np.minimum(first - 1, k)]
        return difference

    overlap = ranking.sum(weight_from(_first_shared_depth(ranking), ranking.owner))
    return ranking.ratio(overlap, ranking.pool_sum(ideal * weight_from(ranking.pool_rank, ranking.pool_owner)))


def _first_shared_depth(ranking: Ranking) -> Ints:
    """For each judged hit the first depth at which both rankings hold it, shape (m,); `NEVER` where there is none."""
    pool = zip(ranking.pool_owner.tolist(), ranking.pool.tolist(), ranking.pool_rank.tolist(), strict=True)
    next_ideal_rank: dict[tuple[int, float], int] = {}  # (owner, grade) -> for the next hit with this grade
    for owner, grade, ideal_rank in pool:
        next_ideal_rank.setdefault((owner, grade), ideal_rank)
    depths = np.full(len(ranking.rank), NEVER)
    for hit in np.flatnonzero(ranking.grades > 0).tolist():
        key = int(ranking.owner[hit]), float(ranking.grades[hit])
        depths[hit] = max(next_ideal_rank[key], ranking.rank[hit])
        next_ideal_rank[key] += 1
    return depths
