"""Discriminative power: how many pairs of systems a metric tells apart on the questions at hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats
from neraca.stats.tests.paired import Sample
from neraca.stats.tests.paired_tests import TESTS
from neraca.stats.tests.tukey import tukey


@dataclass(frozen=True, slots=True)
class Discrimination:
    """Results of a test for every pair of systems.

    Attributes
    ----------
    told_apart, pairs
        Pairs with p below the level, and all pairs.
    p
        The p-values of the tested pairs, smallest first.  Plotted against their rank they form the curve of achieved
        significance levels: the lower, the better the metric tells systems apart.
    required
        The difference at which every pair would be told apart: the largest half width of the intervals; NaN without
        intervals.
    n
        The smallest number of questions of a pair.
    test
        The test with its settings.
    """

    told_apart: int
    pairs: int
    p: tuple[float, ...]
    required: float
    n: int
    test: str

    @property
    def power(self) -> float:
        """Share of the pairs that are told apart; NaN without a pair."""
        return self.told_apart / self.pairs if self.pairs else math.nan


def discrimination(pairs: Sequence[Sample], level: float = 0.95, test: str = "t", seed: int = 0) -> Discrimination:
    """Test every pair of systems, and count the pairs with p < 1 - level.

    The p-values are not corrected, because the result is about the metric, not about two systems.  So a share of
    1 - level of the pairs that do not differ is told apart too.

    Parameters
    ----------
    pairs
        For each pair the differences on the questions that both systems have, without NaN.
    test
        A key of `neraca.stats.tests.paired_tests.TESTS`.
    seed
        Seed of tests that draw at random.

    References
    ----------
    Sakai, T. (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR, 525-532.

    Examples
    --------
    >>> clear, unclear = Sample(np.array([0.7, 0.8, 0.7, 0.6])), Sample(np.array([0.1, -0.1, 0, 0]))
    >>> result = discrimination([clear, unclear])
    >>> result.told_apart, result.pairs, result.power
    (1, 2, 0.5)
    """
    results = TESTS[test](pairs, level, seed)
    halves = [(result.high - result.low) / 2 for result in results]
    n = min((result.n for result in results), default=0)
    return _summarise([result.p for result in results], halves, level, n, results[0].test if results else test)


def tukey_discrimination(
    values: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95, seed: int = 0
) -> Discrimination:
    """Test all pairs of systems at once by Tukey's randomised HSD: the p-values are corrected for their number.

    Parameters
    ----------
    values
        Value of each of n questions for each of k systems, shape (n, k), without NaN.
    clusters
        Number of each question's session, shape (n,); None: each question is its own.

    References
    ----------
    Sakai, T. (2012). Evaluation with informational and navigational intents. WWW, 499-508.

    Examples
    --------
    >>> result = tukey_discrimination(np.array([[1.0, 0, 0]] * 7))  # a 1 in one column: 3 of 3 ** 7 ways
    >>> result.told_apart, result.pairs, [round(p, 4) for p in result.p]
    (2, 3, [0.0014, 0.0014, 1.0])
    """
    result = tukey(values, clusters, level, seed)
    pairs = np.triu_indices(values.shape[1], 1)
    return _summarise(result.p[pairs].tolist(), [result.half], level, result.n, result.test)


def _summarise(p: Sequence[float], halves: Sequence[float], level: float, n: int, test: str) -> Discrimination:
    p_values = tuple(sorted(p_value for p_value in p if not math.isnan(p_value)))
    required = max((half for half in halves if half > 0), default=math.nan)
    return Discrimination(sum(p_value < 1 - level for p_value in p_values), len(p), p_values, required, n, test)
