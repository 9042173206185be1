"""Moments of the values of users, which are all that the tests of an A/B experiment need of an arm.

They are added block by block, so that all users of an experiment are never in memory together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    r"""The number of users of one arm, the means of their columns, and the sums of their cross products.

    By convention the columns are the numerator and the denominator of a ratio of sums (a mean has a denominator of 1
    for each user), then those of each covariate from before the experiment.

    Attributes
    ----------
    n
        Users.
    mean
        Mean of each column, shape (k,).
    cross
        Sum of $(x - \bar x)(x - \bar x)^T$ over the users, shape (k, k).

    Examples
    --------
    >>> clicks_and_searches = np.array([[1.0, 2], [3, 4], [2, 6]])
    >>> whole = Moments.of(clicks_and_searches)
    >>> whole.n, whole.mean, whole.cross
    (3, array([2., 4.]), array([[2., 2.],
           [2., 8.]]))
    >>> parts = Moments.of(clicks_and_searches[:1]) + Moments.of(clicks_and_searches[1:])
    >>> parts.n, parts.mean, parts.cross
    (3, array([2., 4.]), array([[2., 2.],
           [2., 8.]]))
    """

    n: int
    mean: Floats
    cross: Floats

    @classmethod
    def of(cls, columns: Floats) -> Moments:
        """Return the moments of users, one row each, shape (n, k); 0 without users."""
        n, width = columns.shape
        with np.errstate(over="ignore", invalid="ignore"):
            mean = columns.mean(axis=0) if n else np.zeros(width)
            deviations = columns - mean
            return cls(n, mean, deviations.T @ deviations)

    def __add__(self, other: Moments) -> Moments:
        """Merge the moments of two disjoint sets of users."""
        n, mean, cross = merged((np.array(self.n), self.mean, self.cross), (np.array(other.n), other.mean, other.cross))
        return Moments(int(n), mean, cross)

    @property
    def covariance(self) -> Floats:
        """Return the covariance of the columns with the divisor n - 1, shape (k, k); NaN below two users."""
        if self.n < 2:
            return np.full_like(self.cross, np.nan)
        return self.cross / (self.n - 1)


#: n, mean and cross of many groups of users, shapes (...), (..., k) and (..., k, k).
Grouped = tuple[NDArray[np.int64], Floats, Floats]


def merged(first: Grouped, second: Grouped) -> Grouped:
    """Merge the moments of two disjoint sets of users, group by group.

    References
    ----------
    Chan, T. F., Golub, G. H. and LeVeque, R. J. (1979). Updating formulae and a pairwise algorithm for computing
    sample variances. Stanford University, STAN-CS-79-773.
    """
    (n, mean, cross), (other_n, other_mean, other_cross) = first, second
    total = n + other_n
    share = other_n / np.maximum(total, 1)
    with np.errstate(over="ignore", invalid="ignore"):
        step = other_mean - mean
        between = (n * share)[..., None, None] * step[..., :, None] * step[..., None, :]
        return total, mean + share[..., None] * step, cross + other_cross + between


def moments_of_halves(columns: Floats, halves: NDArray[np.bool_]) -> tuple[Grouped, Grouped]:
    """Return the moments of the first and of the second half for each split of the users.

    Parameters
    ----------
    columns
        Shape (n, k), one row for each user.
    halves
        Shape (splits, n), whether a user is in the first half.

    Examples
    --------
    >>> first, second = moments_of_halves(np.array([[1.0], [3], [7]]), np.array([[True, True, False]]))
    >>> [n.tolist() for n in (first[0], second[0])], first[1], first[2], second[1]
    ([[2], [1]], array([[2.]]), array([[[2.]]]), array([[7.]]))
    """
    width = columns.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        center = columns.mean(axis=0) if len(columns) else np.zeros(width)
        deviations = columns - center  # sums of squares near 0 lose no digits
        products = (deviations[:, :, None] * deviations[:, None, :]).reshape(len(columns), width * width)
        summands = np.hstack([deviations, products])
        sums = halves.astype(np.float64) @ summands
        sizes = halves.sum(axis=1)
        second_sums = summands.sum(axis=0) - sums
        return _from_sums(sizes, sums, center), _from_sums(len(columns) - sizes, second_sums, center)


def _from_sums(n: NDArray[np.int64], sums: Floats, center: Floats) -> Grouped:
    """Return moments from sums of deviations from a centre and of their products, a row for each group."""
    width = len(center)
    mean = sums[:, :width] / np.maximum(n, 1)[:, None]
    squares = n[:, None, None] * (mean[:, :, None] * mean[:, None, :])
    cross = sums[:, width:].reshape(-1, width, width) - squares
    return n, np.where(n[:, None] > 0, center + mean, 0.0), cross
