"""Bpref, binary preference: how seldom what is judged not relevant stands above what is relevant."""

from __future__ import annotations

import numpy as np

from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats


@metric("Bpref")
def binary_preference(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""Share of the preferences for relevant over judged nonrelevant documents that the ranking keeps.

    $$ Bpref = \frac{1}{R} \sum_{r} \Big( 1 - \frac{\min(n_r, R)}{\min(N, R)} \Big) $$

    over the relevant hits r, with R documents known to be relevant (grade at least `rel`), N judged not relevant,
    and $n_r$ of these above r; a term with $n_r = 0$ is 1.  Hits that nobody judged change nothing.  As in
    trec_eval, a negative grade counts as not judged.  0 when R is 0.

    References
    ----------
    Buckley, C. and Voorhees, E. (2004). Retrieval evaluation with incomplete information. SIGIR, 25-32.  It divides
    by R; min(N, R) is that of trec_eval, so that 0 is reached where there are fewer than R wrong ones.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> binary_preference(ranking([1, 0, None, 1], unseen=[0]))
    array([0.75])
    """
    R = ranking.known_relevant(rel)
    N = ranking.pool_sum((ranking.pool >= 0) & (ranking.pool < rel))
    nonrelevant_above = ranking.running((ranking.grades >= 0) & (ranking.grades < rel))
    most = np.maximum(np.minimum(N, R), 1.0)
    lost = np.minimum(nonrelevant_above, R[ranking.owner]) / most[ranking.owner]
    return ranking.ratio(ranking.sum(ranking.relevant(rel) * (1.0 - lost)), R)
