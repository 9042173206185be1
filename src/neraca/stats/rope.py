"""How likely one system is better, worse, or practically the same: Bayesian comparison of paired differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.interval import Floats

SAMPLES = 50_000
#: Many items take long and leave little open: of more weights than this fewer samples are drawn, but at least so many.
_WEIGHTS, _LEAST = 10_000_000, 5_000
#: Weights that are held at once (8 bytes each), so that they fit into a cache.
_AT_ONCE = 1 << 16
#: Differences that exceed the region by less than this share of the largest are within it.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Posterior:
    """Chances, given the data, that differences mostly lie below, within and above a region; together 1.

    NaN each where a difference is not finite.
    """

    less: float
    within: float
    more: float


#: From weights that sum to 1, shape (samples, n), to the shares below and above the region, shape (samples,) each.
_Shares = Callable[[Floats], tuple[Floats, Floats]]


def signed_rank(
    differences: Floats,
    rope: float,
    clusters: NDArray[np.int64] | None = None,
    seed: int = 0,
    samples: int = SAMPLES,
) -> Posterior:
    r"""Bayesian signed-rank test with a region of practical equivalence from -rope to rope.

    What the distribution of differences may be is drawn from a Dirichlet process: each item $i$ gets a weight $w_i$,
    $w \sim Dir(1, 1, \dots, 1)$; one more difference of 0 stands for what was believed before.  Of each draw, the
    shares of means of two differences below, within and above the region are

    $$ \theta_- = \sum_{i,j} w_i w_j\,[d_i + d_j < -2r], \quad \theta_+ = \sum_{i,j} w_i w_j\,[d_i + d_j > 2r] $$

    and the rest $\theta_0$.  `less`, `within` and `more` say in which share of the draws each was the largest.

    So it is about what differences mostly are, and not about their mean: where those of single items are much larger
    than the region, `within` stays near 0 however surely the mean is in it.  A test of equivalence asks for the mean.

    The weight of a session is drawn once, and each of its items gets it.

    Parameters
    ----------
    differences
        Shape (n,): value of a minus value of b, without NaN; with none of them, all is within.
    rope
        The largest difference that does not matter, 0 or more; a mean of exactly this size is within.
    clusters
        Shape (n,): each item's session; None: each its own.
    samples
        Draws; of more than 200 items fewer, down to 5,000 (of which a chance of one half is sure to 0.014).

    Raises
    ------
    ValueError
        For a rope below 0.

    References
    ----------
    Benavoli, A., Corani, G., Demšar, J. and Zaffalon, M. (2017). J. Mach. Learn. Res. 18(77), 1-36, sec. 4.2.

    Examples
    --------
    >>> found = signed_rank(np.full(4, 0.5), 0.1)  # within only if the 0 weighs more than 0.707: chance 0.293^4
    >>> found.less, round(found.within, 2), round(found.more, 2)
    (0.0, 0.01, 0.99)
    """
    return _posterior(differences, rope, clusters, (seed, samples), _of_means)


def _of_means(ordered: Floats, limit: float) -> _Shares:
    """Of the sums of every two of the ordered differences."""
    # those which go below the limit with another one are the first ones
    low = np.searchsorted(ordered, -limit - ordered)
    high = np.searchsorted(ordered, limit - ordered)

    def of(weights: Floats) -> tuple[Floats, Floats]:
        below = np.zeros((len(weights), len(ordered) + 1))
        np.cumsum(weights, axis=1, out=below[:, 1:])
        less, rest = (np.einsum("ij,ij->i", weights, below.take(place, axis=1)) for place in (low, high))
        return less, 1 - rest

    return of


def signs(
    differences: Floats,
    rope: float,
    clusters: NDArray[np.int64] | None = None,
    seed: int = 0,
    samples: int = SAMPLES,
) -> Posterior:
    r"""Bayesian sign test with a region of practical equivalence: as `signed_rank`, of single differences.

    $\theta_- = \sum_i w_i\,[d_i < -r]$ and $\theta_+ = \sum_i w_i\,[d_i > r]$, in place of means of two.

    References
    ----------
    Benavoli, A., Corani, G., Demšar, J. and Zaffalon, M. (2017). J. Mach. Learn. Res. 18(77), 1-36, sec. 4.2.

    Examples
    --------
    >>> round(signs(np.array([0.5]), 0.1).more, 2)  # which of two weights is larger, that of 0.5 or that of 0
    0.5
    """
    return _posterior(differences, rope, clusters, (seed, samples), _of_single)


def _of_single(ordered: Floats, limit: float) -> _Shares:
    """Of single differences, against half of the limit."""
    below, above = (ordered < -limit / 2).astype(float), (ordered > limit / 2).astype(float)
    return lambda weights: (weights @ below, weights @ above)


def _posterior(
    differences: Floats,
    rope: float,
    clusters: NDArray[np.int64] | None,
    how: tuple[int, int],
    shares: Callable[[Floats, float], _Shares],
) -> Posterior:
    """How often each of the three has the largest share, of so many draws from this seed."""
    if not rope >= 0:
        raise ValueError(f"the region of practical equivalence is {rope:g}: give the largest difference that is none")
    if not np.isfinite(differences).all():
        return Posterior(math.nan, math.nan, math.nan)
    seed, samples = how
    samples = min(samples, max(_LEAST, _WEIGHTS // (len(differences) + 1)))
    size = float(np.abs(differences).max(initial=0)) or 1.0
    d = np.append(differences / size, 0.0)
    order = np.argsort(d, kind="stable")
    of = shares(d[order], 2 * rope / size + _ROUNDING)
    numbers = np.arange(len(d) - 1) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    sessions = int(numbers.max(initial=-1)) + 2  # the 0 is one more
    whose = np.append(numbers, sessions - 1)[order]
    chance = np.random.default_rng(seed)
    largest = np.zeros(3)
    rows = max(1, _AT_ONCE // len(d))
    for start in range(0, samples, rows):
        weights = chance.standard_exponential((min(rows, samples - start), sessions)).take(whose, axis=1)
        weights /= weights.sum(axis=1, keepdims=True)
        less, more = of(weights)
        largest += np.bincount(np.argmax([less, 1 - less - more, more], axis=0), minlength=3)
    return Posterior(*(largest / samples).tolist())
