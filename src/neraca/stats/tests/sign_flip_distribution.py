"""The distribution of sums of scores with random signs, for paired tests."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, normal_quantile

#: The most additions for an exact distribution: a few hundredths of a second.
_MOST = 30_000_000
#: With at most this many scores, every combination of signs is tried: 2^17 = 131,072.
_FEW = 17


@lru_cache(maxsize=16)
def _chances(sizes: tuple[int, ...]) -> Floats:
    r"""Return the chance of each sum of positive scores, from 0 to $\sum_i s_i$, adding the scores $s_i$ one by one.

    Streitberg, B. and Röhmel, J. (1986). Statistical Software Newsletter 12, 10-17.
    """
    chances = np.ones(1)
    for size in sizes:
        grown = np.zeros(len(chances) + size)
        grown[: len(chances)] = chances
        grown[size:] += chances
        chances = grown / 2
    return chances


def can_be_exact(scores: NDArray[np.int64]) -> bool:
    """Return whether the exact distribution is cheap enough."""
    return len(scores) <= _FEW or int(np.abs(scores).sum()) * len(scores) <= _MOST


def _every(scores: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the absolute sums for every combination of signs, the smallest first."""
    sums = np.zeros(1, np.int64)
    for score in scores:
        sums = np.concatenate([sums + score, sums - score])
    return np.sort(np.abs(sums))


def _sizes(scores: NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(sorted(np.abs(scores[scores != 0]).tolist()))


def sign_flips(scores: NDArray[np.int64], exact: bool) -> float:
    r"""Return the two-sided p of $|T| = |\sum_i s_i|$ when each score has either sign with chance 1/2.

    Exact, or by the normal distribution with variance $\sum_i s_i^2$.

    Parameters
    ----------
    scores
        Whole numbers, shape (n,); p is 1 if all are 0.

    Examples
    --------
    >>> sign_flips(np.array([1, 2, 3]), exact=True)  # 6 or -6, two of eight
    0.25
    """
    total, observed = int(np.abs(scores).sum()), abs(int(scores.sum()))
    if not observed:
        return 1.0
    if exact and len(scores) <= _FEW:
        return float((_every(scores) >= observed).mean())
    if exact:
        return min(1.0, 2 * float(_chances(_sizes(scores))[(total + observed) // 2 :].sum()))
    from scipy.special import ndtr

    return float(2 * ndtr(-observed / math.sqrt(float((scores.astype(np.float64) ** 2).sum()))))


def largest_usual(scores: NDArray[np.int64], exact: bool, level: float) -> float:
    """Return the largest |T| that is not too rare at this level; infinite if no |T| is too rare.

    >>> largest_usual(np.arange(1, 7), True, 0.95), largest_usual(np.arange(1, 5), True, 0.95)
    (19.0, inf)
    """
    total = int(np.abs(scores).sum())
    if exact and len(scores) <= _FEW:
        every = _every(scores)
        size = int(every[-1 - math.floor((1 - level) * len(every) * (1 + 1e-12))])
        return math.inf if size == total else float(size)
    if exact:
        # tail[w]: chance of a sum of positives of w or more
        tail = np.cumsum(_chances(_sizes(scores))[::-1])[::-1]
        usual = np.flatnonzero(tail > (1 - level) / 2 * (1 + 1e-12))
        return math.inf if usual[-1] == total else float(2 * usual[-1] - total)
    half = normal_quantile(level) * math.sqrt(float((scores.astype(np.float64) ** 2).sum()))
    return math.inf if half >= total else half
