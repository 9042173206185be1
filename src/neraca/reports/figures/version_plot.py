"""Draw a metric over the versions of a system: a dot with its interval for each run, the oldest first."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from neraca.number_format import number, span
from neraca.reports.figures.labels import text_width
from neraca.reports.figures.svg import axis_titles, bounds, drawing, segment, text, tick_label, ticks, title

#: In pixels: the height of the drawing, and of the axis below it.
HEIGHT, AXIS = 190, 36
#: In pixels: the width of the axis on a telephone, the size of the type below it, and the space between two texts.
NARROW, TYPE, GAP = 310, 12, 6


class Version(NamedTuple):
    """A run: its name, its date, and its value with the interval (NaN without one)."""

    name: str
    date: str
    value: float
    low: float
    high: float


def are_numbered(names: Sequence[str]) -> bool:
    """Return whether the versions have numbers below their marks, because their names do not fit on a telephone.

    >>> are_numbered(["bm25", "hybrid"]), are_numbered(["bm25-with-reranking-2025-01"] * 4)
    (False, True)
    """
    return _widest(names) > NARROW / max(1, len(names))


def _widest(texts: Sequence[str]) -> float:
    """Return the pixels that the widest of the texts takes, with the space to the next one."""
    return max((text_width(content, TYPE) for content in texts), default=0.0) + GAP


def version_plot(
    name: str,
    heading: str,
    metric: str,
    versions: Sequence[Version],
    limits: tuple[float, float],
    *,
    joined: bool = True,
    best: Collection[int] = (),
) -> str:
    """Draw the versions from left to right, joined by a line; the places `best` are coloured.  `limits` end the axis.

    Runs that are no versions of one another, such as methods that were compared, are not `joined`.  Below the marks
    stand the names, and the dates as often as there is room.  If the names do not fit (`are_numbered`), the numbers
    1, 2, 3 … stand there instead; the page then needs a key.
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
    names = [version.name for version in versions]
    numbered = are_numbered(names)
    labels = [str(place + 1) for place in range(len(versions))] if numbered else names
    dates = [] if numbered else [version.date for version in versions]
    for row, texts in ((12, labels), (28, dates)):
        step = max(1, math.ceil(_widest(texts) * len(versions) / NARROW))
        for place in range(len(texts) - 1, -1, -step):
            parts.append(text(x(place), HEIGHT + row, texts[place], "tick", "middle"))
    for place, version in enumerate(versions):
        kind = " strong" if place in best else ""
        if math.isfinite(version.low) and math.isfinite(version.high):
            parts.append(segment(x(place), y(version.low), x(place), y(version.high), f"bar{kind}"))
        if math.isfinite(version.value):
            tooltip = title(f"{version.name}, {version.date}: {_words(version)}")
            parts.append(
                f'<circle class="dot{kind}" cx="{x(place)}" cy="{y(version.value):.1f}" r="4">{tooltip}</circle>'
            )
    description = "; ".join(f"{version.name} {_words(version)}" for version in versions)
    return drawing(name, heading, description, HEIGHT + AXIS, parts)


def _words(version: Version) -> str:
    interval = span(version.low, version.high)
    return number(version.value) + (f" ({interval})" if interval else "")
