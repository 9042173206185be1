"""Draw a metric against what it takes, such as seconds or dollars: one mark with an interval for each run."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from neraca.number_format import number
from neraca.reports.figures.labels import text_width
from neraca.reports.figures.svg import axis_titles, bounds, drawing, segment, text, tick_label, ticks, title

#: In pixels: the height of the drawing, of the axis below it, and of a line of text.
HEIGHT, AXIS, LINE = 240, 40, 14
#: Room for labels at both sides, in per cent of the width.
SIDE = 7
#: In pixels: widths of the drawing, from a telephone on, at which no label may cover anything.
WIDTHS = (340, 520, 760)
#: In pixels: the size of the type of labels, the space between a mark and its label, and half of a mark.
TYPE, BESIDE, RADIUS = 12, 8, 5
#: How bad it is if a label covers another label, a mark, or the interval of another run.
_LABEL, _MARK, _INTERVAL = 100, 10, 1
#: The number of places for a name; numbers, which are small, have more.
_NEAR = 8


class Effort(NamedTuple):
    """A run: its name, what it takes, its value with the interval (NaN without one), and its number in the page's key.

    Without a key, the number is 0.
    """

    name: str
    takes: float
    value: float
    low: float
    high: float
    number: int = 0


class Box(NamedTuple):
    """A rectangle in pixels; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def covers(self, other: Box) -> bool:
        """Return whether the two share a point."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


class Spot(NamedTuple):
    """A place of a label: pixels to the right of its mark, the height of its baseline, and its anchor."""

    shift: float
    y: float
    anchor: str


class Mark(NamedTuple):
    """A run in the drawing: its place in per cent of the width, and the heights of its value and of its interval."""

    across: float
    y: float
    top: float
    bottom: float

    def boxes(self, width: float) -> tuple[Box, Box]:
        """Return the boxes of the mark and of its interval in a drawing of this width."""
        x = self.across * width / 100
        return (
            Box(x - RADIUS, self.y - RADIUS, x + RADIUS, self.y + RADIUS),
            Box(x - 1.5, self.top, x + 1.5, self.bottom),
        )

    def label_box(self, spot: Spot, width: float, label: str) -> Box:
        """Return the box of a label of this mark in a drawing of this width."""
        x, size = self.across * width / 100 + spot.shift, text_width(label, TYPE)
        left = {"start": x, "middle": x - size / 2, "end": x - size}[spot.anchor]
        return Box(left, spot.y - 10, left + size, spot.y + 2)

    def spots(self) -> Iterator[Spot]:
        """Yield places for a label, the best first: beside the mark, then at the ends of its interval.

        The first `_NEAR` are close to the mark or to an end; the others are farther away.
        """
        for y in (self.y - BESIDE, self.y + 4, self.y + BESIDE + 8):
            yield Spot(BESIDE, y, "start")
            yield Spot(-BESIDE, y, "end")
        for row in range(4):
            ends = Spot(0, self.top - 5 - LINE * row, "middle"), Spot(0, self.bottom + 13 + LINE * row, "middle")
            yield from reversed(ends) if self.y > HEIGHT / 2 else ends


class TradeOff(NamedTuple):
    """A drawing, and whether its marks have numbers instead of names, which then need a key on the page."""

    svg: str
    numbered: bool


def undominated(runs: Sequence[Effort], higher_is_better: bool = True) -> list[int]:
    """Return the places of the runs that no other run beats in value without taking more.

    >>> undominated([Effort("a", 1, 0.5, 0, 1), Effort("b", 2, 0.4, 0, 1), Effort("c", 3, 0.9, 0, 1)])
    [0, 2]
    """
    sign = 1 if higher_is_better else -1
    return [
        place
        for place, run in enumerate(runs)
        if not any(
            other.takes <= run.takes
            and sign * other.value >= sign * run.value
            and (other.takes, other.value) != (run.takes, run.value)
            for other in runs
        )
    ]


def trade_off(
    name: str,
    titles: tuple[str, str],
    runs: Sequence[Effort],
    limits: tuple[float, float],
    write: Callable[[float], str],
    higher_is_better: bool = True,
    best: Collection[int] = (),
) -> TradeOff:
    """Draw the runs: the value upwards, to the right what it takes.

    `titles` are those of the axes, upwards first; `limits` end the axis of values; `write` writes what a run takes.
    The places `best` are coloured, and a line joins the runs of `undominated`.  Marks have the names of their runs, or
    their numbers if some name would cover another name, a mark or an interval on a telephone.
    """
    least, most = bounds([x for run in runs for x in (run.value, run.low, run.high)], *limits)
    largest = 1.06 * max((run.takes for run in runs), default=0.0) or 1.0

    def up(value: float) -> float:
        return HEIGHT - (value - least) / (most - least or 1) * (HEIGHT - 40)

    def across(value: float) -> float:
        return SIDE + (100 - 2 * SIDE) * value / largest

    parts = axis_titles(*titles, HEIGHT + 34)
    for tick in ticks(least, most):
        parts.append(segment("0", up(tick), "100%", up(tick), "grid"))
        parts.append(text("2", up(tick) - 4, tick_label(tick, least, most), "tick"))
    for tick in ticks(0.0, largest, 4):
        parts.append(text(f"{across(tick):.2f}%", HEIGHT + 16, write(tick), "tick", "middle"))
    frontier = sorted((runs[place] for place in undominated(runs, higher_is_better)), key=lambda run: run.takes)
    for a, b in pairwise(frontier):
        ends = f"{across(a.takes):.2f}%", up(a.value), f"{across(b.takes):.2f}%", up(b.value)
        parts.append(segment(*ends, "grid joined"))
    marks = []
    for place, run in enumerate(runs):
        kind, x = " strong" if place in best else "", f"{across(run.takes):.2f}%"
        has_interval = math.isfinite(run.low) and math.isfinite(run.high)
        top, bottom = (up(run.high), up(run.low)) if has_interval else (up(run.value) - RADIUS, up(run.value) + RADIUS)
        marks.append(Mark(across(run.takes), up(run.value), top, bottom))
        if has_interval:
            parts.append(segment(x, bottom, x, top, f"bar{kind}"))
        tooltip = title(f"{run.name}: {number(run.value)}, {write(run.takes)}")
        parts.append(f'<circle class="dot{kind}" cx="{x}" cy="{up(run.value):.1f}" r="4.5">{tooltip}</circle>')
    labels = [run.name for run in runs]
    spots, covered = _placed(marks, labels, _NEAR)
    if numbered := covered > 0:
        labels = [str(run.number or place + 1) for place, run in enumerate(runs)]
        spots, _ = _placed(marks, labels)
    for mark, label, spot in zip(marks, labels, spots, strict=True):
        words = text(f"{mark.across:.2f}%", spot.y, label, "value", spot.anchor)
        parts.append(f'<g transform="translate({spot.shift:g} 0)">{words}</g>')
    described = "; ".join(f"{run.name} {number(run.value)} for {write(run.takes)}" for run in runs)
    svg = drawing(name, f"{titles[0]} against {titles[1].lower()}", described, HEIGHT + AXIS, parts)
    return TradeOff(svg, numbered)


def _placed(marks: Sequence[Mark], labels: Sequence[str], tried: int | None = None) -> tuple[list[Spot], int]:
    """Return the best of the first `tried` places for the label of each mark, and how much the labels cover."""
    spots: list[Spot] = []
    total = 0
    for place, mark in enumerate(marks):
        costs = [(_covered(marks, labels, spots, place, spot), spot) for spot in islice(mark.spots(), tried)]
        cost, spot = min(costs, key=lambda pair: pair[0])
        spots.append(spot)
        total += cost
    return spots, total


def _covered(marks: Sequence[Mark], labels: Sequence[str], spots: Sequence[Spot], place: int, spot: Spot) -> int:
    """Return how much a label would cover at a spot: earlier labels, marks, intervals, the edges of the drawing."""
    cost = 0
    for width in WIDTHS:
        box = marks[place].label_box(spot, width, labels[place])
        inside = box.left >= 0 and box.right <= width and box.top >= LINE and box.bottom <= HEIGHT + 5
        cost += 0 if inside else _LABEL
        cost += _LABEL * sum(
            box.covers(marks[other].label_box(earlier, width, labels[other])) for other, earlier in enumerate(spots)
        )
        for mark in marks:
            dot, interval = mark.boxes(width)
            cost += _MARK * box.covers(dot) + _INTERVAL * box.covers(interval)
    return cost
