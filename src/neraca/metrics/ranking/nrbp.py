"""NRBP and nNRBP: rank-biased precision with novelty, for ambiguous and underspecified questions."""

from __future__ import annotations

from math import ceil, log

from neraca.metrics.metric import metric
from neraca.metrics.ranking.subtopics import GREEDY, Subtopics, check
from neraca.stats.interval import Floats

#: The ideal ranking is followed down to the rank that has this weight: nothing below it changes a digit.
_NOTHING = 1e-20


@metric("NRBP")
def nrbp(subtopics: Subtopics, *, alpha: float = 0.5, beta: float = 0.5) -> Floats:
    r"""Novel gain of the hits, each rank looked at with probability beta after the one above it.

    $$ NRBP = \frac{1-(1-\alpha)\beta}{S} \sum_i \beta^{i-1} \sum_s r_{i,s} (1-\alpha)^{c_{i,s}} $$

    with $r_{i,s}$ 1 where the hit at rank i is relevant to subtopic s, else 0, $c_{i,s}$ hits above it that are, and
    S subtopics with a relevant document.  `alpha`, from 0 to below 1, is the dislike of what is known already;
    `beta`, between 0 and 1, the user's patience.  0 when S is 0.  1 is approached by ever more hits that all serve
    every subtopic.

    References
    ----------
    Clarke, C., Kolla, M. and Vechtomova, O. (2009). An effectiveness measure for ambiguous and underspecified
    queries. ICTIR, LNCS 5766, 188-199.

    Examples
    --------
    >>> view = Subtopics.judged([["b", "x", "a"]], [{"a": {"1", "2"}, "b": {"1"}}])
    >>> nrbp(view)  # 0.75/2 * (1 + 1.5/4)
    array([0.515625])
    """
    check("NRBP", alpha=alpha, beta=beta)
    gained = subtopics.gained(alpha, lambda rank: beta ** (rank - 1))
    return subtopics.ratio(gained * (1 - (1 - alpha) * beta), subtopics.count)


@metric("nNRBP", high=GREEDY)
def nnrbp(subtopics: Subtopics, *, alpha: float = 0.5, beta: float = 0.5) -> Floats:
    r"""NRBP divided by that of all known documents in a nearly ideal order.

    The order is the one of `alpha_nDCG`: each rank takes the document that gains most there, ties by the last id.
    It is not always the best one: a ranking can reach more than 1, at most e/(e-1).  `alpha` and `beta` as for
    `NRBP`.  0 when no document is relevant, of which ndeval says that it is not defined.

    References
    ----------
    Clarke, C., Kolla, M. and Vechtomova, O. (2009). An effectiveness measure for ambiguous and underspecified
    queries. ICTIR, LNCS 5766, 188-199.

    Examples
    --------
    >>> view = Subtopics.judged([["b", "x", "a"]], [{"a": {"1", "2"}, "b": {"1"}}])
    >>> nnrbp(view).round(4)  # (1 + 1.5/4) / (2 + 0.5/2)
    array([0.6111])
    """
    check("nNRBP", alpha=alpha, beta=beta)
    deepest = ceil(log(_NOTHING) / log(beta)) + 1
    ideal = subtopics.ideal(alpha, lambda rank: beta ** (rank - 1), deepest)
    return subtopics.ratio(subtopics.gained(alpha, lambda rank: beta ** (rank - 1)), ideal)
