r"""Intervals that hold at every look: an experiment may be examined each day and stopped at any time.

An ordinary 95 % interval holds the truth in 95 % of experiments at a single look that was chosen beforehand.  These
intervals hold it at all looks together.  Around an estimate from n users with the standard error s the interval reaches

$$ s \sqrt{\frac{2 (n \rho^2 + 1)}{n \rho^2} \log \frac{\sqrt{n \rho^2 + 1}}{\alpha}} $$

on both sides, with $\rho^2 = r / n_0$ and the solution of $r = \log(1 + r) - 2 \log \alpha$.  Relative to the ordinary
interval it is narrowest at the planned $n_0$ users, which must be chosen before the first look.  It holds for means,
ratios and estimates with a covariate.

The theory assumes many users, but at the first looks there are few.  So the factor of s is replaced by the quantile of
Student's t that is exceeded as often, and there is no look before each arm has `FEWEST_USERS`.  Without both, 15 % of
experiments with 60 users find a difference that does not exist on one of 30 days.

Users come again, so that their values grow from day to day.  The looks are then more similar than looks at new users,
which makes errors rarer.

References
----------
Waudby-Smith, I., Arbour, D., Sinha, R., Kennedy, E. H. and Ramdas, A. (2024). Time-uniform central limit theory and
asymptotic confidence sequences. Ann. Statist. 52, 2613-2640 (theorem 2.2, appendix B; on the first look section 2.5).
"""

from __future__ import annotations

import dataclasses
import math

from neraca.stats.tests.ratio_test import Effect, limited_exp

#: Users that each arm must have before the first look.
FEWEST_USERS = 20
#: Each iteration divides the error of the scale by 1 + r; for an alpha below one half r is above 2.
_ITERATIONS = 40


def half_width(error: float, n: int, planned: float, level: float = 0.95, df: float = math.inf) -> float:
    """Return the half width of the interval; NaN without users or a standard error.

    Parameters
    ----------
    error
        Standard error of the estimate.
    n
        The number of users, of both arms for a difference.
    planned
        The number of users at which the interval is narrowest, chosen before the first look.
    level
        1 - alpha.
    df
        Degrees of freedom of the standard error.

    Examples
    --------
    >>> round(half_width(1.0, 1000, 1000), 3)  # the ordinary interval reaches 1.96
    3.035
    """
    from scipy.special import ndtr, stdtrit

    if n < 1:
        return math.nan
    room = n * _scale(planned, level)
    factor = math.sqrt(2 * (room + 1) / room * (math.log1p(room) / 2 - math.log(1 - level)))
    return error * (factor if df == math.inf else -float(stdtrit(df, ndtr(-factor))))


def always_valid_p(
    estimate: float, error: float, n: int, planned: float, level: float = 0.95, df: float = math.inf
) -> float:
    """Return the least alpha whose interval leaves out 0; this p-value stays valid at every look.

    It is tuned for the level as the interval is, so that p < 1 - level exactly if that interval leaves out 0.  Without
    an effect, the chance that p is ever below alpha is at most alpha.  NaN without users or a standard error.

    >>> round(always_valid_p(3.0351, 1.0, 1000, 1000), 4)
    0.05
    """
    from scipy.special import ndtri, stdtr

    if n < 1 or not error > 0:
        return math.nan
    room = n * _scale(planned, level)
    z = estimate / error
    if df != math.inf:
        z = float(ndtri(stdtr(df, -abs(z))))
    return math.exp(min(0.0, math.log1p(room) / 2 - z * z * room / (room + 1) / 2))


def always_valid(effect: Effect, planned: float, level: float = 0.95) -> Effect:
    """Return the effect with intervals and two-sided p that hold at every look.

    Parameters
    ----------
    effect
        The result of `neraca.stats.tests.ratio_test.ratio_test` at this look.
    planned
        The number of users of both arms at which the interval is narrowest, chosen before the first look.

    Returns
    -------
    Effect
        With `why` = `few_users` and no intervals if an arm has fewer than `FEWEST_USERS`.
    """
    if effect.why:
        return effect
    if min(effect.n_a, effect.n_b) < FEWEST_USERS:
        nan = math.nan
        return dataclasses.replace(
            effect, low=nan, high=nan, p=nan, relative_low=nan, relative_high=nan, why="few_users"
        )
    half = half_width(effect.error, effect.n, planned, level, effect.df)
    spread = half_width(effect.log_error, effect.n, planned, level, effect.df)
    ratio = 1 + effect.relative
    return dataclasses.replace(
        effect,
        low=effect.difference - half,
        high=effect.difference + half,
        p=always_valid_p(effect.difference, effect.error, effect.n, planned, level, effect.df),
        relative_low=ratio * limited_exp(-spread) - 1,
        relative_high=ratio * limited_exp(spread) - 1,
    )


def _scale(planned: float, level: float) -> float:
    """Return the squared scale of the mixture that makes the interval narrowest at the planned number of users."""
    twice = -2 * math.log(1 - level)
    room = twice
    for _ in range(_ITERATIONS):
        room = twice + math.log1p(room)
    return room / planned
