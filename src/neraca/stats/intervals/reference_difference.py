r"""The difference of a later period from a reference period, with intervals that hold at every look.

The reference is complete before the first look; the later period grows.  Their difference D has the variance
$V = v_0 + v$ with the variances of both means, and the covariance of two looks is the variance at the later one.  So
$D / V$ is a Brownian motion in the information $1 / V$, which cannot grow beyond $1 / v_0$.  In units of this end it
crosses the line $a (1 + u)$ on either side, up to $u = v_0 / V = 1$, with a chance of at most

$$ \alpha(a) = 2 \Phi(-2 a) + e^{-2 a^2} $$

Hence the interval reaches $a\, (V + v_0) / \sqrt{v_0}$ on both sides.  The confidence sequences of
`confidence_sequence` hold here too, but they allow for information without an end: they are 10 % wider when both
periods have equally many sessions, and 18 % in the end.

Everything that is claimed of one metric holds together.  The difference of all that came since the reference spends
half of alpha.  The b-th bucket after the reference is looked at once, when it is over, and spends
$\alpha / (2 b (b + 1))$; these sum to the other half.

Sessions are the unit.  A few values that are all equal at an end of their range do not prove that there is no
chance.  So half an imagined session at each end of the range adds to the variance.  With few sessions, the quantile of
Student's t that is exceeded as often replaces that of the normal distribution, as in `confidence_sequence`.

References
----------
Jennison, C. and Turnbull, B. W. (1997). Group-sequential analysis incorporating covariate information. JASA 92,
1330-1341 (increments in information); Siegmund, D. (1985). Sequential Analysis, sec. 3.3 (crossing of a line); Agresti,
A. and Min, Y. (2005). Statist. Med. 24, 729-740 (imagined halves).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.confidence_sequence import FEWEST_USERS
from neraca.stats.intervals.interval import NO_RANGE, Floats, Range, keep_in_range, t_quantile

Ints = NDArray[np.int64]
#: Sessions that the reference and the later period must have before the first look.
FEWEST_SESSIONS = FEWEST_USERS
#: The share of alpha that the difference of everything since the reference spends.
SINCE_SHARE = 0.5
#: Halvings of the interval in which a line is looked for.
_BISECTIONS = 60
#: The imagined sessions at each end of a range.
_IMAGINED = 0.5
#: Why there is no interval: too few sessions, or all values are equal and have no range.
Why = Literal["", "few", "equal"]


@dataclass(frozen=True, slots=True, eq=False)
class PeriodMean:
    """A mean over one period.

    Attributes
    ----------
    value, variance, df
        The mean, the variance of the mean, and the degrees of freedom of that variance.
    sessions
        The number of sessions.
    sums
        Shape (k,): the contribution of each of all k sessions to the error of the mean, 0 for those of other periods;
        None: not known, and no session counts as shared with another period.
    """

    value: float
    variance: float
    df: float
    sessions: int
    sums: Floats | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceDifference:
    """A later mean minus the reference.

    Attributes
    ----------
    difference, low, high
        The difference and its interval at the level that its share of alpha leaves; NaN without one.
    p
        The least alpha, of all claims about this metric together, at which the interval leaves out 0; at most 1.
    error
        The standard error.
    sessions
        The number of sessions of the later period.
    why
        Why there is no interval; "" if there is one.
    """

    difference: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    error: float = math.nan
    sessions: int = 0
    why: Why = ""


def bucket_share(number: int) -> float:
    """Return the share of alpha that the bucket with this number after the reference spends, from 1.

    >>> bucket_share(1), bucket_share(2), sum(map(bucket_share, range(1, 10_000))) < 0.5
    (0.25, 0.08333333333333333, True)
    """
    return (1 - SINCE_SHARE) / (number * (number + 1))


def period_mean(
    values: Floats,
    sessions: Ints,
    limits: Range = NO_RANGE,
    *,
    strata: Ints | None = None,
    shares: Floats | None = None,
    count: int | None = None,
) -> PeriodMean:
    r"""Return the mean of values in a period; with strata, the mean that has these shares of them.

    $$ v = \frac{G}{G-1} \sum_{g=1}^{G} \Big( \sum_{i \in g} w_i (x_i - \bar x_{s(i)}) \Big)^2
       + \frac{1}{2} \Big( \sum_{g=1}^{G} W_g^2 \Big)^2 \big( (h - \bar x)^2 + (\bar x - l)^2 \big) $$

    of $G$ sessions, with the weights $w_i$ of the items, their sums $W_g$ in a session, and a range from $l$ to $h$.
    The second part is that of the imagined halves of a session.

    Parameters
    ----------
    values
        Shape (n,), n >= 1, without NaN.
    sessions
        Shape (n,): number of each item's session, from 0.
    limits
        The range of the values; without two finite ends nothing is imagined.
    strata, shares
        Shape (n,), from 0, and (s,): the stratum of each item, and the share that each stratum gets; they sum to 1, and
        each stratum with a share has an item.
    count
        The number of all sessions; default: the largest number among these, and one.

    Examples
    --------
    >>> round(period_mean(np.array([1.0, 2, 3, 4]), np.arange(4)).variance, 4)  # 5 / 3 / 4
    0.4167
    >>> period_mean(np.array([1.0, 1, 1, 1]), np.arange(4), (0, 1)).variance  # (1 / 4)² (0² + 1²) / 2
    0.03125
    """
    groups = np.zeros(len(values), np.int64) if strata is None else strata
    target_shares = np.ones(1) if shares is None else shares
    sizes = np.bincount(groups, minlength=len(target_shares))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(groups, weights=values, minlength=len(target_shares)) / sizes
        weights = (target_shares / sizes)[groups]
    value = float(np.nansum(target_shares * np.where(sizes > 0, means, 0.0)))
    width = int(sessions.max()) + 1 if count is None else count
    sums: Floats = np.bincount(sessions, weights=weights * (values - means[groups]), minlength=width).astype(np.float64)
    weight_of_session = np.bincount(sessions, weights=weights, minlength=width)
    n = int(np.count_nonzero(np.bincount(sessions, minlength=width)))
    sums = sums * math.sqrt(n / (n - 1)) if n > 1 else sums
    variance = float(sums @ sums)
    if all(map(math.isfinite, limits)):
        concentration = float(weight_of_session @ weight_of_session)
        variance += _IMAGINED * concentration**2 * ((limits[1] - value) ** 2 + (value - limits[0]) ** 2)
    return PeriodMean(value, variance, n - 1, n, sums)


def reference_difference(
    reference: PeriodMean, later: PeriodMean, number: int = 0, limits: Range = NO_RANGE, level: float = 0.95
) -> ReferenceDifference:
    """Return a later mean minus the reference.

    Parameters
    ----------
    number
        0: the later period is all that came since the reference, and grows.  From 1: it is the bucket with this number
        after the reference, and is over.
    limits
        The range of the difference.
    level
        The confidence of all claims together.

    Examples
    --------
    >>> weeks = PeriodMean(0.8, 0.0004, 399, 400), PeriodMean(0.7, 0.0004, 399, 400)
    >>> since, first = reference_difference(*weeks), reference_difference(*weeks, 1)
    >>> [round(value, 4) for value in (since.difference, since.low, since.high, since.p)]
    [-0.1, -0.1842, -0.0158, 0.0099]
    >>> [round(value, 4) for value in (first.low, first.high, first.p)]
    [-0.1708, -0.0292, 0.0017]
    """
    difference = later.value - reference.value
    of_both = ReferenceDifference(difference=difference, sessions=later.sessions)
    if min(reference.sessions, later.sessions) < FEWEST_SESSIONS:
        return replace(of_both, why="few")
    apart = reference.variance + later.variance
    shared = 0.0 if reference.sums is None or later.sums is None else float(reference.sums @ later.sums)
    variance = apart - 2 * shared
    if not reference.variance > 0 or not variance > 1e-24 * max(difference**2, reference.value**2):
        return replace(of_both, why="equal")
    df = apart**2 / (reference.variance**2 / reference.df + later.variance**2 / later.df)
    error, information = math.sqrt(variance), reference.variance / apart
    if number:
        share = bucket_share(number)
        half, p = error * t_quantile(1 - share * (1 - level), df), _two_sided(difference / error, df)
    else:
        share = SINCE_SHARE
        half = error * _factor(share * (1 - level), information, df)
        p = _crossing(_as_normal(difference / error, df) * math.sqrt(information) / (1 + information))
    observations = reference.sessions + later.sessions
    low, high = keep_in_range(difference, (difference - half, difference + half), limits, observations, tested=[0.0])
    return replace(of_both, low=low, high=high, p=min(1.0, p / share), error=error)


def narrowest(reference: PeriodMean, level: float = 0.95) -> float:
    """Return the half width of the interval of all since the reference after endlessly many sessions.

    Smaller differences are never shown with this reference.  NaN with too few sessions in it.

    >>> round(narrowest(PeriodMean(0.8, 0.0004, 399, 400)), 4)
    0.0563
    """
    if reference.sessions < FEWEST_SESSIONS:
        return math.nan
    return math.sqrt(reference.variance) * _factor(SINCE_SHARE * (1 - level), 1.0, reference.df)


def _crossing(a: float) -> float:
    """Return the largest chance that a Brownian motion crosses the line a (1 + u) on either side up to u = 1.

    >>> round(_crossing(1.4), 4), _crossing(0.0)
    (0.025, 2.0)
    """
    from scipy.special import ndtr

    return 2 * float(ndtr(-2 * a)) + math.exp(-2 * a * a)


@cache
def _line(alpha: float) -> float:
    """Return a of the line that is crossed with this chance."""
    low, high = 0.0, 40.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _crossing(middle) > alpha else (low, middle)
    return high


def _factor(alpha: float, information: float, df: float) -> float:
    """Return the half width at this share of the information in standard errors."""
    from scipy.special import ndtr, stdtrit

    return -float(stdtrit(df, ndtr(-_line(alpha) * (1 + information) / math.sqrt(information))))


def _as_normal(t: float, df: float) -> float:
    """Return the size of the normal quantile that is exceeded as often as this value of Student's t."""
    from scipy.special import ndtri, stdtr

    return -float(ndtri(stdtr(df, -abs(t))))


def _two_sided(t: float, df: float) -> float:
    """Return the two-sided p of Student's t."""
    from scipy.special import stdtr

    return 2 * float(stdtr(df, -abs(t)))
