"""Compat, compatibility: rank-biased overlap of a ranking with the ideal one that is nearest to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking

if TYPE_CHECKING:
    from neraca.stats.interval import Floats


@metric("Compat")
def compatibility(ranking: Ranking, *, at: int = 0, p: float = 0.95) -> Floats:
    r"""Rank-biased overlap of the ranking with an ideal one, divided by that of the ideal one with itself.

    $$ Compat = \frac{\sum_{i \le k} p^{i-1} |I_i \cap S_i| / i}{\sum_{i \le k} p^{i-1} |I_i| / i} $$

    with $S_i$ the first i hits and $I_i$ the first i documents of the ideal ranking: everything with a grade above
    0, best grade first, equal grades in the order of the hits.  The depth k is the longer of the two, as in
    ir_measures; `Compat@1000` is what the authors' program computes.  0 when nothing is relevant.

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
    xp = ranking.xp
    wanted = (ranking.pool > 0) * 1.0
    depth = [at] * ranking.n if at else list(map(int, xp.maximum(ranking.returned, ranking.pool_sum(wanted))))
    # weight[d]: what a document is worth that both share at every depth from 1 to d
    weight = [0.0, *accumulate(p ** (i - 1) / i for i in range(1, max(depth, default=0) + 1))]
    shared = [
        weight[depth[owner]] - weight[min(met - 1, depth[owner])] if met else 0.0
        for owner, met in zip(map(int, ranking.owner), _meetings(ranking), strict=True)
    ]
    best = [
        weight[depth[owner]] - weight[min(place - 1, depth[owner])]
        for owner, place in zip(map(int, ranking.pool_owner), map(int, ranking.pool_rank), strict=True)
    ]
    return ranking.ratio(ranking.sum(shared), ranking.pool_sum(wanted * best))


def _meetings(ranking: Ranking) -> Iterator[int]:
    """For each judged hit the first depth at which both rankings hold it; 0 where the ideal one never does."""
    free: dict[tuple[int, float], int] = {}
    for owner, grade, place in zip(ranking.pool_owner, ranking.pool, ranking.pool_rank, strict=True):
        free.setdefault((int(owner), float(grade)), int(place))
    for owner, grade, rank in zip(ranking.owner, ranking.grades, ranking.rank, strict=True):
        if grade > 0:
            place = free[int(owner), float(grade)]
            free[int(owner), float(grade)] = place + 1
            yield max(place, int(rank))
        else:
            yield 0
