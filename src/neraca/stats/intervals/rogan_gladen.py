"""Correct a judge's share by its sensitivity and specificity on labelled items (Rogan and Gladen)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, effective_n, normal_quantile


@dataclass(frozen=True, slots=True)
class RoganGladen:
    """A corrected share.

    Attributes
    ----------
    value, low, high
        0 to 1; NaN if the judge is no better than chance, or if all labels are equal.
    sensitivity, specificity
        The share of items labelled 1 that the judge calls 1, and of items labelled 0 that it calls 0.
    labels, items
        The numbers of labelled items and of all items.
    """

    value: float
    low: float
    high: float
    sensitivity: float
    specificity: float
    labels: int
    items: int


def rogan_gladen(
    labels: Floats, values: Floats, *, clusters: NDArray[np.int64] | None = None, level: float = 0.95
) -> RoganGladen:
    r"""Estimate the share $\theta = (p + Sp - 1) / (Se + Sp - 1)$, with Lang and Reiczigel's interval.

    $p$ is the judge's share of 1 among all items, and Se and Sp are its sensitivity and specificity.  The interval
    allows for the error of all three estimates.  With clusters, it uses effective numbers of items.  Unlike
    `prediction_powered`, it stays valid if the share of 1 differs between labelled and other items, as long as the
    judge's sensitivity and specificity do not.  Value and bounds are cut at 0 and 1, as its authors propose;
    `benchmarks/corrected.py` measures how often the interval contains the share.

    Parameters
    ----------
    labels
        Shape (N,): people's labels, 1 or 0; NaN for unlabelled items.
    values
        Shape (N,): the judge's values of all items, 1 or 0.
    clusters
        Shape (N,): number of each item's cluster; None: each item is its own.
    level
        Confidence of the interval.

    References
    ----------
    Rogan, W. J. and Gladen, B. (1978). Am. J. Epidemiol. 107, 71-76; Lang, Z. and Reiczigel, J. (2014). Prev. Vet.
    Med. 113, 13-22.

    Examples
    --------
    >>> labels = np.array([1.0] * 4 + [0] * 4 + [np.nan] * 4)
    >>> values = np.array([1.0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0])  # right on 3 of 4 each; 7 of 12 are 1
    >>> round(rogan_gladen(labels, values).value, 4)  # (7/12 - 1/4) / (1/2)
    0.6667
    """
    labelled = ~np.isnan(labels)
    yes, no = labelled & (labels == 1), labelled & (labels == 0)
    if not yes.any() or not no.any():
        return RoganGladen(*(math.nan,) * 5, int(labelled.sum()), len(values))
    share, sensitivity, specificity = float(values.mean()), float(values[yes].mean()), 1 - float(values[no].mean())
    if sensitivity + specificity - 1 <= 0:
        return RoganGladen(*(math.nan,) * 3, sensitivity, specificity, int(labelled.sum()), len(values))

    def effective_size(rows: NDArray[np.bool_]) -> float:
        return effective_n(values[rows], None if clusters is None else clusters[rows], level)

    z = normal_quantile(level)
    n, n_yes, n_no = effective_size(np.ones(len(values), bool)) + z * z, effective_size(yes) + 2, effective_size(no) + 2
    p = ((n - z * z) * share + z * z / 2) / n
    se, sp = ((n_yes - 2) * sensitivity + 1) / n_yes, ((n_no - 2) * specificity + 1) / n_no
    theta = (p + sp - 1) / (se + sp - 1)
    variance_se, variance_sp = se * (1 - se) / n_yes, sp * (1 - sp) / n_no
    shift = 2 * z * z * (theta * variance_se - (1 - theta) * variance_sp)
    half = z * math.sqrt(p * (1 - p) / n + theta**2 * variance_se + (1 - theta) ** 2 * variance_sp) / (se + sp - 1)
    low, high = (min(max(bound, 0.0), 1.0) for bound in (theta + shift - half, theta + shift + half))
    value = min(max((share + specificity - 1) / (sensitivity + specificity - 1), 0.0), 1.0)
    return RoganGladen(value, low, high, sensitivity, specificity, int(labelled.sum()), len(values))
