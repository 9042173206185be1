"""The table of questions and systems: what stands in its header and in its cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neraca.comparisons.pair import TIE
from neraca.metrics.metric import Metric
from neraca.number_format import dollars, number, seconds, signed, span
from neraca.reports.figures.labels import distinct
from neraca.reports.figures.svg import bounds, share
from neraca.stats.intervals.interval import Floats
from neraca.web.measures import limits_of
from neraca.web.question_facts import COST, FAILED, LABELS, NO_ANSWER, SECONDS, QuestionFacts
from neraca.web.table_layout import DIFFERENCE, Layout


class TableCell(NamedTuple):
    """A cell of one run.

    Attributes
    ----------
    run, text
        The name of the run, and the value or the word that stands for it.
    css
        `plain` for a value, `worst` for the worst possible one; `failed`, `missing` or `unscored` without a value.  Any
        other level is not judged: what counts as low depends on the metric and the questions.
    fill
        The length of the bar, such as `37%`; "" without one.
    best
        Whether it is the only best value of the row.
    why
        The reason why there is no value.
    """

    run: str
    text: str
    css: str
    fill: str = ""
    best: bool = False
    why: str = ""


class RunHead(NamedTuple):
    """The header of a run's column: its name, the link that sorts by it, and its value over the questions."""

    run: str
    short: str
    link: str
    sorted: str
    value: str
    interval: str
    n: int
    low: str
    high: str
    place: str


class ColumnGroup(NamedTuple):
    """One measure with a column for each run; `full` is its canonical name if the label is another.

    A note says which direction is better.
    """

    name: str
    label: str
    full: str
    note: str
    heads: list[RunHead]


def is_measure(facts: QuestionFacts, name: str) -> bool:
    """Return whether a column of this name has a value for each run."""
    return name in facts.columns


def shown_measures(facts: QuestionFacts, layout: Layout) -> list[str]:
    """Return the metric that is looked at, and the further measures of the layout."""
    return [facts.metric, *(name for name in layout.columns if name != facts.metric and is_measure(facts, name))]


def column_groups(
    facts: QuestionFacts,
    layout: Layout,
    chosen: NDArray[np.int64] | None,
    link: Callable[[Layout], str],
) -> list[ColumnGroup]:
    """Return the header; `chosen` are the questions that pass the filters, None: all.

    Over chosen questions a run's value is the mean of their values, without an interval.
    """
    groups = []
    for name in shown_measures(facts, layout):
        totals = facts.totals[name]
        least, most = _axis(facts, name)
        heads = []
        short_names = distinct(facts.runs, 60)
        for index, run in enumerate(facts.runs):
            value, low, high, n = totals[index]
            if chosen is not None:
                values = facts.columns[name][index][chosen]
                n = int((~np.isnan(values)).sum())
                value, low, high = float(np.nanmean(values)) if n else math.nan, math.nan, math.nan
            key = f"{name}|{index}"
            heads.append(
                RunHead(
                    run,
                    short_names[run],
                    link(layout.sorted_by(key)),
                    layout.is_sorted_by(key),
                    _text(name, value),
                    span(low, high),
                    n,
                    *(share(x, least, most) if math.isfinite(x) else "" for x in (low, high, value)),
                )
            )
        groups.append(ColumnGroup(name, facts.label(name), facts.full_name(name), direction(name), heads))
    return groups


def direction(name: str) -> str:
    """Return which direction of a measure is better, in words; "" if higher is better."""
    if name in LABELS:
        return "lower is better"
    metric = Metric.of(name)
    return "a diagnostic" if metric.diagnostic else "" if metric.higher_is_better else "lower is better"


def row_cells(facts: QuestionFacts, name: str, rows: Sequence[int]) -> list[list[TableCell]]:
    """Return the cells of one measure for some questions: a list for each question, with a cell for each run."""
    least, most = _axis(facts, name)
    values = facts.columns[name]
    sign, worst = _sign(name), _worst(facts, name)
    table = []
    for row in rows:
        column = values[:, row]
        best = _single_best(column * sign) if sign else -1
        cells = []
        for index, value in enumerate(column.tolist()):
            if math.isnan(value):
                cells.append(_empty(facts, name, index, row))
                continue
            css = "worst" if abs(value - worst) <= TIE else "plain"
            if facts.states[index, row] == FAILED:
                text, why = f"failed: {_text(name, value)}", facts.why(name, index, row)
                cells.append(TableCell(facts.runs[index], text, "failed", why=why))
                continue
            cells.append(
                TableCell(facts.runs[index], _text(name, value), css, share(value, least, most), index == best)
            )
        table.append(cells)
    return table


