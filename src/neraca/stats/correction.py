"""Many comparisons at once: p-values adjusted so that chance does not find a winner."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neraca.stats.interval import Floats


def holm(p: Floats) -> Floats:
    r"""Holm's step-down adjustment: $\tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})$.

    Parameters
    ----------
    p
        Shape (m,); NaN (a test that could not be made) stays NaN and is not counted.

    References
    ----------
    Holm, S. (1979). Scand. J. Statist. 6, 65-70.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    adjusted = np.full(len(p), np.nan)
    made = np.flatnonzero(~np.isnan(p))
    order = made[np.argsort(p[made], kind="stable")]
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, factors * p[order]))
    return adjusted


def uncorrected(p: Floats) -> Floats:
    """The p-values as they are, for a single comparison that was declared beforehand."""
    return p.copy()


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {"holm": holm, "none": uncorrected}
