"""Find the items that matter for a total of counts; the others change neither value nor uncertainty."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def bears_on(
    rows: NDArray[np.float64], total: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> NDArray[np.bool_]:
    """Return the mask of the items that have a value of their own, or whose removal changes the total.

    For example, answers that refuse nothing do not matter for the precision of refusals, however many there are.

    Parameters
    ----------
    rows
        Counts per item, shape (n, w), without NaN.
    total
        From summed counts to a value, shapes (..., w) -> (...).

    Returns
    -------
    NDArray[np.bool_]
        Shape (n,); all True if the total is undefined, or if no single item matters.

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
    return bears if bears.any() else ~bears  # a kappa of 1 stays 1 without any single item, but needs all of them
