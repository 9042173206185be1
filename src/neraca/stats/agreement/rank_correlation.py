"""Agreement of two rankings in which the top matters most: AP correlation and rank-biased overlap.

Kendall's tau-b in `correlation.py` weighs all places equally.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neraca.stats.intervals.interval import Floats


def _above(truth: Floats, estimate: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count the things above each thing in the estimate: those above it in truth, those below it, and all.

    Shapes (..., n) -> (..., n).
    """
    above = estimate[..., None, :] > estimate[..., :, None]
    lead = truth[..., None, :] - truth[..., :, None]
    return (above & (lead > 0)).sum(axis=-1), (above & (lead < 0)).sum(axis=-1), above.sum(axis=-1)


def tau_ap(truth: ArrayLike, estimate: ArrayLike) -> Floats:
    r"""AP correlation $\tau_{AP} = \frac{1}{n-1} \sum_{i=2}^n \frac{C_i - D_i}{i - 1}$: a tau for which the top counts.

    $i$ is a place in the estimated ranking.  Of the $i - 1$ things above it, $C_i$ are above it in truth too, and $D_i$
    below it.  1 is the same order, -1 the opposite order.  Ties in the estimate are averaged over all their orders
    ($\tau_{AP,a}$); ties in truth are neither in $C$ nor in $D$.  So ties bring the value nearer to 0, even if both
    rankings have the same ones.

    Parameters
    ----------
    truth, estimate
        Finite values of the same n things, more is better, shapes (..., n) -> (...); NaN for fewer than two.

    References
    ----------
    Yilmaz, E., Aslam, J. A. and Robertson, S. (2008). SIGIR, 587-594.  Urbano, J. and Marrero, M. (2017). ICTIR,
    321-324.

    Examples
    --------
    >>> round(float(tau_ap([4, 3, 2, 1], [4, 3, 1, 2])), 4)  # 1/1, 2/2 and (2 - 1)/3, divided by 3
    0.7778
    >>> round(float(tau_ap([4, 3, 2, 1], [3, 4, 2, 1])), 4)  # the same mistake at the top costs more
    0.3333
    """
    true, estimated = np.asarray(truth, np.float64), np.asarray(estimate, np.float64)
    n = estimated.shape[-1]
    if n < 2:
        return np.full(estimated.shape[:-1], np.nan)
    right, wrong, above = _above(true, estimated)
    equal = (estimated[..., None, :] == estimated[..., :, None]).sum(axis=-1)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n + 1))])
    # a thing among t equal ones below p others is equally often at places p + 1 to p + t: the mean of 1 / p, ...
    weight = (harmonic[above + equal - 1] - harmonic[np.maximum(above - 1, 0)]) / equal
    tau: Floats = ((right - wrong) * weight).sum(axis=-1) / (n - 1)
    return tau


def tau_ap_b(x: ArrayLike, y: ArrayLike) -> float:
    r"""AP correlation of two rankings, neither of which is the truth, corrected for ties: $\tau_{AP,b}$.

    It is the mean of $2 C_i / p_i - 1$ over the things below others, and over both directions.  $p_i$ things are above
    thing $i$ in one ranking, and $C_i$ of these are above it in the other too.  1 for equal rankings, including their
    ties; NaN if all things are tied in one of them.

    Parameters
    ----------
    x, y
        Finite values of the same things, more is better, shape (n,).

    References
    ----------
    Urbano, J. and Marrero, M. (2017). The Treatment of Ties in AP Correlation. ICTIR, 321-324.

    Examples
    --------
    >>> tau_ap_b([3, 2, 2], [3, 2, 2]), tau_ap_b([3, 2, 1], [3, 1, 2])
    (1.0, 0.5)
    """
    values = np.asarray(x, np.float64), np.asarray(y, np.float64)
    directions = []
    for truth, estimate in (values, values[::-1]):
        right, _, above = _above(truth, estimate)
        directions.append(float((2 * right[above > 0] / above[above > 0] - 1).mean()) if above.any() else math.nan)
    return sum(directions) / 2


