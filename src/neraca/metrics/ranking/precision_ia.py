"""Intent-aware precision and average precision, P_IA and MAP_IA: per subtopic, averaged over the subtopics."""

from __future__ import annotations

from collections import Counter

import numpy as np

from neraca.metrics.metric import metric
from neraca.metrics.ranking.subtopics import Subtopics, check
from neraca.stats.interval import Floats


@metric("P_IA")
def precision_ia(subtopics: Subtopics, *, at: int = 20) -> Floats:
    r"""Precision at k for each subtopic, averaged over the subtopics.

    $$ P\text{-}IA@k = \frac{1}{S} \sum_s \frac{1}{k} \sum_{i \le k} r_{i,s} $$

    with $r_{i,s}$ 1 where the hit at rank i is relevant to subtopic s, else 0, and S subtopics with a relevant
    document.  Fewer than k hits still divide by k.  0 when S is 0.

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
    found = [sum(len(names) for rank, names in hits if rank <= at) / at for hits in subtopics.hits]
    return subtopics.ratio(np.array(found, dtype=np.float64), subtopics.count)


@metric("MAP_IA")
def average_precision_ia(subtopics: Subtopics) -> Floats:
    r"""Average precision for each subtopic, averaged over the subtopics; its mean over questions is MAP-IA.

    $$ AP\text{-}IA = \frac{1}{S} \sum_s \frac{1}{R_s} \sum_i r_{i,s} P_s@i $$

    with $r_{i,s}$ 1 where the hit at rank i is relevant to subtopic s, else 0, $P_s@i$ the share of the first i hits
    that are, $R_s$ documents known to be, and S subtopics with a relevant document.  0 when S is 0.

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
        known = Counter(name for _, names in pool for name in names)
        seen: Counter[str] = Counter()
        for rank, names in hits:
            seen.update(names)
            total[row] += sum(seen[name] / rank / known[name] for name in names)
    return subtopics.ratio(total, subtopics.count)
