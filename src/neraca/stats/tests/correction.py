"""Adjust the p-values of many comparisons, so that chance alone rarely names a winner.

Holm and Bonferroni bound the chance of even one false winner among all comparisons.  Benjamini and Hochberg bound the
share of false winners among the winners, which is less strict with many comparisons.

Every function takes p-values of shape (m,).  NaN (a test that could not be made) stays NaN and does not count.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats


def _ordered(p: Floats) -> NDArray[np.int64]:
    """Return the places of the p-values that are not NaN, smallest first."""
    places = np.flatnonzero(~np.isnan(p))
    return places[np.argsort(p[places], kind="stable")]


def holm(p: Floats) -> Floats:
    r"""Holm's step-down adjustment: $\tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})$.

    $p_{(j)}$ is the $j$-th smallest of $m$ p-values.

    References
    ----------
    Holm, S. (1979). Scand. J. Statist. 6, 65-70.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    adjusted = np.full(len(p), np.nan)
    order = _ordered(p)
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, factors * p[order]))
    return adjusted


def benjamini_hochberg(p: Floats) -> Floats:
    r"""Benjamini and Hochberg's step-up adjustment: $\tilde p_{(i)} = \min_{j \ge i} m\, p_{(j)} / j$.

    $p_{(j)}$ is the $j$-th smallest of $m$ p-values.  The expected share of false winners among comparisons with
    $\tilde p \le \alpha$ is at most $\alpha$ (false discovery rate), for independent or positively dependent tests.  A
    single winner may well be false.

    References
    ----------
    Benjamini, Y. and Hochberg, Y. (1995). J. R. Statist. Soc. B 57, 289-300; Benjamini, Y. and Yekutieli, D. (2001).
    Ann. Statist. 29, 1165-1188 (dependence).

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    adjusted = np.full(len(p), np.nan)
    order = _ordered(p)
    raised = len(order) * p[order] / np.arange(1, len(order) + 1)  # the largest p stays, so none exceeds 1
    adjusted[order] = np.minimum.accumulate(raised[::-1])[::-1]
    return adjusted


def bonferroni(p: Floats) -> Floats:
    r"""Bonferroni's adjustment: $\tilde p_i = \min(1, m\, p_i)$; never less strict than Holm's.

    References
    ----------
    Dunn, O. J. (1961). J. Amer. Statist. Assoc. 56, 52-64.

    Examples
    --------
    >>> bonferroni(np.array([0.01, 0.5, 0.03]))
    array([0.03, 1.  , 0.09])
    """
    adjusted: Floats = np.minimum(1.0, np.count_nonzero(~np.isnan(p)) * p)
    return adjusted


def uncorrected(p: Floats) -> Floats:
    """Return the p-values unchanged, for a single comparison that was declared beforehand."""
    return p.copy()


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "bonferroni": bonferroni,
    "none": uncorrected,
}
