"""Draw the figures of a paper: one column wide, readable in grey, with a metric and axes that are named."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from neraca.comparisons.difference import Difference, in_order
from neraca.counts_and_lists import count
from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.nearest import nearest
from neraca.number_format import integer, number, percent_level, signed
from neraca.reports.blocks.metric_rows import MetricRow, metric_rows
from neraca.reports.blocks.run_summary import RunSummary, best_first, cost_of_judges, summarise_run
from neraca.reports.blocks.tables import pair_chart
from neraca.reports.figures import axes
from neraca.reports.figures.axes import COLUMN, PLAIN, STRONG, WEAK, Axis
from neraca.reports.figures.figures import Picture
from neraca.reports.figures.labels import run_labels, text_width
from neraca.reports.figures.pairs_drawn import PairsDrawn, pairs_drawn
from neraca.reports.figures.svg import bounds
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.reports.sentences.parts import after, interval_scope
from neraca.scores.scores import RunScores, Scores
from neraca.translation import say

#: In pixels: the height of a row of a forest plot, of a plot with two axes, and of an axis with its title.
_ROW, _PLOT, _AXIS = 19, 190, 32
#: The ranks of the curve by rank.
_RANKS = 20
#: Points to a pixel, and the height of the text of a page of a paper in points.
_POINT, _PAGE = 0.75, 550


class _Drawn(NamedTuple):
    """The caption of a figure, its height in pixels, its parts, and a sentence on what it leaves out, or ""."""

    caption: str
    height: float
    parts: list[str]
    left_out: str = ""


@dataclass(frozen=True)
class Subject:
    """The data of a figure: scores, their differences, and the canonical name of one of the metrics."""

    scores: Scores
    differences: Sequence[Difference]
    metric: str

    @property
    def label(self) -> str:
        """The short name of the metric."""
        return MetricLabels.of(self.scores.metrics)[self.metric]

    @property
    def row(self) -> MetricRow:
        """The values of the metric for all runs."""
        return metric_rows(self.scores, self.differences, self.metric)[0]

    @property
    def value_title(self) -> str:
        """The title of an axis of values."""
        level = percent_level(self.scores.level)
        title = say("{metric} with {level} interval", metric=self.label, level=level)
        return title if self.row.better != "lower" else f"{title} ({say('lower is better')})"


def paper_figure(subject: Subject, kind: str) -> Picture:
    """Draw a figure of one of `KINDS`; its runs are in the order of the metric, the best first.

    Raises
    ------
    SpecError
        If the kind is unknown, or the scores lack what it shows.
    """
    if kind not in KINDS:
        every = f"the figures: {', '.join(KINDS)}"
        advice = nearest(kind, KINDS, otherwise=every)
        raise SpecError(f"no figure is called {kind!r}; {advice}" + ("" if advice == every else f" {every}"))
    scores = best_first(subject.scores, subject.metric)
    differences = in_order(subject.differences, [run.name for run in scores.runs])
    return _picture(kind, KINDS[kind](replace(subject, scores=scores, differences=differences)))


def _picture(kind: str, drawn: _Drawn) -> Picture:
    caption = f"{drawn.caption}. {drawn.left_out}" if drawn.left_out else drawn.caption
    svg = axes.column_figure(drawn.height, caption, drawn.parts)
    return Picture(kind, caption, svg, round(drawn.height), COLUMN, drawn.left_out)


def remarks_on(picture: Picture) -> list[str]:
    """Say what a figure for a paper leaves out, and if it is taller than a page; and what to do about it."""
    height = _POINT * picture.height
    remarks = [f"{picture.left_out} Its caption should say so; --against RUN draws the pairs of another run."]
    too_tall = f"it is {height:.0f} pt high, taller than a page of a paper (about {_PAGE} pt); choose fewer runs"
    return [*(remarks if picture.left_out else []), *([too_tall] if height > _PAGE else [])]


def _forest(subject: Subject) -> _Drawn:
    return _rows(subject, bars=False)


def _bars(subject: Subject) -> _Drawn:
    return _rows(subject, bars=True)


def _rows(subject: Subject, *, bars: bool) -> _Drawn:
    """Draw a row for each run, the best first: its name, its value as a dot or a bar with the interval, the number."""
    row = subject.row
    counts = [f" (n = {integer(cell.score.n)})" if row.names_n else "" for cell in row.cells]
    labels = run_labels(cell.score.run for cell in row.cells)
    names = [f"{labels[cell.score.run]}{n}" for cell, n in zip(row.cells, counts, strict=True)]
    left, right = 10 + max(map(text_width, names)), COLUMN - 38
    values = [x for cell in row.cells for x in (cell.score.value, cell.score.low, cell.score.high)]
    low, high = bounds([*values, 0.0] if bars else values, row.low, row.high)
    axis = Axis(min(low, 0.0) if bars and low <= 0 else low, high, left, right)
    bottom = 6 + _ROW * len(names)
    key = say("dark: the best") if bars else say("filled: the best")
    title = f"{subject.value_title}; {key}" if any(cell.best for cell in row.cells) else subject.value_title
    parts = [axes.horizontal(axis, 4, bottom, title)]
    for place, (cell, name) in enumerate(zip(row.cells, names, strict=True)):
        y, score = 6 + _ROW * (place + 0.5), cell.score
        parts.append(axes.words(left - 6, y + 3.5, name, "end"))
        if math.isnan(score.value):
            parts.append(axes.words(left + 4, y + 3.5, say("not scored")))
            continue
        if bars:
            parts.append(axes.bar(axis.at(0.0), y - 6, axis.at(score.value), y + 6, STRONG if cell.best else PLAIN))
        parts += _interval(axis, y, score.low, score.high)
        if not bars:
            parts.append(axes.mark(axis.at(score.value), y, axes.FILLED if cell.best else axes.HOLLOW, 3.6))
        parts.append(axes.words(COLUMN - 2, y + 3.5, number(score.value), "end"))
    best = say("{metric} of every run", metric=subject.value_title) + f"; {key}"
    if failed := [cell.score.run for cell in row.cells if cell.only_failed]:
        best += f"; {say('failed answers only')}: {', '.join(failed)}"
    return _Drawn(best, bottom + _AXIS + axes.title_height(title), parts)


def _interval(axis: Axis, y: float, low: float, high: float) -> list[str]:
    if math.isnan(low) or math.isnan(high):
        return []
    ends = [axes.stroke(axis.at(x), y - 3, axis.at(x), y + 3, "range") for x in (low, high)]
    return [axes.stroke(axis.at(low), y, axis.at(high), y, "range"), *ends]


def _effects(subject: Subject) -> _Drawn:
    """Draw the difference of each pair with its interval, below the names of the two runs."""
    place = {run.name: place for place, run in enumerate(subject.scores.runs)}
    pairs = [d for d in subject.differences if d.metric == subject.metric]
    pairs.sort(key=lambda d: sorted((place[d.a], place[d.b])))
    if not pairs:
        raise SpecError("the figure of effects needs two runs that were compared; give compare(scores) too")
    level = percent_level(subject.scores.level)
    title = say(
        "Difference in {metric}, {level} {interval}",
        metric=subject.label,
        level=level,
        interval=interval_scope(pairs),
    )
    return _draw_effects(pairs_drawn(pairs, subject.scores.runs[0].name), subject.label, title, after(pairs))


def effects_figure(differences: Sequence[Difference], metric: str) -> Picture:
    """Draw the differences of one metric with their intervals; raise `SpecError` if there is none."""
    pairs = [d for d in differences if d.metric == metric]
    if not pairs:
        metrics = ", ".join(dict.fromkeys(d.metric for d in differences))
        raise SpecError(f"no difference in {metric!r} to draw; the metrics compared: {metrics or 'none'}")
    label = MetricLabels.of(dict.fromkeys(d.metric for d in differences))[metric]
    title = say("Difference in {metric}, {interval}", metric=label, interval=interval_scope(pairs))
    return _picture("effects", _draw_effects(pairs_drawn(pairs), label, title, after(pairs)))


def _draw_effects(drawn: PairsDrawn, label: str, title: str, after_correction: str) -> _Drawn:
    pairs = drawn.pairs
    axis = Axis(*bounds([x for d in pairs for x in (d.difference, d.low, d.high, 0.0)]), 6, COLUMN - 8)
    height = 28.0
    bottom = 6 + height * len(pairs)
    key = _key_of_effects(pairs, after_correction)
    title = f"{title}; {key}" if key else title
    parts = [axes.horizontal(axis, 4, bottom, title), axes.stroke(axis.at(0), 4, axis.at(0), bottom, "zero")]
    labels = run_labels(run for d in pairs for run in (d.a, d.b))
    for place, d in enumerate(pairs):
        top = 6 + height * place
        parts.append(_label(6, top + 10, f"{labels[d.a]} − {labels[d.b]}"))
        parts.append(_label(COLUMN - 8, top + 10, signed(d.difference), "end"))
        parts += _interval(axis, top + 20, d.low, d.high)
        parts.append(axes.mark(axis.at(d.difference), top + 20, axes.FILLED if d.better else axes.HOLLOW, 3.6))
    caption = "; ".join(filter(None, (say("Differences in {metric}", metric=label), key)))
    return _Drawn(caption, bottom + _AXIS + axes.title_height(title), parts, drawn.note)


def _key_of_effects(pairs: Sequence[Difference], after_correction: str) -> str:
    """Say what a filled mark means, or that none is filled although a corrected test was made; "" if neither holds."""
    if any(d.better for d in pairs):
        if after_correction:
            return say("filled: told apart{after}", after=after_correction)
        return say("filled: told apart by the test")
    return say("none told apart{after}", after=after_correction) if after_correction else ""


def _label(x: float, y: float, text: str, anchor: str = "start") -> str:
    """Return a text on a white ground, so that no line crosses it; `x` is its left end, or its right with `end`."""
    width = text_width(text)
    left = x - width if anchor == "end" else x
    ground = f'<rect x="{left - 1:.1f}" y="{y - 9:.1f}" width="{width + 2:.1f}" height="12" fill="#fff"/>'
    return ground + axes.words(x, y, text, anchor)


def _differences(subject: Subject) -> _Drawn:
    """Draw the difference of the first pair on each question, largest first."""
    pair = next(((d.a, d.b) for d in subject.differences if d.metric == subject.metric), None)
    runs = [run.name for run in subject.scores.runs]
    if pair is None and len(runs) < 2:
        raise SpecError("the figure of differences needs two runs")
    chart = pair_chart(subject.scores, Metric.of(subject.metric), *(pair or runs[:2]))
    if not chart.values:
        raise SpecError(f"no question is scored in both {chart.a} and {chart.b}")
    left, right = 46.0, COLUMN - 4.0
    y = Axis(*bounds([*chart.values, 0.0]), _PLOT - 10, 8)
    title = f"Δ {subject.label}"
    parts = [axes.vertical(y, left, right, title)]
    width = (right - left) / len(chart.values)
    for place, value in enumerate(chart.values):
        x, good = left + width * place, (value > 0) == chart.higher_is_better
        gap = min(1.0, 0.1 * width)
        parts.append(axes.bar(x + gap, y.at(0), x + width - gap, y.at(value), STRONG if good else WEAK))
    parts.append(axes.stroke(left, y.at(0), right, y.at(0), "axis"))
    labels = run_labels(runs)
    a, b = labels[chart.a], labels[chart.b]
    questions = say("{questions}, by size of {a} − {b}", questions=count(len(chart.values), "question"), a=a, b=b)
    parts.append(axes.title_below(questions, _PLOT + 8, (left + right) / 2, unbroken=f"{a} − {b}"))
    caption = say("{a} minus {b} in {metric}, question by question", a=chart.a, b=chart.b, metric=chart.metric)
    return _Drawn(caption, _PLOT + 16 + axes.title_height(questions, unbroken=f"{a} − {b}"), parts)


def _precision_recall(subject: Subject) -> _Drawn:
    """Draw interpolated precision at eleven points of recall."""
    recalls = [n / 10 for n in range(11)]
    curves = {
        run.name: [(recall, _mean(run, f"IPrec({recall:g})")) for recall in recalls] for run in subject.scores.runs
    }
    titles = say("Recall"), say("Interpolated precision")
    return _curves(say("Interpolated precision at eleven points of recall"), curves, titles)


def _ranks(subject: Subject) -> _Drawn:
    """Draw precision against recall after each of the first ranks."""
    ranks = range(1, _RANKS + 1)
    curves = {
        run.name: [(_mean(run, f"R@{rank}"), _mean(run, f"P@{rank}")) for rank in ranks] for run in subject.scores.runs
    }
    titles = say("Recall after rank k"), say("Precision after rank k")
    caption = say("Precision against recall after each of the first {n} ranks", n=_RANKS)
    return _curves(caption, curves, titles, _round_end(recall for points in curves.values() for recall, _ in points))


def _round_end(shares: Iterable[float]) -> float:
    """Return the end of an axis from 0: the smallest round number that no share exceeds; 1 if all are 0 or missing.

    >>> _round_end([0.1, 0.29]), _round_end([0.3]), _round_end([0.31, math.nan]), _round_end([0.0])
    (0.3, 0.3, 0.4, 1.0)
    """
    largest = max((share for share in shares if math.isfinite(share)), default=0.0)
    if largest <= 0:
        return 1.0
    power = math.floor(math.log10(largest))
    digits = largest / 10.0**power
    return float(f"{next(n for n in (1, 2, 3, 4, 5, 6, 8, 10) if n >= digits - 1e-9)}e{power}")


def _mean(run: RunScores, metric: str) -> float:
    """Return the value of a metric over the questions of a run for which it is defined."""
    if run.scorable is None or not run.scorable.offers("grades"):
        raise SpecError(f"{run.name} has values only; a curve of precision and recall needs ranked hits and relevance")
    chosen = Metric.of(metric)
    counts = {**run.counts, str(chosen): score_metric(chosen, run.scorable)}
    return replace(run, counts=counts).total(chosen)


def _curves(
    caption: str, curves: Mapping[str, Sequence[tuple[float, float]]], titles: tuple[str, str], end: float = 1.0
) -> _Drawn:
    """Draw curves of shares: upwards from 0 to 1, rightwards from 0 to `end`."""
    if not any(math.isfinite(x) and math.isfinite(y) for points in curves.values() for x, y in points):
        raise SpecError("precision and recall are not defined on any question: no hit is known to be relevant")
    left, right, bottom = 46.0, COLUMN - 8.0, float(_PLOT)
    x, y = Axis(0, end, left, right), Axis(0, 1, bottom, 8)
    parts = [axes.horizontal(x, 8, bottom, titles[0]), axes.vertical(y, left, right, titles[1])]
    for place, points in enumerate(curves.values()):
        places = [(x.at(a), y.at(b)) for a, b in points if math.isfinite(a) and math.isfinite(b)]
        parts.append(axes.series(places, axes.look_of(place)))
    key, height = axes.legend([*curves], bottom + _AXIS + 10)
    return _Drawn(caption, bottom + _AXIS + 8 + height, [*parts, key])


def _cost(subject: Subject) -> _Drawn:
    """Draw the value over the cost of a question: of the answer and its judges, or of the answer alone.

    The judges count only if their cost is known for every run that is drawn, so that the runs can be compared.
    """
    summaries = {run: summarise_run(run) for run in subject.scores.runs}
    runs = {run: _cost_of_all(summary) for run, summary in summaries.items() if summary.cost}
    partly = [run.name for run in runs if (used := summaries[run].cost) and used.answers < summaries[run].answers]
    judging = {run.name: cost_of_judges(run) for run in runs}
    unknown = [name for name, cost in judging.items() if cost is None]
    costs = {
        run.name: (total + (0.0 if unknown else judging[run.name] or 0.0)) / len(run) for run, total in runs.items()
    }
    title, note = say("Cost of a question"), ""
    if unknown:
        title = say("Cost of a question, without judges")
        note = say("the cost of the judges of {runs} is not known", runs=", ".join(unknown))
    elif any(judging.values()):
        title = say("Cost of a question, judges included")
    if partly:
        names = ", ".join(partly)
        guess = say("answers of {runs} without a cost are taken to cost as much as the others", runs=names)
        note = "; ".join(filter(None, (note, guess)))
    return _against(
        subject, costs, f"{title} ({say('US dollars')})", "no answer has a cost; a target gives it in `usage`", note
    )


def _cost_of_all(summary: RunSummary) -> float:
    """Return the dollars of all answers; those without a cost are taken to cost as much as the others on average."""
    return summary.cost.total / summary.cost.answers * summary.answers if summary.cost else 0.0


def _seconds(subject: Subject) -> _Drawn:
    medians = {run.name: summarise_run(run).median for run in subject.scores.runs}
    seconds_by_run = {name: median for name, median in medians.items() if median is not None}
    return _against(subject, seconds_by_run, say("Median seconds of an answer"), "the seconds of no answer are known")


def _against(subject: Subject, places: Mapping[str, float], title: str, missing: str, note: str = "") -> _Drawn:
    """Draw the value of each run with its interval over what it takes; the caption names runs without it.

    `note` ends the caption.
    """
    cells = [cell.score for cell in subject.row.cells if cell.score.run in places and math.isfinite(cell.score.value)]
    if not cells:
        raise SpecError(f"this figure cannot be drawn: {missing}")
    left, right, bottom = 46.0, COLUMN - 8.0, float(_PLOT)
    x = Axis(*bounds([*places.values(), 0.0], 0.0), left, right)
    values = [value for score in cells for value in (score.value, score.low, score.high)]
    y = Axis(*bounds(values, subject.row.low, subject.row.high), bottom, 8)
    parts = [axes.horizontal(x, 8, bottom, title), axes.vertical(y, left, right, subject.value_title)]
    for place, score in enumerate(cells):
        across = x.at(places[score.run])
        if math.isfinite(score.low) and math.isfinite(score.high):
            parts.append(axes.stroke(across, y.at(score.low), across, y.at(score.high), "range"))
        parts.append(axes.mark(across, y.at(score.value), axes.look_of(place), 4.5))
    key, height = axes.legend([score.run for score in cells], bottom + _AXIS + 10)
    omitted = [run.name for run in subject.scores.runs if run.name not in {score.run for score in cells}]
    caption = say("{metric} against: {title}", metric=subject.value_title, title=title)
    caption += f"; {say('not drawn: {runs}', runs=', '.join(omitted))}" if omitted else ""
    caption += f"; {note}" if note else ""
    return _Drawn(caption, bottom + _AXIS + 8 + height, [*parts, key])


#: Name of a figure → the function that draws it.
KINDS: dict[str, Callable[[Subject], _Drawn]] = {
    "forest": _forest,
    "bars": _bars,
    "effects": _effects,
    "differences": _differences,
    "precision-recall": _precision_recall,
    "ranks": _ranks,
    "cost": _cost,
    "seconds": _seconds,
}


def kind_in(name: str) -> str:
    """Return the kind of figure that the name of a file asks for; "" if it asks for none.

    >>> kind_in("figure-forest"), kind_in("figure_precision-recall_new"), kind_in("figure"), kind_in("report")
    ('forest', 'precision-recall', '', '')
    """
    first, _, kind_and_more = name.lower().replace("_", "-").partition("-")
    if first != "figure" or not kind_and_more:
        return ""
    return next((kind for kind in KINDS if f"{kind_and_more}-".startswith(f"{kind}-")), kind_and_more)
