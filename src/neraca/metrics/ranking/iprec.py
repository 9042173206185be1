"""IPrec, interpolated precision: the points of the recall-precision graph."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats


@metric("IPrec")
def interpolated_precision(ranking: Ranking, *, recall: float, rel: float = 1) -> Floats:
    r"""The best precision at any rank where at least this recall is reached: `IPrec(0.1)`, `IPrec(recall=0.1)`.

    $$ IPrec(x) = \max_{i:\, s_i \ge x R} s_i / i $$

    with $s_i$ relevant hits down to rank i and R documents known to be relevant (grade at least `rel`).  0 where
    that recall is never reached, and when R is 0.  The classic graph has x = 0, 0.1, … 1.  trec_eval rounds x R
    to a whole number of documents first: release 9 with 0.9 added and cut off, release 10 to the nearest.

    Raises
    ------
    SpecError
        Unless 0 <= recall <= 1.

    References
    ----------
    Salton, G. and McGill, M. (1983). Introduction to Modern Information Retrieval, ch. 5; Manning, C., Raghavan, P.
    and Schütze, H. (2008). Introduction to Information Retrieval, sec. 8.4.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> view = ranking([1, 0, 1, 1])
    >>> interpolated_precision(view, recall=0.3), interpolated_precision(view, recall=0.5)
    (array([1.]), array([0.75]))
    """
    if isinstance(recall, str) or not 0 <= recall <= 1:
        raise SpecError(f"IPrec: recall is from 0 to 1, not {recall!r}")
    good = ranking.relevant(rel)
    s, R = ranking.running(good), ranking.known_relevant(rel)
    reached = s >= R[ranking.owner] * recall - 1e-9  # 0.1 * 30 is a little more than 3 to a computer
    best = np.zeros(ranking.n)
    np.maximum.at(best, ranking.owner, good * reached * s / ranking.rank)
    return best
