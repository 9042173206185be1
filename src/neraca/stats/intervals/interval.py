"""Confidence intervals of means, shares and totals of counts.

Each interval is that of a mean of *pseudo-values*: the influence of each item on the total.  The pseudo-values of a
mean are the values themselves; those of a ratio of sums, a corpus score or a micro-average come from the jackknife.
Items that share a cluster (a session) are one source of chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.bearing import bears_on
from neraca.stats.intervals.fewest import FEWEST_IN_RANGE, too_few_for_interval

Floats = NDArray[np.float64]
Total = Callable[[Floats], Floats]
#: Least and largest value that a total can have; infinite if there is no bound.
Range = tuple[float, float]
NO_RANGE: Range = (-math.inf, math.inf)
NOTHING_SCORED, ONE_SOURCE, ALL_EQUAL = "nothing is scored", "too few observations", "all values are equal"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its confidence interval.

    Attributes
    ----------
    value, low, high
        NaN without data.  `low` and `high` are also NaN if chance cannot be estimated: several items of a single
        cluster, fewer than `FEWEST_IN_RANGE` observations of a share or within a range, or equal values (except for a
        share, and at an end of the range).
    n
        The number of items.
    method
        `t`; `bounded`, if Student's t would leave the range (`bounded_interval`); `wilson`; or `none` without an
        interval.
    why
        If the method is `none`, the reason in words; "" otherwise.
    """

    value: float
    low: float
    high: float
    n: int
    method: str
    why: str = ""

    @classmethod
    def without_interval(cls, value: float, n: int, why: str) -> Estimate:
        """Return the value alone, and the reason why it has no interval."""
        return cls(value, math.nan, math.nan, n, "none", why)


def mean(sums: Floats) -> Floats:
    """Return the mean from summed rows of (value, 1).  Shapes (..., 2) -> (...)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = sums[..., 0] / sums[..., -1]
    return result


def to_unit(values: Floats) -> tuple[Floats, float]:
    """Return the values divided by a power of two, so that the largest size lies between 1 and 2, and that power.

    This avoids overflow and underflow of squares, without rounding.

    >>> to_unit(np.array([3.0, -12]))
    (array([ 0.375, -1.5  ]), 8.0)
    """
    unit = 2.0 ** (math.frexp(float(np.abs(values).max(initial=0)))[1] - 1)
    return values / unit, unit


def pseudo_values(rows: Floats, total: Total) -> Floats:
    r"""Jackknife pseudo-values $n\,T(S) - (n-1)\,T(S - x_i)$ of a total $T$ of summed counts $S$.

    Parameters
    ----------
    rows
        Counts per item, shape (n, w), without NaN.
    total
        From summed counts to a value, shapes (..., w) -> (...).

    Returns
    -------
    Floats
        Shape (n,).  An item without which the total is undefined gets the total itself.

    References
    ----------
    Tukey, J. W. (1958). Bias and confidence in not-quite large samples. Ann. Math. Statist. 29, 614.

    Examples
    --------
    >>> pseudo_values(np.array([[1.0, 1], [0, 1]]), mean)
    array([1., 0.])
    """
    if total is mean and bool((rows[:, -1] == 1).all()):
        return rows[:, 0].copy()  # the exact result of the formula, without its rounding
    n = len(rows)
    whole = rows.sum(axis=0)
    value = total(whole)
    without = total(whole - rows) if n > 1 else np.full(n, np.nan)
    return np.where(np.isnan(without), value, n * value - (n - 1) * without)


def cluster_numbers(clusters: NDArray[np.int64] | None, n: int) -> NDArray[np.int64]:
    """Return the clusters of n items, numbered from 0; None: each item is its own."""
    return np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]


def clustered_error(values: Floats, clusters: NDArray[np.int64] | None = None) -> tuple[float, int]:
    r"""Return the standard error of a mean of clustered items, and its degrees of freedom.

    $$ se^2 = \frac{G}{G-1} \frac{1}{n^2} \sum_{g=1}^{G} \Big( \sum_{i \in g} (x_i - \bar x) \Big)^2 $$

    of $n$ values $x_i$ in $G$ clusters, with $G - 1$ degrees of freedom; (NaN, 0) with a single cluster.  If every item
    is its own cluster, this is $s / \sqrt n$ with the standard deviation $s$.

    Parameters
    ----------
    values
        Shape (n,), n >= 1, without NaN.
    clusters
        Shape (n,): number of each item's cluster; None: each item is its own.

    References
    ----------
    Liang, K.-Y. and Zeger, S. (1986). Biometrika 73, 13-22; Miller, E. (2024). Adding error bars to evals, sec. 2.2.

    Examples
    --------
    >>> clustered_error(np.array([1.0, 2, 3, 4]))
    (0.6454972243679028, 3)
    >>> clustered_error(np.array([1.0, 2, 3, 4]), np.array([0, 0, 1, 1]))
    (1.0, 1)
    """
    n = len(values)
    residuals = values - values.mean()
    if clusters is not None:  # sorted: the sum must not depend on the clusters' numbers, not even in its last bit
        residuals = np.sort(np.bincount(cluster_numbers(clusters, n), weights=residuals))
    groups = len(residuals)
    if groups < 2:
        return math.nan, 0
    residuals, unit = to_unit(residuals)
    return unit * math.sqrt(groups / (groups - 1) * float(residuals @ residuals)) / n, groups - 1


def wilson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval of a share; it has a width even at 0 and 1.

    Parameters
    ----------
    share
        Between 0 and 1.
    n
        Items, or their effective number; more than 0.

    References
    ----------
    Wilson, E. B. (1927). J. Amer. Statist. Assoc. 22, 209-212.

    Examples
    --------
    >>> [round(bound, 4) for bound in wilson(0.5, 10)]
    [0.2366, 0.7634]
    """
    z = normal_quantile(level)
    return _score_bounds(share, z * z / n)


