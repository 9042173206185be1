"""ERR_IA and nERR_IA: expected reciprocal rank, averaged over what different users mean by the same query."""

from __future__ import annotations

from neraca.metrics.metric import metric
from neraca.metrics.ranking.subtopics import GREEDY, Subtopics, check
from neraca.stats.intervals.interval import Floats


@metric("ERR_IA", not_for="without subtopics, or where their weights are not known to be equal")
def err_ia(subtopics: Subtopics, *, alpha: float = 0.5, at: int = 20) -> Floats:
    r"""The expected reciprocal rank of a satisfying hit, averaged over subtopics and divided by its highest value.

    $$ ERR\text{-}IA@k = \frac{1}{S} \sum_s \frac{\sum_{i \le k} r_{i,s} (1-\alpha)^{c_{i,s}} / i}
    {\sum_{i \le k} (1-\alpha)^{i-1} / i} $$

    $r_{i,s}$ is 1 where the hit at rank i is relevant to subtopic s, else 0; $c_{i,s}$ is the number of hits above it
    that are.  S is the number of subtopics with a relevant document; all are equally likely.  `alpha`, at least 0 and
    below 1, is the probability that a relevant hit satisfies the user.  The value is 0 when S is 0.  The divisor is the
    value of hits which all serve every subtopic, as in ndeval; only ndeval does not divide at k = 1.

    References
    ----------
    Chapelle, O. et al. (2011). Intent-based diversification of web search results. Information Retrieval 14,
    572-592; Chapelle, O. et al. (2009). CIKM, 621-630.

    Examples
    --------
    >>> view = Subtopics.judged([["b", "x", "a"]], [{"a": {"1", "2"}, "b": {"1"}}])
    >>> err_ia(view, at=2)  # (1 + 0) / 2 subtopics / (1 + 0.5/2)
    array([0.4])
    """
    check("ERR_IA", alpha=alpha, at=at)
    highest = sum((1 - alpha) ** (rank - 1) / rank for rank in range(1, at + 1))
    return subtopics.ratio(subtopics.gained(alpha, _reciprocal, at), subtopics.count * highest)


@metric(
    "nERR_IA",
    high=GREEDY,
    not_for="without subtopics; and to compare questions by value: it is relative to a greedy order",
)
def nerr_ia(subtopics: Subtopics, *, alpha: float = 0.5, at: int = 20) -> Floats:
    r"""ERR-IA divided by the ERR-IA of the known documents in the greedy order of `alpha_nDCG`.

    $$ ERR_{IA}@k / ERR^*_{IA}@k $$

    with the star for the greedy order.

    The greedy order is not always the best one, so a ranking can have a value above 1, at most e/(e-1).  `alpha` is as
    for `ERR_IA`.  The value is 0 when no document is relevant.

    References
    ----------
    Clarke, C. et al. (2011). A comparative analysis of cascade measures for novelty and diversity. WSDM, 75-84.

    Examples
    --------
    >>> view = Subtopics.judged([["b", "x", "a"]], [{"a": {"1", "2"}, "b": {"1"}}])
    >>> nerr_ia(view, at=3).round(4)  # (1 + 1.5/3) / (2 + 0.5/2)
    array([0.6667])
    """
    check("nERR_IA", alpha=alpha, at=at)
    return subtopics.ratio(subtopics.gained(alpha, _reciprocal, at), subtopics.ideal(alpha, _reciprocal, at))


def _reciprocal(rank: int) -> float:
    return 1 / rank
