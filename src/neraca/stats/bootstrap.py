"""A paired test by the bootstrap: sessions drawn again and again from those that there are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from neraca.stats.interval import Floats
from neraca.stats.paired import Paired, Sample, batches, cluster_sums, standard_error, trivial

SAMPLES = 10_000
#: Counts that are held at once (8 bytes each).
_COUNTS = 1 << 20


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
    which a bound is 0, at least 2 / (1 + samples).

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
        pairs = [cluster_sums(given[place].differences, given[place].clusters) for place in places]
        for place, (p, low, high) in zip(places, _drawn(pairs, level, (seed, samples)), strict=True):
            d = given[place].differences
            mean = float(d.mean())
            found[place] = Paired(mean, low, high, p, mean, errors[place], len(d), name)
    return [found[place] for place in range(len(given))]


def _drawn(
    pairs: Sequence[tuple[Floats, Floats]], level: float, how: tuple[int, int]
) -> Iterator[tuple[float, float, float]]:
    """The p-value and bounds of each sample, of its sums and sizes, from the same draws."""
    seed, samples = how
    columns = np.stack([column for pair in pairs for column in pair], axis=1)
    drawn = np.concatenate([counts @ columns for counts in _counts(len(columns), samples, seed)])
    for number, (sums, sizes) in enumerate(pairs):
        yield _bca(drawn[:, 2 * number] / drawn[:, 2 * number + 1], sums, sizes, level)


def _counts(width: int, samples: int, seed: int) -> Iterator[Floats]:
    """How often each session was drawn, shape (some, width), a chunk at a time."""
    rng = np.random.default_rng(seed)
    rows = max(1, _COUNTS // width)
    for start in range(0, samples, rows):
        some = min(rows, samples - start)
        drawn = rng.integers(0, width, (some, width)) + np.arange(some)[:, None] * width
        yield np.bincount(drawn.ravel(), minlength=some * width).reshape(some, width).astype(np.float64)


def _bca(means: Floats, sums: Floats, sizes: Floats, level: float) -> tuple[float, float, float]:
    """The p-value and bounds."""
    from scipy.special import ndtr, ndtri

    total, weight, times = float(sums.sum()), float(sizes.sum()), len(means)
    mean, slack = total / weight, 1e-12 * float(np.abs(sums / sizes).max())
    below = float((means < mean - slack).sum()) + float((np.abs(means - mean) <= slack).sum()) / 2
    bias = float(ndtri((below + 0.5) / (times + 1)))
    without = (total - sums) / (weight - sizes)
    moved = without.mean() - without
    speed = float((moved**3).sum()) / (6 * float((moved**2).sum()) ** 1.5)
    z = bias + float(ndtri(0.5 + level / 2)) * np.array([-1.0, 1.0])
    low, high = np.quantile(means, ndtr(bias + z / (1 - speed * z))).tolist()
    # the same formula the other way round: at which alpha a bound is 0
    lower = (int((means <= slack).sum()) + 1) / (times + 1)
    upper = (int((means >= -slack).sum()) + 1) / (times + 1)
    reached = float(ndtri(lower if mean > 0 else 1 - upper)) - bias
    at = float(ndtr(reached / (1 + speed * reached) - bias))
    return max(2 / (times + 1), min(1.0, 2 * min(at, 1 - at))), low, high
