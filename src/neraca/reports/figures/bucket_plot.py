"""Draw a metric over days, weeks or months: a dot with its interval for each, the reference, and changes as lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from neraca.number_format import number, span
from neraca.reports.figures.svg import axis_titles, bounds, drawing, segment, text, tick_label, ticks, title

#: In pixels: the height of the drawing, and of the axis below it.
HEIGHT, AXIS = 210, 30
#: At most this number of buckets have their names below.
NAMED = 4
#: With more buckets the dots are smaller; with many more all is finer.
CROWDED, MANY = 30, 100


class Point(NamedTuple):
    """A bucket: its name, its value with the interval (NaN without one), and whether a difference is shown."""

    name: str
    value: float
    low: float
    high: float
    shown: bool = False


class Line(NamedTuple):
    """A vertical line: its place among the buckets (0 is the beginning of the first one), its sign, and its words."""

    place: float
    sign: str
    words: str


class Marks(NamedTuple):
    """The reference and the lines behind the buckets.

    Attributes
    ----------
    reference
        The first and the last place that are shaded; None: none.
    level
        The height of a horizontal line, such as the value of the reference or 0; NaN: none.
    lines
        Vertical lines, such as changes of the system.
    """

    reference: tuple[int, int] | None = None
    level: float = math.nan
    lines: Sequence[Line] = ()


NO_MARKS = Marks()


def bucket_plot(
    name: str,
    heading: str,
    metric: str,
    points: Sequence[Point],
    limits: tuple[float, float],
    marks: Marks = NO_MARKS,
) -> str:
    """Draw the buckets from left to right; one without a value leaves a gap.  `limits` end the axis."""
    reference, level, lines = marks
    least, most = bounds([level, *(x for p in points for x in (p.value, p.low, p.high))], *limits)

    def y(value: float) -> float:
        return HEIGHT - 6 - (value - least) / (most - least or 1) * (HEIGHT - 46)

    def x(place: float) -> str:
        return f"{9 + 90 * place / len(points):.2f}%"

    parts = axis_titles(metric, "", 0)
    if reference:
        first, last = reference
        width = f"{90 * (last - first + 1) / len(points):.2f}%"
        parts.append(f'<rect class="span" x="{x(first)}" y="26" width="{width}" height="{HEIGHT - 26}"/>')
    for tick in ticks(least, most):
        parts.append(segment("0", y(tick), "100%", y(tick), "grid"))
        parts.append(text("2", y(tick) - 4, tick_label(tick, least, most), "tick"))
    if math.isfinite(level):
        parts.append(segment(x(0), y(level), "99%", y(level), "zero"))
    for line in lines:
        parts.append(segment(x(line.place), 26, x(line.place), HEIGHT, "change"))
        parts.append(f"<g>{title(line.words)}{text(x(line.place), 24, line.sign, 'tick', 'middle')}</g>")
    radius = 4 if len(points) <= CROWDED else 2.5 if len(points) <= MANY else 1.5
    fine = " fine" if len(points) > MANY else ""
    step = max(1, -(-len(points) // NAMED))
    for place, point in enumerate(points):
        middle, kind = x(place + 0.5), f"{' strong' if point.shown else ''}{fine}"
        if math.isfinite(point.low) and math.isfinite(point.high):
            parts.append(segment(middle, y(point.low), middle, y(point.high), f"bar{kind}"))
        if math.isfinite(point.value):
            tooltip = title(f"{point.name}: {_words(point)}")
            parts.append(
                f'<circle class="dot{kind}" cx="{middle}" cy="{y(point.value):.1f}" r="{radius}">{tooltip}</circle>'
            )
        if place % step == 0:
            parts.append(text(middle, HEIGHT + 16, point.name, "tick", "middle"))
    description = "; ".join(f"{point.name} {_words(point)}" for point in points)
    return drawing(name, heading, description, HEIGHT + AXIS, parts)


def _words(point: Point) -> str:
    interval = span(point.low, point.high)
    return number(point.value) + (f" ({interval})" if interval else "")