def difference_text(facts: QuestionFacts, row: int) -> tuple[str, str]:
    """Return the difference of a question, and its meaning: of two runs signed, of more the largest one."""
    values = facts.values[:, row]
    if (~np.isnan(values)).sum() < 2:
        return "", ""
    if len(values) > 2:
        return number(float(facts.spread[row])), ""
    difference = float(values[0] - values[1])
    gain = difference * _sign(facts.metric)
    return signed(difference), "up" if gain > TIE else "down" if gain < -TIE else ""


def difference_head(facts: QuestionFacts, layout: Layout, link: Callable[[Layout], str]) -> tuple[str, str, str]:
    """Return the runs of the column of differences (of more than two ""), the link that sorts by it, and its order."""
    of_two = " − ".join(distinct(facts.runs, 14).values()) if len(facts.runs) == 2 else ""
    return of_two, link(layout.sorted_by(DIFFERENCE)), layout.is_sorted_by(DIFFERENCE)


def orders(facts: QuestionFacts | None, tags: Sequence[str]) -> Mapping[str, str]:
    """Return the orders that a reader can choose, and their labels."""
    by_scores: dict[str, str] = {}
    if facts and len(facts.runs) > 1:
        by_scores = {"-difference": "differs most first", "difference": "differs least first"}
    if facts:
        for index, run in enumerate(facts.runs):
            by_scores[f"{facts.metric}|{index}"] = f"lowest of {run} first"
            by_scores[f"-{facts.metric}|{index}"] = f"highest of {run} first"
    return {"": "of the dataset", **by_scores, "question": "by its words", **{f"tag:{t}": f"by {t}" for t in tags}}


def _axis(facts: QuestionFacts, name: str) -> tuple[float, float]:
    """Return the ends of the axis of a measure: its range, or from 0 to its largest value."""
    if name not in LABELS:
        low, high = limits_of(name, facts.columns[name].ravel().tolist(), facts.limits)
        if math.isfinite(low) and math.isfinite(high):
            return low, high
    values = facts.columns[name]
    largest = float(np.nanmax(values)) if not np.isnan(values).all() else 1.0
    smallest = float(np.nanmin(values)) if not np.isnan(values).all() else 0.0
    return (0.0, largest) if smallest >= 0 else bounds([smallest, largest])


def _sign(name: str) -> int:
    """Return 1 if higher is better, -1 if lower is, 0 if neither."""
    if name in LABELS:
        return -1
    metric = Metric.of(name)
    return 0 if metric.diagnostic else 1 if metric.higher_is_better else -1


def _worst(facts: QuestionFacts, name: str) -> float:
    """Return the worst possible value of a measure; NaN or infinite if it has none."""
    sign = _sign(name)
    if name in LABELS or not sign:
        return math.nan
    low, high = limits_of(name, (), facts.limits)
    return low if sign > 0 else high


def _single_best(goodness: Floats) -> int:
    """Return the index of the only largest value; -1 if there is none or several share it."""
    there = np.flatnonzero(~np.isnan(goodness))
    if len(there) < 2:
        return -1
    order = there[np.argsort(-goodness[there], kind="stable")]
    return int(order[0]) if goodness[order[0]] - goodness[order[1]] > TIE else -1


def _empty(facts: QuestionFacts, name: str, run: int, row: int) -> TableCell:
    """Return the cell of a run without a value."""
    state = int(facts.states[run, row])
    if state == FAILED:
        return TableCell(facts.runs[run], "failed", "failed", why=facts.why(name, run, row))
    if state == NO_ANSWER:
        return TableCell(facts.runs[run], "no answer", "missing")
    word = "–" if name in LABELS else "unscored"
    return TableCell(facts.runs[run], word, "unscored", why=facts.why(name, run, row))


def _text(name: str, value: float) -> str:
    if name == SECONDS:
        return seconds(None if math.isnan(value) else value)
    return dollars(value) if name == COST else number(value)
