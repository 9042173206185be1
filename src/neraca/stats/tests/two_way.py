"""The two-way analysis of variance with repeated measures: which of two factors explains the differences of cells."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neraca.stats.intervals.interval import Floats

#: Sums of squares below this share of the largest value's square are rounding.
_ROUNDING = 1e-20


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a factor, or of both together.

    Attributes
    ----------
    share
        Its share of the sum of squares between cells, 0 to 1; the shares of all three effects add up to 1.  NaN if all
        cells are equal.
    f, p
        The test of no effect; NaN if it cannot be tested.
    df, df_error
        Degrees of freedom, before they are multiplied by `epsilon`.
    epsilon
        The correction of Greenhouse and Geisser, 1 / df to 1.
    """

    share: float
    f: float
    p: float
    df: int
    df_error: int
    epsilon: float


def two_way(values: Floats) -> tuple[Effect, Effect, Effect]:
    r"""Return the effects of the first factor, of the second, and of their interaction.

    Every observation, such as a question, has a value in each cell, so each effect is tested against the way in which
    this effect varies over observations.  With $z_i = C y_i$, where the rows of $C$ are $k$ orthonormal contrasts of
    the effect and $\bar z$ is their mean over n observations,

    $$ F = \frac{n \lVert \bar z \rVert^2 / k}{\sum_i \lVert z_i - \bar z \rVert^2 / (k (n - 1))} $$

    with $k \epsilon$ and $k (n - 1) \epsilon$ degrees of freedom.  $\epsilon = (\mathrm{tr} V)^2 / (k \, \mathrm{tr}
    V^2)$, with V the covariance of the $z_i$, corrects for unequal variances of contrasts; for two levels it is 1.

    Parameters
    ----------
    values
        Shape (n, a, b): n observations in cells of a levels of the first factor and b of the second, all at least 2.

    References
    ----------
    Greenhouse, S. W. and Geisser, S. (1959). Psychometrika 24, 95-112.  Without epsilon the same as `AnovaRM` of
    statsmodels.

    Examples
    --------
    >>> cells = np.array([[[1.0, 3.0], [1.0, 3.0]], [[2.0, 5.0], [2.0, 6.0]], [[0.0, 2.0], [1.0, 3.0]]])
    >>> [round(effect.share, 3) for effect in two_way(cells)]  # the columns differ
    [0.038, 0.957, 0.004]
    """
    n, a, b = values.shape
    flat = values.reshape(n, a * b)
    first, second = _contrasts(a), _contrasts(b)
    mean_a, mean_b = np.full((1, a), a**-0.5), np.full((1, b), b**-0.5)
    projected = [flat @ np.kron(*pair).T for pair in ((first, mean_b), (mean_a, second), (first, second))]
    between = [n * float(np.sum(z.mean(axis=0) ** 2)) for z in projected]
    smallest = _ROUNDING * float(np.max(np.abs(values), initial=0.0) ** 2) * values.size
    total = sum(between) if sum(between) > smallest else math.nan
    effects = [
        _effect(z, sum_of_squares, total, smallest) for z, sum_of_squares in zip(projected, between, strict=True)
    ]
    return effects[0], effects[1], effects[2]


def _contrasts(levels: int) -> Floats:
    """Return orthonormal contrasts of the levels, shape (levels - 1, levels), by Helmert."""
    rows = np.zeros((levels - 1, levels))
    for row in range(1, levels):
        rows[row - 1, :row] = 1.0
        rows[row - 1, row] = -row
        rows[row - 1] /= math.sqrt(row * (row + 1))
    return rows


def _effect(z: Floats, between: float, total: float, smallest: float) -> Effect:
    """Return the effect of contrasts z, shape (n, k), with this sum of squares."""
    from scipy.stats import f as f_distribution

    n, k = z.shape
    deviations = z - z.mean(axis=0)
    within = float(np.sum(deviations**2))
    products = deviations.T @ deviations
    spread = float(np.sum(products**2))
    epsilon = float(np.trace(products)) ** 2 / (k * spread) if spread > smallest**2 else 1.0
    share, df_error = between / total, k * (n - 1)
    if n < 2 or (within <= smallest and between <= smallest):
        return Effect(share, math.nan, math.nan, k, df_error, epsilon)
    if within <= smallest:
        return Effect(share, math.inf, 0.0, k, df_error, epsilon)
    statistic = (between / k) / (within / df_error)
    p = float(f_distribution.sf(statistic, k * epsilon, df_error * epsilon))
    return Effect(share, statistic, p, k, df_error, epsilon)
