"""One-sided tests with the method that fits the values: exact tests of shares, paired tests of other means."""

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

#: The tests that can test values minus a bound.
OF_MEANS = ("t", "randomisation", "bootstrap")
#: The test among them that works for equal values.
NEEDS_NO_SPREAD = "randomisation"
#: The name of the test of shares, which replaces every chosen test.
SHARES = "shares"


def one_sided_p(
    hypotheses: Sequence[OneSidedHypothesis], test: str = "t", seed: int = 0, level: float = 0.95
) -> list[float]:
    """Return the one-sided p of each hypothesis; NaN if no test can be made.

    There is no test of several items of one cluster, or of fewer than `FEWEST_IN_RANGE` observations, which would
    support nearly any claim with a wide margin.

    Parameters
    ----------
    test, seed
        One of `OF_MEANS`, for values that are not shares; for shares with few differences these do not keep their
        level.
    level
        1 - alpha.

    Examples
    --------
    >>> import numpy as np
    >>> from neraca.stats.tests.paired import Sample
    >>> share = OneSidedHypothesis(Sample(np.array([1.0] * 29 + [0])), 0.9, 0, 1)  # one of 30 questions is wrong
    >>> mean = OneSidedHypothesis(share.sample, 0.9)  # no range, so not a share
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
    """Return one-sided confidence bounds on both sides of the mean, each at this level; NaN without variation.

    `keep_in_range` replaces a bound that leaves the range; with too few observations there is none.

    Parameters
    ----------
    result
        The result of the paired test of the sample at the level 2 level - 1.
    limits
        The least and the largest possible mean.
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
    """Return whether there are enough observations for a one-sided test and its bounds."""
    return hypothesis.sample.sessions >= FEWEST_IN_RANGE


def one_sided_test(hypothesis: OneSidedHypothesis, result: Paired) -> str:
    """Return the name of the test: `shares`, or that of the paired test that gave this result."""
    return SHARES if is_proportion(hypothesis) else result.test


def one_sided_items(hypothesis: OneSidedHypothesis, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return the number of items for this power if the observed values are the truth; None if no number suffices."""
    items = items_for_proportion if is_proportion(hypothesis) and not hypothesis.constant else items_for_mean
    return items(hypothesis, alpha, power)
