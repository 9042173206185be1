"""alpha_nDCG and alpha_DCG: gain that shrinks each time a subtopic is repeated, discounted by rank."""

from __future__ import annotations

from math import log2

from neraca.metrics.metric import metric
from neraca.metrics.ranking.subtopics import GREEDY, Subtopics, check
from neraca.stats.intervals.interval import Floats


@metric(
    "alpha_DCG",
    not_for=(
        "to compare questions with different numbers of subtopics: it is not divided by what could be had; "
        "`alpha_nDCG` is"
    ),
)
def alpha_dcg(subtopics: Subtopics, *, alpha: float = 0.5, at: int = 20) -> Floats:
    r"""The novel gain of the hits, discounted by rank, divided by that of hits which all serve every subtopic.

    $$ \alpha DCG@k = \frac{\sum_{i \le k} g_i / \log_2(i+1)}{S \sum_{i \le k} (1-\alpha)^{i-1} / \log_2(i+1)} $$

    $g_i = \sum_s r_{i,s} (1-\alpha)^{c_{i,s}}$ is the gain of the hit at rank i.  $r_{i,s}$ is 1 where this hit is
    relevant to subtopic s, else 0; $c_{i,s}$ is the number of hits above it that are.  S is the number of subtopics
    with a relevant document.  `alpha`, at least 0 and below 1, is how much a user dislikes repetition.  The value is 0
    when S is 0.  The divisor is ndeval's, which needs no list of the known documents; only ndeval does not divide at
    k = 1.

    References
    ----------
    Clarke, C. et al. (2008). Novelty and diversity in information retrieval evaluation. SIGIR, 659-666.

    Examples
    --------
    >>> view = Subtopics.judged([["b", "x", "a"]], [{"a": {"1", "2"}, "b": {"1"}}])
    >>> alpha_dcg(view, at=1)  # 1 of 2 subtopics
    array([0.5])
    """
    check("alpha_DCG", alpha=alpha, at=at)
    highest = sum((1 - alpha) ** (rank - 1) * _discount(rank) for rank in range(1, at + 1))
    return subtopics.ratio(subtopics.gained(alpha, _discount, at), subtopics.count * highest)


@metric(
    "alpha_nDCG", high=GREEDY, not_for="where documents have grades but no subtopics: there it says what `nDCG` says"
)
def alpha_ndcg(subtopics: Subtopics, *, alpha: float = 0.5, at: int = 20) -> Floats:
    r"""The novel gain of the hits, discounted by rank, divided by that of the known documents in a greedy order.

    $$ \alpha nDCG@k = \sum_{i \le k} g_i / \log_2(i+1) \Big/ \sum_{i \le k} g^*_i / \log_2(i+1) $$

    $g_i = \sum_s r_{i,s} (1-\alpha)^{c_{i,s}}$ is the gain of the hit at rank i.  $r_{i,s}$ is 1 where this hit is
    relevant to subtopic s, else 0; $c_{i,s}$ is the number of hits above it that are.  `alpha`, at least 0 and below 1,
    is how much a user dislikes repetition.  $g^*_i$ is the gain in the greedy order: each rank takes the document that
    gains most there, of equal ones that with the last id, as in ndeval.  The greedy order is not always the best one,
    so a ranking can have a value above 1, at most e/(e-1).  The value is 0 when no document is relevant.

    References
    ----------
    Clarke, C. et al. (2008). Novelty and diversity in information retrieval evaluation. SIGIR, 659-666.

    Examples
    --------
    >>> view = Subtopics.judged([["b", "x", "a"]], [{"a": {"1", "2"}, "b": {"1"}}])
    >>> alpha_ndcg(view, at=3).round(4)  # (1 + 1.5/2) / (2 + 0.5/log2(3))
    array([0.7558])
    """
    check("alpha_nDCG", alpha=alpha, at=at)
    return subtopics.ratio(subtopics.gained(alpha, _discount, at), subtopics.ideal(alpha, _discount, at))


def _discount(rank: int) -> float:
    """The weight of a rank."""
    return 1 / log2(rank + 1)
