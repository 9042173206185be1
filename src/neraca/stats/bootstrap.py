"""A paired test by the bootstrap: sessions drawn again and again from those that there are."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from neraca.stats.bca import bca
from neraca.stats.interval import Floats, mean, pseudo_values, to_unit
from neraca.stats.paired import Paired, Sample, batches, cluster_sums, standard_error, trivial
from neraca.stats.resample import resampled

SAMPLES = 10_000
#: Means that differ by less than this share of the largest session's are equal.
_ROUNDING = 1e-12


def bootstrap_test(
    differences: Floats,
    clusters: NDArray[np.int64] | None = None,
    level: float = 0.95,
    seed: int = 0,
    samples: int = SAMPLES,
) -> Paired:
    r"""Bias-corrected and accelerated (BCa) bootstrap of the mean difference; p is where its interval reaches 0.

    Whole sessions are drawn with replacement, as many as there are.  Of the means $\theta^*$ drawn, the bounds are
    the quantiles $\Phi(z_0 + (z_0 + z) / (1 - a (z_0 + z)))$ with $z = \Phi^{-1}(\alpha / 2)$ and its negative,
    $z_0 = \Phi^{-1}(P(\theta^* < \bar d))$ and the acceleration $a$ by leaving out each session; p is the $\alpha$ at
    which a bound is 0, at least 2 / (1 + samples).  (That of a mean of exactly 0 is 1 or, where differences are skewed,
    somewhat less, as the interval is not centred at the mean.)

    With few items (below 20 or so) the bootstrap is surer than it should be: it calls nothing a difference too often.
    The t-test and the randomisation test are not.  One session, and differences that are all equal and not 0, leave
    nothing to estimate chance from: p and bounds are NaN.  The statistic is the mean difference.

    Parameters
    ----------
    differences, clusters, level
        As in `t_test`.
    seed, samples
        Of the drawing, and how often.  Differences of the same number of sessions see the same draws.

    References
    ----------
    Efron, B. (1987). J. Amer. Statist. Assoc. 82, 171-185; Efron, B. and Tibshirani, R. J. (1993). An Introduction to
    the Bootstrap, ch. 14 and 15.

    Examples
    --------
    >>> found = bootstrap_test(np.array([0.1, 0.2, 0.3, 0.4] * 5))  # no mean that is drawn is 0 or less
    >>> round(found.p, 4), found.test
    (0.0002, 'bootstrap(samples=10000, seed=0)')
    """
    return bootstrap_tests([Sample(differences, clusters)], level, seed, samples)[0]


def bootstrap_tests(
    given: Sequence[Sample], level: float = 0.95, seed: int = 0, samples: int = SAMPLES
) -> list[Paired]:
    """`bootstrap_test` of many samples; those of the same number of sessions share their draws, which is fast."""
    name = f"bootstrap(samples={samples}, seed={seed})"
    found: dict[int, Paired] = {}
    errors: dict[int, float] = {}
    for place, sample in enumerate(given):
        d = sample.differences
        if (simple := trivial(d, name)) is not None:
            found[place] = simple
        elif math.isnan(errors.setdefault(place, standard_error(d, sample.clusters))):
            found[place] = Paired(float(d.mean()), math.nan, math.nan, math.nan, math.nan, math.nan, len(d), name)
    for places in batches({place: sample for place, sample in enumerate(given) if place not in found}):
        units = [np.stack(cluster_sums(given[place].differences, given[place].clusters), axis=1) for place in places]
        drawn = resampled(np.concatenate(units, axis=1), samples, seed)
        for number, place in enumerate(places):
            sums, unit = to_unit(units[number][:, 0])
            rows = np.stack([sums, units[number][:, 1]], axis=1)
            p, low, high = _found(drawn[:, 2 * number] / unit / drawn[:, 2 * number + 1], rows, level)
            d = given[place].differences
            average = float(d.mean())
            found[place] = Paired(average, low * unit, high * unit, p, average, errors[place], len(d), name)
    return [found[place] for place in range(len(given))]


def _found(means: Floats, rows: Floats, level: float) -> tuple[float, float, float]:
    """The p-value and bounds from the means drawn and each session's sum and size, shape (G, 2)."""
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
