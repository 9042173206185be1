"""Intervals and p-values of a preference that hold at every look, so that an experiment may stop at any of them."""

from __future__ import annotations

import math

from neraca.errors import SpecError
from neraca.stats.intervals.confidence_sequence import FEWEST_USERS, always_valid_p, half_width
from neraca.stats.intervals.interval import Floats, clustered_error

#: Looks at the result: once, at a planned end, or daily, that is, at any time.
LOOKS = ("once", "daily")
#: The name of the test that holds at every look.
SEQUENTIAL = "sequential"
#: Largest standard deviation of a share.
_MOST_SPREAD = 0.5


def check_looks(looks: str, tuned_for: int) -> None:
    """Raise `SpecError` if `looks` is unknown or `tuned_for` is below 1."""
    if looks not in LOOKS:
        raise SpecError(f"--looks {looks}: choose one of {', '.join(LOOKS)}")
    if tuned_for < 1:
        raise SpecError(f"--tuned-for {tuned_for}: name at least one user")


def share_at_every_look(shares: Floats, planned: int, level: float) -> tuple[float, float, float]:
    """Return an interval of a mean of shares, shape (n,), and p against one half, that hold at every look.

    If all shares are equal, assume the largest standard deviation that a share can have.
    """
    error, df = clustered_error(shares) if len(shares) > 1 else (math.nan, 0)
    if error == 0:
        error, df = _MOST_SPREAD / math.sqrt(len(shares)), 0
    value = float(shares.mean()) if len(shares) else math.nan
    low, high, p = at_every_look(value, 0.5, (error, float(df) or math.inf), len(shares), planned, level)
    return (low, high, p) if math.isnan(low) else (max(0.0, low), min(1.0, high), p)


def at_every_look(
    value: float, null: float, error_and_df: tuple[float, float], n: int, planned: int, level: float
) -> tuple[float, float, float]:
    """Return the interval of a value, and p, that hold at every look; see `confidence_sequence`.

    Parameters
    ----------
    value, null
        The value, and the value expected without a difference.
    error_and_df
        Standard error of the value, and its degrees of freedom.
    n
        Independent units.  With fewer than `FEWEST_USERS`, there is no interval and no p yet (NaN).
    planned
        Units for which the interval is to be narrowest, chosen before the first look.
    """
    error, df = error_and_df
    if n < FEWEST_USERS or not error > 0:
        return math.nan, math.nan, math.nan
    half = half_width(error, n, planned, level, df)
    return value - half, value + half, always_valid_p(value - null, error, n, planned, level, df)
