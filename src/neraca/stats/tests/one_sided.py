"""One-sided tests by the method that fits the values: exact tests of shares, paired tests of other means."""

from __future__ import annotations

import math
from collections.abc import Sequence

from neraca.stats.intervals.fewest import FEWEST_IN_RANGE
from neraca.stats.intervals.interval import NO_RANGE, Range, keep_in_range
from neraca.stats.tests.noninferiority import OneSidedHypothesis, items_for_mean, p_of_means
from neraca.stats.tests.paired import Paired
from neraca.stats.tests.proportion_noninferiority import (
    bound_of_proportion,
    is_proportion,
    items_for_proportion,
    p_of_proportion,
)

#: Tests of a mean; they alone can test values minus a bound.
OF_MEANS = ("t", "randomisation", "bootstrap")
#: The test among them that can be made where all values are equal.
NEEDS_NO_SPREAD = "randomisation"
#: The name of the test of shares, which replaces every chosen test.
SHARES = "shares"


def one_sided_p(
    hypotheses: Sequence[OneSidedHypothesis], test: str = "t", seed: int = 0, level: float = 0.95
) -> list[float]:
    """One-sided p of each hypothesis; NaN where no test can be made.

    None can be made of several items that are one source of chance, nor of fewer than `FEWEST_IN_RANGE` observations:
    so few would show nearly any claim with a wide margin, whatever they are.

    Parameters
    ----------
    test, seed
        One of `OF_MEANS`, for all values that are not shares: none of these keeps its level for shares of which few
        differ.
    level
        1 - alpha.

    Examples
    --------
    >>> import numpy as np
    >>> from neraca.stats.tests.paired import Sample
    >>> share = OneSidedHypothesis(Sample(np.array([1.0] * 29 + [0])), 0.9, 0, 1)  # of 30 questions one is wrong
    >>> mean = OneSidedHypothesis(share.sample, 0.9)  # without a range it is not known to be a share
    >>> [round(p, 3) for p in one_sided_p([share, mean])]
    [0.184, 0.027]
    """
    p = p_of_means(hypotheses, test, seed)
    return [
        (p_of_proportion(h, level) if is_proportion(h) else p_h) if testable(h) else math.nan
        for h, p_h in zip(hypotheses, p, strict=True)
    ]


def one_sided_bounds(
    hypothesis: OneSidedHypothesis, result: Paired, level: float = 0.95, limits: Range = NO_RANGE
) -> tuple[float, float]:
    """One-sided confidence bounds of the mean on either side, each at this level; NaN where nothing shows chance.

    A bound that leaves the range of the mean is replaced; with too few observations there is none (`keep_in_range`).

    Parameters
    ----------
    result
        What the paired test of the sample found at the level 2 level - 1.
    limits
        The least and the largest mean that there can be.
    """
    if not testable(hypothesis):
        return math.nan, math.nan
    if is_proportion(hypothesis):
        return bound_of_proportion(hypothesis, level), -bound_of_proportion(hypothesis.opposite, level)
    if not hypothesis.sample.differences.any():
        return math.nan, math.nan
    bounds, tested = (result.low, result.high), (hypothesis.bound, -hypothesis.bound)
    return keep_in_range(result.difference, bounds, limits, hypothesis.sample.sessions, tested=tested)


def testable(hypothesis: OneSidedHypothesis) -> bool:
    """Whether there are enough observations for a one-sided test and its bounds."""
    return hypothesis.sample.sessions >= FEWEST_IN_RANGE


def one_sided_test(hypothesis: OneSidedHypothesis, result: Paired) -> str:
    """Return the name of the test: `shares`, or that of the paired test that gave this result."""
    return SHARES if is_proportion(hypothesis) else result.test


def one_sided_items(hypothesis: OneSidedHypothesis, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return the number of items for this power if the observed values are the truth; None if no number suffices."""
    items = items_for_proportion if is_proportion(hypothesis) and not hypothesis.constant else items_for_mean
    return items(hypothesis, alpha, power)
