"""Draw a metric over the versions of a system: a dot with its interval for each run, the oldest first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from neraca.number_format import number, span
from neraca.reports.figures.labels import distinct
from neraca.reports.figures.svg import axis_titles, bounds, drawing, segment, text, tick_label, ticks, title

#: In pixels: the height of the drawing, and of the axis below it.
HEIGHT, AXIS = 190, 36
#: If there are more versions than this, only some have their names below.
NAMED = 4
#: The same for methods that stand beside one another, whose names are shorter then.
NAMED_METHODS = 8


class Version(NamedTuple):
    """A run: its name, its date, and its value with the interval (NaN without one)."""

    name: str
    date: str
    value: float
    low: float
    high: float


def version_plot(
    name: str,
    heading: str,
    metric: str,
    versions: Sequence[Version],
    limits: tuple[float, float],
    *,
    joined: bool = True,
) -> str:
    """Draw the versions from left to right, joined by a line; the newest is coloured.  `limits` end the axis.

    Runs that are no versions of one another, such as methods that were compared, are not `joined`, and none is
    coloured.
    """
    least, most = bounds([x for v in versions for x in (v.value, v.low, v.high)], *limits)

    def y(value: float) -> float:
        return HEIGHT - 6 - (value - least) / (most - least or 1) * (HEIGHT - 36)

    def x(place: int) -> str:
        return f"{8 + 90 * (place + 0.5) / len(versions):.2f}%"

    parts = axis_titles(metric, "", 0)
    for tick in ticks(least, most):
        parts.append(segment("0", y(tick), "100%", y(tick), "grid"))
        parts.append(text("2", y(tick) - 4, tick_label(tick, least, most), "tick"))
    there = [place for place, version in enumerate(versions) if math.isfinite(version.value)]
    for a, b in pairwise(there if joined else ()):
        parts.append(segment(x(a), y(versions[a].value), x(b), y(versions[b].value), "grid joined"))
    named = NAMED if joined else NAMED_METHODS
    step, letters = max(1, -(-len(versions) // named)), 12 if len(versions) <= NAMED else 48 // NAMED_METHODS
    names = distinct((version.name for version in versions), 12 if joined else letters)
    for place, version in enumerate(versions):
        kind = " strong" if joined and place == len(versions) - 1 else ""
        if math.isfinite(version.low) and math.isfinite(version.high):
            parts.append(segment(x(place), y(version.low), x(place), y(version.high), f"bar{kind}"))
        if math.isfinite(version.value):
            tooltip = title(f"{version.name}, {version.date}: {_words(version)}")
            parts.append(
                f'<circle class="dot{kind}" cx="{x(place)}" cy="{y(version.value):.1f}" r="4">{tooltip}</circle>'
            )
        if (len(versions) - 1 - place) % step == 0:
            parts.append(text(x(place), HEIGHT + 12, names[version.name], "tick", "middle"))
            parts.append(text(x(place), HEIGHT + 28, version.date, "tick", "middle"))
    description = "; ".join(f"{version.name} {_words(version)}" for version in versions)
    return drawing(name, heading, description, HEIGHT + AXIS, parts)


def _words(version: Version) -> str:
    interval = span(version.low, version.high)
    return number(version.value) + (f" ({interval})" if interval else "")
