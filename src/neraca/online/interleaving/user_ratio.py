"""A ratio of sums over users, such as clicks per pair of documents, with its interval and test."""

from __future__ import annotations

import math

from neraca.stats.intervals.interval import Floats, clustered_error, pseudo_values, t_quantile
from neraca.stats.intervals.interval import mean as ratio

_ROUNDING = 1e-9


def ratio_error(rows: Floats) -> tuple[float, float, int]:
    r"""Return a ratio of sums, its standard error by the jackknife over rows (users, 2), and its degrees of freedom.

    If some users search far more than others, the effective number of users is smaller.  The degrees of freedom are one
    less than $(\sum_u m_u)^2 / \sum_u m_u^2$, where $m_u$ is the denominator of user u.  The error is NaN if there are
    no degrees of freedom or the users do not differ.
    """
    value = float(ratio(rows.sum(axis=0))) if len(rows) else math.nan
    size = rows[:, 1] / max(1.0, float(rows[:, 1].max(initial=0)))
    df = math.floor(float(size.sum() ** 2 / (size @ size))) - 1 if len(rows) > 1 else 0
    error = clustered_error(pseudo_values(rows, ratio))[0] if df > 0 else math.nan
    return value, error if error > _ROUNDING * abs(value) else math.nan, df


def interval_and_p(value: float, error: float, df: int, level: float) -> tuple[float, float, float]:
    """Return the ends of Student's interval of a value, and the two-sided p that it is 0; NaN without an error."""
    from scipy.special import stdtr

    if math.isnan(error):
        return math.nan, math.nan, math.nan
    half = t_quantile(level, df) * error
    return value - half, value + half, float(2 * stdtr(df, -abs(value) / error))
