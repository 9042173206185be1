"""Set measures: precision, recall and F of all returned hits, whatever their order."""

from __future__ import annotations

import math

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@metric(
    "SetP",
    why_undefined="nothing was returned",
    empty="skip",
    not_for="where order matters, or systems choose how much to return: one sure hit scores 1",
)
def set_precision(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""Relevant hits / returned hits; `empty=skip`, the default, leaves out answers without hits.

    $$ r / h $$

    with r relevant hits of h.  The mean over items with results is often called overall precision.

    References
    ----------
    Cleverdon, C. (1967). Aslib Proceedings 19(6), 173-194.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> set_precision(ranking([1, 1, 1, 0, 1, 1, 0, 1]))
    array([0.75])
    """
    return ranking.ratio(ranking.sum(ranking.relevant(rel)), ranking.returned, ranking.empties.zero_or_nan)


@metric(
    "SetR",
    why_undefined="nothing is known to be relevant",
    empty="expected",
    not_for="where order matters, or systems choose how much to return: returning all scores 1",
)
def set_recall(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""Relevant hits / known relevant documents; not defined when none is known.

    $$ r / R $$

    with r relevant hits, and R known relevant documents.  A document is known if people, qrels, rules or an LLM judged
    it in any of the runs that are scored together (the pool).  So recall is relative to what these runs found together.

    References
    ----------
    Cleverdon, C. (1967). Aslib Proceedings 19(6), 173-194.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> set_recall(ranking([1, 0, 1], unseen=[1, 1]))
    array([0.5])
    """
    return ranking.ratio(ranking.sum(ranking.relevant(rel)), ranking.known_relevant(rel), math.nan)


@metric(
    "SetF",
    why_undefined="nothing was returned, and nothing is known to be relevant",
    empty="expected",
    not_for="where order matters: it looks at the set; `nDCG`",
)
def set_f(ranking: Ranking, *, beta: float = 1, rel: float = 1) -> Floats:
    r"""The weighted harmonic mean of SetP and SetR; recall counts `beta` times as much as precision.

    $$ F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R} = \frac{(1 + \beta^2)\, s}{\beta^2\, m + n} $$

    P = s/n and R = s/m, with s relevant hits, n returned hits and m known relevant documents.  If only one of P and R
    is defined, the second form gives 0, as in trec_eval.  If nothing was returned and nothing relevant is known, the
    value is undefined.  The `beta` of trec_eval and ir_measures is $\beta^2$: their `SetF(beta=4)` is `SetF(beta=2)`
    here.

    References
    ----------
    van Rijsbergen, C. J. (1979). Information Retrieval, 2nd ed., ch. 7.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> set_f(ranking([1, 0], unseen=[1, 1])).round(4)
    array([0.4])
    """
    if not 0 <= beta < math.inf:
        raise SpecError(f"SetF: beta is a number from 0, not {beta!r}")
    s, m = ranking.sum(ranking.relevant(rel)), ranking.known_relevant(rel)
    return ranking.ratio((1 + beta**2) * s, beta**2 * m + ranking.returned, math.nan)
