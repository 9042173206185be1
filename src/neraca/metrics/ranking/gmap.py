"""GMAP: the geometric mean of average precision, which hard questions pull down most."""

from __future__ import annotations

import numpy as np

from neraca.metrics.metric import metric
from neraca.metrics.ranking.average_precision import average_precision
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats

#: Replaces smaller values, because the logarithm of 0 is infinite.
SMALLEST = 1e-5


def logarithms(values: Floats) -> Floats:
    """Return the natural logarithms of values, with smaller ones raised to `SMALLEST`."""
    return np.log(np.maximum(values, SMALLEST))


def geometric_mean(sums: Floats) -> Floats:
    """Return the geometric mean from summed logarithms and their number; shapes (..., 2) -> (...)."""
    mean: Floats = np.maximum(np.exp(sums[..., 0] / sums[..., 1]), SMALLEST)
    return mean


@metric(
    "GMAP",
    total=geometric_mean,
    low=SMALLEST,
    not_for="as the main number: one question near 0 rules it; it shows whether the worst questions got better",
)
def gmap(ranking: Ranking, *, at: int = 0, rel: float = 1) -> Floats:
    r"""Average precision, of which the geometric mean over items is taken.

    $$ GMAP = \exp\Big( \frac{1}{n} \sum_q \ln \max(AP_q, 10^{-5}) \Big) $$

    A question that a system doubles from 0.02 to 0.04 counts as much as one that it doubles from 0.4 to 0.8.  So GMAP
    shows what a system does to its hardest questions.  Parameters as for `AP`; an AP below 0.00001 counts as that.

    References
    ----------
    Robertson, S. (2006). On GMAP, and other transformations. CIKM, 78-83; Voorhees, E. (2005). The TREC robust
    retrieval track. SIGIR Forum 39(1), 11-20.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> counts = gmap(ranking([1])) + gmap(ranking([0, 0, 0, 1]))  # AP 1 and 1/4
    >>> geometric_mean(counts)
    array([0.5])
    """
    logs = logarithms(average_precision(ranking, at=at, rel=rel))
    return np.column_stack([logs, np.ones(ranking.n)])
