"""Bootstrap intervals: from the totals of items that are drawn again, with replacement.

Student's t assumes a symmetric distribution.  If a few items dominate the total, as with skewed values or corpus scores
of few texts, the bootstrap shows the skew.  With few clusters its intervals are too narrow: 95 % intervals hold the
mean of 10 normal values in 90 % of samples, and that of 20 in 92 %; Student's in 95 %.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.bca import bca
from neraca.stats.intervals.bearing import bears_on
from neraca.stats.intervals.interval import NOTHING_SCORED, ONE_SOURCE, Estimate, Floats, Total, mean, pseudo_values
from neraca.stats.intervals.resample import by_cluster, resampled

INTERVALS = ("bca", "percentile")
NO_CHANCE = "the resampled totals do not show how much is chance"
#: Two totals that differ by less than this share of the larger one are equal: sums in another order.
_ROUNDING = 1e-12


def bootstrap_interval(
    rows: Floats,
    total: Total = mean,
    clusters: NDArray[np.int64] | None = None,
    level: float = 0.95,
    method: str = "bca",
    samples: int = 10_000,
    seed: int = 0,
) -> Estimate:
    r"""Estimate a total with an interval from resampling whole clusters.

    A resample draws as many clusters as there are, with replacement; its total is that of its summed counts.
    `percentile` takes the quantiles $\alpha$ and $1 - \alpha$ of the resampled totals.  `bca` moves these by bias and
    acceleration (`neraca.stats.intervals.bca.Bca`), with the clusters' jackknife pseudo-values as influence.

    Parameters
    ----------
    rows
        Counts per item, shape (n, w); rows with NaN are unscored and left out.
    clusters
        Shape (n,), or None: each item is its own cluster.
    method
        One of `INTERVALS`.
    samples, seed
        The number of resamples, and the seed of their random numbers.

    Returns
    -------
    Estimate
        With this `method`; with `none` for a single cluster, if all resampled totals are equal or on one side of the
        total, or if more of them are undefined than the interval leaves out on a side.

    References
    ----------
    Efron, B. (1987). J. Amer. Statist. Assoc. 82, 171-185; Davison, A. C. and Hinkley, D. V. (1997). Bootstrap
    Methods and their Application, sec. 3.8 (clusters).

    Examples
    --------
    >>> estimate = bootstrap_interval(np.array([[0.0, 1], [0, 1], [0, 1], [8, 1]]), method="percentile")
    >>> estimate.value, estimate.low, estimate.high  # of 4 draws 4 or 0 of the 8: 1 in 256 and 81 in 256; 3: 12 in 256
    (2.0, 0.0, 6.0)
    """
    scored = ~np.isnan(rows).any(axis=1)
    rows = rows[scored]
    n = int(bears_on(rows, total).sum())
    if not n:
        return Estimate.without_interval(math.nan, 0, NOTHING_SCORED)
    value = float(total(rows.sum(axis=0)))
    units = by_cluster(rows, None if clusters is None else clusters[scored])
    if math.isnan(value) or len(units) < 2:
        return Estimate.without_interval(value, n, NOTHING_SCORED if math.isnan(value) else ONE_SOURCE)
    resampled_totals = total(resampled(units, samples, seed))
    bounds = _between(resampled_totals, value, pseudo_values(units, total), level, method)
    return Estimate(value, *bounds, n, method) if bounds else Estimate.without_interval(value, n, NO_CHANCE)


def _between(totals: Floats, value: float, influence: Floats, level: float, method: str) -> tuple[float, float] | None:
    """Return the bounds from the resampled totals; None if they do not vary or all lie on one side."""
    defined = totals[~np.isnan(totals)]
    if len(totals) - len(defined) > (1 - level) / 2 * len(totals):
        return None
    slack = _ROUNDING * max(abs(value), float(np.abs(defined).max()))
    if float(defined.max() - defined.min()) <= 2 * slack:
        return None
    below = float((defined < value - slack).mean() + (defined <= value + slack).mean()) / 2
    shares = [(1 - level) / 2, (1 + level) / 2]
    if method == "bca":
        if not 0 < below < 1:
            return None
        correction = bca(below, influence)
        shares = [correction.share(alpha) for alpha in shares]
    low, high = np.quantile(defined, shares).tolist()
    return low, high
