"""Make the table of results of a paper: a row for each run, a column for each metric."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from neraca.comparisons.difference import Difference, baseline_of
from neraca.counts_and_lists import count, listed
from neraca.number_format import integer, number, percent_level, span
from neraca.reports.blocks.block import Cell
from neraca.reports.blocks.metric_rows import BETTER, WORSE, MetricRow
from neraca.reports.blocks.paper_notes import notes, questions_noun
from neraca.reports.report import Report
from neraca.result import Table
from neraca.translation import say, written_in

#: A caption names so many metrics, and counts more.
NAMED = 3
_SPELT_OUT = re.compile(r"^(?:Precision|Recall)(?=[(@])")


class PaperTable(NamedTuple):
    """A table with a short caption as its title, and the notes to set below it in small type."""

    table: Table
    notes: tuple[str, ...]


def paper_table(report: Report, intervals: bool = False) -> PaperTable:
    """Make the table, in the language of the report; with its caption and notes it can be read alone.

    The best value of each column is bold.  Marks of significance: the letters of the compact letter display, or † and ‡
    against a baseline or between two runs.
    """
    with written_in(report.language):
        labels = {row.metric: _label(report.metric_labels[row.metric]) for row in report.metrics}
        columns = [f"{labels[row.metric]}{_direction(row)}" for row in report.metrics]
        marks = {row.metric: _marks(row, report.pairs) for row in report.metrics}
        rows = [
            (run, *(_value(row, place, marks[row.metric].get(run, ""), intervals) for row in report.metrics))
            for place, run in enumerate(report.runs)
        ]
        every_mark = [mark for of_metric in marks.values() for mark in of_metric.values()]
        caption = " ".join(_caption(report, [*labels.values()], every_mark, intervals))
        marked = [metric for metric, of_metric in marks.items() if of_metric]
        return PaperTable(
            Table((say("Run"), *columns), rows, caption, name="table"), tuple(notes(report, labels, marked))
        )


def _label(label: str) -> str:
    """Return the heading of a column, in which precision and recall are the letters that papers use.

    >>> _label("Precision@10"), _label("Recall(rel=2)@100"), _label("RBP")
    ('P@10', 'R(rel=2)@100', 'RBP')
    """
    return _SPELT_OUT.sub(lambda match: match[0][0], label)


def _direction(row: MetricRow) -> str:
    return " ↓" if row.better == "lower" else ""


def _value(row: MetricRow, place: int, mark: str, intervals: bool) -> Cell:
    cell = row.cells[place]
    beside = span(cell.score.low, cell.score.high) if intervals else ""
    return Cell(number(cell.score.value), beside, mark=mark, bold=cell.best)


def _marks(row: MetricRow, differences: Sequence[Difference]) -> dict[str, str]:
    """Return the mark of significance of each run."""
    letters = {cell.score.run: cell.letters for cell in row.cells if cell.letters}
    if letters:
        return letters
    signs = {cell.score.run: cell.sign for cell in row.cells if cell.sign}
    of_metric = [d for d in differences if d.metric == row.metric and d.better]
    return signs or ({d.better: BETTER for d in of_metric} if len(row.cells) == 2 else {})


def _caption(report: Report, labels: Sequence[str], marks: Sequence[str], intervals: bool) -> Iterator[str]:
    yield _measured(report, labels)
    cells = [cell for row in report.metrics for cell in row.cells]
    if any(cell.best for cell in cells):
        yield say("Bold: best value of its column.")
    if any(row.better == "lower" for row in report.metrics):
        yield say("↓: lower is better.")
    yield from _significance(report, marks)
    if intervals and any(span(cell.score.low, cell.score.high) for cell in cells):
        yield say("In parentheses: {level} intervals.", level=percent_level(report.level))


def _measured(report: Report, labels: Sequence[str]) -> str:
    """Say which means the table has, of how many runs, and over how many questions."""
    size = len(report.scores.runs[0])
    ns = {cell.score.n for row in report.metrics for cell in row.cells}
    questions = count(size, questions_noun(report))
    if len(ns) == 1 and ns != {size}:
        questions = say("{n} of {questions}", n=integer(ns.pop()), questions=questions)
    return say(
        "{metrics} of {runs}, means over {questions}.",
        metrics=listed([*labels]) if len(labels) <= NAMED else count(len(labels), "metric"),
        runs=count(len(report.runs), "run"),
        questions=questions,
    )


def _significance(report: Report, marks: Sequence[str]) -> Iterator[str]:
    if any(mark not in (BETTER, WORSE) for mark in marks):
        yield say("Letters: two runs of a column differ significantly if they share none.")
    other = baseline_of(report.pairs) or say("the other run")
    if BETTER in marks:
        yield say("†: significantly better than {other}.", other=other)
    if WORSE in marks:
        yield say("‡: significantly worse than {other}.", other=other)
