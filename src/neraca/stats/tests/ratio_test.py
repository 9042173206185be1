r"""Do two arms of an experiment differ?  A test of a mean or a ratio, with users as the unit.

The value of an arm is the ratio of two sums over its users, $R = \bar x / \bar y$, such as clicks per search.  The
searches of one user are not independent, its users are.  By the delta method the standard error of $R$ is that of the
mean of $z = (x - R y) / \bar y$ over the users; a mean is the ratio whose denominator is 1 for each user.

References
----------
Deng, A., Knoblich, U. and Lu, J. (2018). Applying the delta method in metric analytics. KDD, 233-242; Welch, B. L.
(1947). Biometrika 34, 28-35 (degrees of freedom).
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from neraca.stats.intervals.interval import Floats, Range, keep_in_range
from neraca.stats.moments import Moments

#: A number of arm a, and that of arm b.
Pair = tuple[float, float]
Alternative = Literal["two-sided", "greater", "less"]
#: Why no test can be made: an arm has no users, a single one, or a denominator of 0; a value is not finite; all users
#: are alike, so that nothing shows what is chance; or there are too few of them to look before the end.
Why = Literal["", "no_users", "one_user", "no_denominator", "not_finite", "no_variance", "few_users"]
#: A standard error below this share of the values is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Effect:
    """How arm b differs from arm a.

    Attributes
    ----------
    a, b
        Value of each arm; NaN where it has none.
    difference, low, high
        b - a, and its confidence interval.
    p
        Of the alternative that was asked for.
    error, df
        Standard error of the difference, and Welch's degrees of freedom.
    relative, relative_low, relative_high
        b / a - 1, and its interval, made on the logarithmic scale; NaN where a is 0, the interval also where the values
        have not the same sign.
    log_error
        Standard error of the logarithm of b / a, from which the relative interval is made; NaN where that is.
    n_a, n_b
        Users of each arm.
    why
        Why there is no p, one of `Why`; empty where there is one.
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
        Of the intervals.
    alternative
        `greater`: b - a is more than `null`, `less`: it is less.  Then each interval has a single finite bound.
    null
        The difference that is tested, such as minus a margin.

    Returns
    -------
    Effect
        Everything that cannot be known is NaN, and `why` says the reason.

    Examples
    --------
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


def ratio(moments: Moments) -> float:
    """Mean of the first column divided by that of the second; NaN without users and where the second is 0."""
    x, y = moments.mean[:2].tolist()
    return x / y if moments.n and y != 0 else math.nan


def ratio_variance(moments: Moments) -> float:
    r"""Variance of the linearised values of the users, $(x - R y) / \bar y$; that of the ratio is n times less.

    NaN with fewer than two users and where the mean denominator is 0.
    """
    variance = _covariance(moments, 0, 0)
    return 0.0 if variance < 0 else variance  # below 0 by rounding, where moments are differences of large sums


