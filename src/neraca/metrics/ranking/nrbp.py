"""NRBP and nNRBP, novelty- and rank-biased precision: for ambiguous and underspecified questions."""

from __future__ import annotations

from math import ceil, log

from neraca.metrics.metric import metric
from neraca.metrics.ranking.subtopics import GREEDY, Subtopics, check
from neraca.stats.intervals.interval import Floats

#: The ideal ranking ends at the rank with this weight, because deeper ranks change no digit of the sum.
_NOTHING = 1e-20


@metric("NRBP", not_for="without subtopics, or before beta was thought of for your users")
def nrbp(subtopics: Subtopics, *, alpha: float = 0.5, beta: float = 0.5) -> Floats:
    r"""The novel gain of the hits for a user who continues to the next rank with probability beta.

    $$ NRBP = \frac{1-(1-\alpha)\beta}{S} \sum_i \beta^{i-1} \sum_s r_{i,s} (1-\alpha)^{c_{i,s}} $$

    $r_{i,s}$ is 1 where the hit at rank i is relevant to subtopic s, else 0; $c_{i,s}$ is the number of hits above it
    that are.  S is the number of subtopics with a relevant document.  `alpha`, at least 0 and below 1, is how much a
    user dislikes repetition; `beta`, between 0 and 1, is the user's patience.  The value is 0 when S is 0.  It
    approaches 1 for a long list of hits that all serve every subtopic.

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


@metric(
    "nNRBP",
    high=GREEDY,
    not_for="without subtopics; and to compare questions by value: it is relative to a greedy order",
)
def nnrbp(subtopics: Subtopics, *, alpha: float = 0.5, beta: float = 0.5) -> Floats:
    r"""NRBP divided by the NRBP of all known documents in the greedy order of `alpha_nDCG`.

    $$ NRBP / NRBP^* $$

    with the star for the greedy order.

    The greedy order is not always the best one, so a ranking can have a value above 1, at most e/(e-1).  `alpha` and
    `beta` are as for `NRBP`.  The value is 0 when no document is relevant, where ndeval has no value.

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
