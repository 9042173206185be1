"""Effect size: the size of a difference in standard deviations, with its interval."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, clustered_error, normal_quantile, to_unit

#: Points for summing the distribution of the spread, and the share that is left out on either side.
_POINTS, _TAIL = 1000, 1e-9


def paired_effect(differences: Floats) -> float:
    r"""Cohen's $d_z = \bar d / s_d$ of paired differences, shape (n,) without NaN.

    It is the mean difference over its standard deviation: 0.2 is called small, 0.5 medium, 0.8 large.  0 if all
    differences are 0; NaN with fewer than two items, and if all differences are equal and not 0.

    References
    ----------
    Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences, 2nd ed., sec. 2.3.5.

    Examples
    --------
    >>> import numpy as np
    >>> round(paired_effect(np.array([1.0, 2, 3, 4])), 4)
    1.9365
    """
    if len(differences) < 2:
        return math.nan
    if not differences.any():
        return 0.0
    differences = to_unit(differences)[0]
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    return mean / spread if spread > 1e-12 * abs(mean) else math.nan


def effect_interval(
    differences: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95
) -> tuple[float, float]:
    r"""Interval of $d_z$: the true effects under which the observed $t$ would not be unusual.

    $\delta_{low}$ and $\delta_{high}$ are the noncentralities with $P(T_{df,\delta} \ge t) = \alpha / 2$ and
    $P(T_{df,\delta} \le t) = \alpha / 2$ for the noncentral t distribution $T$.  The interval is $\delta\, se(\bar d) /
    s_d$ with the standard error and the standard deviation of the differences; that is $\delta / \sqrt n$ if each item
    is its own cluster.  It is exact for independent normal differences, and leaves out 0 exactly if the paired t-test
    finds a difference.

    Parameters
    ----------
    differences
        Shape (n,), without NaN.
    clusters
        Shape (n,), or None; with clusters, $t$, its error and its degrees of freedom are those of the clustered t-test.

    Returns
    -------
    tuple
        NaN with fewer than two clusters, or if all differences are equal.

    References
    ----------
    Steiger, J. H. and Fouladi, R. T. (1997). Noncentrality interval estimation. In: What if there were no
    significance tests?, 221-257; Cumming, G. and Finch, S. (2001). Educ. Psychol. Meas. 61, 532-574.

    Examples
    --------
    >>> import numpy as np
    >>> sleep = np.array([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])  # Student (1908): d_z = 1.28
    >>> [round(bound, 2) for bound in effect_interval(sleep)]
    [0.41, 2.12]
    """
    differences = to_unit(differences)[0]
    effect = paired_effect(differences)
    error, df = clustered_error(differences, clusters) if len(differences) else (math.nan, 0)
    mean = float(differences.mean()) if df else 0.0
    if df < 1 or math.isnan(effect) or error <= 1e-12 * abs(mean):
        return math.nan, math.nan
    return effect_bounds(mean, error, df, float(differences.std(ddof=1)), level)


def effect_bounds(mean: float, error: float, df: int, spread: float, level: float) -> tuple[float, float]:
    """Return the interval of `effect_interval` from a mean difference, its standard error and its standard deviation.

    >>> [round(bound, 2) for bound in effect_bounds(1.58, 0.3890, 9, 1.2300, 0.95)]
    [0.41, 2.12]
    """
    low, high = noncentralities(mean / error, df, level)
    scale = error / spread
    return low * scale, high * scale


def noncentralities(t: float, df: int, level: float) -> tuple[float, float]:
    r"""Return the noncentralities between which a value of t is not unusual.

    $P(T_{df,\delta} \le t) = E\,\Phi(t s - \delta)$ over the distribution of the spread $s = \chi_{df} / \sqrt{df}$,
    summed over points of log s and solved by bisection.  (The series of scipy do not end for large t.)
    """
    from scipy.special import chdtri, ndtr

    if t < 0:
        low, high = noncentralities(-t, df, level)
        return -high, -low
    least, most = (math.sqrt(float(chdtri(df, tail)) / df) for tail in (1 - _TAIL, _TAIL))
    spread = np.geomspace(least, most, _POINTS)
    weights = df * (np.log(spread) - (spread**2 - 1) / 2)
    weights = np.exp(weights - weights.max())
    weights /= weights.sum()
    z = normal_quantile(level)
    targets = np.array([0.5 + level / 2, 0.5 - level / 2])
    below, above = np.full(2, -z - 1), np.full(2, t * most + z + 1)
    for _ in range(60):
        middle = (below + above) / 2
        more = ndtr(t * spread - middle[:, None]) @ weights > targets
        below, above = np.where(more, middle, below), np.where(more, above, middle)
    return float(below[0]), float(below[1])
