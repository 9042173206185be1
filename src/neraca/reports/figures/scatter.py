"""Draw two runs against each other, one mark for each question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from neraca.counts_and_lists import count
from neraca.number_format import number
from neraca.reports.blocks.tables import PairChart
from neraca.reports.figures.labels import distinct
from neraca.reports.figures.svg import axis_titles, bounds, drawing, segment, text, tick_label, ticks, title
from neraca.translation import say

#: In pixels: the height of the drawing, of the axis below it, and of the title above it.
HEIGHT, AXIS, TITLE = 240, 40, 16
#: Room for the largest mark between the outermost values and the labels: in pixels, and in per cent of the width.
ROOM, SIDE = 10, 3
#: If there are more different points than this, neighbours share a mark.
POINTS = 400


def pair_scatter(name: str, chart: PairChart, label: str, limits: tuple[float, float], runs: Sequence[str] = ()) -> str:
    """Draw the values of a, upwards, against those of b, to the right; on the diagonal they are equal.

    `label` is that of the metric, and `limits` are those of its values.  `runs` are all of the report: the labels of
    the two fit none of the others.

    Equal points share a mark, which is larger the more points it has.  Each mark shows its values as text, with ≈ if it
    has several near points.
    """
    points = chart.points
    least, most = bounds([value for point in points for value in point], *limits)
    marks = Counter(points)
    gridded = len(marks) > POINTS
    if gridded:
        step = (most - least) / 40
        marks = Counter((near(a, least, step), near(b, least, step)) for a, b in points)

    def up(value: float) -> float:
        return HEIGHT - ROOM - (value - least) / (most - least or 1) * (HEIGHT - TITLE - 2 * ROOM)

    def across(value: float) -> str:
        place = (value - least) / (most - least or 1)
        return f"{SIDE + (100 - 2 * SIDE) * place:.4g}%"

    names = distinct((chart.a, chart.b, *runs))
    upwards, rightwards = (say("{metric} of {run}", metric=label, run=names[run]) for run in (chart.a, chart.b))
    parts = axis_titles(upwards, rightwards, HEIGHT + AXIS - 8)
    for tick in ticks(least, most):
        label = tick_label(tick, least, most)
        parts.append(segment("0", up(tick), "100%", up(tick), "grid"))
        parts.append(text("-6", up(tick) + 4, label, "tick", "end"))
        parts.append(text(across(tick), HEIGHT + 14, label, "tick", "middle"))
    parts.append(segment(across(least), up(least), across(most), up(most), "zero"))
    largest = max(marks.values(), default=1)
    for (a, b), n in sorted(marks.items()):
        better = (a > b) == chart.higher_is_better
        kind = "better" if a != b and better else "worse" if a != b else "dot"
        size = 3.5 + 6 * ((n - 1) / largest) ** 0.5
        about = "≈ " if gridded else ""
        tooltip = f"{count(n, 'question')}: {chart.a} {about}{number(a)}, {chart.b} {about}{number(b)}"
        parts.append(
            f'<circle class="{kind} point" cx="{across(b)}" cy="{up(a):.1f}" r="{size:.1f}">{title(tooltip)}</circle>'
        )
    heading = say("{a} against {b} in {metric}", a=chart.a, b=chart.b, metric=label)
    description = say(
        "Upwards {a}, to the right {b}; one mark for each question. Above the diagonal {a} has the higher value.",
        a=chart.a,
        b=chart.b,
    )
    if gridded:
        description += " " + say("Questions with nearly the same values are one mark, at about (≈) these values.")
    return drawing(name, heading, description, HEIGHT + AXIS, parts)


def near(value: float, least: float, step: float) -> float:
    """Return the middle of a value's cell on a grid.

    >>> near(0.26, 0.0, 0.25)
    0.25
    """
    return least + round((value - least) / step) * step
