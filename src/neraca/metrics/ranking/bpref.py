"""Bpref, binary preference: how rarely a judged nonrelevant hit stands above a relevant one."""

from __future__ import annotations

import numpy as np

from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@metric(
    "Bpref",
    empty="expected",
    not_for=(
        "where nearly all hits are judged (`AP` uses more of what is known), or with fewer than ten relevant and "
        "judged documents"
    ),
)
def binary_preference(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""The share of preferences for relevant over judged nonrelevant documents that the ranking respects.

    $$ Bpref = \frac{1}{R} \sum_{r} \Big( 1 - \frac{\min(n_r, R)}{\min(N, R)} \Big) $$

    The sum is over the relevant hits r (grade at least `rel`).  R is the number of known relevant documents and N that
    of the documents judged nonrelevant; $n_r$ of these stand above r.  A term with $n_r = 0$ is 1.  Unjudged hits
    change nothing, and a negative grade counts as unjudged, as in trec_eval.  The value is 0 when R is 0.

    References
    ----------
    Buckley, C. and Voorhees, E. (2004). Retrieval evaluation with incomplete information. SIGIR, 25-32.  It divides
    by R.  The divisor min(N, R) is trec_eval's: with it 0 can be reached where N is below R.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> binary_preference(ranking([1, 0, None, 1], unseen=[0]))
    array([0.75])
    """
    R = ranking.known_relevant(rel)
    N = ranking.pool_sum((ranking.pool >= 0) & (ranking.pool < rel))
    n = ranking.running((ranking.grades >= 0) & (ranking.grades < rel))
    divisor = np.maximum(np.minimum(N, R), 1.0)
    lost = np.minimum(n, R[ranking.owner]) / divisor[ranking.owner]
    return ranking.ratio(ranking.sum(ranking.relevant(rel) * (1.0 - lost)), R)
