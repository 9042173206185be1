"""Draw a difference over days with its always-valid interval: once the band leaves zero, the test may stop."""

from __future__ import annotations

import math
from collections.abc import Sequence

from neraca.number_format import signed, span
from neraca.online.experiment import DayEffect
from neraca.reports.figures.svg import axis_titles, bounds, drawing, segment, text, tick_label, ticks
from neraca.translation import say

HEIGHT, AXIS = 200, 40


def goes_beyond(days: Sequence[DayEffect]) -> bool:
    """Return whether an interval goes beyond the edge of the figure."""
    bounded_days = [day for day in days if math.isfinite(day.low)]
    if not bounded_days:
        return False
    least, most = bounds([*_ends(bounded_days), 0.0])
    return any(day.low < least or day.high > most for day in bounded_days)


def _ends(days: Sequence[DayEffect]) -> tuple[float, float]:
    """Return the ends of what is drawn: at most four times the width of the last interval from its difference."""
    last = days[-1]
    reach = 4 * max(last.high - last.low, abs(last.difference))
    low, high = min(day.low for day in days), max(day.high for day in days)
    return max(last.difference - reach, low), min(last.difference + reach, high)


def _arrow(x: str, y: float, kind: str, *, up: bool) -> str:
    """Return the head of an arrow whose tip is at this place; a drawing of its own, because x is a share."""
    base = 8 if up else -8
    return (
        f'<svg x="{x}" y="{y:.1f}" overflow="visible" width="1" height="1">'
        f'<path class="dot{kind}" d="M0 0L-5 {base}H5Z"/></svg>'
    )


def sequence_plot(name: str, title: str, axis: str, days: Sequence[DayEffect]) -> str:
    """Draw one bar for each day, from its lower to its upper bound, with a dot at the difference.

    `axis` is the title of the axis of differences.

    Bars that are many times as wide as the last one, as on the first days, end in an arrow at the edge.
    """
    bounded_days = [day for day in days if math.isfinite(day.low)]
    if not bounded_days:
        return drawing(name, title, say("no day with an interval"), 10, [])
    last = bounded_days[-1]
    ends = _ends(bounded_days)
    least, most = bounds([*ends, 0.0])

    def y(value: float) -> float:
        return HEIGHT - (min(most, max(least, value)) - least) / (most - least) * (HEIGHT - 30)

    parts = axis_titles(axis, say("Day"), HEIGHT + AXIS - 8)
    for tick in ticks(least, most):
        parts.append(segment("0", y(tick), "100%", y(tick), "zero" if tick == 0 else "grid"))
        parts.append(text("2", y(tick) - 4, tick_label(tick, least, most), "tick"))
    width = days[-1].day + 1
    step = max(1, -(-width // 8))
    for day in bounded_days:
        x = f"{8 + 90 * (day.day + 0.5) / width:.2f}%"
        kind = " strong" if day.low > 0 or day.high < 0 else ""
        parts.append(segment(x, y(day.low), x, y(day.high), f"bar{kind}"))
        parts += [_arrow(x, y(end), kind, up=end > most) for end in (day.low, day.high) if not least <= end <= most]
        if least <= day.difference <= most:
            parts.append(f'<circle class="dot{kind}" cx="{x}" cy="{y(day.difference):.1f}" r="3.5"/>')
        if day.day % step == 0:
            parts.append(text(x, HEIGHT + 16, str(day.day + 1), "tick", "middle"))
    description = say(
        "After day {day} the difference is {difference} ({interval}).",
        day=last.day + 1,
        difference=signed(last.difference),
        interval=span(last.low, last.high),
    )
    return drawing(name, title, description, HEIGHT + AXIS, parts)
