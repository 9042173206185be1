"""InfAP, inferred average precision: an estimate of AP where only a sample of the pool was judged."""

from __future__ import annotations

import numpy as np

from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats

#: Smooths the share of relevant documents among the judged ones.
EPSILON = 1e-5


@metric(
    "InfAP", empty="expected", not_for="where all hits are judged, or those that are were not drawn at random: `AP`"
)
def inferred_average_precision(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""AP, where the precision at each relevant hit is inferred from the judged hits above it.

    $$ InfAP = \frac{1}{R} \sum_{i} \frac{1}{i} \Big( 1 + (s_i + n_i + u_i)
       \frac{s_i + \epsilon}{s_i + n_i + 2 \epsilon} \Big) $$

    The sum is over the ranks i of relevant hits (grade at least `rel`).  R is the number of known relevant documents.
    Above rank i stand $s_i$ relevant hits, $n_i$ that were judged nonrelevant, and $u_i$ that are in the pool but were
    not judged; $\epsilon = 10^{-5}$.  A negative grade means "in the pool, not judged", as in trec_eval.  A hit
    without a grade was not in the pool and counts as nonrelevant.  The value is 0 when R is 0.  The smoothing keeps a
    perfect ranking of several relevant documents a little below 1.

    References
    ----------
    Yilmaz, E. and Aslam, J. (2006). Estimating average precision with incomplete and imperfect judgments. CIKM,
    102-111.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> inferred_average_precision(ranking([1, -1, -1, 1])).round(4)
    array([1.])
    >>> inferred_average_precision(ranking([1, None, None, 1])).round(4)
    array([0.75])
    """
    grades, relevant = ranking.grades, ranking.relevant(rel)
    s = ranking.running(relevant) - relevant
    n = ranking.running((grades >= 0) & (grades < rel))
    u = ranking.running((grades < min(rel, 0)) & (grades > -np.inf))  # -inf: a repeated document, in no pool
    precision = (1.0 + (s + n + u) * ((s + EPSILON) / (s + n + 2 * EPSILON))) / ranking.rank
    return ranking.ratio(ranking.sum(relevant * precision), ranking.known_relevant(rel))
