r"""CUPED: reduce the variance of an experiment by the users' behaviour before it.

References
----------
Deng, A., Xu, Y., Kohavi, R. and Walker, T. (2013). Improving the sensitivity of online controlled experiments by
utilizing pre-experiment data. WSDM, 123-132.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence

import numpy as np

from neraca.stats.intervals.interval import Floats
from neraca.stats.moments import Moments
from neraca.stats.tests.delta_method import linearised_covariance, ratio, ratio_at, ratio_slope, ratio_variance
from neraca.stats.tests.ratio_test import Effect, ratio_test

#: A variance below this share of the unadjusted one is rounding.
_ROUNDING = 1e-12
#: Covariates are collinear if an eigenvalue of their correlations is below this share of the largest.
_COLLINEAR = 1e-10


def adjusted(*arms: Moments, covariates: Sequence[int] = (2,)) -> tuple[Moments, ...]:
    r"""Return the moments of the arms, adjusted by the users' behaviour before the experiment (CUPED).

    The value of an arm becomes $R - \theta^T (C - \bar C)$, where $C$ holds the ratios of the covariates in the arm and
    $\bar C$ those in all arms together.  $\theta$ holds the slopes of the linearised values on the linearised
    covariates, from all arms together.  The variance is that of the linearised values minus the part that the
    covariates explain.

    Parameters
    ----------
    arms
        Moments of columns: numerator and denominator of the value, then those of each covariate.
    covariates
        The columns that hold the numerators of the covariates; each is followed by its denominator.

    Returns
    -------
    tuple
        For each arm the moments of two columns, the adjusted value and 1, for `ratio_test` and other functions of
        moments.  A covariate that does not vary or is undefined has no effect.

    References
    ----------
    Deng, A., Xu, Y., Kohavi, R. and Walker, T. (2013). Improving the sensitivity of online controlled experiments by
    utilizing pre-experiment data. WSDM, 123-132.

    Examples
    --------
    >>> before = np.array([1.0, 2, 3, 4])
    >>> a = Moments.of(np.column_stack([before + [0, 1, 1, 0], np.ones(4), before, np.ones(4)]))
    >>> b = Moments.of(np.column_stack([before + [2, 1, 1, 2], np.ones(4), before, np.ones(4)]))
    >>> effect = ratio_test(*adjusted(a, b))  # the slope is 1, which leaves 0 1 1 0 and 2 1 1 2
    >>> effect.difference, round(effect.error**2, 4)  # 1/12 + 1/12
    (1.0, 0.1667)
    """
    whole = functools.reduce(operator.add, arms)
    used = [column for column in _varying(whole, covariates) if all(arm.mean[column + 1] != 0 for arm in arms)]
    if not used or any(arm.mean[1] == 0 for arm in arms):
        return tuple(Moments(arm.n, arm.mean[:2], arm.cross[:2, :2]) for arm in arms)
    slopes = _slopes(whole, used)
    centres = np.array([ratio_at(whole, column) for column in used])
    return tuple(_without_covariates(arm, used, slopes, centres) for arm in arms)


def narrowest_effect(a: Moments, b: Moments, *, level: float = 0.95) -> tuple[Effect, tuple[int, ...]]:
    """Return the effect with the narrowest interval, and the columns of the covariates that make it so.

    The choices are no covariate, each covariate alone and all together.  The choice looks at the widths of the
    intervals and never at the differences, so that it favours no arm.

    Parameters
    ----------
    a, b
        Moments of the arms, with columns as in `adjusted`.
    level
        Level of the intervals.
    """
    columns = range(2, len(a.mean), 2)
    choices = dict.fromkeys([(), *((column,) for column in columns), tuple(columns)])
    effects = {choice: ratio_test(*adjusted(a, b, covariates=choice), level=level) for choice in choices}
    sound = [choice for choice, effect in effects.items() if not effect.why] or [()]
    best = min(sound, key=lambda choice: effects[choice].high - effects[choice].low)
    return effects[best], best


def adjusted_slope(moments: Moments, covariates: Sequence[int] = (2,)) -> Floats:
    """Return the derivatives of the adjusted value of a single arm by the means of the columns, shape (k,).

    Parameters
    ----------
    moments, covariates
        As in `adjusted`; without covariates, the derivatives of the ratio itself.

    Examples
    --------
    >>> rows = np.array([[2.0, 1, 1, 1], [4, 1, 2, 1], [7, 1, 3, 1]])
    >>> adjusted_slope(Moments.of(rows)).tolist()  # the slope is 2.5; the ratios are 13 / 3 and 2
    [1.0, -4.333333333333333, -2.5, 5.0]
    """
    slope = ratio_slope(moments, 0)
    if used := _varying(moments, covariates):
        for column, part in zip(used, _slopes(moments, used).tolist(), strict=True):
            slope -= part * ratio_slope(moments, column)
    return slope


def _varying(whole: Moments, columns: Sequence[int]) -> list[int]:
    """Return the covariates that vary."""
    return [column for column in columns if linearised_covariance(whole, column, column) > 0]


def _slopes(whole: Moments, columns: Sequence[int]) -> Floats:
    """Return the slope of the value on each covariate, shape (k,); of the least length if covariates are collinear."""
    spread = _covariances(whole, columns)
    scale = np.sqrt(np.diag(spread))
    along = np.array([linearised_covariance(whole, 0, column) for column in columns]) / scale
    solution, *_ = np.linalg.lstsq(spread / np.outer(scale, scale), along, rcond=_COLLINEAR)
    slopes: Floats = solution / scale
    return slopes


def _covariances(moments: Moments, columns: Sequence[int]) -> Floats:
    return np.array([[linearised_covariance(moments, i, j) for j in columns] for i in columns])


def _without_covariates(moments: Moments, columns: Sequence[int], slopes: Floats, centres: Floats) -> Moments:
    ratios = np.array([ratio_at(moments, column) for column in columns])
    along = np.array([linearised_covariance(moments, 0, column) for column in columns])
    raw = ratio_variance(moments)
    value = ratio(moments) - float(slopes @ (ratios - centres))
    variance = raw + float(slopes @ (_covariances(moments, columns) @ slopes - 2 * along))
    variance = 0.0 if variance <= _ROUNDING * raw or moments.n < 2 else variance
    return Moments(moments.n, np.array([value, 1.0]), np.array([[variance * (moments.n - 1), 0.0], [0.0, 0.0]]))
