"""Draw how differences between two runs are spread: how many questions differ by how much, and in which direction."""

from __future__ import annotations

import numpy as np

from neraca.number_format import integer, signed
from neraca.reports.figures.svg import axis_titles, drawing, segment, text, ticks, title
from neraca.stats.intervals.interval import Floats

#: Bars on each side of the one for equal values.
BARS = 10
#: In pixels: the height of the drawing, and of the axis below it.
HEIGHT, AXIS = 170, 42
#: Values that differ by no more than this are equal.
TIE = 1e-9


def counts_of_differences(differences: Floats) -> tuple[list[int], float]:
    """Return the number of questions in each bar from left to right, and the largest difference.

    The bar in the middle holds the equal values; missing differences (NaN) are left out.

    >>> counts, largest = counts_of_differences(np.array([-1.0, -0.95, 0.0, 0.5, np.nan]))
    >>> counts[0], counts[10], counts[15], sum(counts), largest
    (2, 1, 1, 4, 1.0)
    """
    there = differences[~np.isnan(differences)]
    largest = float(np.abs(there).max(initial=0.0)) or 1.0
    equal = np.abs(there) <= TIE
    bars = np.minimum(np.ceil(np.abs(there) / largest * BARS - 1e-9), BARS).astype(np.int64)
    places = np.where(equal, BARS, BARS + np.where(there > 0, bars, -bars))
    return np.bincount(places, minlength=2 * BARS + 1).tolist(), largest


def difference_histogram(name: str, heading: str, differences: Floats, higher_is_better: bool = True) -> str:
    """Draw the number of questions by their difference; bars to the right are questions with a positive one."""
    counts, largest = counts_of_differences(differences)
    most = max(counts) or 1
    n = len(counts)

    def y(count: float) -> float:
        return HEIGHT - count / most * (HEIGHT - 36)

    parts = axis_titles("Questions", "Difference", HEIGHT + AXIS - 8)
    for tick in ticks(0.0, most):
        if tick == int(tick):
            parts.append(segment("0", y(tick), "100%", y(tick), "zero" if tick == 0 else "grid"))
            parts.append(text("2", y(tick) - 4, integer(tick), "tick"))
    for place, count in enumerate(counts):
        if not count:
            continue
        side = place - BARS
        kind = "" if side == 0 else ' class="better"' if (side > 0) == higher_is_better else ' class="worse"'
        words = "equal" if side == 0 else _range(side, largest)
        parts.append(
            f'<rect{kind} x="{10 + 88 * (place + 0.08) / n:.2f}%" width="{88 * 0.84 / n:.2f}%" y="{y(count):.1f}" '
            f'height="{HEIGHT - y(count):.1f}">{title(f"{integer(count)} questions: {words}")}</rect>'
        )
    for half in (-2, -1, 0, 1, 2):
        x = 10 + 88 * ((BARS + 0.5) + BARS * half / 2) / n
        parts.append(text(f"{x:.2f}%", HEIGHT + 16, signed(largest * half / 2), "tick", "middle"))
    higher, lower = sum(counts[BARS + 1 :]), sum(counts[:BARS])
    description = f"Higher on {higher} questions, equal on {counts[BARS]}, lower on {lower}."
    return drawing(name, heading, description, HEIGHT + AXIS, parts)


def _range(side: int, largest: float) -> str:
    """Return the differences of a bar in words."""
    ends = sorted((side * largest / BARS, (side - (1 if side > 0 else -1)) * largest / BARS))
    return f"{signed(ends[0])} to {signed(ends[1])}"
