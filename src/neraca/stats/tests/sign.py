"""The sign test of the numbers of better and worse items."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats
from neraca.stats.tests.paired import Paired, cluster_sums, standard_error, trivial


def sign_test(differences: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95) -> Paired:
    r"""Exact sign test of $w$ wins and $l$ losses: $p = \min(1,\; 2 \sum_{k \le \min(w, l)} \binom{w+l}{k} 2^{-w-l})$.

    Ties are left out.  The items of a session count once, by the sign of their mean.  The interval is the exact
    interval of the median difference (of the sessions' means), including ties, between two of the ordered values; at 95
    % it needs at least six of them.  The statistic is $w - l$.

    Parameters
    ----------
    differences, clusters, level
        As in `t_test`.  A mean below 1e-12 of the largest difference is a tie.

    References
    ----------
    Arbuthnott, J. (1710). Phil. Trans. 27, 186-190; Conover, W. J. (1999). Practical Nonparametric Statistics, 3rd
    ed., sec. 3.2 and 3.4.

    Examples
    --------
    >>> result = sign_test(np.array([1.0, 2, 3, 4, 5, -6, 0]))  # 5 to 1: 2 (1 + 6) / 64
    >>> result.statistic, round(result.p, 6), result.low, result.high
    (4.0, 0.21875, -6.0, 5.0)
    """
    if (simple := trivial(differences, "sign")) is not None:
        return simple
    sums, sizes = cluster_sums(differences, clusters)
    means = sums / sizes
    means[np.abs(means) <= 1e-12 * float(np.abs(differences).max())] = 0.0
    wins, losses = int((means > 0).sum()), int((means < 0).sum())
    p = sign_p(wins, losses)
    low, high = _median(np.sort(means), level)
    error = standard_error(differences, clusters)
    return Paired(float(differences.mean()), low, high, p, float(wins - losses), error, len(differences), "sign")


def sign_p(wins: int, losses: int) -> float:
    """Return the exact two-sided p-value of wins and losses that are equally likely.

    >>> round(sign_p(5, 1), 6)
    0.21875
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5))) if wins + losses else 1.0


def _median(ordered: Floats, level: float) -> tuple[float, float]:
    """Return the interval between the k-th values from either end, with the largest k that the level allows."""
    from scipy.special import bdtr

    n = len(ordered)
    outside = int((bdtr(np.arange(n), n, 0.5) <= (1 - level) / 2 * (1 + 1e-12)).sum())
    if not outside:
        return math.nan, math.nan
    return float(ordered[outside - 1]), float(ordered[n - outside])
