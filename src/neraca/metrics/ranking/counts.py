"""NumRet, NumRel and NumRelRet: the numbers of documents returned, relevant, and both; over items their sums."""

from __future__ import annotations

import math

import numpy as np

from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


def added(sums: Floats) -> Floats:
    """Return the sum of a count over items, not divided by their number; shapes (..., 2) -> (...)."""
    return sums[..., 0]


@metric("NumRet", total=added, better="neither", high=math.inf, not_for="as quality: it counts, good or not")
def hits_returned(ranking: Ranking) -> Floats:
    r"""The number of returned hits, judged or not; over items their sum.

    $$ \sum_{i=1}^{h} 1 = h $$

    with i the ranks of the hits.

    References
    ----------
    Buckley, C. and others (1992). trec_eval, num_ret.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> hits_returned(ranking([1, None, 0], unseen=[1]))
    array([3.])
    """
    return ranking.returned.astype(np.float64)


@metric(
    "NumRel",
    total=added,
    better="neither",
    high=math.inf,
    not_for="as quality: it counts what is known of the questions",
)
def relevant_known(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""The number of documents with a known grade of at least `rel`, returned or not; over items their sum.

    $$ |\{d \in D : g_d \ge rel\}| $$

    with $g_d$ the grade of document d, and D the documents with a known one.

    References
    ----------
    Buckley, C. and others (1992). trec_eval, num_rel.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> relevant_known(ranking([1, None, 0], unseen=[1]))
    array([2.])
    """
    return ranking.known_relevant(rel)


@metric(
    "NumRelRet",
    total=added,
    better="neither",
    high=math.inf,
    not_for="as quality over questions of different size: `R`",
)
def relevant_returned(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""The number of hits with a grade of at least `rel`; over items their sum.

    $$ |\{d \in H : g_d \ge rel\}| $$

    with $g_d$ the grade of document d, and H the documents that are returned.

    A document that is returned twice counts once.

    References
    ----------
    Buckley, C. and others (1992). trec_eval, num_rel_ret.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> relevant_returned(ranking([1, None, 0], unseen=[1]))
    array([1.])
    """
    return ranking.sum(ranking.relevant(rel))
