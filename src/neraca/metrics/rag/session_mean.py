"""The total of metrics of whole conversations, and counts of conversations made of those of their answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.metric import Metric
from neraca.stats.intervals.interval import Floats


def mean_of_sessions(sums: Floats) -> Floats:
    """Return the mean over conversations, from summed values and weights; shapes (..., 2) -> (...)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1], dtype=np.float64)


def is_of_sessions(metric: Metric) -> bool:
    """Return whether a metric is about whole conversations, so that n counts these instead of their answers."""
    return metric.definition.total is mean_of_sessions


def rows_of_sessions(rows: Floats, sessions: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Return the counts of each conversation, and the place of its first answer.

    Parameters
    ----------
    rows
        Counts of the answers, shape (n, w).  NaN: unscored.
    sessions
        Number of each answer's conversation, shape (n,).

    Returns
    -------
    tuple
        Sums over the scored answers of each of m conversations, shape (m, w), NaN if it has none; and places, shape
        (m,).

    Examples
    --------
    >>> rows_of_sessions(np.array([[0.5, 0.5], [np.nan, np.nan], [0.5, 0.5]]), np.array([7, 8, 7]))
    (array([[ 1.,  1.],
           [nan, nan]]), array([0, 1]))
    """
    _, first, numbers = np.unique(sessions, return_index=True, return_inverse=True)
    scored = ~np.isnan(rows).any(axis=1)
    sums = np.zeros((len(first), rows.shape[1]))
    np.add.at(sums, numbers[scored], rows[scored])
    sums[np.bincount(numbers[scored], minlength=len(first)) == 0] = np.nan
    return sums, first
