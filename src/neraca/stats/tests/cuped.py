r"""CUPED: reduce the variance of an experiment by the users' behaviour before it.

References
----------
Deng, A., Xu, Y., Kohavi, R. and Walker, T. (2013). Improving the sensitivity of online controlled experiments by
utilizing pre-experiment data. WSDM, 123-132.
"""

from __future__ import annotations

import functools
import operator

import numpy as np

from neraca.stats.moments import Moments
from neraca.stats.tests.delta_method import linearised_covariance, ratio, ratio_at, ratio_variance

#: A variance below this share of the unadjusted one is rounding.
_ROUNDING = 1e-12


def adjusted(*arms: Moments) -> tuple[Moments, ...]:
    r"""Return the moments of the arms, adjusted by the users' behaviour before the experiment (CUPED).

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
    >>> from neraca.stats.tests.ratio_test import ratio_test
    >>> before = np.array([1.0, 2, 3, 4])
    >>> a = Moments.of(np.column_stack([before + [0, 1, 1, 0], np.ones(4), before, np.ones(4)]))
    >>> b = Moments.of(np.column_stack([before + [2, 1, 1, 2], np.ones(4), before, np.ones(4)]))
    >>> effect = ratio_test(*adjusted(a, b))  # the slope is 1: of the values 0 1 1 0 and 2 1 1 2 are left
    >>> effect.difference, round(effect.error**2, 4)  # 1/12 + 1/12
    (1.0, 0.1667)
    """
    whole = functools.reduce(operator.add, arms)
    spread = linearised_covariance(whole, 2, 2)
    if not spread > 0 or any(0 in (arm.mean[1], arm.mean[3]) for arm in arms):
        return tuple(_first_ratio(arm) for arm in arms)
    theta = linearised_covariance(whole, 0, 2) / spread
    centre = ratio_at(whole, 2)
    return tuple(_without_covariate(arm, theta, centre) for arm in arms)


def _first_ratio(moments: Moments) -> Moments:
    return Moments(moments.n, moments.mean[:2], moments.cross[:2, :2])


def _without_covariate(moments: Moments, theta: float, centre: float) -> Moments:
    value = ratio(moments) - theta * (ratio_at(moments, 2) - centre)
    raw = ratio_variance(moments)
    variance = raw + theta * (theta * linearised_covariance(moments, 2, 2) - 2 * linearised_covariance(moments, 0, 2))
    variance = 0.0 if variance <= _ROUNDING * raw or moments.n < 2 else variance
    return Moments(moments.n, np.array([value, 1.0]), np.array([[variance * (moments.n - 1), 0.0], [0.0, 0.0]]))
