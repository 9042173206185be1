"""BPM, the Bejeweled player model: a user who stops when the gain is enough, or the cost too high."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.cwl import expected, ranks, user_model
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@user_model("BPM")
def bpm_user(
    gains: Floats, *, T: float = 1, K: float = 10, hb: float = 0, hc: float = 0, middle: float = 0.5
) -> Floats:
    """Stops after a gain of T or after K hits, see `bpm`; a hit with the gain `middle` changes neither limit."""
    if not (T > 0 and K > 0):
        raise SpecError(
            f"BPM: T and K, the gain and the hits at which the user stops, are above 0, not {T:g} and {K:g}"
        )
    S = np.cumsum(gains - middle, axis=1) - (gains - middle)
    # in floating point ten gains of 0.1 are 0.9999999999999999, which must be enough for T = 1
    gains_too_little = np.cumsum(gains, axis=1) < T + hb * S - 1e-9
    can_spend_more = ranks(gains) < K + hc * S - 1e-9
    return (gains_too_little & can_spend_more).astype(np.float64)


@metric(
    "BPM", empty="expected", not_for="before T and K were thought of for your users: its values are of that user alone"
)
def bpm(
    ranking: Ranking, *, at: int = 0, T: float = 1, K: float = 10, hb: float = 0, hc: float = 0, rel: float = 0
) -> Floats:
    r"""The gain per hit of a user who stops after a gain of T or after K hits, whichever comes first.

    $$ C(i) = 1 \text{ if } \sum_{j \le i} r_j < T + h_b S_i \text{ and } i < K + h_c S_i, \text{ else } 0, \qquad
       S_i = \sum_{j < i} (r_j - 1/2) $$

    C(i) is the probability of continuing after rank i, and $r_j$ the gain of the hit at rank j, as in `RBP`.  With `hb`
    and `hc` 0 the limits are fixed (static).  Otherwise hits better than expected raise them and worse ones lower them
    (dynamic).  The value is the mean gain of the hits seen, $\sum_i W(i) r_i$, see `CWL`.  It is between 0 and 1, and 0
    for an empty answer.  Users are followed to rank 1000.  A relevant hit that moves up can lower the value: the user
    may stop earlier and miss a better hit below.

    References
    ----------
    Zhang, F. et al. (2017). Evaluating web search with a Bejeweled player model. SIGIR, 425-434.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> bpm(ranking([0, 1, 0, 1]), T=2), bpm(ranking([0, 1, 0, 1]), T=2, K=3).round(4)  # 2 of 4 hits, 1 of 3
    (array([0.5]), array([0.3333]))
    """
    return expected(ranking, lambda gains: bpm_user(gains, T=T, K=K, hb=hb, hc=hc), at=at, rel=rel)
