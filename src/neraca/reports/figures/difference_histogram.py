"""Draw how differences between two runs are spread: how many questions differ by how much, and in which direction."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from neraca.counts_and_lists import count
from neraca.number_format import integer, signed
from neraca.reports.figures.svg import axis_titles, drawing, segment, text, ticks, title
from neraca.stats.intervals.interval import Floats

#: The most distinct differences that each get a bar of their own, and the least gap between two, as a share of the
#: largest difference: closer bars would lie on each other.
VALUES, GAP = 12, 1 / 40
#: The bins on each side of 0, if there are more distinct differences.
BINS = 10
#: In per cent of the width: the place of 0, and the distance from there to the largest difference on both sides.
MIDDLE, REACH = 53.0, 40.0
#: In pixels: the height of the drawing, and of the axis below it.
HEIGHT, AXIS = 170, 42
#: Values that differ by no more than this are equal.
TIE = 1e-9


class Bar(NamedTuple):
    """The number of questions whose difference is from `low` to `high`, which are the same for one value."""

    low: float
    high: float
    questions: int

    @property
    def middle(self) -> float:
        """The difference at which the bar stands."""
        return (self.low + self.high) / 2

    @property
    def words(self) -> str:
        """The differences of the bar."""
        if self.low == self.high:
            return signed(self.low) if self.low else "equal"
        return f"{signed(self.low)} to {signed(self.high)}"


def bars_of_differences(differences: Floats) -> list[Bar]:
    """Return the bars from left to right: one for each value if there are few, else one for each bin with questions.

    Bins are equal and hold their outer end; equal values (0) have a bar of their own.  Missing differences (NaN) are
    left out.

    >>> [(bar.middle, bar.questions) for bar in bars_of_differences(np.array([-0.2, 0.0, 0.4, 0.4, np.nan]))]
    [(-0.2, 1), (0.0, 1), (0.4, 2)]
    """
    there = np.sort(differences[~np.isnan(differences)])
    if not len(there):
        return []
    there[np.abs(there) <= TIE] = 0.0
    largest = float(np.abs(there).max())
    starts = np.flatnonzero(np.diff(there, prepend=-math.inf) > TIE)
    values = there[starts]
    if len(values) <= VALUES and np.diff(values).min(initial=math.inf) >= GAP * largest:
        numbers = np.diff(starts, append=len(there))
        return [Bar(value, value, n) for value, n in zip(values.tolist(), numbers.tolist(), strict=True)]
    bins = np.minimum(np.ceil(np.abs(there) / largest * BINS - 1e-9), BINS) * np.sign(there)
    bars = []
    for place, n in zip(*(column.tolist() for column in np.unique(bins, return_counts=True)), strict=True):
        outer, inner = place * largest / BINS, (place - math.copysign(1, place)) * largest / BINS
        bars.append(Bar(min(outer, inner), max(outer, inner), n) if place else Bar(0.0, 0.0, n))
    return bars


def difference_histogram(name: str, heading: str, differences: Floats, higher_is_better: bool = True) -> str:
    """Draw the number of questions by their difference; bars to the right are questions with a positive one."""
    bars = bars_of_differences(differences)
    most = max((bar.questions for bar in bars), default=1)
    largest = max((abs(end) for bar in bars for end in bar[:2]), default=0.0) or 1.0

    def y(questions: float) -> float:
        return HEIGHT - questions / most * (HEIGHT - 36)

    def x(difference: float) -> float:
        return MIDDLE + REACH * difference / largest

    parts = axis_titles("Questions", "Difference", HEIGHT + AXIS - 8)
    for tick in ticks(0.0, most):
        if tick == int(tick):
            parts.append(segment("0", y(tick), "100%", y(tick), "zero" if tick == 0 else "grid"))
            parts.append(text("2", y(tick) - 4, integer(tick), "tick"))
    widths = _widths(bars, largest)
    for bar, width in zip(bars, widths, strict=True):
        kind = "" if not bar.middle else ' class="better"' if (bar.middle > 0) == higher_is_better else ' class="worse"'
        top, words = y(bar.questions), f"{count(bar.questions, 'question')}: {bar.words}"
        parts.append(
            f'<rect{kind} x="{x(bar.middle) - width / 2:.2f}%" width="{width:.2f}%" y="{top:.1f}" '
            f'height="{HEIGHT - top:.1f}">{title(words)}</rect>'
        )
    for tick in ticks(-largest, largest, 6):
        parts.append(text(f"{x(tick):.2f}%", HEIGHT + 16, signed(tick), "tick", "middle"))
    higher = sum(bar.questions for bar in bars if bar.middle > 0)
    lower = sum(bar.questions for bar in bars if bar.middle < 0)
    equal = sum(bar.questions for bar in bars if not bar.middle)
    description = f"Higher on {count(higher, 'question')}, equal on {equal}, lower on {lower}."
    return drawing(name, heading, description, HEIGHT + AXIS, parts)


def _widths(bars: list[Bar], largest: float) -> list[float]:
    """Return the widths of the bars in per cent of the width of the drawing, so narrow that no two meet."""
    of_bin = REACH / BINS
    if any(bar.low != bar.high for bar in bars):
        return [(0.72 if bar.low != bar.high else 0.2) * of_bin for bar in bars]
    middles = [bar.middle for bar in bars]
    gap = min((b - a for a, b in pairwise(middles)), default=largest)
    return [min(0.8 * of_bin, 0.8 * REACH * gap / largest)] * len(bars)
