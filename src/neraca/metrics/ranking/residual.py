"""Residual: how far a metric could still move if somebody judged the rest, or the list were longer."""

from __future__ import annotations

import math

from neraca.errors import SpecError
from neraca.metrics.metric import Metric, metric
from neraca.metrics.ranking.cwl import USER_MODELS, Hopeful
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.ranking.rbp import rbp_residual
from neraca.stats.interval import Floats

#: Metrics that ask a user model, and so can be asked again with hope.
FRAMED = ("BPM", "CWL", "IFT", "INSQ", "INST", "TBG", "UMeasure")


@metric("Residual", better="lower", low=-math.inf, high=math.inf)
def residual(ranking: Ranking, *, metric: str) -> Floats:
    r"""What a metric would gain if all that is unknown were fully relevant: `Residual(RBP(p=0.8)@10)`.

    $$ \text{Residual}(M) = M(\text{every unknown gain is } 1) - M(\text{every unknown gain is } 0) $$

    Unknown are the hits that nobody judged and all ranks after the last hit, or with the metric's cutoff `@k` after
    rank k: without end for RBP, whose residual is $1 - (1-p) \sum p^{i-1}$ over the ranks i of judged hits, and down to
    the depth of the user model for the others.  A document that is returned twice is judged: it gains nothing.

    Only for metrics of the C/W/L frame: RBP, INST, INSQ, BPM, IFT, TBG, UMeasure and CWL.  For RBP and other models
    whose users do not look at gains the true value lies between M and M + residual.  A user who stops earlier where
    more is found (BPM, IFT) can leave something better unseen, so that the residual is no bound and can be negative.

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
    asked = Metric.of(str(metric))
    name = asked.spec.name
    if name == "RBP":
        return rbp_residual(ranking, **dict(asked.params))
    if name not in FRAMED:
        framed = f"; write Residual(CWL({metric}))" if name in USER_MODELS.names() else ""
        raise SpecError(f"Residual: {name} has none; {', '.join(FRAMED)} and RBP have one{framed}")
    return asked(Hopeful.over(ranking)) - asked(ranking)  # type: ignore[no-any-return]