def _score_bounds(share: float, c: float) -> tuple[float, float]:
    """Return both p with (share - p)² = c p (1 - p), where c is the squared quantile over the number of items."""
    centre = (share + c / 2) / (1 + c)
    half = math.sqrt(c * share * (1 - share) + c * c / 4) / (1 + c)
    return max(0.0, centre - half), min(1.0, centre + half)


def within_range(value: float, half: float, limits: Range, most_c: float = 0.0) -> tuple[float, float]:
    r"""Return bounds of a mean inside its range, from the half width of an interval that leaves the range.

    An interval $\bar x \pm h$ assumes the same variance for every true mean.  But the variance of values in a range
    falls to 0 towards its ends, at most as $p (1 - p)$ with the mean $p$ as a share of the range.  The bounds are the
    $p$ with $(\bar x - p)^2 = h^2\, p (1 - p) / (\bar x (1 - \bar x))$: Wilson's interval with the effective number of
    items $\bar x (1 - \bar x) / se^2$.  If only one end is finite, the variance is assumed to grow with the distance
    from it.

    Parameters
    ----------
    limits
        At least one is finite, and the value lies within them.
    most_c
        The squared quantile over the number of items; the interval is never narrower than that of a share of so many.

    Examples
    --------
    >>> [round(bound, 3) for bound in within_range(4.5, 0.8, (0, 5))]  # 4.5 ± 0.8 would reach 5.3; c = .16² / .09
    [3.224, 4.89]
    >>> [round(bound, 3) for bound in within_range(1, 1.5, (0, math.inf))]
    [0.25, 4.0]
    """
    low, high = limits
    if math.isinf(low):
        mirrored = within_range(-value, half, (-high, math.inf))
        return -mirrored[1], -mirrored[0]
    if math.isinf(high):
        x = value - low
        centre, spread = x + half * half / (2 * x), half * math.sqrt(1 + (half / (2 * x)) ** 2)
        return low + x * x / (centre + spread), low + centre + spread
    width = high - low
    share = min(1.0, max(0.0, (value - low) / width))
    variance = share * (1 - share)
    c = max(most_c, (half / width) ** 2 / variance) if variance > 0 else most_c
    below, above = _score_bounds(share, c)
    return low + width * below, low + width * above


