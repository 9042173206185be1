"""Paired tests of the difference between two systems on the same items."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, clustered_error, t_quantile, to_unit

#: Sums of clusters are equal if they agree to this many decimals, relative to the largest.
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Paired:
    """Result of a paired test.

    Attributes
    ----------
    difference, low, high
        Mean difference, and the interval of the test (each test documents its parameter); NaN without bounds.
    p
        Two-sided p; NaN if the test cannot be made.
    statistic
        The test's statistic; above 0 if it favours the first side, even if the mean difference does not.
    error
        Standard error of the mean difference; NaN if it cannot be estimated.
    n
        Items with a value on both sides.
    test
        The name of the test with its settings, such as `randomisation(flips=100000, seed=0)`.
    df
        Degrees of freedom of Student's t; None for other tests, or without a test.
    """

    difference: float
    low: float
    high: float
    p: float
    statistic: float
    error: float
    n: int
    test: str
    df: int | None = None

    @classmethod
    def untested(cls, difference: float, n: int, test: str) -> Paired:
        """Return the result without a test: everything but the difference is NaN."""
        return cls(difference, math.nan, math.nan, math.nan, math.nan, math.nan, n, test)


@dataclass(frozen=True, slots=True)
class Sample:
    """Data of a paired test: `differences`, shape (n,), without NaN, and the `clusters` of the items, or None."""

    differences: Floats
    clusters: NDArray[np.int64] | None = None

    @property
    def sessions(self) -> int:
        """The number of clusters; without clusters, the number of items."""
        return len(self.differences) if self.clusters is None else len(np.unique(self.clusters))

    @property
    def one_source(self) -> bool:
        """Whether all of several items belong to one cluster, so that chance cannot be estimated."""
        return self.sessions == 1 < len(self.differences)

    def ordered(self) -> Sample:
        """Return the same data in an order that depends on the values alone, so that random draws are reproducible.

        Clusters are ordered by their sums and sizes, items of a cluster by their values.  Negated data have the same
        order, so that exchanging the two sides only changes the signs.

        >>> Sample(np.array([0.5, -2, 1])).ordered().differences, Sample(np.array([2, -1, -0.5])).ordered().differences
        (array([-2. ,  0.5,  1. ]), array([ 2. , -0.5, -1. ]))
        """
        ascending = to_unit(np.sort(self.differences))[0]
        asymmetry = (ascending + ascending[::-1]).round(_DIGITS)
        sign = -1 if (asymmetry[asymmetry != 0][:1] > 0).any() else 1
        order = np.argsort(sign * self.differences, kind="stable")
        d = self.differences[order]
        if self.clusters is None:
            return Sample(d)
        numbers = np.unique(self.clusters[order], return_inverse=True)[1]
        sums, sizes = cluster_sums(d, numbers)
        keys = (to_unit(sums)[0] * sign).round(_DIGITS), sizes, np.bincount(numbers, weights=d * d)
        ranks = np.argsort(np.lexsort(keys[::-1]))[numbers]
        by_rank = np.argsort(ranks, kind="stable")
        return Sample(d[by_rank], ranks[by_rank])

    def items_in(self, sessions: int | None) -> int | None:
        """Return the number of items in this many sessions of the same mean length, rounded up; None for None.

        >>> Sample(np.zeros(3), np.array([0, 0, 1])).items_in(5)
        8
        """
        return None if sessions is None else math.ceil(sessions * len(self.differences) / self.sessions)


#: Samples, the level of confidence and a seed → the result of each sample.
Test = Callable[[Sequence[Sample], float, int], list[Paired]]


def per_sample(test: Callable[[Floats, NDArray[np.int64] | None, float], Paired]) -> Test:
    """Turn a test of one sample without random draws into a test of many samples."""
    return lambda samples, level, _: [test(sample.differences, sample.clusters, level) for sample in samples]


def name_of_test(test: str) -> str:
    """Return the name of a test without its details.

    >>> name_of_test("randomisation(flips=100000, seed=0)")
    'randomisation'
    """
    return test.partition("(")[0]


def trivial(differences: Floats, test: str) -> Paired | None:
    """Return the result if there are no items, the mean is not finite or all differences are 0; else None."""
    n = len(differences)
    mean = float(differences.mean()) if n else math.nan
    if not math.isfinite(mean):
        return Paired.untested(mean, n, test)
    return None if differences.any() else Paired(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, n, test)


def standard_error(differences: Floats, clusters: NDArray[np.int64] | None) -> float:
    """Return the clustered standard error of the mean; NaN if it cannot be estimated."""
    error, df = clustered_error(differences, clusters)
    return math.nan if df < 1 or error <= 1e-12 * abs(float(differences.mean())) else error


def batches(samples: Mapping[int, Sample], most: int = 64) -> Iterator[list[int]]:
    """Yield batches of keys of samples with equally many sessions, which can share random draws.

    >>> two, three = Sample(np.zeros(2)), Sample(np.zeros(3))
    >>> list(batches({0: two, 1: three, 4: two}))
    [[0, 4], [1]]
    """
    by_sessions: dict[int, list[int]] = {}
    for key, sample in samples.items():
        by_sessions.setdefault(sample.sessions, []).append(key)
    for keys in by_sessions.values():
        yield from (keys[start : start + most] for start in range(0, len(keys), most))


def cluster_sums(values: Floats, clusters: NDArray[np.int64] | None) -> tuple[Floats, Floats]:
    """Return the sum and size of each of G clusters, in the order of their numbers; shapes (n,) -> (G,), (G,).

    >>> sums, sizes = cluster_sums(np.array([1.0, 2, 4]), np.array([7, 7, 3]))
    >>> sums.tolist(), sizes.tolist()
    ([4.0, 3.0], [1.0, 2.0])
    """
    if clusters is None:
        return values, np.ones(len(values))
    numbers = np.unique(clusters, return_inverse=True)[1]
    return np.bincount(numbers, weights=values).astype(np.float64), np.bincount(numbers).astype(np.float64)


def t_test(differences: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95) -> Paired:
    r"""Student's paired t-test, $t = \bar d / se(\bar d)$ with the mean difference $\bar d$.

    Its standard error $se$ is clustered if items share a cluster.  If all differences are equal and not 0, p and bounds
    are NaN; if all are 0, p is 1.

    Parameters
    ----------
    differences
        Shape (n,): value of a minus value of b, per item; without NaN.
    clusters
        Shape (n,), or None: each item is its own cluster.
    level
        Confidence of the interval of the mean difference.

    References
    ----------
    Student (1908). Biometrika 6, 1-25.

    Examples
    --------
    >>> result = t_test(np.array([1.0, 2, 3, 4]))
    >>> round(result.difference, 2), round(result.statistic, 4), round(result.p, 4)
    (2.5, 3.873, 0.0305)
    """
    if (simple := trivial(differences, "t")) is not None:
        return simple
    error, df = clustered_error(differences, clusters)
    return t_result(float(differences.mean()), error, df, len(differences), level)


def t_result(mean: float, error: float, df: int, n: int, level: float) -> Paired:
    """Return Student's test of a mean difference of n items, from its standard error and degrees of freedom.

    >>> result = t_result(2.5, 0.6454972243679028, 3, 4, 0.95)
    >>> round(result.statistic, 4), round(result.p, 4)
    (3.873, 0.0305)
    """
    from scipy.special import stdtr

    if df < 1 or error <= 1e-12 * abs(mean):
        return Paired.untested(mean, n, "t")
    half, t = t_quantile(level, df) * error, mean / error
    return Paired(mean, mean - half, mean + half, float(2 * stdtr(df, -abs(t))), t, error, n, "t", df)
