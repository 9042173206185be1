"""Recall at k (R) and R-precision (Rprec): the share of what is known to be relevant that is found early enough."""

from __future__ import annotations

from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats


@metric("R")
def recall(ranking: Ranking, *, at: int = 1000, rel: float = 1) -> Floats:
    r"""Recall at k: relevant hits among the first k, divided by the documents known to be relevant.

    $$ R@k = |\{d \in \text{top}_k : g_d \ge rel\}| / R $$

    with $g_d$ the grade of hit d, and R documents known to have a grade of at least `rel`.  0 when R is 0, as
    trec_eval does; `SetR` leaves such questions out.  Some papers call by this name what is `Success` here.

    References
    ----------
    Cleverdon, C. (1967). Aslib Proceedings 19(6), 173-194; Buckley, C. and Voorhees, E. (2005). Retrieval System
    Evaluation, in TREC.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> recall(ranking([1, 0, 1, 1], unseen=[1]), at=3)
    array([0.5])
    """
    return ranking.ratio(ranking.sum(ranking.relevant(rel, at)), ranking.known_relevant(rel))


@metric("Rprec")
def r_precision(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""Precision at rank R, where R documents are known to be relevant; it is also the recall there.

    $$ Rprec = |\{d \in \text{top}_R : g_d \ge rel\}| / R $$

    with $g_d$ the grade of hit d.  Fewer than R hits still divide by R; 0 when R is 0.

    References
    ----------
    Buckley, C. and Voorhees, E. (2005). Retrieval System Evaluation, in TREC: Experiment and Evaluation in IR.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> r_precision(ranking([1, 0, 0, 1], unseen=[1, 1]))
    array([0.5])
    """
    known = ranking.known_relevant(rel)
    within = ranking.rank <= known[ranking.owner]
    return ranking.ratio(ranking.sum(ranking.relevant(rel) * within), known)
