"""The confusion matrix of hits: relevant or not, returned or not, within the judged pool."""

from __future__ import annotations

import numpy as np

from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats


def hit_confusion(ranking: Ranking, rel: float = 1) -> Floats:
    """Counts per answer: TP, FP, FN, TN; shape (n, 4).

    TP relevant and returned; FP returned and judged not relevant, judged by nobody, or returned before; FN known to
    be relevant and not returned; TN the rest of the judged pool.  NaN where the answer is not scored.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> hit_confusion(ranking([1, 0, None], unseen=[1, 1, 0]))
    array([[1., 2., 2., 1.]])
    """
    tp = ranking.sum(ranking.relevant(rel))
    fp = ranking.returned - tp
    fn = ranking.known_relevant(rel) - tp
    nonrelevant_returned = ranking.sum((ranking.grades > -np.inf) & (ranking.grades < rel))
    tn = ranking.pool_sum(ranking.pool < rel) - nonrelevant_returned
    counts = np.column_stack([tp, fp, fn, tn])
    counts[[bool(why) for why in ranking.undecided]] = np.nan
    return counts
