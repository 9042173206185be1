"""Average precision (AP): precision at the rank of each relevant hit, averaged; its mean over questions is MAP."""

from __future__ import annotations

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@metric(
    "AP",
    empty="expected",
    described={"R=returned": "Precision at the rank of each relevant hit, averaged over the relevant hits returned."},
    not_for=(
        "where users look at the first few hits alone, or only some relevant documents are known: `nDCG@10`, `Bpref`"
    ),
)
def average_precision(ranking: Ranking, *, at: int = 0, rel: float = 1, R: str = "known") -> Floats:
    r"""Precision at the rank of each relevant hit, averaged over the relevant documents.

    $$ AP = \frac{1}{R} \sum_{i \le k} P@i \cdot r_i $$

    $P@i$ is the precision at rank i.  $r_i$ is 1 where the hit at rank i is relevant (grade at least `rel`), else 0.
    R is the number of known relevant documents, or with `R=returned` that of the relevant hits among the first k.
    The value is 0 when R is 0.

    References
    ----------
    Harman, D. (1992). Overview of TREC-1; Buckley, C. and Voorhees, E. (2005). Retrieval System Evaluation, in TREC.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> average_precision(ranking([1, 0, 1, 1]), at=3, R="returned").round(4)
    array([0.8333])
    >>> average_precision(ranking([1, 0, 1], unseen=[1])).round(4)
    array([0.5556])
    """
    if R not in ("known", "returned"):
        raise SpecError(f"AP: R is known or returned, not {R!r}")
    relevant = ranking.relevant(rel, at)
    precision = ranking.running(relevant) / ranking.rank
    divisor = ranking.known_relevant(rel) if R == "known" else ranking.sum(relevant)
    return ranking.ratio(ranking.sum(relevant * precision), divisor)
