"""InfAP, inferred average precision: AP where only a part of the pool has been judged."""

from __future__ import annotations

import numpy as np

from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats

EPSILON = 1e-5


@metric("InfAP")
def inferred_average_precision(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""AP with the precision at each relevant hit inferred from the judged ones above it.

    $$ InfAP = \frac{1}{R} \sum_{i} \frac{1}{i} \Big( 1 + (s_i + n_i + u_i)
       \frac{s_i + \epsilon}{s_i + n_i + 2 \epsilon} \Big) $$

    over the ranks i of relevant hits (grade at least `rel`), with R documents known to be relevant, and above rank
    i: $s_i$ relevant ones, $n_i$ judged not relevant, $u_i$ in the pool but not judged, which the sample of the
    judged stands for; $\epsilon = 10^{-5}$.  As in trec_eval, a negative grade means in the pool but not judged;
    hits without a grade were not in the pool and count as not relevant.  0 when R is 0.  For the smoothing even a
    perfect ranking has a little less than 1, unless it has one relevant document.

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
    grades, good = ranking.grades, ranking.relevant(rel)
    s = ranking.running(good) - good
    n = ranking.running((grades >= 0) & (grades < rel))
    u = ranking.running((grades < min(rel, 0)) & (grades > -np.inf))  # -inf: stood higher already, is in no pool
    precision = (1.0 + (s + n + u) * (s + EPSILON) / (s + n + 2 * EPSILON)) / ranking.rank
    return ranking.ratio(ranking.sum(good * precision), ranking.known_relevant(rel))
