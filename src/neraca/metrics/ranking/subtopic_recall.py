"""Subtopic recall, StRecall: the share of the subtopics that the first hits cover."""

from __future__ import annotations

import numpy as np

from neraca.metrics.metric import metric
from neraca.metrics.ranking.subtopics import Subtopics, check
from neraca.stats.interval import Floats


@metric("StRecall")
def subtopic_recall(subtopics: Subtopics, *, at: int = 20) -> Floats:
    r"""Subtopics that a hit in the first k ranks serves, over those of which a relevant document is known.

    $$ StRecall@k = |\bigcup_{i \le k} s(d_i)| / S $$

    with $s(d_i)$ the subtopics that the hit at rank i is relevant to, and S subtopics with a relevant document.  0
    when S is 0.

    References
    ----------
    Zhai, C., Cohen, W. and Lafferty, J. (2003). Beyond independent relevance. SIGIR, 10-17.

    Examples
    --------
    >>> view = Subtopics.judged([["b", "x", "a"]], [{"a": {"1", "2"}, "b": {"1"}}])
    >>> subtopic_recall(view, at=2), subtopic_recall(view, at=3)
    (array([0.5]), array([1.]))
    """
    check("StRecall", at=at)
    covered = [len({name for rank, names in hits if rank <= at for name in names}) for hits in subtopics.hits]
    return subtopics.ratio(np.array(covered, dtype=np.float64), subtopics.count)
