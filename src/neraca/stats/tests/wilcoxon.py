"""Wilcoxon's signed-rank test, also for items in sessions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neraca.stats.agreement.correlation import ranks
from neraca.stats.intervals.interval import Floats
from neraca.stats.tests.paired import Paired, cluster_sums, standard_error, trivial
from neraca.stats.tests.sign_flip_distribution import can_be_exact, largest_usual, sign_flips

#: With at most this many independent items, the distribution is exact.
EXACT = 50

Whole = NDArray[np.int64]


def wilcoxon(differences: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95) -> Paired:
    r"""Wilcoxon's signed-rank test, $T = \sum_g S_g$ with $S_g = \sum_{i \in g} \mathrm{sign}(d_i)\, r_i$.

    $r_i$ is the rank of $|d_i|$ among all differences that are not 0; ties share the mean of their ranks.  If neither
    side is better, all signs of a session $g$ can be changed together.  Up to 50 sessions p is exact, even with ties;
    with more it uses a normal distribution with variance $\sum_g S_g^2$.

    The interval is Hodges and Lehmann's: the shifts of the differences that the test does not reject.  Its parameter is
    the pseudo-median (the median of the means of two items each, zeros included), which equals the mean of symmetric
    differences.  There is no interval if even the most extreme signs are not rare enough, as with five items.

    Parameters
    ----------
    differences, clusters, level
        As in `t_test`.  Differences closer than 1e-12 of the largest are ties.

    References
    ----------
    Wilcoxon, F. (1945). Biometrics Bull. 1, 80-83; Rosner, B., Glynn, R. J. and Lee, M.-L. T. (2006). Biometrics 62,
    185-192; Hodges, J. L. and Lehmann, E. L. (1963). Ann. Math. Statist. 34, 598-611.

    Examples
    --------
    >>> result = wilcoxon(np.array([1.0, 2, 3, 4, 5, -6]))  # ranks 15 against 6: 28 of 64 signs are as uneven
    >>> result.statistic, result.p, result.low, result.high
    (9.0, 0.4375, -6.0, 5.0)
    """
    if (simple := trivial(differences, "wilcoxon")) is not None:
        return simple
    scores = _scores(differences, clusters)
    exact = len(scores) <= EXACT and can_be_exact(scores)
    low, high = _bounds(differences, clusters, exact, level)
    return Paired(
        float(differences.mean()),
        low,
        high,
        sign_flips(scores, exact),
        float(scores.sum()) / 2,
        standard_error(differences, clusters),
        len(differences),
        f"wilcoxon({'exact' if exact else 'normal'})",
    )


def _scores(differences: Floats, clusters: NDArray[np.int64] | None) -> Whole:
    """Return twice the sum of signed ranks of each cluster, which is a whole number even with ties."""
    size = float(np.abs(differences).max()) or 1.0
    d = np.round(differences / size, 12)
    differs = d != 0
    signed = 2 * np.sign(d[differs]) * ranks(np.abs(d[differs]))
    return np.rint(cluster_sums(signed, None if clusters is None else clusters[differs])[0]).astype(np.int64)


def _bounds(d: Floats, clusters: NDArray[np.int64] | None, exact: bool, level: float) -> tuple[float, float]:
    """Return the least and the largest mean of two items that the test does not reject as a shift."""
    ordered = np.sort(d)
    n, pairs = len(d), len(d) * (len(d) + 1) // 2
    scores = 2 * np.arange(1, n + 1)
    if clusters is not None and len(np.unique(clusters)) < n:
        scores = _scores(d - _walsh(ordered, (pairs + 1) // 2), clusters)
    else:
        exact = exact and n <= EXACT
    half = largest_usual(scores, exact and can_be_exact(scores), level) / 2
    place = math.ceil((pairs - half) / 2) if math.isfinite(half) else 0
    if place < 1:
        return math.nan, math.nan
    return _walsh(ordered, place), _walsh(ordered, pairs + 1 - place)


def _walsh(ordered: Floats, place: int) -> float:
    """Return the mean of two items (or of an item with itself) at this place, from 1, without listing all means.

    Bisection on the number of means below takes O(n log n) time and O(n) memory.

    >>> [_walsh(np.array([1.0, 2, 6]), place) for place in range(1, 7)]
    [1.0, 1.5, 2.0, 3.5, 4.0, 6.0]
    """
    n = len(ordered)
    low, high = float(ordered[0]), float(ordered[-1])
    for _ in range(60):
        middle = (low + high) / 2
        reach = np.searchsorted(ordered, 2 * middle - ordered, side="right")
        # each pair of two items is counted twice, an item with itself once
        with_themselves = int(np.count_nonzero(ordered <= middle))
        below = (int(reach.sum()) + with_themselves) // 2
        low, high = (low, middle) if below >= place else (middle, high)
    near = np.searchsorted(ordered, 2 * high - ordered)
    sides = (ordered + ordered[np.clip(np.array([near - 1, near]), 0, n - 1)]) / 2
    return float(sides.flat[np.abs(sides - high).argmin()])
