"""IPrec, interpolated precision: one point of the recall-precision graph; IAP: the mean of several points."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@metric(
    "IPrec",
    described={"recall": "The highest precision at any rank with a recall of at least {recall:g}."},
    empty="expected",
    not_for="for the top of a ranking: it is one point of a curve",
)
def interpolated_precision(ranking: Ranking, *, recall: float, rel: float = 1) -> Floats:
    r"""The highest precision at any rank with at least this recall: `IPrec(0.1)`, `IPrec(recall=0.1)`.

    $$ IPrec(x) = \max_{i:\, s_i \ge x R} s_i / i $$

    $s_i$ is the number of relevant hits (grade at least `rel`) down to rank i, and R that of the known relevant
    documents.  The value is 0 where no rank reaches the recall x, and when R is 0.  The classic graph has x = 0, 0.1,
    … 1.  trec_eval first rounds x R to a whole number of documents: release 9 adds 0.9 and cuts off, release 10 takes
    the nearest number.

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
    return highest_precision(ranking, ranking.known_relevant(rel) * recall, rel)


@metric(
    "IAP",
    described={"points": "The mean of `IPrec` over {points} evenly spaced recalls from 0 to 1."},
    not_for="for the top of a ranking: it weighs all recalls alike",
)
def interpolated_average_precision(ranking: Ranking, *, points: int = 11, rel: float = 1) -> Floats:
    r"""The mean of `IPrec` over evenly spaced recalls: with 11 points over 0, 0.1, … 1, the 11-point average.

    $$ IAP = \frac{1}{11} \sum_{x \in \{0, 0.1, \dots, 1\}} IPrec(x) $$

    This was the measure of whole rankings before `AP`.  trec_eval rounds at each point, as `IPrec` says.

    Raises
    ------
    SpecError
        With fewer than two points.

    References
    ----------
    Manning, C., Raghavan, P. and Schütze, H. (2008). Introduction to Information Retrieval, sec. 8.4.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> view = ranking([1, 0, 1, 1])
    >>> interpolated_average_precision(view).round(4)  # 1 up to a recall of 1/3: 4 points; then 3/4: 7 points
    array([0.8409])
    >>> interpolated_average_precision(view, points=3).round(4)  # at 0, 0.5 and 1
    array([0.8333])
    """
    if points < 2:
        raise SpecError(f"IAP: there are at least 2 points, recalls 0 and 1, not {points}")
    recalls = (point / (points - 1) for point in range(points))
    return (
        sum((interpolated_precision(ranking, recall=recall, rel=rel) for recall in recalls), start=np.zeros(ranking.n))
        / points
    )


def highest_precision(ranking: Ranking, needed: Floats, rel: float) -> Floats:
    """Return the highest precision at any rank with at least the needed number of relevant hits, or 0.

    Shapes (n,) -> (n,).
    """
    relevant = ranking.relevant(rel)
    s = ranking.running(relevant)
    reached = s >= needed[ranking.owner] - 1e-9  # in floating point 0.1 * 30 is a little more than 3
    highest = np.zeros(ranking.n)
    np.maximum.at(highest, ranking.owner, relevant * reached * s / ranking.rank)
    return highest
