"""Power by resampling: how often a paired t-test would find a difference in data like the given data.

The noncentral t assumes normal differences, but differences of metrics are skewed and full of ties.  So whole clusters
are drawn again from the data and tested.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, t_quantile

#: Fewer clusters cannot represent a population.
FEWEST = 5
#: Counts that are drawn at a time; 8 bytes each.
CHUNK = 2_000_000


def moved_to(differences: Floats, clusters: NDArray[np.int64], mean: float) -> Floats:
    r"""Return the differences moved to another mean $\mu$: $\mu + \sqrt{G / (G - 1)} \; (d_i - \bar d)$.

    Their skewness and ties stay.  The factor, with the number $G$ of clusters, makes resamples as variable as the data
    imply.

    References
    ----------
    Efron, B. and Tibshirani, R. (1993). An Introduction to the Bootstrap, sec. 16.4 and 25.3.

    Examples
    --------
    >>> moved_to(np.array([0.0, 0, 3, 3]), np.arange(4), 1.0).round(3)
    array([-0.732, -0.732,  2.732,  2.732])
    """
    groups = len(np.unique(clusters))
    factor = math.sqrt(groups / (groups - 1)) if groups > 1 else 1.0
    moved: Floats = mean + factor * (differences - differences.mean())
    return moved


def resampled_power(
    differences: Floats,
    clusters: NDArray[np.int64],
    size: int,
    weights: Floats | None = None,
    *,
    alpha: float = 0.05,
    seed: int = 0,
    simulations: int = 5000,
) -> float:
    r"""Return the share of simulated (clustered) t-tests that find a difference: the power, or at mean 0 the level.

    Parameters
    ----------
    differences, clusters
        Shape (n,): paired differences without NaN that have the true mean (see `moved_to`), and the cluster of each.
    size
        Clusters in each simulated data set, at least 2; they are drawn whole and with replacement.
    weights
        Chance of each cluster, in the order of their numbers, shape (G,), with sum 1; None: all equal.
    simulations
        The number of simulations; the standard error of a share p of them is $\sqrt{p (1 - p) / simulations}$.

    Returns
    -------
    float
        Between 0 and 1; NaN for fewer than two clusters to draw, or (without weights) fewer than five to draw from.

    References
    ----------
    Efron, B. and Tibshirani, R. (1993). An Introduction to the Bootstrap, sec. 25.3.

    Examples
    --------
    A test of three differences that are -1 or 1 with chance 1/2 finds nothing: t is at most 1 (p = .42), and three
    equal differences cannot be tested.

    >>> resampled_power(np.array([-1.0, 1]), np.arange(2), 3, np.array([0.5, 0.5]))
    0.0
    """
    group = np.unique(clusters, return_inverse=True)[1]
    scale = float(np.abs(differences).max(initial=0.0)) or 1.0
    sums = np.bincount(group, weights=differences / scale).astype(np.float64)
    sizes = np.bincount(group).astype(np.float64)
    if size < 2 or (weights is None and len(sums) < FEWEST):
        return math.nan
    chances = np.full(len(sums), 1 / len(sums)) if weights is None else weights
    moments = np.column_stack([sums, sizes, sums**2, sums * sizes, sizes**2])
    critical, rng, rejections = t_quantile(1 - alpha, size - 1), np.random.default_rng(seed), 0
    at_once = max(1, CHUNK // len(sums))
    for start in range(0, simulations, at_once):
        counts = rng.multinomial(size, chances, size=min(at_once, simulations - start)).astype(np.float64)
        rejections += _rejections(counts @ moments, size, critical)
    return rejections / simulations


def _rejections(totals: Floats, size: int, critical: float) -> int:
    """Count the t-tests that reject, from the moments of the drawn clusters, shape (simulations, 5).

    If all drawn differences are equal there is no test, as in `t_test`.
    """
    sums, sizes, squares, mixed, sizes_squared = totals.T
    means = sums / sizes
    residuals = squares - 2 * means * mixed + means**2 * sizes_squared
    errors = np.sqrt(size / (size - 1) * np.maximum(residuals, 0.0)) / sizes
    tested = residuals > 1e-12 * squares
    return int((tested & (np.abs(means) > critical * errors)).sum())
