"""Is the difference between two systems on the same items real?  Paired tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.interval import Floats, clustered_error, t_quantile


@dataclass(frozen=True, slots=True)
class Paired:
    """What a paired test found.

    Attributes
    ----------
    difference, low, high
        Mean difference, and the interval that belongs to the test (each test says of what); the bounds are NaN where
        the data give none.
    p
        Two-sided; NaN where the test cannot be made.
    statistic
        The test's own; above 0 where it speaks for the first side, which need not be where the mean does.
    error
        Standard error of the mean difference; NaN where it cannot be estimated.
    n
        Items with a value on both sides.
    test
        The name of the test and how it was made, such as `randomisation(flips=100000, seed=0)`.
    """

    difference: float
    low: float
    high: float
    p: float
    statistic: float
    error: float
    n: int
    test: str


@dataclass(frozen=True, slots=True)
class Sample:
    """What a paired test gets: `differences`, shape (n,), without NaN, and the `clusters` of the items, or None."""

    differences: Floats
    clusters: NDArray[np.int64] | None = None


#: Many samples, the level of confidence and a seed to what was found of each.
Test = Callable[[Sequence[Sample], float, int], list[Paired]]


def each(test: Callable[[Floats, NDArray[np.int64] | None, float], Paired]) -> Test:
    """A test without chance, which takes one sample after the other."""
    return lambda samples, level, _: [test(sample.differences, sample.clusters, level) for sample in samples]


def trivial(differences: Floats, test: str) -> Paired | None:
    """What every test finds where there are no items, no finite difference, or none but 0; else None."""
    n = len(differences)
    mean = float(differences.mean()) if n else math.nan
    if not math.isfinite(mean):
        return Paired(mean, math.nan, math.nan, math.nan, math.nan, math.nan, n, test)
    return None if differences.any() else Paired(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, n, test)


def standard_error(differences: Floats, clusters: NDArray[np.int64] | None) -> float:
    """Clustered standard error of the mean; NaN where it cannot be estimated."""
    error, df = clustered_error(differences, clusters)
    return math.nan if df < 1 or error <= 1e-12 * abs(float(differences.mean())) else error


def batches(samples: Mapping[int, Sample], most: int = 64) -> Iterator[list[int]]:
    """The numbers of samples of as many clusters each, so that chance can be shared; at most so many together.

    >>> two, three = Sample(np.zeros(2)), Sample(np.zeros(3))
    >>> list(batches({0: two, 1: three, 4: two}))
    [[0, 4], [1]]
    """
    same: dict[int, list[int]] = {}
    for place, sample in samples.items():
        same.setdefault(len(cluster_sums(sample.differences, sample.clusters)[0]), []).append(place)
    for places in same.values():
        yield from (places[start : start + most] for start in range(0, len(places), most))


def cluster_sums(values: Floats, clusters: NDArray[np.int64] | None) -> tuple[Floats, Floats]:
    """Sums of the values of each cluster, and how many these are; shapes (n,) -> (G,), (G,).

    >>> sums, sizes = cluster_sums(np.array([1.0, 2, 4]), np.array([7, 7, 3]))
    >>> sums.tolist(), sizes.tolist()
    ([4.0, 3.0], [1.0, 2.0])
    """
    if clusters is None:
        return values, np.ones(len(values))
    place = np.unique(clusters, return_inverse=True)[1]
    return np.bincount(place, weights=values).astype(np.float64), np.bincount(place).astype(np.float64)


def t_test(differences: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95) -> Paired:
    r"""Student's paired t-test, $t = \bar d / se(\bar d)$, with clustered errors where items share a cluster.

    All differences equal and not 0 leave nothing to estimate chance from: p and bounds are NaN.  All differences
    0 give p = 1.

    Parameters
    ----------
    differences
        Shape (n,): value of a minus value of b, per item; without NaN.
    clusters
        Shape (n,), or None: each item its own.
    level
        Confidence of the interval.

    References
    ----------
    Student (1908). Biometrika 6, 1-25.

    Examples
    --------
    >>> found = t_test(np.array([1.0, 2, 3, 4]))
    >>> round(found.difference, 2), round(found.statistic, 4), round(found.p, 4)
    (2.5, 3.873, 0.0305)
    """
    from scipy.special import stdtr

    if (simple := trivial(differences, "t")) is not None:
        return simple
    n, d = len(differences), float(differences.mean())
    error, df = clustered_error(differences, clusters)
    if df < 1 or error <= 1e-12 * abs(d):
        return Paired(d, math.nan, math.nan, math.nan, math.nan, math.nan, n, "t")
    half = t_quantile(level, df) * error
    t = d / error
    return Paired(d, d - half, d + half, float(2 * stdtr(df, -abs(t))), t, error, n, "t")
