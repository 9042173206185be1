"""The confusion matrix of hits: relevant or not, returned or not, among the judged documents."""

from __future__ import annotations

import numpy as np

from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


def hit_confusion(ranking: Ranking, rel: float = 1) -> Floats:
    """The counts TP, FP, FN and TN of each answer, shape (n, 4); NaN where the answer is not scored.

    TP are relevant hits.  FP are hits that were judged nonrelevant, and repeated documents.  FN are known
    relevant documents that were not returned.  TN are the other judged documents.  Hits that nobody judged are in none
    of the cells; `unjudged_hits` counts them.

    >>> from neraca.metrics.ranking.example import ranking
    >>> hit_confusion(ranking([1, 0, None], unseen=[1, 1, 0]))
    array([[1., 1., 2., 1.]])
    """
    tp = ranking.sum(ranking.relevant(rel))
    fn = ranking.known_relevant(rel) - tp
    ranking = ranking.of_judged()
    fp = ranking.sum(ranking.grades < rel)
    nonrelevant_returned = ranking.sum((ranking.grades > -np.inf) & (ranking.grades < rel))
    tn = ranking.pool_sum(ranking.pool < rel) - nonrelevant_returned
    counts = np.column_stack([tp, fp, fn, tn])
    counts[[bool(why) for why in ranking.undecided]] = np.nan
    return counts


def unjudged_hits(ranking: Ranking) -> Floats:
    """Count the hits of each answer that nobody judged, or on which judges are undecided; shape (n,).

    NaN where the answer is not scored.

    >>> from neraca.metrics.ranking.example import ranking
    >>> unjudged_hits(ranking([1, 0, None], unseen=[1, 1, 0]))
    array([1.])
    """
    judged = ranking.of_judged()
    return np.where([bool(why) for why in ranking.undecided], np.nan, ranking.returned - judged.sum(judged.rank > 0))
