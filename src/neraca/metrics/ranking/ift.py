"""IFT, information foraging theory: a user who continues while the goal is far and the gain comes fast enough."""

from __future__ import annotations

import math

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.cwl import expected, ranks, user_model
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@user_model("IFT")
def ift_user(
    gains: Floats, *, T: float = 2, b1: float = 0.9, R1: float = 10, A: float = 0.2, b2: float = 0.9, R2: float = 10
) -> Floats:
    """Has a goal T and expects a rate of gain A, see `ift`; `T=inf` is no goal, `A=-inf` no expected rate."""
    if not (b1 > 0 and b2 > 0 and R1 >= 0 and R2 >= 0):
        raise SpecError(f"IFT: b is above 0 and R not below 0, not b {b1:g} and {b2:g}, R {R1:g} and {R2:g}")
    G = np.cumsum(gains, axis=1)
    goal_is_far = _logistic(T - G, R1, math.log(b1))
    gain_is_fast = _logistic(G / ranks(gains) - A, R2, -math.log(b2))
    return goal_is_far * gain_is_fast


def _logistic(x: Floats, steepness: float, shift: float) -> Floats:
    """1 / (1 + exp(-(shift + steepness x))), by tanh because it cannot overflow."""
    scaled = steepness * x if steepness else np.zeros_like(x)  # 0 times inf is not 0
    return (1.0 + np.tanh((shift + scaled) / 2.0)) / 2.0


@metric(
    "IFT", empty="expected", not_for="before T and A were thought of for your users: its values are of that user alone"
)
def ift(
    ranking: Ranking, *, at: int = 0, T: float = 2, A: float = 0.2, b: float = 0.9, R: float = 10, rel: float = 0
) -> Floats:
    r"""The gain per hit of a forager, who stops sooner when the goal T is reached or the gain comes slower than A.

    $$ C(i) = \left(1 - \frac{1}{1 + b\,e^{R (T - G_i)}}\right) \cdot \frac{1}{1 + b\,e^{R (A - G_i / i)}}, \qquad
       G_i = \sum_{j \le i} r_j $$

    C(i) is the probability of continuing after rank i, and $r_j$ the gain of the hit at rank j, as in `RBP`.  R says
    how sharply the user reacts (0: not at all).  b, above 0, sets C(i) where a limit is just met.  `IFT(A=-inf)` has
    the goal alone (C1), `IFT(T=inf)` the rate alone (C2).  `CWL(IFT(T=2,b1=0.9,R1=10,A=0.2,b2=0.9,R2=1))` has a b and
    an R for each.  The value is $\sum_i W(i) r_i$, see `CWL`.  It is between 0 and 1, and 0 for an empty answer.  Users
    are followed to rank 1000.  A relevant hit that moves up can lower the value, as in `BPM`.

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
