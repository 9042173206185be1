"""The confusion matrix of hits: relevant or not, returned or not, among the judged documents."""

from __future__ import annotations

import numpy as np

from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


def hit_confusion(ranking: Ranking, rel: float = 1) -> Floats:
    """The counts TP, FP, FN and TN of each answer, shape (n, 4); NaN where the answer is not scored.

    TP are relevant hits.  FP are hits that were judged nonrelevant, unjudged hits and repeated documents.  FN are known
    relevant documents that were not returned.  TN are the other judged documents.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> hit_confusion(ranking([1, 0, None], unseen=[1, 1, 0]))
    array([[1., 2., 2., 1.]])
    """
    tp = ranking.sum(ranking.relevant(rel))
    fp = ranking.returned - tp
    fn = ranking.known_relevant(rel) - tp
    ranking = ranking.of_judged()
    nonrelevant_returned = ranking.sum((ranking.grades > -np.inf) & (ranking.grades < rel))
    tn = ranking.pool_sum(ranking.pool < rel) - nonrelevant_returned
    counts = np.column_stack([tp, fp, fn, tn])
    counts[[bool(why) for why in ranking.undecided]] = np.nan
    return counts
