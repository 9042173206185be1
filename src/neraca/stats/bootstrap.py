"""A paired test by the bootstrap: sessions are drawn again and again from those that there are."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from neraca.stats.bca import bca
from neraca.stats.interval import Floats, mean, pseudo_values, to_unit
from neraca.stats.paired import Paired, Sample, batches, cluster_sums, standard_error, trivial
from neraca.stats.resample import resampled

SAMPLES = 10_000
#: Means that differ by less than this share of the largest session's are equal.
_ROUNDING = 1e-12


def bootstrap_tests(
    samples: Sequence[Sample], level: float = 0.95, seed: int = 0, resamples: int = SAMPLES
) -> list[Paired]:
    r"""Bias-corrected and accelerated (BCa) bootstrap of the mean difference; p is where its interval reaches 0.

    Each resample draws as many whole sessions as there are, with replacement.  The bounds are the quantiles of the
    resampled means that `neraca.stats.bca.Bca` gives for $\alpha / 2$ on either side, with the acceleration from
    leaving out each session.  p is the $\alpha$ at which a bound is 0, at least 2 / (1 + resamples).  (A mean of
    exactly 0 has a p somewhat below 1 where differences are skewed, because the interval is not centred at the mean.)

    With fewer than about 20 items the bootstrap finds a difference too often; the t-test and the randomisation test do
    not.  One session, and differences that are all equal and not 0, show no chance: p and bounds are NaN.  The
    statistic is the mean difference.

    Parameters
    ----------
    samples, level
        As in `t_test`.
    seed, resamples
        Of the drawing, and how often.  Samples of the same number of sessions share their draws, which is fast.

    References
    ----------
    Efron, B. (1987). J. Amer. Statist. Assoc. 82, 171-185; Efron, B. and Tibshirani, R. J. (1993). An Introduction to
    the Bootstrap, ch. 14 and 15.

    Examples
    --------
    >>> (result,) = bootstrap_tests([Sample(np.array([0.1, 0.2, 0.3, 0.4] * 5))])  # no resampled mean is 0 or less
    >>> round(result.p, 4), result.test
    (0.0002, 'bootstrap(samples=10000, seed=0)')
    """
    test = f"bootstrap(samples={resamples}, seed={seed})"
    results: dict[int, Paired] = {}
    errors: dict[int, float] = {}
    for place, sample in enumerate(samples):
        d = sample.differences
        if (simple := trivial(d, test)) is not None:
            results[place] = simple
        elif math.isnan(errors.setdefault(place, standard_error(d, sample.clusters))):
            results[place] = Paired.untested(float(d.mean()), len(d), test)
    for places in batches({place: sample for place, sample in enumerate(samples) if place not in results}):
        units = [np.stack(cluster_sums(samples[p].differences, samples[p].clusters), axis=1) for p in places]
        drawn = resampled(np.concatenate(units, axis=1), resamples, seed)
        for column, place in enumerate(places):
            sums, unit = to_unit(units[column][:, 0])
            rows = np.stack([sums, units[column][:, 1]], axis=1)
            p, low, high = _p_and_bounds(drawn[:, 2 * column] / unit / drawn[:, 2 * column + 1], rows, level)
            d = samples[place].differences
            average = float(d.mean())
            results[place] = Paired(average, low * unit, high * unit, p, average, errors[place], len(d), test)
    return [results[place] for place in range(len(samples))]


def _p_and_bounds(means: Floats, rows: Floats, level: float) -> tuple[float, float, float]:
    """The p-value and bounds from resampled means and each session's sum and size, shape (G, 2)."""
    times, observed = len(means), float(mean(rows.sum(axis=0)))
    slack = _ROUNDING * float(np.abs(rows[:, 0] / rows[:, 1]).max())

    def beyond(bound: float) -> tuple[float, float]:
        """The shares of means below and above it, equal ones in both."""
        return float((means <= bound + slack).mean()), float((means >= bound - slack).mean())

    below, above = beyond(observed)
    moved = bca(0.5 + (below - above) / 2 * times / (times + 1), pseudo_values(rows, mean))
    low, high = np.quantile(means, [moved.share((1 - level) / 2), moved.share((1 + level) / 2)]).tolist()
    least, most = ((times * share + 1) / (times + 1) for share in beyond(0.0))
    sides = moved.alpha(least), 1 - moved.alpha(1 - most)
    return max(2 / (times + 1), min(1.0, 2 * min(sides))), low, high
