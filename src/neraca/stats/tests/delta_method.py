r"""The delta method for a ratio of two means, such as clicks per search, with users as the unit.

The variance of $R = \bar x / \bar y$ is that of the mean of the linearised values $z = (x - R y) / \bar y$.

References
----------
Deng, A., Knoblich, U. and Lu, J. (2018). Applying the delta method in metric analytics. KDD, 233-242.
"""

from __future__ import annotations

import math

import numpy as np

from neraca.stats.intervals.interval import Floats
from neraca.stats.moments import Moments

#: A variance below this share of the sums that it comes from is rounding.
ROUNDING_OF_VARIANCE = 1e-12


def ratio(moments: Moments) -> float:
    """Return the ratio of the means of the two columns; NaN without users, or if the second mean is 0."""
    x, y = moments.mean[:2].tolist()
    return x / y if moments.n and y != 0 else math.nan


def ratio_variance(moments: Moments) -> float:
    r"""Return the variance of the users' linearised values $(x - R y) / \bar y$, n times that of the ratio.

    NaN with fewer than two users, or if the mean denominator is 0.  A variance that is only rounding of sums is 0: then
    all users have the same ratio.
    """
    variance = linearised_covariance(moments, 0, 0)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = (
            float(ratio_slope(moments, 0) ** 2 @ np.diag(moments.covariance)) if not math.isnan(variance) else math.nan
        )
    return 0.0 if variance <= ROUNDING_OF_VARIANCE * sums else variance


def effective_users(moments: Moments) -> float:
    r"""Return the effective number of users, $(\sum y)^2 / \sum y^2$ of the denominators; 0 if these are 0.

    If a few users make most of the searches, a ratio depends on these few.  With fewer than 100 effective users in
    an arm, a test at 5 % finds too many false differences; with fewer than thirty, in 10 % of experiments
    (`benchmarks/results/ab_error_rates.md`).

    References
    ----------
    Kish, L. (1965). Survey Sampling, sec. 8.2.

    Examples
    --------
    >>> round(effective_users(Moments.of(np.array([[0.0, 9], [1, 1], [0, 1], [1, 1]]))), 4)  # 12^2 / 84
    1.7143
    """
    if not moments.n or moments.mean[1] == 0:
        return 0.0
    variance = float(moments.cross[1, 1]) / moments.n / float(moments.mean[1]) ** 2
    return moments.n / (1 + variance)


def ratio_at(moments: Moments, column: int) -> float:
    """Return the mean of a column divided by the mean of the next column; NaN if the latter is 0."""
    x, y = moments.mean[column : column + 2].tolist()
    return x / y if y != 0 else math.nan


def linearised_covariance(moments: Moments, first: int, second: int) -> float:
    """Return the covariance of the linearised values of two ratios with numerators in these columns."""
    if moments.n < 2 or moments.mean[first + 1] == 0 or moments.mean[second + 1] == 0:
        return math.nan
    with np.errstate(over="ignore", invalid="ignore"):
        covariance = ratio_slope(moments, first) @ moments.covariance @ ratio_slope(moments, second)
    return float(covariance)


def ratio_slope(moments: Moments, column: int) -> Floats:
    """Return the derivatives of a ratio with respect to the means of the columns, shape (k,)."""
    slope = np.zeros(len(moments.mean))
    slope[column : column + 2] = [1.0, -ratio_at(moments, column)]
    return slope / float(moments.mean[column + 1])
