"""Bayesian comparison of paired differences: the chances that a system is better, worse or practically equal."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, cluster_numbers

SAMPLES = 50_000
#: The most weights and the fewest samples; with many items fewer samples suffice.
_WEIGHTS, _LEAST = 10_000_000, 5_000
#: Weights in memory at a time (8 bytes each), so that they fit into a cache.
_AT_ONCE = 1 << 16
#: A difference is within the region if it exceeds it by less than this share of the largest difference.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Posterior:
    """Posterior probabilities that differences mostly lie below, within and above a region, with sum 1.

    All are NaN if a difference is not finite.
    """

    less: float
    within: float
    more: float


def signed_rank(
    differences: Floats,
    rope: float,
    clusters: NDArray[np.int64] | None = None,
    seed: int = 0,
    samples: int = SAMPLES,
) -> Posterior:
    r"""Bayesian signed-rank test with a region of practical equivalence from -rope to rope.

    Each draw from a Dirichlet process is a possible distribution of the differences $d_i$: item $i$ gets a weight
    $w_i$, with $w \sim Dir(1, 1, \dots, 1)$; one more difference of 0 is the prior.  With $r$ = rope, the shares of
    means of two differences below and above the region are

    $$ \theta_- = \sum_{i,j} w_i w_j\,[d_i + d_j < -2r], \quad \theta_+ = \sum_{i,j} w_i w_j\,[d_i + d_j > 2r] $$

    and the rest is within.  `less`, `within` and `more` are the shares of draws in which each of them is the largest.

    So the test is about single differences, not their mean.  If they are much larger than the region, `within` stays
    near 0 even if their mean is certainly in it.  All items of a session share one weight.

    Parameters
    ----------
    differences, clusters
        As in `t_test`; without items `within` is 1.
    rope
        The largest difference that does not matter, 0 or more; a mean of exactly this size is within.
    samples
        Draws; with more than 200 items fewer, down to 5,000 (which give a chance of one half to within 0.014).

    Raises
    ------
    ValueError
        The rope is below 0.

    References
    ----------
    Benavoli, A., Corani, G., Demšar, J. and Zaffalon, M. (2017). J. Mach. Learn. Res. 18(77), 1-36, sec. 4.2.

    Examples
    --------
    >>> posterior = signed_rank(np.full(4, 0.5), 0.1)  # within only if the 0 weighs more than 0.707: chance 0.293^4
    >>> posterior.less, round(posterior.within, 2), round(posterior.more, 2)
    (0.0, 0.01, 0.99)
    """
    if not rope >= 0:
        raise ValueError(f"the region of practical equivalence is {rope:g}: give the largest difference that is none")
    if not np.isfinite(differences).all():
        return Posterior(math.nan, math.nan, math.nan)
    samples = min(samples, max(_LEAST, _WEIGHTS // (len(differences) + 1)))
    size = float(np.abs(differences).max(initial=0)) or 1.0
    d = np.append(differences / size, 0.0)
    order = np.argsort(d, kind="stable")
    numbers = cluster_numbers(clusters, len(differences))
    sessions = int(numbers.max(initial=-1)) + 2  # the prior adds one difference of 0
    session_of = np.append(numbers, sessions - 1)[order]
    largest = np.zeros(3)
    for weights in _weights(sessions, session_of, samples, seed):
        less, more = _shares(d[order], 2 * rope / size + _ROUNDING, weights)
        largest += np.bincount(np.argmax([less, 1 - less - more, more], axis=0), minlength=3)
    return Posterior(*(largest / samples).tolist())


def _weights(sessions: int, session_of: NDArray[np.int64], samples: int, seed: int) -> Iterator[Floats]:
    """Yield random weights of n items with the sum 1, drawn by session, shape (rows, n), a chunk at a time."""
    rng = np.random.default_rng(seed)
    rows = max(1, _AT_ONCE // len(session_of))
    for start in range(0, samples, rows):
        weights = rng.standard_exponential((min(rows, samples - start), sessions)).take(session_of, axis=1)
        yield weights / weights.sum(axis=1, keepdims=True)


def _shares(ordered: Floats, limit: float, weights: Floats) -> tuple[Floats, Floats]:
    """Return the weights of the pairwise sums of n ordered differences below -limit and above limit, (samples,) each.

    `weights` has the shape (samples, n).
    """
    # differences are sorted, so partners whose sum with a difference is below a bound come first
    low, high = np.searchsorted(ordered, -limit - ordered), np.searchsorted(ordered, limit - ordered)
    below = np.zeros((len(weights), len(ordered) + 1))
    np.cumsum(weights, axis=1, out=below[:, 1:])
    less, not_above = (np.einsum("ij,ij->i", weights, below.take(place, axis=1)) for place in (low, high))
    return less, 1 - not_above
