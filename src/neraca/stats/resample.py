"""Sessions drawn again and again, with replacement, from those that there are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from neraca.stats.interval import Floats

#: So many counts are held at once; more would no longer fit into the processor's cache.
_AT_ONCE = 1 << 17


def by_cluster(rows: Floats, clusters: NDArray[np.int64] | None) -> Floats:
    """Sums of the rows of each cluster, shapes (n, w) -> (g, w); without clusters the rows themselves.

    >>> by_cluster(np.array([[1.0, 1], [2, 1], [4, 1]]), np.array([7, 7, 3])).tolist()
    [[4.0, 1.0], [3.0, 2.0]]
    """
    if clusters is None:
        return rows
    numbers = np.unique(clusters, return_inverse=True)[1]
    sums = [np.bincount(numbers, weights=column) for column in rows.T]
    return np.stack(sums, axis=1) if sums else np.zeros((len(np.unique(clusters)), 0))


def resampled(units: Floats, samples: int, seed: int) -> Floats:
    """Summed rows of resamples, shapes (g, w) -> (samples, w): how often each unit was drawn, times its row.

    Each resample draws as many units as there are.  The same seed draws the same ones, whatever the rows are.
    """
    found = np.empty((samples, units.shape[1]))
    done = 0
    for times in _times(len(units), samples, seed):
        found[done : done + len(times)] = times @ units
        done += len(times)
    return found


def _times(size: int, samples: int, seed: int) -> Iterator[Floats]:
    """How often each unit was drawn, shape (some, size), a chunk at a time."""
    chance = np.random.default_rng(seed)
    step = max(1, _AT_ONCE // size)
    for start in range(0, samples, step):
        part = min(step, samples - start)
        drawn = chance.integers(0, size, (part, size)) + size * np.arange(part)[:, None]
        yield np.bincount(drawn.ravel(), minlength=part * size).reshape(part, size).astype(np.float64)
