"""A paired test by the studentised bootstrap, which resamples whole sessions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from neraca.stats.intervals.interval import Floats, to_unit
from neraca.stats.intervals.resample import resampled
from neraca.stats.tests.paired import Paired, Sample, batches, cluster_sums, standard_error, trivial

SAMPLES = 10_000
#: Squares below this share of the original squares are rounding.
_ROUNDING = 1e-12


def bootstrap_tests(
    samples: Sequence[Sample], level: float = 0.95, seed: int = 0, resamples: int = SAMPLES
) -> list[Paired]:
    r"""Studentised bootstrap (bootstrap-t) of the mean difference $\bar d$, by sessions.

    Each resample draws as many whole sessions as there are, with replacement.  Its $t^* = (\bar d^* - \bar d) / se^*$
    uses its own mean and its own clustered standard error.  The distribution of $t^*$ approximates that of $t = \bar d
    / se$ without a difference: p is twice the smaller share of resamples with $t^* \ge t$ or $t^* \le t$, including the
    observed t.  The bounds are $\bar d - q\,se$ with the quantiles $q$ of $t^*$.  A resample that does not vary counts
    against the difference on both sides.

    p and bounds are NaN for a single session, or if all differences are equal and not 0.  The bounds are also NaN if
    too many resamples do not vary.

    Parameters
    ----------
    samples, level
        As in `t_test`.
    seed, resamples
        The seed and number of resamples.  Samples with equally many sessions share their draws, which is fast.

    References
    ----------
    Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap, sec. 12.5; Cameron, A. C., Gelbach, J. B.
    and Miller, D. L. (2008). Bootstrap-based improvements for inference with clustered errors. Rev. Econ. Statist. 90,
    414-427 (whole clusters).

    Examples
    --------
    >>> (result,) = bootstrap_tests([Sample(np.array([0.1, 0.2, 0.3, 0.4] * 5))])  # t = 9.7 is far from every t*
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
        units = [_units(samples[place]) for place in places]
        summed_units = resampled(np.concatenate(units, axis=1), resamples, seed)
        ends = np.cumsum([columns.shape[1] for columns in units])[:-1]
        for place, units_of_sample, summed in zip(places, units, np.split(summed_units, ends, axis=1), strict=True):
            d, error = samples[place].differences, errors[place]
            average = float(d.mean())
            t = average / error
            p, least, most = _p_and_quantiles(_t_of(summed, units_of_sample), t, level)
            results[place] = Paired(average, average - most * error, average - least * error, p, t, error, len(d), test)
    return [results[place] for place in range(len(samples))]


def _units(sample: Sample) -> Floats:
    r"""Return each session's residual $u = s - \bar d m$ of its sum s, its size m, and $u^2$, $u m$, $m^2$; (G, 5).

    Equal sizes add nothing: without them the columns are $u$ and $u^2$.
    """
    sums, sizes = cluster_sums(sample.differences, sample.clusters)
    residuals = to_unit(sums - sample.differences.mean() * sizes)[0]
    if (sizes == sizes[0]).all():
        return np.stack([residuals, residuals**2], axis=1)
    return np.stack([residuals, sizes, residuals**2, residuals * sizes, sizes**2], axis=1)


def _t_of(summed: Floats, units: Floats) -> Floats:
    """Return t* of each resample from its summed units, shape (samples,); NaN if the resample does not vary."""
    groups = len(units)
    if summed.shape[1] == 2:
        sums, whole = summed.T
        squares = whole - sums * sums / groups
    else:
        sums, sizes, whole, mixed, sizes_squared = summed.T
        means = sums / sizes
        squares = whole - 2 * means * mixed + means * means * sizes_squared
    squares = np.where(squares > _ROUNDING * float(units[:, -1 if summed.shape[1] == 2 else 2].max()), squares, np.nan)
    of_draws: Floats = sums / np.sqrt(groups / (groups - 1) * squares)
    return of_draws


def _p_and_quantiles(of_draws: Floats, t: float, level: float) -> tuple[float, float, float]:
    """Return the p-value of t and the lower and upper quantile of t*; NaN if they are undefined."""
    times = len(of_draws)
    finite = np.sort(of_draws[~np.isnan(of_draws)])
    undefined = times - len(finite)
    slack = _ROUNDING * abs(t)
    above = undefined + len(finite) - int(np.searchsorted(finite, t - slack))
    below = undefined + int(np.searchsorted(finite, t + slack, side="right"))
    p = min(1.0, 2 * (1 + min(above, below)) / (1 + times))
    rank = math.floor((1 - level) / 2 * (times + 1) * (1 + 1e-12)) - undefined  # t and t* beyond a bound
    if rank < 1:
        return p, math.nan, math.nan
    return p, float(finite[rank - 1]), float(finite[-rank])
