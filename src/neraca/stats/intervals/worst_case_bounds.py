"""Worst-case bounds of a mean with missing values, without assumptions about why they are missing."""

from __future__ import annotations

import math

import numpy as np

from neraca.stats.intervals.interval import Floats


def bounds_of_mean(values: Floats, lowest: float, highest: float) -> tuple[float, float]:
    r"""Return the mean of all items if every missing value is the lowest possible, and if it is the highest.

    $$ \frac{S + u\, a}{n} \le \bar x \le \frac{S + u\, b}{n} $$

    with the sum $S$ of the known values, $u$ missing values of $n$, and the ends $a$ and $b$ of the range.

    Parameters
    ----------
    values
        Shape (n,); NaN: missing.
    lowest, highest
        The range of a value.

    Returns
    -------
    tuple
        NaN without a finite range or without items.

    References
    ----------
    Manski, C. F. (1990). Nonparametric bounds on treatment effects. American Economic Review 80(2), 319-323.

    Examples
    --------
    >>> bounds_of_mean(np.array([1.0, 0.5, np.nan, np.nan]), 0, 1)
    (0.375, 0.875)
    """
    if not (math.isfinite(lowest) and math.isfinite(highest) and len(values)):
        return math.nan, math.nan
    total, missing = float(np.nansum(values)), int(np.isnan(values).sum())
    return (total + missing * lowest) / len(values), (total + missing * highest) / len(values)
