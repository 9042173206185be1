"""INST and INSQ: users who want a number of relevant hits; the more they want, the more patient they are."""

from __future__ import annotations

import math

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.cwl import expected, ranks, user_model
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@user_model("INST")
def inst_user(gains: Floats, *, T: float = 1) -> Floats:
    """Wants T relevant hits and counts those seen so far, see `inst`."""
    if not 0.5 <= T < math.inf:
        raise SpecError(f"INST: T, the relevant hits wanted, is at least 0.5, not {T:g}; below, C(i) can pass 1")
    still_wanted = T - np.cumsum(gains, axis=1)
    total = ranks(gains) + T + still_wanted
    C: Floats = ((total - 1.0) / total) ** 2
    return C


@user_model("INSQ")
def insq_user(gains: Floats, *, T: float = 1) -> Floats:
    """Wants T relevant hits and ignores those seen so far, see `insq`."""
    if not 0 < T < math.inf:
        raise SpecError(f"INSQ: T, the relevant hits wanted, is above 0, not {T:g}")
    total = ranks(gains) + 2.0 * T
    C: Floats = ((total - 1.0) / total) ** 2
    return C


@metric("INST", empty="expected", not_for="before T was thought of for your users: its values are of that user alone")
def inst(ranking: Ranking, *, at: int = 0, T: float = 1, rel: float = 0) -> Floats:
    r"""The gain per hit of a user who wants T relevant hits and stops sooner with each one that was seen.

    $$ C(i) = \left( \frac{i + T + T_i - 1}{i + T + T_i} \right)^2, \qquad T_i = T - \sum_{j \le i} r_j $$

    C(i) is the probability of continuing after rank i, and $r_j$ the gain of the hit at rank j, as in `RBP`.  T is at
    least 0.5.  The value is $\sum_i W(i) r_i$, see `CWL`.  It is between 0 and 1, and 0 for an empty answer.  Users are
    followed to rank 1000; `CWL(INST(T=2),depth=100)` takes another depth.

    References
    ----------
    Moffat, A., Bailey, P., Scholer, F. and Thomas, P. (2015). INST: an adaptive metric. ADCS, 5:1-5:4.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> inst(ranking([1, 0, 0])).round(4)  # V(i) = 1/i^2, and the sum of all 1/i^2 is pi^2/6
    array([0.6083])
    """
    return expected(ranking, lambda gains: inst_user(gains, T=T), at=at, rel=rel)


@metric("INSQ", empty="expected", not_for="before T was thought of for your users: its values are of that user alone")
def insq(ranking: Ranking, *, at: int = 0, T: float = 1, rel: float = 0) -> Floats:
    r"""The gain per hit of a user who wants T relevant hits, whatever was seen so far.

    $$ C(i) = \left( \frac{i + 2T - 1}{i + 2T} \right)^2, \qquad W(i) \propto (i + 2T - 1)^{-2} $$

    C(i) is the probability of continuing after rank i.  T is above 0.  The rest is as for `INST`.

    References
    ----------
    Moffat, A., Scholer, F. and Thomas, P. (2012). Models and metrics: IR evaluation as a user process. ADCS, 47-54.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> insq(ranking([1, 0, 0])).round(4)  # V(i) = 4/(i+1)^2, and their sum to rank 1000 is 2.5757
    array([0.3882])
    """
    return expected(ranking, lambda gains: insq_user(gains, T=T), at=at, rel=rel)
