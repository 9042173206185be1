"""Forest plots: values or differences with their intervals, one line each, over one axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from neraca.comparisons.difference import Difference
from neraca.number_format import number, signed, span
from neraca.reports.blocks.metric_rows import MetricRow
from neraca.reports.blocks.tables import PairChart
from neraca.reports.figures.labels import TYPE, fitted, text_width
from neraca.reports.figures.svg import axis_titles, bounds, drawing, segment, share, text, tick_label, ticks
from neraca.reports.formats.word_letters import FEW_ON_PAGE, SHORT_ON_PAGE, letters_of_pairs
from neraca.translation import say

#: In pixels: the height of a line, how much more a line takes whose name has a row of its own, and the height of the
#: axis below the lines; the first line of the grid begins below a label.
ROW, MORE, AXIS, LABEL = 38, 14, 44, 20
#: In pixels: the width of a drawing on a telephone, the space between a name and a number, and the size of their type.
NARROW, SPACE, NAME, VALUE = 305, 10, 13, 12
#: The typeface of a page may be wider than that of the table of widths, such as DejaVu Sans on Linux.
WIDER = 1.08
#: In pixels: the height of a drawing of a pair, with its titles.
HEIGHT = 262
#: The most bars in a drawing of a pair.
BARS = 400


@dataclass(frozen=True)
class Line:
    """One line of a forest plot: a value, its interval and a text; a `strong` line is coloured.

    `label` is the name of a run, or of the first run of a pair, whose second is `second`.  The names are whole: the
    drawing gives them the room that they need.
    """

    label: str
    value: float
    low: float
    high: float
    value_text: str
    strong: bool
    second: str = ""

    @property
    def name(self) -> str:
        """The label, with that of the second run of a pair."""
        return f"{self.label} − {self.second}" if self.second else self.label


def forest(
    name: str, title: str, axis: str, lines: Sequence[Line], limits: tuple[float, float], zero: bool = False
) -> str:
    """Draw lines over an axis of this title within these limits; with `zero`, also the line of no difference.

    If a name and its number do not fit side by side on a telephone, each line gets more rows: the number stands below
    the name, and the second run of a pair below the first, beside the number if it fits there.  The lines of the axis
    are interrupted at labels, so that none crosses a label.
    """
    values = [x for line in lines for x in (line.value, line.low, line.high)]
    least, most = bounds([*values, 0.0] if zero else values, *limits)
    added = _added_rows(lines)
    more = MORE * added
    row_height = ROW + more
    height = row_height * len(lines)
    parts = []
    for tick in ticks(least, most):
        x = share(tick, least, most)
        kind = f"rows{('', ' tall', ' tallest')[added]} {'zero' if zero and tick == 0 else 'grid'}"
        parts.append(segment(x, LABEL + more, x, height, kind))
        edge = float(x[:-1])
        anchor = "start" if edge < 6 else "end" if edge > 94 else "middle"
        parts.append(text(x, height + 16, tick_label(tick, least, most), "tick", anchor))
    for row, line in enumerate(_in_rows(lines) if more else lines):
        parts.append(_draw_line(line, row_height * row, more, least, most))
    parts += axis_titles("", axis, height + AXIS - 10)
    description = "; ".join(f"{line.name} {line.value_text}" for line in lines)
    return drawing(name, title, description, height + AXIS, parts)


def _added_rows(lines: Sequence[Line]) -> int:
    """Return how many rows each line needs beside that of the name with its number: 0, 1, or for pairs 2."""

    def fits(name: str, line: Line) -> bool:
        return WIDER * (text_width(name, NAME) + text_width(line.value_text, VALUE)) + SPACE <= NARROW

    if all(fits(line.name, line) for line in lines):
        return 0
    return 1 if all(fits(f"− {line.second}", line) for line in lines if line.second) else 2


def _in_rows(lines: Sequence[Line]) -> list[Line]:
    """Shorten the names that are wider than a telephone, and mark the second run of each pair."""
    names = [name for line in lines for name in (line.label, line.second) if name]
    labels = fitted(names, NARROW - text_width("− ", NAME), NAME / TYPE)
    return [
        replace(line, label=labels[line.label], second=f"− {labels[line.second]}" if line.second else "")
        for line in lines
    ]


def _draw_line(line: Line, top: float, more: float, least: float, most: float) -> str:
    middle = top + 27 + more
    kind = " strong" if line.strong else ""
    below = [text("0", top + 15 + MORE, line.second, "label")] if more and line.second else []
    parts = [text("0", top + 15, line.label if more else line.name, "label"), *below]
    parts.append(text("100%", top + 15 + more, line.value_text, "value", "end"))
    if not (math.isnan(line.low) or math.isnan(line.high)):
        left, right = share(line.low, least, most), share(line.high, least, most)
        parts.append(segment(left, middle, right, middle, f"bar{kind}"))
        parts += [segment(x, middle - 4, x, middle + 4, f"bar{kind}") for x in (left, right)]
    if math.isfinite(line.value):
        parts.append(f'<circle class="dot{kind}" cx="{share(line.value, least, most)}" cy="{middle}" r="4.5"/>')
    return "".join(parts)


def metric_forest(name: str, row: MetricRow, label: str, level: str, letters: Mapping[str, str] = {}) -> str:
    """Draw the values of one metric, which has this label, for all runs.

    With `letters` of the runs, which a table explains, each name begins with its letter and is cut to fit in its row.
    """
    lines = []
    for cell in row.cells:
        score = cell.score
        interval = "" if cell.only_failed else span(score.low, score.high, 2)
        value_text = number(score.value) + (f" ({interval})" if interval else "")
        value_text = ", ".join([value_text, *(cell.remarks if row.names_n else [])])
        lines.append(Line(score.run, score.value, score.low, score.high, value_text, cell.best))
    if letters:
        lines = _after_letters(lines, letters)
    title = say("{metric} with {level} intervals", metric=label, level=level)
    return forest(name, title, label, lines, (row.low, row.high))


def _after_letters(lines: Sequence[Line], letters: Mapping[str, str]) -> list[Line]:
    """Return the lines with a letter before each name, and the names cut to the room beside the numbers."""
    values = max(text_width(line.value_text, VALUE) for line in lines)
    room = (NARROW - SPACE) / WIDER - values - max(text_width(f"{letter}. ", NAME) for letter in letters.values())
    labels = fitted((line.label for line in lines), room, NAME / TYPE)
    return [replace(line, label=f"{letters[line.label]}. {labels[line.label]}") for line in lines]


def values_caption(row: MetricRow, label: str, level: str) -> str:
    """Return the caption of the drawing of a metric."""
    caption = say("{metric} with {level} intervals", metric=label, level=level)
    has_best = any(cell.best for cell in row.cells)
    if row.higher_is_better:
        return f"{caption}; {say('in colour: the best')}" if has_best else caption
    return f"{caption}; {say('in colour: the best (lowest)') if has_best else say('lower is better')}"


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


def difference_forest(
    name: str, metric: str, differences: Sequence[Difference], level: str, letters: Mapping[str, str] = {}
) -> str:
    """Draw the differences of one metric for all pairs; `letters` stand for the names of runs."""
    lines = []
    for d in differences:
        size = signed(d.difference)
        value_text = size if d.tested else say("{difference} (no test)", difference=size)
        a, b = (letters.get(run, run) for run in (d.a, d.b))
        lines.append(Line(a, d.difference, d.low, d.high, value_text, bool(d.better), b))
    title = say("Differences in {metric} with {level} intervals", metric=metric, level=level)
    return forest(name, title, say("Difference in {metric}", metric=metric), lines, (-math.inf, math.inf), zero=True)


def letters_of_forest(differences: Sequence[Difference], runs: Sequence[str]) -> dict[str, str]:
    """Return the letters that stand for long names in the drawing of many pairs, as in the tables of a page."""
    return letters_of_pairs([(d.a, d.b) for d in differences], runs, SHORT_ON_PAGE, FEW_ON_PAGE)


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
