"""Is the difference between two systems on the same items real?  Paired tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.interval import Floats, clustered_error, t_quantile


@dataclass(frozen=True, slots=True)
class Paired:
    """What a paired test found.

    Attributes
    ----------
    difference, low, high
        Mean difference and its interval; the bounds are NaN where the data give none.
    p
        Two-sided; NaN where the test cannot be made (fewer than two independent items).
    statistic
        The test's own (t here).
    error
        Standard error of the mean difference; NaN where it cannot be estimated.
    n
        Items with a value on both sides.
    test
        The name of the test.
    """

    difference: float
    low: float
    high: float
    p: float
    statistic: float
    error: float
    n: int
    test: str


Test = Callable[[Floats, NDArray[np.int64] | None, float], Paired]


def t_test(differences: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95) -> Paired:
    r"""Student's paired t-test, $t = \bar d / se(\bar d)$, with clustered errors where items share a cluster.

    All differences equal and not 0 leave nothing to estimate chance from: p and bounds are NaN.  All differences
    0 give p = 1.

    Parameters
    ----------
    differences
        Shape (n,): value of a minus value of b, per item; without NaN.
    clusters
        Shape (n,), or None: each item its own.
    level
        Confidence of the interval.

    References
    ----------
    Student (1908). Biometrika 6, 1-25.

    Examples
    --------
    >>> found = t_test(np.array([1.0, 2, 3, 4]))
    >>> round(found.difference, 2), round(found.statistic, 4), round(found.p, 4)
    (2.5, 3.873, 0.0305)
    """
    from scipy.special import stdtr

    n = len(differences)
    if not n:
        return Paired(math.nan, math.nan, math.nan, math.nan, math.nan, math.nan, 0, "t")
    d = float(differences.mean())
    if not differences.any():
        return Paired(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, n, "t")
    error, df = clustered_error(differences, clusters)
    if df < 1 or error <= 1e-12 * abs(d):
        return Paired(d, math.nan, math.nan, math.nan, math.nan, math.nan, n, "t")
    half = t_quantile(level, df) * error
    t = d / error
    return Paired(d, d - half, d + half, float(2 * stdtr(df, -abs(t))), t, error, n, "t")


TESTS: dict[str, Test] = {"t": t_test}
