"""Reciprocal rank (RR): how early the first relevant hit stands; its mean over questions is MRR."""

from __future__ import annotations

from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@metric(
    "RR",
    empty="expected",
    not_for="where several documents are wanted: nothing after the first one counts",
    binary=lambda at=0, **_: at == 1,
)
def reciprocal_rank(ranking: Ranking, *, at: int = 0, rel: float = 1) -> Floats:
    r"""One divided by the rank of the first relevant hit; 0 when there is none.

    $$ RR@k = 1 / \min \{i \le k : g_i \ge rel\} $$

    $g_i$ is the grade of the hit at rank i.  Without a cutoff k is the number of hits.

    References
    ----------
    Kantor, P. and Voorhees, E. (2000). The TREC-5 confusion track. Information Retrieval 2, 165-176.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> reciprocal_rank(ranking([0, 1, 1]))
    array([0.5])
    """
    relevant = ranking.relevant(rel, at)
    first = relevant * (ranking.running(relevant) == 1)
    return ranking.sum(first / ranking.rank)