def keep_in_range(
    value: float,
    bounds: tuple[float, float],
    limits: Range,
    observations: int,
    *,
    tested: Sequence[float] = (),
    most_c: float = 0.0,
) -> tuple[float, float]:
    """Replace a bound that leaves the range by the one of `within_range`; the other bound stays.

    Use this if the interval belongs to a test, and `bounded_interval` otherwise.

    Parameters
    ----------
    value, bounds
        The estimate and its interval.  A value outside the range counts as the end of the range.
    observations
        Independent observations.  With fewer than `FEWEST_IN_RANGE` both bounds are NaN if the range has an end.
    tested
        The tested values.  A value inside the interval stays inside, so that interval and test agree.
    most_c
        As in `within_range`.  Without it a value at the end of the range has no interval (NaN).

    Examples
    --------
    >>> [round(bound, 3) for bound in keep_in_range(0.8, (0.5, 1.1), (-1, 1), 5)]
    [0.5, 0.952]
    >>> keep_in_range(0.8, (0.5, 1.1), (-1, 1), 2)
    (nan, nan)
    """
    low, high = bounds
    least, most = limits
    if low == high or (math.isinf(least) and math.isinf(most)):
        return low, high
    if observations < FEWEST_IN_RANGE or math.isnan(low) or math.isnan(high):
        return math.nan, math.nan
    inside = min(max(value, least), most)
    if (low < least or high > most) and inside in limits and not most_c:
        return math.nan, math.nan
    if low < least:
        crossed = [bound for bound in tested if low <= bound <= inside]
        low = min([within_range(inside, value - low, limits, most_c)[0], *crossed])
    if high > most:
        crossed = [bound for bound in tested if inside <= bound <= high]
        high = max([within_range(inside, high - value, limits, most_c)[1], *crossed])
    return low, high


def bounded_interval(
    value: float, error: float, df: int, n: int, limits: Range = NO_RANGE, level: float = 0.95
) -> Estimate:
    """Return the interval of a total from its standard error: Student's t, or `within_range` if that leaves the range.

    Cutting Student's interval off at the end of the range is not enough, because it holds the mean too seldom there:
    for ratings that mostly have the best value, in 49 to 92 % of samples of 3 to 30; this one in 99 to 100 %
    (`benchmarks/bounded_intervals.py`).

    Parameters
    ----------
    error, df
        From `clustered_error`.
    n
        The number of items.

    Examples
    --------
    >>> estimate = bounded_interval(4.5, 0.3, 4, 5, (0, 5))  # Wilson's of a share of 0.9 among 5, with t = 2.776 for z
    >>> round(estimate.low, 3), round(estimate.high, 3), estimate.method
    (1.603, 4.971, 'bounded')
    """
    ranged = any(map(math.isfinite, limits))
    if ranged and (n == 1 or 1 < df + 1 < FEWEST_IN_RANGE):
        return Estimate.without_interval(value, n, too_few_for_interval(df + 1))
    if df < 1:
        return Estimate.without_interval(value, n, ONE_SOURCE)
    half, low, high = t_quantile(level, df) * error, *limits
    at_end = all(map(math.isfinite, limits)) and (value <= low or value >= high)
    flat = error <= 1e-12 * abs(value)
    if flat and not at_end:
        return Estimate.without_interval(value, n, ALL_EQUAL)
    if low <= value - half and value + half <= high and not flat:
        return Estimate(value, value - half, value + half, n, "t")
    items = df + 1 if flat else n
    return Estimate(value, *within_range(value, half, limits, t_quantile(level, df) ** 2 / items), n, "bounded")