@dataclass(frozen=True, slots=True)
class Overlap:
    """Rank-biased overlap of two rankings.

    Attributes
    ----------
    value
        Extrapolated, as if unseen places agree as much as the seen ones; 0 to 1, NaN if a ranking is empty.
    low, residual
        The least overlap, and the most that unseen places could add to it.
    """

    value: float
    low: float
    residual: float


def grouped(values: ArrayLike) -> list[frozenset[int]]:
    """Return the numbers of n things, best first, in groups of equal values; `values` has the shape (n,).

    >>> [sorted(group) for group in grouped([0.2, 0.9, 0.2])]
    [[1], [0, 2]]
    """
    groups: dict[float, list[int]] = {}
    for number, value in enumerate(np.asarray(values, np.float64).tolist()):
        groups.setdefault(value, []).append(number)
    return [frozenset(groups[value]) for value in sorted(groups, reverse=True)]


def rbo(first: Sequence[Hashable], second: Sequence[Hashable], p: float = 0.9) -> Overlap:
    r"""Rank-biased overlap $(1 - p) \sum_{d=1}^\infty p^{d-1} X_d / d$, extrapolated from the seen places.

    $X_d$ is the number of things that both rankings have among their first $d$; $p$ is the chance that a reader goes on
    to the next place.  The rankings may have any length and different things.  Tied things stand in one set: $X_d$ is
    then the mean over all their orders ($RBO^a$), so that a ranking with ties overlaps with itself by less than 1.

    Parameters
    ----------
    first, second
        Best first; an entry is a thing or a set of tied things.
    p
        Above 0 and below 1; with 0.9 the first ten places have 86 % of the weight.

    Raises
    ------
    ValueError
        p is out of range, or a ranking has a thing twice.

    References
    ----------
    Webber, W., Moffat, A. and Zobel, J. (2010). ACM Trans. Inf. Syst. 28(4), 20, eq. 11, 30 and 32.  Corsi, M. and
    Urbano, J. (2024). SIGIR.

    Examples
    --------
    >>> round(rbo("ab", "ba", 0.5).value, 4)  # nothing in common at 1, all from 2 on: 0 + 1/4 + 1/8 + ...
    0.5
    """
    if not 0 < p < 1:
        raise ValueError(f"p is the chance to go on to the next place, above 0 and below 1, not {p:g}")
    places = _places(first), _places(second)
    short, long = sorted(map(len, places))
    if not short:
        return Overlap(math.nan, 0.0, 1.0)
    depth = np.arange(1, long + 1)
    common = np.zeros(long)
    for thing in places[0].keys() & places[1].keys():
        shares = [np.clip((depth - before) / size, 0, 1) for before, size in (places[0][thing], places[1][thing])]
        common += shares[0] * shares[1]
    weight = p**depth / depth
    at_short, at_long = float(common[short - 1]), float(common[-1])
    beyond = at_short * np.maximum(depth - short, 0) / short  # assumes the same overlap beyond the shorter one
    value = (1 - p) / p * float((weight * (common + beyond)).sum())
    value += ((at_long - at_short) / long + at_short / short) * p**long
    low = (1 - p) / p * (float((weight * (common - at_long)).sum()) - at_long * math.log1p(-p))
    return Overlap(value, low, _residual(short, long, at_long, p))


def _places(ranking: Sequence[Hashable]) -> dict[Hashable, tuple[int, int]]:
    """Return, for each thing, the number of things above it and the size of its set of equal things."""
    places: dict[Hashable, tuple[int, int]] = {}
    for entry in ranking:
        group = entry if isinstance(entry, Set) else {entry}
        if repeated := group & places.keys():
            raise ValueError(f"{sorted(map(str, repeated))[0]!r} stands twice in a ranking")
        places |= dict.fromkeys(group, (len(places), len(group)))
    return places


def _residual(short: int, long: int, common: float, p: float) -> float:
    """Return the overlap that unseen ranks could still add if they all agreed (Webber et al., eq. 30)."""
    full = short + long - round(common)
    depth = np.arange(1, full + 1)
    weight = p**depth / depth
    uncounted = short * float(weight[short:].sum()) + long * float(weight[long:].sum())
    uncounted += common * (-math.log1p(-p) - float(weight.sum()))
    return p**short + p**long - p**full - (1 - p) / p * uncounted
