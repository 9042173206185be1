"""What missing values can do to a mean: worst-case bounds, which assume nothing about why they are missing."""

from __future__ import annotations

import math

import numpy as np

from neraca.stats.interval import Floats


def bounds_of_mean(values: Floats, lowest: float, highest: float) -> tuple[float, float]:
    r"""The mean of all items if every missing value were the lowest possible one, and if it were the highest.

    $$ \frac{S + u\, a}{n} \le \bar x \le \frac{S + u\, b}{n} $$

    with S the sum of the values that are known, u how many are not, n all of them, and a and b the ends of the range.

    Parameters
    ----------
    values
        Shape (n,); NaN: missing.
    lowest, highest
        The range of a value; without a finite one there are no bounds.

    Returns
    -------
    tuple
        NaN where there are no bounds, or no items.

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
