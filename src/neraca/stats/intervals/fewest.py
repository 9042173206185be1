"""The least number of observations for an interval within a range, or for a one-sided claim."""

from __future__ import annotations

#: With fewer observations an interval within the range spans nearly all of it: `benchmarks/bounded_intervals.py`.
FEWEST_IN_RANGE = 3
AT_LEAST = f"an interval takes at least {FEWEST_IN_RANGE}"


def too_few_for_interval(observations: int) -> str:
    """Return the reason that these are too few observations for an interval within a range, and the number needed.

    >>> too_few_for_interval(1)
    '1 observation; an interval takes at least 3'
    """
    return f"{observations} observation{'s' * (observations != 1)}; {AT_LEAST}"
