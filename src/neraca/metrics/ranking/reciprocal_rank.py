"""Reciprocal rank: how soon the first relevant hit comes; its mean is MRR."""

from __future__ import annotations

from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats


@metric("RR")
def reciprocal_rank(ranking: Ranking, *, at: int = 0, rel: float = 1) -> Floats:
    """One divided by the rank of the first relevant hit; 0 when there is none (in the first k ranks).

    References
    ----------
    Kantor, P. and Voorhees, E. (2000). The TREC-5 confusion track. Information Retrieval 2, 165-176.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> reciprocal_rank(ranking([0, 1, 1]))
    array([0.5])
    """
    good = ranking.relevant(rel, at)
    return ranking.sum(good * (ranking.running(good) == 1) / ranking.rank)
