"""Discriminative power: how many pairs of systems a metric tells apart on the questions at hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.interval import Floats
from neraca.stats.paired import Sample
from neraca.stats.paired_tests import TESTS
from neraca.stats.tukey import tukey


@dataclass(frozen=True, slots=True)
class Discrimination:
    """What a test finds of every pair of systems.

    Attributes
    ----------
    told, pairs
        Pairs with p below the level, and all pairs.
    p
        The p-values, the smallest first; those of pairs that could not be tested are left out.  Drawn against their
        rank they are the curve of achieved significance levels: the lower, the better the metric tells systems apart.
    required
        The difference with which even the pair that is hardest to tell apart would have been: the largest half
        width of the intervals; NaN where there is none.
    n
        Questions, of the pair that has the fewest.
    test
        The test and how it was made.
    """

    told: int
    pairs: int
    p: tuple[float, ...]
    required: float
    n: int
    test: str

    @property
    def power(self) -> float:
        """Share of the pairs that are told apart; NaN without a pair."""
        return self.told / self.pairs if self.pairs else math.nan


def discrimination(pairs: Sequence[Sample], level: float = 0.95, test: str = "t", seed: int = 0) -> Discrimination:
    """Test every pair of systems, and count those with p < 1 - level.

    The p-values are as they are, for a metric's power of telling apart is meant and not a verdict on two systems: of
    pairs that do not differ at all, a share of 1 - level is told apart too.

    Parameters
    ----------
    pairs
        For each pair the differences on the questions that both have, without NaN.
    test
        A key of `neraca.stats.paired_tests.TESTS`.
    seed
        Of tests that draw at random.

    References
    ----------
    Sakai, T. (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR, 525-532.

    Examples
    --------
    >>> clear, unclear = Sample(np.array([0.7, 0.8, 0.7, 0.6])), Sample(np.array([0.1, -0.1, 0, 0]))
    >>> found = discrimination([clear, unclear])
    >>> found.told, found.pairs, found.power
    (1, 2, 0.5)
    """
    found = TESTS[test](pairs, level, seed)
    halves = [(one.high - one.low) / 2 for one in found]
    n = min((one.n for one in found), default=0)
    return _counted([one.p for one in found], halves, level, n, found[0].test if found else test)


def tukey_discrimination(
    values: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95, seed: int = 0
) -> Discrimination:
    """Test all pairs of systems at once by Tukey's randomised HSD: the p-values are corrected for their number.

    Parameters
    ----------
    values
        Shape (n, k): what each of n questions says of each of k systems, without NaN.
    clusters
        Number of each question's session, shape (n,); None: each its own.

    References
    ----------
    Sakai, T. (2012). Evaluation with informational and navigational intents. WWW, 499-508.

    Examples
    --------
    >>> found = tukey_discrimination(np.array([[1.0, 0, 0]] * 7))  # a 1 in one column: 3 of 3 ** 7 ways
    >>> found.told, found.pairs, [round(p, 4) for p in found.p]
    (2, 3, [0.0014, 0.0014, 1.0])
    """
    found = tukey(values, clusters, level, seed)
    pairs = np.triu_indices(values.shape[1], 1)
    return _counted(found.p[pairs].tolist(), [found.half], level, found.n, found.test)


def _counted(p: Sequence[float], halves: Sequence[float], level: float, n: int, test: str) -> Discrimination:
    known = tuple(sorted(one for one in p if not math.isnan(one)))
    required = max((half for half in halves if half > 0), default=math.nan)
    return Discrimination(sum(one < 1 - level for one in known), len(p), known, required, n, test)
