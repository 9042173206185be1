"""Split-half stability: whether two halves of the questions put the systems in the same order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.agreement.rank_correlation import tau_ap
from neraca.stats.intervals.interval import Floats, Total, cluster_numbers, mean

SPLITS = 1000
#: Random numbers, or pairs of systems, in a batch of splits (some 30 MB).
_BATCH = 1 << 20


@dataclass(frozen=True, slots=True)
class SplitHalf:
    """The agreement of random halves of the questions on the order of the systems.

    Attributes
    ----------
    tau, tau_ap
        Mean over the splits of Kendall's tau between the two rankings, and of the AP correlation (in both directions):
        1 is the same order, -1 the opposite one.
    swaps
        Mean over the splits of the share of pairs of systems that the two halves put in opposite orders.
    pairs
        The same share for each pair of systems, shape (k, k); 0 on the diagonal.
    best
        Share of the splits in which both halves have the same system first.
    n, groups
        Questions, and sessions (or single questions) that were split.
    splits
        The number of splits.
    """

    tau: float
    tau_ap: float
    swaps: float
    pairs: Floats
    best: float
    n: int
    groups: int
    splits: int


def split_half(
    rows: Floats,
    total: Total = mean,
    clusters: NDArray[np.int64] | None = None,
    splits: int = SPLITS,
    seed: int = 0,
) -> SplitHalf | None:
    r"""Rank k systems by random halves of the questions, again and again, and compare the two rankings.

    Each session goes to one of the halves as a whole; if their number is odd, one half has one more.  A tie of two
    systems in a half counts half as agreement and half as a swap.  So always $\tau = 1 - 2 \cdot \mathrm{swaps}$.
    Equally good systems swap in half of the splits on average, and in more if their totals over all questions are
    equal, because what one half has more the other has less.

    Each half has half of the questions, so the ranking by all questions is more stable than this.  None for fewer than
    two systems or two sessions.

    Parameters
    ----------
    rows
        Counts, shape (k, n, w), without NaN; larger totals are better.
    total
        From summed counts to a value, shapes (..., w) -> (...); a half with an undefined value has no order.
    clusters
        Number of each question's session, shape (n,); None: each question is its own.
    splits, seed
        Number of splits, and the seed of their random numbers.

    References
    ----------
    Buckley, C. and Voorhees, E. M. (2000). SIGIR, 33-40; Voorhees, E. M. and Buckley, C. (2002). SIGIR, 316-323;
    Zobel, J. (1998). SIGIR, 307-314.

    Examples
    --------
    >>> values = np.array([[0.9, 0.8, 0.9, 0.7], [0.1, 0.2, 0.3, 0.1]])  # the first is better on every question
    >>> stability = split_half(np.stack([values, np.ones_like(values)], axis=-1))
    >>> stability.tau, stability.swaps, stability.best
    (1.0, 0.0, 1.0)
    """
    k, n, width = rows.shape
    places = cluster_numbers(clusters, n)
    groups = int(places.max(initial=-1)) + 1
    if k < 2 or groups < 2:
        return None
    sums = np.zeros((groups, k, width))
    np.add.at(sums, places, np.moveaxis(rows, 1, 0))
    rng = np.random.default_rng(seed)
    pairs, taus, best = np.zeros((k, k)), 0.0, 0.0
    most = max(1, _BATCH // max(groups, k * k))
    for start in range(0, splits, most):
        first, second = _halves(sums, total, rng, min(most, splits - start))
        order = [np.sign(half[:, :, None] - half[:, None, :]) for half in (first, second)]
        pairs += ((1 - order[0] * order[1]) / 2).sum(axis=0)
        taus += float((tau_ap(first, second) + tau_ap(second, first)).sum()) / 2
        best += float((_best(first) * _best(second)).sum())
    np.fill_diagonal(pairs, 0)
    swaps = float(pairs.sum()) / (k * (k - 1) * splits)
    return SplitHalf(1 - 2 * swaps, taus / splits, swaps, pairs / splits, best / splits, n, groups, splits)


def _halves(sums: Floats, total: Total, rng: np.random.Generator, splits: int) -> tuple[Floats, Floats]:
    """Return the values of the systems in random halves of the questions and in the other halves, shape (splits, k)."""
    groups, k, width = sums.shape
    flat = sums.reshape(groups, k * width)
    # the places of the smallest random numbers are a random choice
    chosen = (rng.random((splits, groups)).argsort(axis=1) < groups // 2).astype(np.float64)
    values = [np.array(total((half @ flat).reshape(splits, k, width))) for half in (chosen, 1 - chosen)]
    for value in values:
        value[np.isnan(value).any(axis=1)] = 0.0
        value /= float(np.abs(value).max()) or 1.0
    first, second = (np.round(value, 12) for value in values)  # values that differ by rounding are equal
    return first, second


def _best(values: Floats) -> Floats:
    """Return, for each system, the chance that it is first if ties are broken at random; shapes (splits, k)."""
    top = values == values.max(axis=1, keepdims=True)
    chances: Floats = top / top.sum(axis=1, keepdims=True)
    return chances
