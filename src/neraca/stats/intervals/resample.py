"""Resample sessions with replacement, in an order that does not depend on the order of the data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, to_unit

#: Counts in memory at a time, so that they fit into a cache.
_AT_ONCE = 1 << 17


def by_cluster(rows: Floats, clusters: NDArray[np.int64] | None) -> Floats:
    """Return the sum of the rows of each cluster, shapes (n, w) -> (g, w); without clusters the rows themselves.

    >>> by_cluster(np.array([[1.0, 1], [2, 1], [4, 1]]), np.array([7, 7, 3])).tolist()
    [[4.0, 1.0], [3.0, 2.0]]
    """
    if clusters is None:
        return rows
    numbers = np.unique(clusters, return_inverse=True)[1]
    sums = [np.bincount(numbers, weights=column) for column in rows.T]
    return np.stack(sums, axis=1) if sums else np.zeros((len(np.unique(clusters)), 0))


def in_order(units: Floats) -> Floats:
    """Return the rows in an order that depends on their values alone, so that the order of the data changes no draw.

    Values are equal if they agree to twelve decimals, relative to the largest of their column.

    >>> in_order(np.array([[2.0, 1], [1, 3], [1, 2]])).tolist()
    [[1.0, 2.0], [1.0, 3.0], [2.0, 1.0]]
    """
    keys = [to_unit(column)[0].round(12) for column in units.T]
    ordered: Floats = units[np.lexsort(keys[::-1])] if keys else units
    return ordered


def resampled(units: Floats, samples: int, seed: int) -> Floats:
    """Return the summed rows of resamples, each of g units; shapes (g, w) -> (samples, w).

    The same seed draws the same units for any rows.
    """
    return np.concatenate([times @ units for times in _times(len(units), samples, seed)])


def _times(size: int, samples: int, seed: int) -> Iterator[Floats]:
    """Yield the number of draws of each unit, shape (rows, size), a chunk of resamples at a time."""
    rng = np.random.default_rng(seed)
    step = max(1, _AT_ONCE // size)
    for start in range(0, samples, step):
        rows = min(step, samples - start)
        places = rng.integers(0, size, (rows, size)) + size * np.arange(rows)[:, None]
        yield np.bincount(places.ravel(), minlength=rows * size).reshape(rows, size).astype(np.float64)
