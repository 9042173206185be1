"""RBP, rank-biased precision: a user who continues to the next hit with the same probability at every rank."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


def gain_of_hits(ranking: Ranking, rel: float = 0) -> Floats:
    """The gain of each judged hit, between 0 and 1, shape (m,); a negative grade or a repeated document gains 0.

    With `rel=0` the gain is the grade divided by the largest grade of the collection.  With `rel` above 0 it is 1 where
    the grade is at least `rel`, else 0.  Raises `SpecError` for a negative `rel`.

    >>> from neraca.metrics.ranking.example import ranking
    >>> gain_of_hits(ranking([4, 1, -1])), gain_of_hits(ranking([4, 1, -1]), rel=1)
    (array([1.  , 0.25, 0.  ]), array([1., 1., 0.]))
    """
    if rel < 0:
        raise SpecError(f"rel is 0 (gains follow the grades) or the smallest grade that is relevant, not {rel:g}")
    if rel:
        return ranking.relevant(rel)
    return np.minimum(np.maximum(ranking.grades, 0.0) / ranking.top, 1.0)


def patience(p: float) -> float:
    """Return p if RBP can use it; raise `SpecError` if not."""
    if not 0 < p < 1:
        raise SpecError(f"RBP: p, the probability of going on to the next hit, is above 0 and below 1, not {p:g}")
    return p


@metric(
    "RBP",
    empty="expected",
    not_for=(
        "before p was thought of for your users; to compare tools: unjudged hits leave it uncertain, see `Residual`"
    ),
)
def rbp(ranking: Ranking, *, at: int = 0, p: float = 0.8, rel: float = 0) -> Floats:
    r"""Rank-biased precision: the gain per hit of a user who continues to the next one with probability p.

    $$ RBP@k = (1-p) \sum_{i \le k} p^{i-1} r_i $$

    $r_i$ is the gain of the hit at rank i, between 0 and 1: its grade divided by the largest grade of the collection.
    With `rel` above 0 the gain is 1 where the grade is at least `rel`, else 0.  p is between 0 and 1, and the user sees
    1/(1-p) hits on average.  Without a cutoff the sum has no end, so no ranking reaches 1;
    `Residual(RBP(p=0.8)@10)` is the part that nobody judged or saw.  The value is 0 for an empty answer.

    References
    ----------
    Moffat, A. and Zobel, J. (2008). ACM TOIS 27(1), 2:1-2:27.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> rbp(ranking([1, 0, 1]), p=0.5)  # (1 - 1/2) * (1 + 1/4)
    array([0.625])
    """
    return ranking.sum(_weights(ranking, at, p) * gain_of_hits(ranking, rel))


def rbp_residual(ranking: Ranking, *, at: int = 0, p: float = 0.8, rel: float = 0) -> Floats:
    r"""The increase of RBP if every unjudged hit and every rank that was not seen were fully relevant.

    $$ (1-p) \sum_{i \notin J} p^{i-1} = 1 - (1-p) \sum_{i \in J} p^{i-1} $$

    J are the ranks of the judged hits among the first k.  The sum on the left has no end.  Parameters as for `rbp`; the
    gains of the judged hits do not matter.

    References
    ----------
    Moffat, A. and Zobel, J. (2008). ACM TOIS 27(1), 2:1-2:27 (the residual).

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> rbp_residual(ranking([1, None, 1]), p=0.5)  # ranks 2 and 4, 5, 6, ...: 1/4 + 1/8
    array([0.375])
    """
    judged_weight = ranking.sum(ranking.judged * _weights(ranking, at, p))
    return np.maximum(1.0 - judged_weight, 0.0)  # rounding can pass 1


def _weights(ranking: Ranking, at: int, p: float) -> Floats:
    """(1-p) p^(i-1) for each judged hit at rank i, 0 below the cutoff; shape (m,)."""
    weights: Floats = (1.0 - patience(p)) * np.power(p, ranking.rank - 1)
    return weights * (ranking.rank <= at) if at else weights
