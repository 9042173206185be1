"""Items that bear on a total of counts; without the others, its value and uncertainty are the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def bears_on(
    rows: NDArray[np.float64], total: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> NDArray[np.bool_]:
    """Return the mask of items that have a value of their own or without which the total changes.

    An answer that refuses nothing adds nothing to the precision of refusals: however many such answers there are, they
    tell nothing about how sure that precision is.

    Parameters
    ----------
    rows
        Counts per item, shape (n, w), without NaN.
    total
        From summed counts to a value, shapes (..., w) -> (...).

    Returns
    -------
    NDArray[np.bool_]
        Shape (n,); all True if the total is undefined, or if none by itself bears on it.

    Examples
    --------
    >>> def ratio(sums):
    ...     return sums[..., 0] / sums[..., 1]
    >>> bears_on(np.array([[1.0, 1], [0, 1], [0, 0]]), ratio).tolist()
    [True, True, False]
    """
    whole = rows.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        value, without, alone = total(whole), total(whole - rows), total(rows)
    if np.isnan(value):
        return np.ones(len(rows), dtype=bool)
    bears: NDArray[np.bool_] = ~np.isnan(alone) | ~((without == value) | np.isnan(without))
    return bears if bears.any() else ~bears  # a kappa of 1 stays 1 without any one item, and rests on all of them
