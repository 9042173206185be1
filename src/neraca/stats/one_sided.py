"""Every claim by the test that fits it: those about shares by counting, those about other means by a paired test."""

from __future__ import annotations

import math
from collections.abc import Sequence

from neraca.stats.noninferiority import MeanAbove, items_to_show, means_p
from neraca.stats.paired import Paired
from neraca.stats.proportion_noninferiority import is_proportion, proportion_bound, proportion_items, proportion_p

#: Tests of a mean, of which alone a bound in its own units can be taken off.
OF_MEANS = ("t", "randomisation", "bootstrap")
#: How claims about shares are tested, whichever test was asked for.
SHARES = "shares"


def one_sided_p(claims: Sequence[MeanAbove], test: str = "t", seed: int = 0, level: float = 0.95) -> list[float]:
    """One-sided p of each claim; NaN where nothing can be said.

    Parameters
    ----------
    test, seed
        One of `OF_MEANS`; of shares it is `neraca.stats.proportion_noninferiority`, because none of these
        keeps its level where few questions differ.
    level
        1 - alpha.

    Examples
    --------
    >>> import numpy as np
    >>> from neraca.stats.paired import Sample
    >>> right = MeanAbove(Sample(np.array([1.0] * 29 + [0])), 0.9, 0, 1)  # of 30 questions one is wrong
    >>> [round(p, 3) for p in one_sided_p([right, MeanAbove(right.sample, 0.9)])]  # the second knows of no share
    [0.184, 0.027]
    """
    found = zip(claims, means_p(claims, test, seed), strict=True)
    return [proportion_p(claim, level) if is_proportion(claim) else p for claim, p in found]


def one_sided_bounds(claim: MeanAbove, told: Paired, level: float = 0.95) -> tuple[float, float]:
    """One-sided confidence bounds of the mean on either side, each at this level; NaN where nothing shows chance.

    Parameters
    ----------
    told
        What the paired test found of the claim's sample at the level 2 level - 1.
    """
    if is_proportion(claim):
        return proportion_bound(claim, level), -proportion_bound(claim.opposite, level)
    return (math.nan, math.nan) if claim.constant else (told.low, told.high)


def name_of_test(claim: MeanAbove, told: Paired) -> str:
    """The name of the test."""
    return SHARES if is_proportion(claim) else told.test


def items_to_decide(claim: MeanAbove, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Items with which the claim would be shown with this chance, were the truth what was observed; or None."""
    items = proportion_items if is_proportion(claim) and not claim.constant else items_to_show
    return items(claim, alpha, power)
