"""Calibration: whether scores between 0 and 1 are as high as the share of items that are right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats

#: Number of equal parts of 0 to 1 in which scores and labels are compared.
BINS = 10


def bin_numbers(scores: Floats, bins: int = BINS) -> NDArray[np.int64]:
    """Return the part of 0 to 1 in which each score lies; 1 lies in the last.

    >>> bin_numbers(np.array([0.0, 0.05, 0.1, 0.95, 1.0]))
    array([0, 0, 1, 9, 9])
    """
    return np.minimum((np.asarray(scores) * bins).astype(np.int64), bins - 1)


def calibration_counts(scores: Floats, labels: Floats, bins: int = BINS) -> Floats:
    """Return a row of counts for each item, whose sums give `calibration_error`: shape (n, 2 * bins + 1)."""
    rows = np.zeros((len(scores), 2 * bins + 1))
    places, numbers = np.arange(len(scores)), bin_numbers(scores, bins)
    rows[places, numbers] = scores
    rows[places, bins + numbers] = labels
    rows[:, -1] = 1
    return rows


def calibration_error(sums: Floats) -> Floats:
    """Return the expected calibration error: the mean distance of score and share of ones, over the parts.

    The parts are weighted by their numbers of items.  With few items in a part it is above 0 by chance alone.

    References
    ----------
    Naeini, M. P., Cooper, G. F. and Hauskrecht, M. (2015). AAAI, 2901-2907.

    Examples
    --------
    >>> scores, labels = np.array([0.82, 0.88, 0.3]), np.array([1.0, 0, 0])  # 2 × |.85 − .5| + |.3 − 0| over 3
    >>> round(float(calibration_error(calibration_counts(scores, labels).sum(axis=0))), 4)
    0.3333
    """
    bins = (sums.shape[-1] - 1) // 2
    gaps = np.abs(sums[..., :bins] - sums[..., bins:-1]).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = gaps / sums[..., -1]
    return result