def normal_quantile(level: float) -> float:
    """Return the two-sided quantile of the normal distribution: 1.96 for 95 %."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def t_quantile(level: float, df: float) -> float:
    """Return the two-sided quantile of Student's t: 2.2622 for 95 % and 9 degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + level / 2))


def interval(
    rows: Floats,
    total: Total = mean,
    clusters: NDArray[np.int64] | None = None,
    level: float = 0.95,
    *,
    limits: Range | None = None,
) -> Estimate:
    """Estimate a total with its interval.

    Values that are all 0 or 1 get Wilson's interval of a share (with clusters, of the effective number of items).  A
    ratio of counts whose items are all 0 or 1, and whose value is their mean, is such a share.  Other values get
    Student's t of the pseudo-values, unless that leaves the range (`bounded_interval`).  A share, or a value with a
    range, has no interval with fewer than `FEWEST_IN_RANGE` observations.

    Parameters
    ----------
    rows
        Counts per item, shape (n, w).  Rows with NaN are unscored and left out, and so are rows that do not matter for
        the total (`bears_on`).
    total
        Computes the value from summed counts.
    clusters
        Shape (n,), or None.
    level
        Confidence, between 0 and 1.
    limits
        Least and largest value of the total.  If the least is below 0 or the largest above 1, values are not shares,
        even if all are 0 or 1.  None: not known, and only shares have a range.

    Examples
    --------
    >>> estimate = interval(np.array([[0.2, 1], [0.4, 1], [0.9, 1]]))
    >>> round(estimate.value, 2), round(estimate.low, 4), round(estimate.high, 4), estimate.n, estimate.method
    (0.5, -0.3957, 1.3957, 3, 't')
    """
    scored = np.flatnonzero(~np.isnan(rows).any(axis=1))
    scored = scored[bears_on(rows[scored], total)]
    rows = rows[scored]
    if clusters is not None:
        clusters = clusters[scored]
    n = len(rows)
    if not n:
        return Estimate.without_interval(math.nan, 0, NOTHING_SCORED)
    value = float(total(rows.sum(axis=0)))
    values = pseudo_values(rows, total)
    if np.isnan(value):
        return Estimate.without_interval(math.nan, n, NOTHING_SCORED)
    if n > 1 and clusters is not None and len(np.unique(clusters)) == 1:
        return Estimate.without_interval(value, n, ONE_SOURCE)
    within_0_and_1 = limits is None or (limits[0] >= 0 and limits[1] <= 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = values if total is mean else total(rows)
    if within_0_and_1 and np.isin(shares, (0.0, 1.0)).all() and math.isclose(shares.mean(), value):
        if (observations := n if clusters is None else len(np.unique(clusters))) < FEWEST_IN_RANGE:
            return Estimate.without_interval(value, n, too_few_for_interval(observations))
        low, high = wilson(value, effective_n(shares, clusters, level), level)
        return Estimate(value, low, high, n, "wilson")
    return bounded_interval(value, *clustered_error(values, clusters), n, limits or NO_RANGE, level)


def effective_n(values: Floats, clusters: NDArray[np.int64] | None, level: float) -> float:
    """Return the number of independent items with as much information as the clustered items, at most their number.

    The ratio of t quantiles allows for the uncertain error of few clusters.  Without variance it counts the clusters.

    References
    ----------
    Korn, E. L. and Graubard, B. I. (1998). Survey Methodology 24, 193-201.
    """
    if clusters is None:
        return len(values)
    (error, df), (plain, plain_df) = clustered_error(values, clusters), clustered_error(values)
    if df < 1 or error == 0:
        return df + 1
    spread = plain / error * t_quantile(level, plain_df) / t_quantile(level, df)
    return max(1.0, len(values) * min(1.0, spread**2))
