"""BPM, the Bejeweled player model: a user who stops when enough was found, or enough was spent."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.cwl import expected, ranks, user_model
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats


@user_model("BPM")
def bpm_user(
    gains: Floats, *, T: float = 1, K: float = 10, hb: float = 0, hc: float = 0, middle: float = 0.5
) -> Floats:
    """Stops when T was gained or K hits were seen: see `bpm`; `middle` is the gain that changes neither limit."""
    if not (T > 0 and K > 0):
        raise SpecError(
            f"BPM: T and K, the gain and the hits at which the user stops, are above 0, not {T:g} and {K:g}"
        )
    surprise = np.cumsum(gains - middle, axis=1) - (gains - middle)
    # ten hits of 0.1 are 0.9999999999999999, and enough for who wants 1
    wants = np.cumsum(gains, axis=1) < T + hb * surprise - 1e-9
    can = ranks(gains) < K + hc * surprise - 1e-9
    return (wants & can).astype(np.float64)


@metric("BPM")
def bpm(
    ranking: Ranking, *, at: int = 0, T: float = 1, K: float = 10, hb: float = 0, hc: float = 0, rel: float = 0
) -> Floats:
    r"""The gain per hit of a user who stops when T was gained or K hits were seen, whichever comes first.

    $$ C(i) = 1 \text{ if } \sum_{j \le i} r_j < T + h_b S_i \text{ and } i < K + h_c S_i, \text{ else } 0, \qquad
       S_i = \sum_{j < i} (r_j - 1/2) $$

    with C(i) the probability of going on after rank i and $r_j$ the gain of the hit at rank j, as in `RBP`.  With
    `hb` and `hc` 0 the limits are fixed (static); otherwise hits better than expected raise them, and worse ones
    lower them (dynamic).  The value is the mean gain of the hits seen, $\sum_i W(i) r_i$, see `CWL`.  Between 0 and 1;
    0 when nothing was returned.  Users are followed to rank 1000.  A hit that climbs can lower the value, when the
    user stops earlier and leaves a better one unseen.

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
