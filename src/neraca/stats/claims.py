"""Every claim by the test that fits it: those about shares by counting, those about other means by a paired test."""

from __future__ import annotations

import math
from collections.abc import Sequence

from neraca.stats.claim import Claim, claimed, items_to_show
from neraca.stats.paired import Paired
from neraca.stats.share_claim import is_of_shares, share_bound, share_claimed, share_items

#: Tests of a mean, of which alone a bound in its own units can be taken off.
OF_MEANS = ("t", "randomisation", "bootstrap")
#: How claims about shares are tested, whichever test was asked for.
SHARES = "shares"


def chances(claims: Sequence[Claim], test: str = "t", seed: int = 0, level: float = 0.95) -> list[float]:
    """One-sided p of each claim; NaN where nothing can be said.

    Parameters
    ----------
    test, seed
        One of `OF_MEANS`; of shares it is `neraca.stats.share_claim`, because none of these keeps its level where few
        questions differ.
    level
        1 - alpha.

    Examples
    --------
    >>> import numpy as np
    >>> from neraca.stats.paired import Sample
    >>> right = Claim(Sample(np.array([1.0] * 29 + [0])), 0.9, 0, 1)  # of 30 questions one is wrong
    >>> [round(p, 3) for p in chances([right, Claim(right.sample, 0.9)])]  # the second does not know that it is a share
    [0.184, 0.027]
    """
    found = zip(claims, claimed(claims, test, seed), strict=True)
    return [share_claimed(claim, level) if is_of_shares(claim) else p for claim, p in found]


def between(claim: Claim, told: Paired, level: float = 0.95) -> tuple[float, float]:
    """One-sided confidence bounds of the mean on either side, each at this level; NaN where nothing shows chance.

    Parameters
    ----------
    told
        What the paired test found of the claim's sample at the level 2 level - 1.
    """
    if is_of_shares(claim):
        return share_bound(claim, level), -share_bound(claim.opposite, level)
    return (math.nan, math.nan) if claim.constant else (told.low, told.high)


def made_by(claim: Claim, told: Paired) -> str:
    """The name of the test."""
    return SHARES if is_of_shares(claim) else told.test


def needed(claim: Claim, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Items with which the claim would be shown with this chance, were the truth what was observed; or None."""
    items = share_items if is_of_shares(claim) and not claim.constant else items_to_show
    return items(claim, alpha, power)
