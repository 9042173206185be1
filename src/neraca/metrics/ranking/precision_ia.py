"""Intent-aware precision (P_IA) and average precision (MAP_IA): of each subtopic, averaged over the subtopics."""

from __future__ import annotations

from collections import Counter

import numpy as np

from neraca.metrics.metric import metric
from neraca.metrics.ranking.subtopics import Subtopics, check
from neraca.stats.intervals.interval import Floats


@metric("P_IA", not_for="without subtopics; order within k plays no part")
def precision_ia(subtopics: Subtopics, *, at: int = 20) -> Floats:
    r"""Precision at k of each subtopic, averaged over the subtopics.

    $$ P\text{-}IA@k = \frac{1}{S} \sum_s \frac{1}{k} \sum_{i \le k} r_{i,s} $$

    $r_{i,s}$ is 1 where the hit at rank i is relevant to subtopic s, else 0.  S is the number of subtopics with a
    relevant document.  A ranking with fewer than k hits is divided by k too.  The value is 0 when S is 0.

    References
    ----------
    Agrawal, R. et al. (2009). Diversifying search results. WSDM, 5-14.

    Examples
    --------
    >>> view = Subtopics.judged([["b", "x", "a"]], [{"a": {"1", "2"}, "b": {"1"}}])
    >>> precision_ia(view, at=3)  # (2/3 + 1/3) / 2
    array([0.5])
    """
    check("P_IA", at=at)
    precision = [sum(len(names) for rank, names in hits if rank <= at) / at for hits in subtopics.hits]
    return subtopics.ratio(np.array(precision, dtype=np.float64), subtopics.count)


@metric("MAP_IA", not_for="without subtopics, or where some matter more than others")
def average_precision_ia(subtopics: Subtopics) -> Floats:
    r"""Average precision of each subtopic, averaged over the subtopics; its mean over questions is MAP-IA.

    $$ AP\text{-}IA = \frac{1}{S} \sum_s \frac{1}{R_s} \sum_i r_{i,s} P_s@i $$

    $r_{i,s}$ is 1 where the hit at rank i is relevant to subtopic s, else 0.  $P_s@i$ is the share of the first i hits
    that are relevant to s, and $R_s$ the number of known documents that are.  S is the number of subtopics with a
    relevant document.  The value is 0 when S is 0.

    References
    ----------
    Agrawal, R. et al. (2009). Diversifying search results. WSDM, 5-14.

    Examples
    --------
    >>> view = Subtopics.judged([["b", "x", "a"]], [{"a": {"1", "2"}, "b": {"1"}}])
    >>> average_precision_ia(view).round(4)  # ((1 + 2/3)/2 + 1/3) / 2
    array([0.5833])
    """
    total = np.zeros(subtopics.n)
    for row, (hits, pool) in enumerate(zip(subtopics.hits, subtopics.pool, strict=True)):
        R = Counter(name for _, names in pool for name in names)
        relevant: Counter[str] = Counter()
        for rank, names in hits:
            relevant.update(names)
            total[row] += sum(relevant[name] / rank / R[name] for name in names)
    return subtopics.ratio(total, subtopics.count)
