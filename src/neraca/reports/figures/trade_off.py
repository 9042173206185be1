"""Draw a metric against what it takes, such as seconds or dollars: one mark with an interval for each run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from neraca.number_format import number
from neraca.reports.figures.labels import distinct
from neraca.reports.figures.svg import axis_titles, bounds, drawing, segment, text, tick_label, ticks, title

#: In pixels: the height of the drawing, of the axis below it, and of a line of text.
HEIGHT, AXIS, LINE = 240, 40, 14
#: Room for labels at both sides, in per cent of the width.
SIDE = 7


class Effort(NamedTuple):
    """A run: its name, what it takes, and its value with the interval (NaN without one)."""

    name: str
    takes: float
    value: float
    low: float
    high: float


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
) -> str:
    """Draw the runs: the value upwards, to the right what it takes.

    `titles` are those of the axes, upwards first; `limits` end the axis of values; `write` writes what a run takes.
    Coloured are the runs of `undominated`.
    """
    least, most = bounds([x for run in runs for x in (run.value, run.low, run.high)], *limits)
    largest = 1.06 * max((run.takes for run in runs), default=0.0) or 1.0

    def up(value: float) -> float:
        return HEIGHT - (value - least) / (most - least or 1) * (HEIGHT - 40)

    def across(value: float) -> str:
        return f"{SIDE + (100 - 2 * SIDE) * value / largest:.2f}%"

    parts = axis_titles(*titles, HEIGHT + 34)
    for tick in ticks(least, most):
        parts.append(segment("0", up(tick), "100%", up(tick), "grid"))
        parts.append(text("2", up(tick) - 4, tick_label(tick, least, most), "tick"))
    for tick in ticks(0.0, largest):
        parts.append(text(across(tick), HEIGHT + 16, write(tick), "tick", "middle"))
    best = set(undominated(runs, higher_is_better))
    labels: list[tuple[float, float]] = []
    names = distinct((run.name for run in runs), 20)
    for place, run in sorted(enumerate(runs), key=lambda pair: -pair[1].value):
        kind, x = " strong" if place in best else "", across(run.takes)
        if math.isfinite(run.low) and math.isfinite(run.high):
            parts.append(segment(x, up(run.low), x, up(run.high), f"bar{kind}"))
        tooltip = title(f"{run.name}: {number(run.value)}, {write(run.takes)}")
        parts.append(f'<circle class="dot{kind}" cx="{x}" cy="{up(run.value):.1f}" r="4.5">{tooltip}</circle>')
        y = up(run.value) - 6
        while any(abs(y - other) < LINE and abs(run.takes - takes) < largest / 3 for other, takes in labels):
            y += LINE
        labels.append((y, run.takes))
        is_right = run.takes > largest / 2
        parts.append(
            f'<g transform="translate({-8 if is_right else 8} 0)">'
            f"{text(x, y, names[run.name], 'value', 'end' if is_right else 'start')}</g>"
        )
    described = "; ".join(f"{run.name} {number(run.value)} for {write(run.takes)}" for run in runs)
    return drawing(name, f"{titles[0]} against {titles[1].lower()}", described, HEIGHT + AXIS, parts)
