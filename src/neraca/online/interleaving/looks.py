"""Intervals and p-values of a preference that hold at every look, so that an experiment may stop at any of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from neraca.errors import SpecError
from neraca.stats.intervals.confidence_sequence import FEWEST_USERS, always_valid_p, half_width
from neraca.stats.intervals.interval import Floats, clustered_error

if TYPE_CHECKING:
    from neraca.online.interleaving.preference import Preference

#: Looks at the result: once, at an end that was planned, or daily, which means as often as one likes.
LOOKS = ("once", "daily")
#: The name of the test that holds at every look.
SEQUENTIAL = "sequential"
#: Largest standard deviation of a share.
_MOST_SPREAD = 0.5


def check_looks(looks: str, tuned_for: int) -> None:
    """Raise `SpecError` if there are no such looks, or no users for whom the intervals are to be narrowest."""
    if looks not in LOOKS:
        raise SpecError(f"--looks {looks}: choose one of {', '.join(LOOKS)}")
    if tuned_for < 1:
        raise SpecError(f"--tuned-for {tuned_for}: name at least one user")


def share_at_every_look(preference: Preference, shares: Floats, planned: int, level: float) -> Preference:
    """Return the analysis of a mean of shares, shape (n,), with an interval and p that hold at every look.

    If all shares are equal, they are taken to spread as far as shares can.
    """
    error, df = clustered_error(shares) if len(shares) > 1 else (math.nan, 0)
    if error == 0:
        error, df = _MOST_SPREAD / math.sqrt(len(shares)), 0
    valid = at_every_look(preference, 0.5, (error, float(df) or math.inf), len(shares), planned, level)
    if math.isnan(valid.low):
        return valid
    return replace(valid, low=max(0.0, valid.low), high=min(1.0, valid.high))


def at_every_look(
    preference: Preference, null: float, error_and_df: tuple[float, float], n: int, planned: int, level: float
) -> Preference:
    """Return an analysis with an interval and p that hold at every look; see `confidence_sequence`.

    Parameters
    ----------
    preference
        The analysis for one look.
    null
        Its value if there is no difference.
    error_and_df
        Standard error of the value, and its degrees of freedom.
    n
        Independent units.  With fewer than `FEWEST_USERS`, there is no interval and no p yet.
    planned
        Units for which the interval is to be narrowest, chosen before the first look.
    """
    error, df = error_and_df
    value, nan = preference.value, math.nan
    if n < FEWEST_USERS or not error > 0:
        return replace(preference, low=nan, high=nan, p=nan, p_bootstrap=nan, test=SEQUENTIAL)
    half = half_width(error, n, planned, level, df)
    p = always_valid_p(value - null, error, n, planned, level, df)
    return replace(preference, low=value - half, high=value + half, p=p, p_bootstrap=nan, test=SEQUENTIAL)
