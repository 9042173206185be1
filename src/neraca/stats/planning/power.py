"""Power of the paired t-test, and the number of items that it needs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def power_reached(effect: float, n: float, alpha: float = 0.05) -> float:
    r"""Return the chance that a two-sided paired t-test with n items finds a true effect $d_z$; NaN below two items.

    $$ 1 - F_{n-1,\,\delta}(t_{1-\alpha/2}) + F_{n-1,\,\delta}(-t_{1-\alpha/2}), \quad \delta = d_z \sqrt n $$

    with the noncentral t distribution $F$ and the quantile $t$ of the central one.

    >>> round(power_reached(0.5, 34), 3)
    0.808
    """
    return math.nan if n < 2 or math.isnan(effect) else power_of_t(n - 1, effect * math.sqrt(n), alpha)


def power_of_t(df: float, shift: float, alpha: float = 0.05) -> float:
    """Return the chance that a two-sided t-test finds an effect of this many standard errors.

    Parameters
    ----------
    df
        Degrees of freedom, above 0.

    Examples
    --------
    >>> round(power_of_t(1e9, 2.8016), 3)  # 1.9600 + 0.8416
    0.8
    """
    from scipy.special import gammaincinv, nctdtr, ndtr, stdtrit

    shift = abs(shift)
    critical = float(stdtrit(df, 1 - alpha / 2))
    power = float(1 - nctdtr(df, shift, critical) + nctdtr(df, shift, -critical))
    if math.isnan(power):  # beyond the range of the series: the mean over quantiles of the standard deviation
        limits = critical * np.sqrt(2 * gammaincinv(df / 2, (np.arange(2000) + 0.5) / 2000) / df)
        power = float((ndtr(shift - limits) + ndtr(-shift - limits)).mean())
    return power


def items_needed(effect: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return the fewest items with which a two-sided paired t-test finds a true effect with this chance.

    None without an effect, or if more than ten million items are needed.

    References
    ----------
    Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences, 2nd ed., ch. 2.

    Examples
    --------
    >>> [items_needed(d) for d in (0.2, 0.3, 0.5, 0.8)]
    [199, 90, 34, 15]
    """
    if math.isnan(effect) or effect == 0:
        return None
    return fewest(lambda n: power_reached(effect, n, alpha) >= power, 2, 10_000_000)


def fewest(enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the smallest sufficient number from `least` to `most`; None if none suffices.

    All larger numbers must suffice too.

    >>> fewest(lambda n: n * n >= 50, 2, 100)
    8
    """
    low, high = least - 1, least
    while not enough(high):
        if high >= most:
            return None
        low, high = high, min(high * 2, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def smallest_effect(n: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest true effect $d_z$ that a two-sided paired t-test with n items finds with this chance.

    NaN with fewer than two items, if the power does not exceed the level, or if the level is so small that a float
    cannot distinguish it from 0.

    References
    ----------
    Bloom, H. S. (1995). Minimum detectable effects. Evaluation Review 19, 547-556.

    Examples
    --------
    >>> [round(smallest_effect(n), 2) for n in (34, 90)]
    [0.5, 0.3]
    """
    if n < 2 or not alpha < power < 1 or 1 - alpha / 2 == 1:
        return math.nan
    return least_effect(lambda effect: power_reached(effect, n, alpha) >= power)


def least_effect(enough: Callable[[float], bool]) -> float:
    """Return the smallest sufficient number above 0, to ten digits; all larger numbers must suffice too.

    >>> round(least_effect(lambda effect: effect * effect >= 2), 9)
    1.414213562
    """
    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
