"""Draw a difference over days with its always-valid interval: once the band leaves zero, the test may stop."""

from __future__ import annotations

import math
from collections.abc import Sequence

from neraca.number_format import signed, span
from neraca.online.experiment import DayEffect
from neraca.reports.figures.svg import bounds, drawing, segment, text, tick_label, ticks
from neraca.reports.translation import say

HEIGHT, AXIS = 180, 22


def sequence_plot(name: str, title: str, days: Sequence[DayEffect]) -> str:
    """Draw one bar for each day, from its lower to its upper bound, with a dot at the difference.

    Bars that are many times as wide as the last one, as on the first days, are cut at the edge.
    """
    bounded_days = [day for day in days if math.isfinite(day.low)]
    if not bounded_days:
        return drawing(name, title, say("no day with an interval"), 10, [])
    last = bounded_days[-1]
    reach = 4 * max(last.high - last.low, abs(last.difference))
    ends = (
        max(last.difference - reach, min(d.low for d in bounded_days)),
        min(last.difference + reach, max(d.high for d in bounded_days)),
    )
    least, most = bounds([*ends, 0.0])

    def y(value: float) -> float:
        return HEIGHT - (min(most, max(least, value)) - least) / (most - least) * (HEIGHT - 12)

    parts = []
    for tick in ticks(least, most, 5):
        parts.append(segment("0", y(tick), "100%", y(tick), "zero" if tick == 0 else "grid"))
        parts.append(text("2", y(tick) - 4, tick_label(tick, least, most), "tick"))
    width = days[-1].day + 1
    step = max(1, -(-width // 8))
    for day in bounded_days:
        x = f"{8 + 90 * (day.day + 0.5) / width:.2f}%"
        kind = " strong" if day.low > 0 or day.high < 0 else ""
        parts.append(segment(x, y(day.low), x, y(day.high), f"bar{kind}"))
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
