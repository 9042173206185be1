r"""Test the difference of a mean or a ratio between two arms of an experiment, with users as the unit.

The value of an arm is the ratio of two sums over its users, $R = \bar x / \bar y$, such as clicks per search.  Users
are independent; the searches of one user are not.  By the delta method the standard error of $R$ is that of the mean of
$z = (x - R y) / \bar y$ over the users.  A mean is the ratio whose denominator is 1 for each user.

References
----------
Deng, A., Knoblich, U. and Lu, J. (2018). Applying the delta method in metric analytics. KDD, 233-242; Welch, B. L.
(1947). Biometrika 34, 28-35 (degrees of freedom).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from neraca.stats.intervals.interval import Floats, Range, keep_in_range
from neraca.stats.moments import Grouped, Moments
from neraca.stats.tests.delta_method import ROUNDING_OF_VARIANCE, ratio, ratio_variance

#: A number for arm a, and the same for arm b.
Pair = tuple[float, float]
Alternative = Literal["two-sided", "greater", "less"]
#: Why no test can be made: an arm has no users, a single one, or a denominator of 0; a value is not finite; all users
#: are equal, so that chance cannot be estimated; or there are too few users to look before the end.
Why = Literal["", "no_users", "one_user", "no_denominator", "not_finite", "no_variance", "few_users"]
#: A standard error below this share of the values is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Effect:
    """The difference of arm b from arm a.

    Attributes
    ----------
    a, b
        Value of each arm; NaN: undefined.
    difference, low, high
        b - a, and its confidence interval.
    p
        For the chosen alternative.
    error, df
        Standard error of the difference, and Welch's degrees of freedom.
    relative, relative_low, relative_high
        b / a - 1, and its interval from the logarithmic scale; NaN if a is 0, the interval also if the values have
        different signs.
    log_error
        Standard error of the logarithm of b / a, on which the relative interval is based; NaN without it.
    n_a, n_b
        Users of each arm.
    why
        Why there is no p, one of `Why`; "" if there is one.
    """

    a: float
    b: float
    difference: float
    low: float
    high: float
    p: float
    error: float
    df: float
    relative: float
    relative_low: float
    relative_high: float
    log_error: float
    n_a: int
    n_b: int
    why: Why = ""

    @property
    def n(self) -> int:
        """Users of both arms."""
        return self.n_a + self.n_b

    def within(self, limits: Range, tested: Sequence[float] = (0.0,)) -> Effect:
        """Return the effect with bounds of the difference that stay inside its range; see `keep_in_range`."""
        low, high = keep_in_range(self.difference, (self.low, self.high), limits, self.n, tested=tested)
        return self if (low, high) == (self.low, self.high) else replace(self, low=low, high=high)


def ratio_test(
    a: Moments, b: Moments, *, level: float = 0.95, alternative: Alternative = "two-sided", null: float = 0.0
) -> Effect:
    """Test the difference of two ratios of means (or two means) by Welch's t-test of their linearised values.

    Parameters
    ----------
    a, b
        Moments of the arms.  The first two columns are numerator and denominator; others are ignored (see `adjusted`).
    level
        Confidence of the intervals.
    alternative
        `greater`: b - a is more than `null`, `less`: it is less.  Then each interval has a single finite bound.
    null
        The difference that is tested, such as minus a margin.

    Returns
    -------
    Effect
        NaN for everything that cannot be estimated, with the reason in `why`.

    Examples
    --------
    >>> import numpy as np
    >>> ones = np.ones(4)
    >>> a = Moments.of(np.column_stack([[1.0, 2, 3, 4], ones]))
    >>> b = Moments.of(np.column_stack([[3.0, 4, 5, 6], ones]))
    >>> effect = ratio_test(a, b)  # t = 2 / sqrt(5/12 + 5/12) = 2.19 with 6 degrees of freedom
    >>> effect.difference, round(effect.error, 4), round(effect.df, 4), round(effect.p, 4)
    (2.0, 0.9129, 6.0, 0.071)
    """
    value_a, value_b = ratio(a), ratio(b)
    difference = value_b - value_a
    relative = difference / value_a if value_a != 0 else math.nan
    variances = ratio_variance(a) / max(a.n, 1), ratio_variance(b) / max(b.n, 1)
    error = math.sqrt(max(0.0, sum(variances)))
    why = _why(a, b, error)
    if why:
        nan = math.nan
        error = error if why == "no_variance" else nan
        return Effect(value_a, value_b, difference, nan, nan, nan, error, nan, relative, nan, nan, nan, a.n, b.n, why)
    df = _welch(variances, (a.n, b.n))
    below, above = _steps(df, level, alternative)
    low, high = difference - below * error, difference + above * error
    p = _p((difference - null) / error, df, alternative)
    relatives = relative, *_relative_interval((value_a, value_b), variances, (a.n, b.n), level, alternative)
    return Effect(value_a, value_b, difference, low, high, p, error, df, *relatives, a.n, b.n)


def ratio_p_values(a: Grouped, b: Grouped) -> Floats:
    """Return the two-sided p of `ratio_test` for each of many pairs of arms; NaN where no test can be made.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.array([4]), np.array([[2.5, 1.0]]), np.array([[[5.0, 0], [0, 0]]])
    >>> b = np.array([4]), np.array([[4.5, 1.0]]), np.array([[[5.0, 0], [0, 0]]])
    >>> ratio_p_values(a, b).round(4)  # as in the example of `ratio_test`
    array([0.071])
    """
    import numpy as np
    from scipy.special import stdtr

    with np.errstate(all="ignore"):
        (value_a, variance_a), (value_b, variance_b) = _ratios(a), _ratios(b)
        total = variance_a + variance_b
        error = np.sqrt(total)
        shares = (variance_a / total) ** 2 / (a[0] - 1) + (variance_b / total) ** 2 / (b[0] - 1)
        is_testable = np.isfinite(error) & (error > _ROUNDING * np.maximum(abs(value_a), abs(value_b)))
        p: Floats = np.where(is_testable, 2 * stdtr(1 / shares, -abs((value_b - value_a) / error)), np.nan)
    return p


def _ratios(moments: Grouped) -> tuple[Floats, Floats]:
    """Return the ratio of means of each group and its variance; the variance is NaN where it is undefined."""
    import numpy as np

    n, mean, cross = moments
    value = mean[:, 0] / mean[:, 1]
    slope = np.stack([1 / mean[:, 1], -value / mean[:, 1]], axis=-1)
    covariance = cross[:, :2, :2] / (n - 1)[:, None, None]
    variance = np.einsum("gi,gij,gj->g", slope, covariance, slope)
    sums = np.einsum("gi,gii->g", slope**2, covariance)
    variance = np.where(variance <= ROUNDING_OF_VARIANCE * sums, 0.0, variance)
    return value, np.where((n < 2) | (mean[:, 1] == 0), np.nan, variance / np.maximum(n, 1))


def _why(a: Moments, b: Moments, error: float) -> Why:
    if min(a.n, b.n) == 0:
        return "no_users"
    if a.mean[1] == 0 or b.mean[1] == 0:
        return "no_denominator"
    if not math.isfinite(ratio(a)) or not math.isfinite(ratio(b)):
        return "not_finite"
    if min(a.n, b.n) == 1:
        return "one_user"
    if not math.isfinite(error):
        return "not_finite"
    return "no_variance" if error <= _ROUNDING * max(abs(ratio(a)), abs(ratio(b))) else ""


def _relative_interval(
    values: Pair, variances: Pair, users: tuple[int, int], level: float, alternative: Alternative
) -> tuple[float, float, float]:
    """Return the interval of b / a - 1 and its standard error on the logarithmic scale; NaN for unlike signs."""
    a, b = values
    if not (min(values) > 0 or max(values) < 0):
        return math.nan, math.nan, math.nan
    squared = variances[0] / a / a, variances[1] / b / b
    error = math.sqrt(sum(squared))
    below, above = _steps(_welch(squared, users), level, alternative)
    low = b / a * limited_exp(-below * error) - 1 if below < math.inf else -math.inf
    return low, b / a * limited_exp(above * error) - 1, error


def _welch(variances: Pair, users: tuple[int, int]) -> float:
    """Return the degrees of freedom of a sum of two variances of means."""
    total = sum(variances)
    return 1 / sum((variance / total) ** 2 / (n - 1) for variance, n in zip(variances, users, strict=True))


def _steps(df: float, level: float, alternative: Alternative) -> tuple[float, float]:
    """Return the number of standard errors from the value to the lower and to the upper bound."""
    from scipy.special import stdtrit

    step = float(stdtrit(df, 0.5 + level / 2 if alternative == "two-sided" else level))
    return (math.inf if alternative == "less" else step), (math.inf if alternative == "greater" else step)


def _p(t: float, df: float, alternative: Alternative) -> float:
    from scipy.special import stdtr

    if alternative == "two-sided":
        return float(2 * stdtr(df, -abs(t)))
    return float(stdtr(df, -t if alternative == "greater" else t))


def limited_exp(power: float) -> float:
    """Return the exponential, infinite if it exceeds the largest float."""
    return math.inf if power > 700 else math.exp(power)
