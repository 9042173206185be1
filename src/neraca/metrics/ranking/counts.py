"""NumRet, NumRel and NumRelRet: how much was returned, is relevant, and both; over items they are added up."""

from __future__ import annotations

import math

import numpy as np

from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats


def added(sums: Floats) -> Floats:
    """The total of a count: rows of (count, 1) are summed, and not divided.  Shapes (..., 2) -> (...)."""
    return sums[..., 0]


@metric("NumRet", total=added, better="neither", high=math.inf)
def hits_returned(ranking: Ranking) -> Floats:
    """How many hits were returned, judged or not; over items the sum.

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


@metric("NumRel", total=added, better="neither", high=math.inf)
def relevant_known(ranking: Ranking, *, rel: float = 1) -> Floats:
    """How many documents are known to have a grade of at least `rel`, returned or not; over items the sum.

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


@metric("NumRelRet", total=added, better="neither", high=math.inf)
def relevant_returned(ranking: Ranking, *, rel: float = 1) -> Floats:
    """How many hits have a grade of at least `rel`; a document that stood higher is not counted again.

    Over items it is the sum.

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
