"""Residual: how much a metric could rise if unjudged hits were judged or the ranking were longer."""

from __future__ import annotations

import math

from neraca.errors import SpecError
from neraca.metrics.metric import Metric, metric
from neraca.metrics.ranking.cwl import USER_MODELS, OptimisticRanking
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.ranking.rbp import rbp_residual
from neraca.stats.intervals.interval import Floats

#: Metrics that are computed from a user model.
FRAMED = ("BPM", "CWL", "IFT", "INSQ", "INST", "TBG", "UMeasure")


@metric(
    "Residual",
    described={"metric": "The increase of {metric} if every unknown document were fully relevant."},
    kind="diagnostic",
    better="lower",
    low=-math.inf,
    high=math.inf,
    not_for="to say which run is better: it says how much is unknown, a diagnostic",
)
def residual(ranking: Ranking, *, metric: str) -> Floats:
    r"""The increase of a metric if every unknown document were fully relevant: `Residual(RBP(p=0.8)@10)`.

    $$ \text{Residual}(M) = M(\text{every unknown gain is } 1) - M(\text{every unknown gain is } 0) $$

    The unknown gains are those of unjudged hits and of all ranks after the last hit, or after rank k with the metric's
    cutoff `@k`.  For RBP these ranks have no end: its residual is $1 - (1-p) \sum p^{i-1}$ over the ranks i of judged
    hits.  For the other metrics they end at the depth of the user model.  A repeated document counts as judged: it
    gains nothing.

    The metric M must be of the C/W/L frame: RBP, INST, INSQ, BPM, IFT, TBG, UMeasure or CWL.  The true value lies
    between M and M + residual for RBP and other models whose users ignore gains.  A user who stops earlier where more
    is found (BPM, IFT) can miss a better hit below.  Then the residual is not a bound and can be negative.

    References
    ----------
    Moffat, A. and Zobel, J. (2008). ACM TOIS 27(1), 2:1-2:27; Azzopardi, L., Thomas, P. and Moffat, A. (2019).
    cwl_eval. SIGIR, 1321-1324 (its option -r).

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> residual(ranking([1, None, 1]), metric="RBP(p=0.5)")  # ranks 2 and 4, 5, 6, ...: 1/4 + 1/8
    array([0.375])
    >>> residual(ranking([1, None, 1]), metric="CWL(P@4)")  # 4/4 - 2/4
    array([0.5])
    """
    inner = Metric.of(str(metric))
    name = inner.spec.name
    if name == "RBP":
        return rbp_residual(ranking, **{key: value for key, value in inner.params if key != "empty"})
    if name not in FRAMED:
        framed = f"; write Residual(CWL({metric}))" if name in USER_MODELS.names() else ""
        raise SpecError(f"Residual: {name} has none; {', '.join(FRAMED)} and RBP have one{framed}")
    return inner(OptimisticRanking.of_ranking(ranking)) - inner(ranking)  # type: ignore[no-any-return]