def effective_users(moments: Moments) -> float:
    r"""Users of equal weight who would tell as much: $(\sum y)^2 / \sum y^2$ of the denominators; 0 where these are 0.

    Where a few users have most of the searches, a ratio rests on these few.  With fewer than about a hundred in an
    arm, its test finds differences that are not there in more than 5 % of experiments, as in 8 % with thirty.

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


def adjusted(*arms: Moments) -> tuple[Moments, ...]:
    r"""Moments of the arms after what users did before the experiment has been taken out (CUPED).

    The value of an arm becomes $R - \theta (C - \bar C)$, where $C$ is the ratio of the covariate (third and fourth
    column: numerator and denominator) in the arm and $\bar C$ in all arms together; $\theta$ is the slope of the
    linearised values on those of the covariate, from all arms together.  The variance is that of the linearised
    values less the same share of the covariate's.

    Returns
    -------
    tuple
        For each arm moments of two columns, of which the second is 1, for `ratio_test` and all that takes moments.
        Where the covariate does not vary or is not defined, nothing is taken out.

    References
    ----------
    Deng, A., Xu, Y., Kohavi, R. and Walker, T. (2013). Improving the sensitivity of online controlled experiments by
    utilizing pre-experiment data. WSDM, 123-132.

    Examples
    --------
    >>> before = np.array([1.0, 2, 3, 4])
    >>> a = Moments.of(np.column_stack([before + [0, 1, 1, 0], np.ones(4), before, np.ones(4)]))
    >>> b = Moments.of(np.column_stack([before + [2, 1, 1, 2], np.ones(4), before, np.ones(4)]))
    >>> effect = ratio_test(*adjusted(a, b))  # the slope is 1: of the values 0 1 1 0 and 2 1 1 2 are left
    >>> effect.difference, round(effect.error**2, 4)  # 1/12 + 1/12
    (1.0, 0.1667)
    """
    whole = functools.reduce(operator.add, arms)
    spread = _covariance(whole, 2, 2)
    if not spread > 0 or any(0 in (arm.mean[1], arm.mean[3]) for arm in arms):
        return tuple(_first_ratio(arm) for arm in arms)
    theta = _covariance(whole, 0, 2) / spread
    centre = _ratio_at(whole, 2)
    return tuple(_without_covariate(arm, theta, centre) for arm in arms)


def _first_ratio(moments: Moments) -> Moments:
    return Moments(moments.n, moments.mean[:2], moments.cross[:2, :2])


def _without_covariate(moments: Moments, theta: float, centre: float) -> Moments:
    value = ratio(moments) - theta * (_ratio_at(moments, 2) - centre)
    raw = ratio_variance(moments)
    variance = raw + theta * (theta * _covariance(moments, 2, 2) - 2 * _covariance(moments, 0, 2))
    variance = 0.0 if variance <= _ROUNDING * raw or moments.n < 2 else variance
    return Moments(moments.n, np.array([value, 1.0]), np.array([[variance * (moments.n - 1), 0.0], [0.0, 0.0]]))


def _ratio_at(moments: Moments, column: int) -> float:
    x, y = moments.mean[column : column + 2].tolist()
    return x / y if y != 0 else math.nan


def _covariance(moments: Moments, first: int, second: int) -> float:
    """Covariance of the linearised values of two ratios, whose numerators stand in these columns."""
    if moments.n < 2 or moments.mean[first + 1] == 0 or moments.mean[second + 1] == 0:
        return math.nan
    with np.errstate(over="ignore", invalid="ignore"):
        covariance = _slope(moments, first) @ moments.covariance @ _slope(moments, second)
    return float(covariance)


def _slope(moments: Moments, column: int) -> Floats:
    """Derivative of a ratio by the means of the columns, shape (k,)."""
    slope = np.zeros(len(moments.mean))
    slope[column : column + 2] = [1.0, -_ratio_at(moments, column)]
    return slope / float(moments.mean[column + 1])


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
    """The interval of b / a - 1 on the logarithmic scale, and the standard error there; NaN for unlike signs."""
    a, b = values
    if not (min(values) > 0 or max(values) < 0):
        return math.nan, math.nan, math.nan
    squared = variances[0] / a / a, variances[1] / b / b
    error = math.sqrt(sum(squared))
    below, above = _steps(_welch(squared, users), level, alternative)
    low = b / a * limited_exp(-below * error) - 1 if below < math.inf else -math.inf
    return low, b / a * limited_exp(above * error) - 1, error


def _welch(variances: Pair, users: tuple[int, int]) -> float:
    """Degrees of freedom of a sum of two variances of means."""
    total = sum(variances)
    return 1 / sum((variance / total) ** 2 / (n - 1) for variance, n in zip(variances, users, strict=True))


def _steps(df: float, level: float, alternative: Alternative) -> tuple[float, float]:
    """How many standard errors the interval reaches below and above the value."""
    from scipy.special import stdtrit

    step = float(stdtrit(df, 0.5 + level / 2 if alternative == "two-sided" else level))
    return (math.inf if alternative == "less" else step), (math.inf if alternative == "greater" else step)


def _p(t: float, df: float, alternative: Alternative) -> float:
    from scipy.special import stdtr

    if alternative == "two-sided":
        return float(2 * stdtr(df, -abs(t)))
    return float(stdtr(df, -t if alternative == "greater" else t))


def limited_exp(power: float) -> float:
    """The exponential; infinite where a float ends, and NaN of NaN."""
    return math.inf if power > 700 else math.exp(power)
