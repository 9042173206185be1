"""IFT, information foraging: a user who goes on while the goal is far, or while the hits come fast enough."""

from __future__ import annotations

import math

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.cwl import expected, ranks, user_model
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats


@user_model("IFT")
def ift_user(
    gains: Floats, *, T: float = 2, b1: float = 0.9, R1: float = 10, A: float = 0.2, b2: float = 0.9, R2: float = 10
) -> Floats:
    """Has a goal T and expects a rate of gain A: see `ift`; without a goal `T=inf`, without a rate `A=-inf`."""
    if not (b1 > 0 and b2 > 0 and R1 >= 0 and R2 >= 0):
        raise SpecError(f"IFT: b is above 0 and R not below 0, not b {b1:g} and {b2:g}, R {R1:g} and {R2:g}")
    gained = np.cumsum(gains, axis=1)
    return _logistic(T - gained, R1, math.log(b1)) * _logistic(gained / ranks(gains) - A, R2, -math.log(b2))


def _logistic(distance: Floats, steepness: float, shift: float) -> Floats:
    """1 / (1 + exp(-(shift + steepness * distance))), by tanh because it cannot overflow."""
    bent = steepness * distance if steepness else np.zeros_like(distance)  # 0 times inf is not 0
    return (1.0 + np.tanh((shift + bent) / 2.0)) / 2.0


@metric("IFT")
def ift(
    ranking: Ranking, *, at: int = 0, T: float = 2, A: float = 0.2, b: float = 0.9, R: float = 10, rel: float = 0
) -> Floats:
    r"""The gain per hit of a forager: who goes on less when the goal T is reached, or gain comes slower than A.

    $$ C(i) = \left(1 - \frac{1}{1 + b\,e^{R (T - G_i)}}\right) \cdot \frac{1}{1 + b\,e^{R (A - G_i / i)}}, \qquad
       G_i = \sum_{j \le i} r_j $$

    with C(i) the probability of going on after rank i and $r_j$ the gain of the hit at rank j, as in `RBP`.  R says
    how sharply the user reacts (0: not at all), b above 0 which way one leans where a limit is just met.  Only the goal
    (C1) is `IFT(A=-inf)`, only the rate (C2) `IFT(T=inf)`; b and R of their own for each are in
    `CWL(IFT(T=2,b1=0.9,R1=10,A=0.2,b2=0.9,R2=1))`.  The value is $\sum_i W(i) r_i$, see `CWL`.  Between 0 and 1; 0 when
    nothing was returned.  Users are followed to rank 1000.  A hit that climbs can lower the value, as in `BPM`.

    References
    ----------
    Azzopardi, L., Thomas, P. and Craswell, N. (2018). SIGIR, 605-614; the defaults are of cwl_eval's examples.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> ift(ranking([1, 0]), b=1, R=0).round(4)  # C = 1/2 * 1/2, as RBP(p=0.25)
    array([0.75])
    """
    return expected(ranking, lambda gains: ift_user(gains, T=T, b1=b, R1=R, A=A, b2=b, R2=R), at=at, rel=rel)
