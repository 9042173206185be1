"""The share that people would find, from a judge's share and its sensitivity and specificity on labelled items."""

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
        0 to 1; NaN where the judge is no better than chance, or where the labels are all 1 or all 0.
    sensitivity, specificity
        Of what people call 1 the share that the judge calls 1; of what they call 0 the share that it calls 0.
    labels, items
        How many of the items are labelled, and all.
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
    r"""The share $\theta = (p + Sp - 1) / (Se + Sp - 1)$, with Lang and Reiczigel's interval.

    $p$ is the judge's share of 1 among all items, Se and Sp are its sensitivity and specificity.  The interval counts
    that all three are estimated.  With clusters, each rests on its effective number of items.  Unlike
    `prediction_powered`, it holds also where labelled items have more 1 or more 0 than others, as long as the judge is
    as often right on them.  Value and bounds end at 0 and 1, as the authors of the interval have it;
    `benchmarks/corrected.py` counts how often it holds the share.

    Parameters
    ----------
    labels
        Shape (N,): 1 or 0, what people say; NaN where nobody did.
    values
        Shape (N,): 1 or 0, what the judge says of all items.
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
    share, right, wrong = float(values.mean()), float(values[yes].mean()), 1 - float(values[no].mean())
    if right + wrong - 1 <= 0:
        return RoganGladen(*(math.nan,) * 3, right, wrong, int(labelled.sum()), len(values))

    def size(rows: NDArray[np.bool_]) -> float:
        return effective_n(values[rows], None if clusters is None else clusters[rows], level)

    z = normal_quantile(level)
    n, n_yes, n_no = size(np.ones(len(values), bool)) + z * z, size(yes) + 2, size(no) + 2
    p = ((n - z * z) * share + z * z / 2) / n
    se, sp = ((n_yes - 2) * right + 1) / n_yes, ((n_no - 2) * wrong + 1) / n_no
    theta = (p + sp - 1) / (se + sp - 1)
    of_yes, of_no = se * (1 - se) / n_yes, sp * (1 - sp) / n_no
    shift = 2 * z * z * (theta * of_yes - (1 - theta) * of_no)
    half = z * math.sqrt(p * (1 - p) / n + theta**2 * of_yes + (1 - theta) ** 2 * of_no) / (se + sp - 1)
    low, high = (min(max(bound, 0.0), 1.0) for bound in (theta + shift - half, theta + shift + half))
    value = min(max((share + wrong - 1) / (right + wrong - 1), 0.0), 1.0)
    return RoganGladen(value, low, high, right, wrong, int(labelled.sum()), len(values))
