"""Make the table of results of a paper: a row for each run, a column for each metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from neraca.comparisons.difference import Difference, baseline_of
from neraca.number_format import integer, number, percent_level, span
from neraca.reports.blocks.block import Cell
from neraca.reports.blocks.metric_rows import MetricRow
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.paper import corrections_of, tests_of
from neraca.reports.report import Report
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.reports.translation import say, written_in
from neraca.result import Table

#: Marks of a run that the tests call better, or worse, than the baseline or the other run.
BETTER, WORSE = "†", "‡"


def paper_table(report: Report, intervals: bool = False) -> Table:
    """Make the table, in the language of the report; its caption says all that a reader needs to read it alone.

    The best value of each column is bold.  Marks of significance: the letters of the compact letter display, or † and ‡
    against a baseline or between two runs.
    """
    with written_in(report.language):
        labels = report.metric_labels
        columns = [f"{labels[row.metric]}{_direction(row)}" for row in report.metrics]
        marks = [_marks(row, report.pairs) for row in report.metrics]
        rows = [
            (
                run,
                *(
                    _value(row, place, marks_of_runs.get(run, ""), intervals)
                    for row, marks_of_runs in zip(report.metrics, marks, strict=True)
                ),
            )
            for place, run in enumerate(report.runs)
        ]
        caption = " ".join(_caption(report, labels, [mark for column in marks for mark in column.values()], intervals))
        return Table((say("Run"), *columns), rows, caption, name="table")


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
    of_metric = [d for d in differences if d.metric == row.metric and d.better]
    baseline = baseline_of(differences)
    if baseline:
        runs = [(d, d.a if d.b == baseline else d.b) for d in of_metric if baseline in (d.a, d.b)]
        return {run: BETTER if d.better == run else WORSE for d, run in runs}
    return {d.better: BETTER for d in of_metric} if len(row.cells) == 2 else {}


def _caption(report: Report, labels: MetricLabels, marks: Sequence[str], intervals: bool) -> Iterator[str]:
    yield _questions(report, labels)
    cells = [cell for row in report.metrics for cell in row.cells]
    if any(cell.best for cell in cells):
        yield say("Bold: best value of its column.")
    if any(row.better == "lower" for row in report.metrics):
        yield say("↓: lower is better.")
    yield from _significance(report, marks)
    yield from _primary(report, labels)
    if intervals and any(span(cell.score.low, cell.score.high) for cell in cells):
        yield say("In parentheses: {level} intervals.", level=percent_level(report.level))
    if parameters := labels.parameters_line():
        yield parameters


def _questions(report: Report, labels: MetricLabels) -> str:
    """Say over how many questions the means are; means that are over fewer are grouped by metric and number."""
    size = len(report.scores.runs[0])
    numbers = {labels[row.metric]: [cell.score.n for cell in row.cells] for row in report.metrics}
    every = {n for ns in numbers.values() for n in ns}
    questions = count(size, "question")
    if len(every) == 1 and every != {size}:
        return say("Means over {n} of {questions}.", n=integer(every.pop()), questions=questions)
    means = say("Means over {questions}", questions=questions)
    fewer = list(_fewer(report, numbers, size))
    return say("{means}; {fewer}.", means=means, fewer="; ".join(fewer)) if fewer else f"{means}."


def _fewer(report: Report, numbers: Mapping[str, Sequence[int]], size: int) -> Iterator[str]:
    """Name the means over fewer questions: first metrics of all runs, then of some; those that are alike together."""
    metrics_of: dict[tuple[int, ...], list[str]] = {}
    for metric, ns in numbers.items():
        metrics_of.setdefault(tuple(ns), []).append(metric)
    for ns, metrics in sorted(metrics_of.items(), key=lambda of_metrics: len({*of_metrics[0]}) > 1):
        if {*ns} == {size}:
            continue
        named = listed(metrics, at_most=len(metrics))
        if len({*ns}) == 1:
            yield say("{metric} on {n}", metric=named, n=integer(ns[0]))
            continue
        for n in sorted({*ns} - {size}):
            runs = [run for run, own in zip(report.runs, ns, strict=True) if own == n]
            which = listed(runs, at_most=len(runs))
            if len(metrics) == len(numbers):
                yield say("{run} on {n}", run=which, n=integer(n))
            else:
                yield say("{run} in {metric} on {n}", run=which, metric=named, n=integer(n))


def _significance(report: Report, marks: Sequence[str]) -> Iterator[str]:
    tested = [d for d in report.pairs if d.tested]
    if not tested:
        return
    letters = any(mark not in (BETTER, WORSE) for mark in marks)
    other = baseline_of(report.pairs) or say("the other run")
    if letters:
        yield say("Letters: two runs of a column differ significantly if they share none.")
    if BETTER in marks:
        yield say("†: significantly better than {other}.", other=other)
    if WORSE in marks:
        yield say("‡: significantly worse than {other}.", other=other)
    how = corrections_of(tested)
    correction = say(", p-values {corrected}", corrected=how) if how else ""
    words = {"tests": tests_of(tested), "how": correction, "level": number(1 - report.level, 2)}
    yield (
        say("Tests: two-sided {tests}{how}, level {level}.", **words)
        if marks
        else say("No difference is significant (two-sided {tests}{how}, level {level}).", **words)
    )


def _primary(report: Report, labels: MetricLabels) -> Iterator[str]:
    """Name the primary column, whether it is so by default, and that its p-values are corrected apart."""
    tested = {d.metric for d in report.pairs if d.tested}
    if len(tested) < 2 or report.primary not in tested:
        return
    primary = labels[report.primary]
    yield (
        say("Primary metric: {primary}.", primary=primary)
        if report.declared
        else say("Primary metric: {primary}, by default, since none was declared.", primary=primary)
    )
    if any(d.correction in ("holm", "bonferroni", "bh") for d in report.pairs):
        yield say("The p-values of the primary metric are corrected by themselves, those of the others together.")
