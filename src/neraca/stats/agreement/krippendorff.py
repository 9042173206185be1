r"""Krippendorff's alpha: agreement of any number of judges, in categories or on a scale, with missing values.

$\alpha = 1 - D_o / D_e$, with the mean disagreement $D_o$ within things and $D_e$ between any two values.  It is a
total of summed counts, so that intervals come from the usual resampling.
"""

from __future__ import annotations

import numpy as np

from neraca.stats.intervals.interval import Floats


def squared_distances(scale: Floats) -> Floats:
    """Return the squared distances between grades; shape (q,) -> (q, q).

    >>> squared_distances(np.array([0.0, 1, 3])).tolist()
    [[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]]
    """
    squares: Floats = (scale[:, None] - scale) ** 2
    return squares


def alpha_counts(votes: Floats, distances: Floats | None = None) -> Floats:
    """Return rows for `krippendorff_alpha`.

    Parameters
    ----------
    votes
        Shape (n, q): the number of judges who put each thing into each category; at least two for each thing.
    distances
        Shape (q, q), such as those of `squared_distances`; None: all different categories have distance 1.

    Returns
    -------
    Floats
        Shape (n, q + 1): the disagreement within each thing, and its votes for each category.

    Examples
    --------
    >>> alpha_counts(np.array([[3.0, 1.0]]))  # 3 × 1 pairs, counted both ways, over 3 other judges
    array([[2., 3., 1.]])
    """
    distances = 1 - np.eye(votes.shape[1]) if distances is None else distances
    within = ((votes @ distances) * votes).sum(axis=1) / (votes.sum(axis=1) - 1)
    return np.column_stack([within, votes])


def krippendorff_alpha(sums: Floats, distances: Floats | None = None) -> Floats:
    r"""Krippendorff's alpha: $1 - (N - 1) \sum_u d_u / \sum_{kl} N_k N_l \delta_{kl}$.

    $d_u$ is the disagreement within a thing, $N_k$ the number of votes for category k, N that of all votes, and
    $\delta$ the distances of `alpha_counts`.  At most 1; 0 is chance.  NaN if all votes are for one category, or
    without things.  Shapes (..., q + 1) -> (...).

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.

    Examples
    --------
    >>> votes = np.array([[2.0, 0], [2, 0], [0, 2], [1, 1]])
    >>> round(float(krippendorff_alpha(alpha_counts(votes).sum(axis=0))), 4)  # 1 - 7 × 2 / (5 × 3 × 2)
    0.5333
    """
    counts = sums[..., 1:]
    distances = 1 - np.eye(counts.shape[-1]) if distances is None else distances
    expected = (counts @ distances * counts).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha: Floats = np.where(expected > 0, 1 - (counts.sum(axis=-1) - 1) * sums[..., 0] / expected, np.nan)
    return alpha
