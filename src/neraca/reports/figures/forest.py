"""Forest plots: values or differences with their intervals, one line each, over one axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from neraca.comparisons.difference import Difference
from neraca.number_format import number, signed, span
from neraca.reports.blocks.metric_rows import MetricRow
from neraca.reports.blocks.tables import PairChart
from neraca.reports.figures.labels import distinct
from neraca.reports.figures.svg import axis_titles, bounds, drawing, segment, share, text, tick_label, ticks
from neraca.reports.translation import say

#: In pixels: the height of a line, and of the axis below the lines; the first line of the grid begins below a label.
ROW, AXIS, LABEL = 38, 44, 20
#: In pixels: the height of a drawing of a pair, with its titles.
HEIGHT = 262
#: The most bars in a drawing of a pair.
BARS = 400


@dataclass(frozen=True)
class Line:
    """One line of a forest plot: a value, its interval and a text; a `strong` line is coloured."""

    label: str
    value: float
    low: float
    high: float
    value_text: str
    strong: bool


def forest(
    name: str, title: str, axis: str, lines: Sequence[Line], limits: tuple[float, float], zero: bool = False
) -> str:
    """Draw lines over an axis of this title within these limits; with `zero`, also the line of no difference.

    The lines of the axis are interrupted at labels, so that none crosses a label.
    """
    values = [x for line in lines for x in (line.value, line.low, line.high)]
    least, most = bounds([*values, 0.0] if zero else values, *limits)
    height = ROW * len(lines)
    parts = []
    for tick in ticks(least, most):
        x = share(tick, least, most)
        parts.append(segment(x, LABEL, x, height, f"rows {'zero' if zero and tick == 0 else 'grid'}"))
        edge = float(x[:-1])
        anchor = "start" if edge < 6 else "end" if edge > 94 else "middle"
        parts.append(text(x, height + 16, tick_label(tick, least, most), "tick", anchor))
    for row, line in enumerate(lines):
        parts.append(_draw_line(line, ROW * row, least, most))
    parts += axis_titles("", axis, height + AXIS - 10)
    description = "; ".join(f"{line.label} {line.value_text}" for line in lines)
    return drawing(name, title, description, height + AXIS, parts)


def _draw_line(line: Line, top: float, least: float, most: float) -> str:
    middle = top + 27
    kind = " strong" if line.strong else ""
    parts = [text("0", top + 15, line.label, "label"), text("100%", top + 15, line.value_text, "value", "end")]
    if not (math.isnan(line.low) or math.isnan(line.high)):
        left, right = share(line.low, least, most), share(line.high, least, most)
        parts.append(segment(left, middle, right, middle, f"bar{kind}"))
        parts += [segment(x, middle - 4, x, middle + 4, f"bar{kind}") for x in (left, right)]
    if math.isfinite(line.value):
        parts.append(f'<circle class="dot{kind}" cx="{share(line.value, least, most)}" cy="{middle}" r="4.5"/>')
    return "".join(parts)


def metric_forest(name: str, row: MetricRow, label: str, level: str) -> str:
    """Draw the values of one metric, which has this label, for all runs."""
    lines = []
    labels = distinct(cell.score.run for cell in row.cells)
    for cell in row.cells:
        score = cell.score
        interval = "" if cell.only_failed else span(score.low, score.high, 2)
        value_text = number(score.value) + (f" ({interval})" if interval else "")
        value_text = ", ".join([value_text, *(cell.remarks if row.names_n else [])])
        lines.append(Line(labels[score.run], score.value, score.low, score.high, value_text, cell.best))
    title = say("{metric} with {level} intervals", metric=label, level=level)
    return forest(name, title, label, lines, (row.low, row.high))


def values_caption(row: MetricRow, label: str, level: str) -> str:
    """Return the caption of the drawing of a metric."""
    caption = say("{metric} of every run, with {level} intervals", metric=label, level=level)
    return caption if row.higher_is_better else f"{caption}; {say('lower is better')}"


def interval_bars(row: MetricRow) -> list[str]:
    """Return a small drawing for each cell of a row: its value and interval, on an axis that the row shares.

    The cell has the same numbers as text, so screen readers skip the drawing.
    """
    scores = [cell.score for cell in row.cells]
    least, most = bounds([x for s in scores for x in (s.value, s.low, s.high)], row.low, row.high)
    drawings = []
    for cell in row.cells:
        s, kind, parts = cell.score, " strong" if cell.best else "", []
        if not (math.isnan(s.low) or math.isnan(s.high)):
            parts.append(segment(share(s.low, least, most), 5, share(s.high, least, most), 5, f"bar{kind}"))
        if math.isfinite(s.value):
            parts.append(f'<circle class="dot{kind}" cx="{share(s.value, least, most)}" cy="5" r="3.5"/>')
        drawings.append(f'<svg class="mini" aria-hidden="true" width="100%" height="10">{"".join(parts)}</svg>')
    return drawings


def difference_forest(name: str, metric: str, differences: Sequence[Difference], level: str) -> str:
    """Draw the differences of one metric for all pairs."""
    lines = []
    labels = distinct((run for d in differences for run in (d.a, d.b)), 15)
    for d in differences:
        label = f"{labels[d.a]} − {labels[d.b]}"
        size = signed(d.difference)
        value_text = size if d.tested else say("{difference} (no test)", difference=size)
        lines.append(Line(label, d.difference, d.low, d.high, value_text, bool(d.better)))
    title = say("Differences in {metric} with {level} intervals", metric=metric, level=level)
    return forest(name, title, say("Difference in {metric}", metric=metric), lines, (-math.inf, math.inf), zero=True)


def pair_bars(name: str, chart: PairChart, label: str, scale: Iterable[float]) -> str:
    """Draw a bar of a − b for each question, largest first, on an axis that holds all of `scale`.

    `label` is that of the metric.
    """
    least, most = bounds([*scale, 0.0])
    top, bottom = 24, HEIGHT - 26

    def y(value: float) -> float:
        return bottom - (min(most, max(least, value)) - least) / (most - least) * (bottom - top)

    parts = axis_titles(say("Difference in {metric}", metric=label), say("Questions, sorted"), HEIGHT - 6)
    for tick in ticks(least, most):
        parts.append(segment("0", y(tick), "100%", y(tick), "zero" if tick == 0 else "grid"))
        parts.append(text("-6", y(tick) + 4, tick_label(tick, least, most), "tick", "end"))
    values = chart.values[:: _step(chart)]
    n = len(values)
    for kind, good in (("better", chart.higher_is_better), ("worse", not chart.higher_is_better)):
        parts.append(f'<g class="{kind}">')
        for index, value in enumerate(values):
            if math.isfinite(value) and value != 0 and (value > 0) == good:
                above, below = y(max(value, 0)), y(min(value, 0))
                x, width = f"{100 * (index + 0.1) / n:.2f}%", f"{80 / n:.2f}%"
                parts.append(f'<rect x="{x}" y="{above:.1f}" width="{width}" height="{below - above:.1f}"/>')
        parts.append("</g>")
    return drawing(name, bars_title(chart, label), describe_bars(chart), HEIGHT, parts)


def bars_title(chart: PairChart, label: str) -> str:
    """Return the title of the bars of a pair; `label` is that of the metric."""
    return say("{a} minus {b} in {metric}, question by question", a=chart.a, b=chart.b, metric=label)


def describe_bars(chart: PairChart) -> str:
    """Describe the bars in words."""
    step = _step(chart)
    description = say(
        "{a} is better on {better} of {n} questions, equal to {b} on {equal} and worse on {worse}.",
        a=chart.a,
        b=chart.b,
        better=chart.better,
        n=len(chart.values),
        equal=chart.equal,
        worse=chart.worse,
    )
    return f"{description} {say('One bar in {step} is drawn.', step=step)}" if step > 1 else description


def _step(chart: PairChart) -> int:
    """Return how many sorted bars share one drawn bar; more than some hundreds cannot be told apart."""
    return -(-len(chart.values) // BARS)
