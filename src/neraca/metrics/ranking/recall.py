"""Recall at k (R) and R-precision (Rprec): the share of the relevant documents that stands among the first hits."""

from __future__ import annotations

from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@metric(
    "R",
    empty="expected",
    not_for=(
        "where not all relevant documents are known: it is relative to those that were judged; and without a "
        "cutoff that users have"
    ),
)
def recall(ranking: Ranking, *, at: int = 1000, rel: float = 1) -> Floats:
    r"""Recall at k: relevant hits among the first k, divided by all known relevant documents.

    $$ R@k = |\{d \in \text{top}_k : g_d \ge rel\}| / R $$

    $g_d$ is the grade of hit d.  R is the number of documents with a known grade of at least `rel`.  The value is 0
    when R is 0, as in trec_eval; `SetR` leaves such questions out.  Some papers use this name for `Success`.

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


@metric(
    "Rprec",
    empty="expected",
    not_for="for users who look at a fixed number of hits: it looks as deep as there are relevant ones",
)
def r_precision(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""Precision at rank R, where R is the number of known relevant documents; it equals the recall at that rank.

    $$ Rprec = |\{d \in \text{top}_R : g_d \ge rel\}| / R $$

    $g_d$ is the grade of hit d.  A ranking with fewer than R hits is divided by R too.  The value is 0 when R is 0.

    References
    ----------
    Buckley, C. and Voorhees, E. (2005). Retrieval System Evaluation, in TREC: Experiment and Evaluation in IR.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> r_precision(ranking([1, 0, 0, 1], unseen=[1, 1]))
    array([0.5])
    """
    return precision_down_to(ranking, ranking.known_relevant(rel), rel)


def precision_down_to(ranking: Ranking, depth: Floats, rel: float) -> Floats:
    """The precision down to a rank that each ranking has of its own, and 0 where it is 0; shapes (n,) -> (n,)."""
    within = ranking.rank <= depth[ranking.owner]
    return ranking.ratio(ranking.sum(ranking.relevant(rel) * within), depth)
