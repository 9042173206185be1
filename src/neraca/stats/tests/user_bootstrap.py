"""The difference of two arms by the bootstrap over users, as a check of the delta method.

Whole users are drawn again.  With more than some thousands of them, users are put into buckets, and whole buckets are
drawn: the variance stays the same on average, and neither time nor memory grows with the users.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neraca.stats.intervals.interval import Floats, mean
from neraca.stats.intervals.resample import resampled

BUCKETS = 2000
_SECOND_ARM = 1 << 32


@dataclass(frozen=True, slots=True, eq=False)
class UserBuckets:
    """Sums of the columns of an arm's users, in buckets.

    Attributes
    ----------
    sums
        Shape (buckets, k); the columns are pairs of numerator and denominator of each ratio.
    users
        The number of users; the next one goes to the bucket `users` modulo the number of buckets.
    """

    sums: Floats
    users: int = 0

    @classmethod
    def none(cls, columns: int, buckets: int = BUCKETS) -> UserBuckets:
        """Return empty buckets."""
        return cls(np.zeros((buckets, columns)))

    def with_users(self, columns: Floats) -> UserBuckets:
        """Return the buckets with more users, one row each, shape (n, k), dealt to the buckets in turn.

        >>> UserBuckets.none(1, buckets=2).with_users(np.array([[1.0], [2], [4]])).sums.ravel()
        array([5., 2.])
        """
        buckets = len(self.sums)
        places = (self.users + np.arange(len(columns))) % buckets
        added = [np.bincount(places, column, buckets) for column in columns.T]
        return UserBuckets(self.sums + np.stack(added, axis=1), self.users + len(columns))

    def __add__(self, other: UserBuckets) -> UserBuckets:
        """Return the buckets with the users of other buckets, which continue the turn.

        >>> first = UserBuckets.none(1, buckets=3).with_users(np.array([[1.0]]))
        >>> (first + UserBuckets.none(1, buckets=3).with_users(np.array([[2.0], [4]]))).sums.ravel()
        array([1., 2., 4.])
        """
        shifted = np.roll(other.sums, self.users, axis=0)
        return UserBuckets(self.sums + shifted, self.users + other.users)

    @property
    def filled(self) -> Floats:
        """Return the sums of the buckets that hold a user, shape (g, k)."""
        return self.sums[: self.users]


@dataclass(frozen=True, slots=True)
class BootstrapDifference:
    """The bootstrap's result for the difference b - a of one ratio.

    Attributes
    ----------
    low, high
        Percentile interval; NaN if an arm has fewer than two users, or a resample has a denominator of 0.
    p
        Two-sided p: twice the share of resamples on the other side of 0, including the observed sample.
    test
        The method with its settings, such as `bootstrap(samples=2000, seed=0)`.
    """

    low: float
    high: float
    p: float
    test: str


def bootstrap_differences(
    a: UserBuckets, b: UserBuckets, level: float = 0.95, samples: int = 2000, seed: int = 0
) -> list[BootstrapDifference]:
    """Return percentile intervals of b - a for each pair of columns, from the same draws.

    References
    ----------
    Davison, A. C. and Hinkley, D. V. (1997). Bootstrap Methods and their Application, sec. 2.4 and 3.8; Bakshy, E. and
    Eckles, D. (2013). Uncertainty in online experiments with dependent data. KDD, 1303-1311 (whole users).

    Examples
    --------
    >>> a = UserBuckets.none(2).with_users(np.array([[0.0, 1], [1, 1]] * 50))
    >>> b = UserBuckets.none(2).with_users(np.array([[1.0, 1], [1, 1]] * 50))
    >>> (difference,) = bootstrap_differences(a, b)  # .5 ± 1.96 sqrt(.25 / 100)
    >>> round(difference.low, 1), round(difference.high, 1), round(difference.p, 3)
    (0.4, 0.6, 0.001)
    """
    pairs = a.sums.shape[1] // 2
    test = f"bootstrap(samples={samples}, seed={seed})"
    undefined = BootstrapDifference(math.nan, math.nan, math.nan, test)
    if min(len(a.filled), len(b.filled)) < 2:
        return [undefined] * pairs
    sums_a = resampled(a.filled, samples, seed).reshape(samples, pairs, 2)
    sums_b = resampled(b.filled, samples, seed + _SECOND_ARM).reshape(samples, pairs, 2)
    differences = mean(sums_b) - mean(sums_a)
    results = []
    for of_pair in differences.T:
        if not np.isfinite(of_pair).all():
            results.append(undefined)
            continue
        low, high = np.quantile(of_pair, [(1 - level) / 2, (1 + level) / 2]).tolist()
        beyond = min(int((of_pair <= 0).sum()), int((of_pair >= 0).sum()))
        results.append(BootstrapDifference(low, high, min(1.0, 2 * (1 + beyond) / (1 + samples)), test))
    return results
