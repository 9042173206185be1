"""Subtopic recall, StRecall: the share of the subtopics that the first hits cover."""

from __future__ import annotations

import numpy as np

from neraca.metrics.metric import metric
from neraca.metrics.ranking.subtopics import Subtopics, check
from neraca.stats.intervals.interval import Floats


@metric("StRecall", not_for="without subtopics; order within k plays no part")
def subtopic_recall(subtopics: Subtopics, *, at: int = 20) -> Floats:
    r"""Subtopics that the first k hits serve, divided by all subtopics with a relevant document.

    $$ StRecall@k = |\bigcup_{i \le k} s(d_i)| / S $$

    $s(d_i)$ are the subtopics to which the hit at rank i is relevant.  S is the number of subtopics with a relevant
    document.  The value is 0 when S is 0.

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
