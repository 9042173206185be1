"""ERR_IA and nERR_IA: expected reciprocal rank for users who want different things by the same words."""

from __future__ import annotations

from neraca.metrics.metric import metric
from neraca.metrics.ranking.subtopics import GREEDY, Subtopics, check
from neraca.stats.interval import Floats


@metric("ERR_IA")
def err_ia(subtopics: Subtopics, *, alpha: float = 0.5, at: int = 20) -> Floats:
    r"""Expected reciprocal rank of a satisfying hit, averaged over the subtopics, over the highest that can be.

    $$ ERR\text{-}IA@k = \frac{1}{S} \sum_s \frac{\sum_{i \le k} r_{i,s} (1-\alpha)^{c_{i,s}} / i}
    {\sum_{i \le k} (1-\alpha)^{i-1} / i} $$

    with $r_{i,s}$ 1 where the hit at rank i is relevant to subtopic s, else 0, $c_{i,s}$ hits above it that are, and
    S subtopics with a relevant document; all of them are as likely.  `alpha`, from 0 to below 1, is the probability
    that a relevant hit satisfies.  0 when S is 0.  The highest is that of hits which all serve every subtopic, as
    in ndeval; ndeval alone leaves out the division at k = 1.

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
    best = sum((1 - alpha) ** (rank - 1) / rank for rank in range(1, at + 1))
    return subtopics.ratio(subtopics.gained(alpha, _reciprocal, at), subtopics.count * best)


@metric("nERR_IA", high=GREEDY)
def nerr_ia(subtopics: Subtopics, *, alpha: float = 0.5, at: int = 20) -> Floats:
    r"""ERR-IA divided by that of the known documents in a nearly ideal order.

    The order is the one of `alpha_nDCG`: each rank takes the document that gains most there, ties by the last id.
    It is not always the best one: a ranking can reach more than 1, at most e/(e-1).  `alpha` as for `ERR_IA`.
    0 when no document is relevant.

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
