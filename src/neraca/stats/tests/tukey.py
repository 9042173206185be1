"""The randomised Tukey HSD test of all pairs of systems."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, to_unit
from neraca.stats.intervals.resample import by_cluster, in_order

SAMPLES = 100_000
#: With at most this many ways to exchange systems, every way is tried.
EXACT = 1 << 17
#: Samples that share one order of the systems: this many for each session, up to what fits into a cache.
_SHARED, _MOST = 16, 4096
#: Means that differ by less than this share of the largest value are equal.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Tukey:
    """Result of the test of k systems.

    Attributes
    ----------
    differences
        Shape (k, k): mean of the row's system minus mean of the column's system.
    p
        Shape (k, k): p of each pair, already corrected for the number of pairs; 1 on the diagonal.
    half
        The critical range: simultaneous intervals are difference ± half.  NaN if no range is rare enough.
    n
        Items.
    test
        `tukey(exact)` or `tukey(samples=100000, seed=0)`.
    """

    differences: Floats
    p: Floats
    half: float
    n: int
    test: str


def tukey(
    values: Floats,
    clusters: NDArray[np.int64] | None = None,
    level: float = 0.95,
    seed: int = 0,
    samples: int = SAMPLES,
    exact: int = EXACT,
) -> Tukey:
    r"""Randomised Tukey HSD: how often the largest difference of any two systems is at least $|\bar x_i - \bar x_j|$.

    If all systems are equal, the systems of each session (or item) can be exchanged.  Each exchange has a range $R$ =
    largest minus smallest mean.  Then $p_{ij} = (1 + \#\{R \ge |\bar x_i - \bar x_j|\}) / (1 + m)$ for $m$ random
    exchanges, or the share of all exchanges if these are few.  `half` is the smallest range whose p is above
    $1 - level$.  With two systems it is Fisher's randomisation test.

    The chance of even one false winner is bounded if no systems differ, neither in mean nor in spread.  A system with
    much more spread than the others is called different too often, and two with much less spread too seldom.  If some
    systems differ, the others are compared more cautiously.

    Parameters
    ----------
    values, clusters
        Values of items and systems, shape (n, k), without NaN; each item's session, shape (n,), or None: its own.
    level
        Confidence of all intervals together.
    seed, samples, exact
        Seed and number of random exchanges, and the number of ways up to which every exchange is tried.

    References
    ----------
    Carterette, B. (2012). ACM Trans. Inf. Syst. 30(1), 4; Sakai, T. (2018). Laboratory Experiments in IR, ch. 4.

    Examples
    --------
    >>> result = tukey(np.array([[1.0, 0, 0], [1, 0, 0], [1, 0, 0]]))  # a 1 in one column: 9 of 27 ways
    >>> result.p[0].round(4).tolist(), result.p[1].round(4).tolist(), result.test
    ([1.0, 0.1111, 0.1111], [0.1111, 1.0, 1.0], 'tukey(exact)')
    """
    n, k = values.shape
    sessions = n if clusters is None else len(np.unique(clusters))
    few = math.exp(min((sessions - 1) * math.lgamma(k + 1), 99)) <= exact + 0.5
    test = f"tukey({'exact' if few else f'samples={samples}, seed={seed}'})"
    scaled, unit = to_unit(values)
    if not n or not k or not np.isfinite(scaled).all():
        return Tukey(np.full((k, k), math.nan), np.full((k, k), math.nan), math.nan, n, test)
    differences = (means := scaled.mean(axis=0))[:, None] - means
    centred = scaled - scaled.mean(axis=1, keepdims=True)
    if float(np.abs(centred).max()) <= _ROUNDING:
        return Tukey(differences * unit, np.ones((k, k)), 0.0, n, test)
    if sessions == 1 < n:
        return Tukey(differences * unit, differences * math.nan, math.nan, n, test)
    # exchanges depend on the values of each session alone, not on the order of sessions and systems
    sums = in_order(np.sort(by_cluster(centred, clusters), axis=1))
    # all exchanges include the observed range; random ones do not, so it is added
    ranges = np.sort(_all_ranges(sums) if few else np.append(_random_ranges(sums, samples, seed), math.inf))
    slack = _ROUNDING * n
    p = 1 - np.searchsorted(ranges, np.abs(differences) * n - slack) / len(ranges)
    half = float(ranges[-1 - math.floor((1 - level) * len(ranges) * (1 + 1e-12))])
    usual = half < float(np.ptp(sums, axis=1).sum()) - slack
    return Tukey(differences * unit, p, half / n * unit if usual else math.nan, n, test)


def _all_ranges(sums: Floats) -> Floats:
    """Return the ranges of all exchanges; the first session keeps its order, because only relative orders matter."""
    totals = sums[:1]
    for session in sums[1:]:
        totals = (totals[:, None] + np.array(list(permutations(session)))).reshape(-1, len(session))
    ranges: Floats = np.ptp(totals, axis=1)
    return ranges


def _random_ranges(sums: Floats, samples: int, seed: int) -> Floats:
    """Return the ranges of random exchanges, shape (samples,).

    A random order that is rotated at random is any order with equal chance.  So the order of each session is drawn once
    for many samples and rotated for each, with a table of the sums of a few sessions in all rotations.  This is many
    times faster than drawing orders, and p is the same on average.
    """
    rng = np.random.default_rng(seed)
    sessions, k = sums.shape
    shared = min(_MOST, _SHARED * sessions)
    together = max(1, int(math.log(shared, k)))
    rotations = (np.arange(k)[:, None] + np.arange(k)) % k
    ranges = np.empty(samples)
    for start in range(0, samples, shared):
        part = ranges[start : start + shared]
        totals = np.zeros((len(part), k))
        ordered = rng.permuted(sums, axis=1)
        for first in range(0, sessions, together):
            table = np.zeros((1, k))
            for session in ordered[first : first + together]:
                table = (table[:, None] + session[rotations]).reshape(-1, k)
            totals += table.take(rng.integers(0, len(table), len(part)), axis=0)
        part[:] = np.ptp(totals, axis=1)
    return ranges
