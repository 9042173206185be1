"""AUROC: how well scores separate two classes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neraca.stats.agreement.correlation import ranks
from neraca.stats.intervals.interval import (
    NOTHING_SCORED,
    ONE_SOURCE,
    Estimate,
    Floats,
    bounded_interval,
    cluster_numbers,
)


def auroc(scores: Floats, labels: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95) -> Estimate:
    r"""Estimate the chance that an item of class 1 has a higher score than one of class 0; a tie counts half.

    The standard error is DeLong's, with clusters Obuchowski's.  The degrees of freedom are one less than the clusters
    of the rarer class.  An interval that leaves 0 to 1 is bent back into it (`bounded_interval`).

    Parameters
    ----------
    scores, labels
        Shape (n,) each, without NaN; labels are 1 or 0.
    clusters
        Shape (n,), or None: each item is its own.
    level
        Confidence.

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Biometrics 44, 837-845; Obuchowski, N. A. (1997).
    Biometrics 53, 567-578.

    Examples
    --------
    >>> auroc(np.array([0.9, 0.4, 0.6, 0.1]), np.array([1.0, 1, 0, 0])).value  # three of four pairs are in order
    0.75
    """
    is_one = labels == 1
    ones, zeros = int(is_one.sum()), int((~is_one).sum())
    if not ones or not zeros:
        return Estimate.without_interval(math.nan, ones + zeros, NOTHING_SCORED)
    together = ranks(scores)
    wins = np.empty(len(scores))  # the share of the other class that each item is rightly above or below
    wins[is_one] = (together[is_one] - ranks(scores[is_one])) / zeros
    wins[~is_one] = 1 - (together[~is_one] - ranks(scores[~is_one])) / ones
    value = float(wins[is_one].mean())
    numbers = cluster_numbers(clusters, len(scores))
    of_ones, with_ones = _deviations(wins - value, numbers, is_one)
    of_zeros, with_zeros = _deviations(wins - value, numbers, ~is_one)
    fewest = min(with_ones, with_zeros)
    if fewest < 2:
        return Estimate.without_interval(value, ones + zeros, ONE_SOURCE)
    variance = with_ones / (with_ones - 1) * float(of_ones @ of_ones) / ones**2
    variance += with_zeros / (with_zeros - 1) * float(of_zeros @ of_zeros) / zeros**2
    groups = len(of_ones)
    variance += 2 * groups / (groups - 1) * float(of_ones @ of_zeros) / (ones * zeros)
    error = math.sqrt(max(0.0, variance))
    estimate = bounded_interval(value, error, fewest - 1, min(ones, zeros), (0.0, 1.0), level)
    return Estimate(value, estimate.low, estimate.high, ones + zeros, estimate.method, estimate.why)


def _deviations(deviations: Floats, clusters: NDArray[np.int64], chosen: NDArray[np.bool_]) -> tuple[Floats, int]:
    """Return the sum of the deviations of a class in each cluster, and the number of clusters with this class."""
    sums: Floats = np.bincount(clusters, weights=np.where(chosen, deviations, 0.0)).astype(np.float64)
    return sums, len(np.unique(clusters[chosen]))
