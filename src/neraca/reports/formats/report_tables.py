"""The tables of a report as text in cells, for every format that is not a page of its own: LaTeX, Word, workbooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from neraca.comparisons.difference import Difference
from neraca.number_format import DASH, integer, number, p_value, percent_level, signed, span
from neraca.reports.blocks.metric_rows import Cell, marks
from neraca.reports.blocks.pair_matrix import CAPTION
from neraca.reports.report import Report
from neraca.reports.sentences.parts import have_statistics, statistic_words
from neraca.reports.translation import say, say_all
from neraca.scores.scores import Score

#: What the table of outcomes of answers in words shows.
IN_WORDS = "What came of each answer in words: whether it declines, and whether its question can be answered (expects)."


@dataclass(frozen=True)
class ReportTable:
    """A table to hand in.

    Attributes
    ----------
    name
        Short, unique in the report; names the file or the sheet.
    caption
        What it shows, one or two sentences.
    columns, rows
        Headings and cells as text.
    names
        How many columns from the left hold names; numbers stand in the others.
    best
        (row, column) of each cell with the best value of its row.
    """

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1
    best: frozenset[tuple[int, int]] = frozenset()


def report_tables(report: Report) -> tuple[ReportTable, ...]:
    """Return the tables of the sections of a report: values, differences, groups, outcomes, what the metrics mean."""
    made: dict[str, Callable[[Report], Iterable[ReportTable]]] = {
        "metrics": _values,
        "differences": _differences,
        "groups": _groups,
        "counts": _outcomes,
        "method": _definitions,
    }
    return tuple(
        table for section, something in report.outline if something for table in made.get(section.name, _none)(report)
    )


def _none(_: Report) -> Iterable[ReportTable]:
    return ()


def _values(report: Report) -> Iterator[ReportTable]:
    rows = tuple((row.metric, *map(_marked, row.cells)) for row in report.metrics)
    cells = [(r, 1 + c, cell) for r, row in enumerate(report.metrics) for c, cell in enumerate(row.cells)]
    best = frozenset((r, c) for r, c, cell in cells if cell.best or cell.tied)
    caption = say(
        "Mean of each metric with its {level} interval. {marks}",
        level=percent_level(report.level),
        marks=marks(report.metrics),
    )
    yield ReportTable("values", caption.rstrip(), (say("Metric"), *report.runs), rows, best=best)


def _marked(cell: Cell) -> str:
    """A value with its letters and, where the run is better than all others, its mark."""
    words = value(cell.score)
    number, space, rest = words.partition(" ")
    letters = f" {cell.letters}" if cell.letters else ""
    return f"{number}{letters}{' ▲' if cell.beats_all else ''}{space}{rest}"


def value(score: Score) -> str:
    """A value with its interval, and with n where questions are unscored.

    >>> value(Score("new", "", "AP", 0.75, 0.5, 1, 2, 2, "t", 0.375, 0.875))
    '0.750 (0.50 to 1.00), n = 2'
    """
    interval = span(score.low, score.high, 2)
    unscored = f", n = {integer(score.n)}" if score.unscored else ""
    return f"{number(score.value)}{f' ({interval})' if interval else ''}{unscored}"


def _differences(report: Report) -> Iterator[ReportTable]:
    level = percent_level(report.level)
    statistics = have_statistics(report.detailed)
    columns = (
        *say_all("Metric", "Pair", "Difference"),
        say("{level} interval", level=level),
        *(say_all("Statistic") if statistics else ()),
        *say_all("p", "p adjusted", "Effect", "n"),
    )
    rows = tuple(_difference(d, 1 - report.level, statistics) for d in report.detailed)
    caption = say("Differences of pairs of runs. {what_they_are}", what_they_are=report.intervals_are)
    yield ReportTable("differences", caption, columns, rows, names=2)
    if matrix := report.matrix:
        cells = [(r, 1 + c, d) for r, (_, row) in enumerate(matrix.rows) for c, d in enumerate(row)]
        apart = frozenset((r, c) for r, c, d in cells if d and d.better)
        effects = tuple((name, *(_effect(d, 1 - report.level) for d in row)) for name, row in matrix.rows)
        yield ReportTable("effects", say(CAPTION), matrix.columns, effects, best=apart)


def _effect(d: Difference | None, alpha: float) -> str:
    if d is None:
        return DASH
    return f"{number(d.effect, 2)} ({f'p {p_value(d.p_adjusted, alpha)}' if d.tested else say('no test')})"


def _difference(d: Difference, alpha: float, statistics: bool) -> tuple[str, ...]:
    ps = *((statistic_words(d),) if statistics else ()), p_value(d.p, alpha), p_value(d.p_adjusted, alpha)
    return d.metric, f"{d.a} − {d.b}", signed(d.difference), span(d.low, d.high), *ps, number(d.effect, 2), integer(d.n)


def _groups(report: Report) -> Iterator[ReportTable]:
    for table in report.main_groups:
        columns = (table.tag, say("Questions"), *report.runs)
        rows = tuple(
            (row.value, integer(row.items), *(number(score.value) for score in row.scores)) for row in table.rows
        )
        yield ReportTable(
            f"{table.metric} by {table.tag}",
            say("{metric} by {tag}.", metric=table.metric, tag=table.tag),
            columns,
            rows,
        )


def _outcomes(report: Report) -> Iterator[ReportTable]:
    kinds = tuple(dict.fromkeys(kind for row in report.counts for kind, _ in row.outcomes))
    rows = tuple((row.run, *(integer(dict(row.outcomes).get(kind, 0)) for kind in kinds)) for row in report.counts)
    yield ReportTable("outcomes", say("How many answers had which outcome."), (say("Run"), *say_all(*kinds)), rows)
    if counted := [row for row in report.counts if row.words]:
        names = tuple(name for name, _ in counted[0].words)
        cells = tuple((row.run, *(integer(n) for _, n in row.words)) for row in counted)
        yield ReportTable("outcomes in words", say(IN_WORDS), (say("Run"), *say_all(*names)), cells)


def _definitions(report: Report) -> Iterator[ReportTable]:
    rows = tuple((d.metric, d.text, d.range, d.source or DASH) for d in report.method.definitions)
    yield ReportTable(
        "metrics", say("What the metrics mean."), say_all("Metric", "Meaning", "Range", "Source"), rows, names=4
    )


def paragraphs(report: Report) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield heading and sentences of each part of a report that is in words: the decision, the tests, the method."""
    yield "", (report.decision.sentence,)
    parts = {say("Shown"): report.decision.shown, say("Not shown"): report.decision.unshown}
    yield from ((heading, (words,)) for heading, words in parts.items() if words)
    if report.notes:
        yield say("Before you trust it"), report.notes
    same = report.decision.sentence == report.finding.headline
    if tested := (*(() if same else (report.finding.headline,)), *report.finding.details):
        yield say("What the tests say"), tested


def method_sentences(report: Report) -> list[str]:
    """How the numbers were made: a paragraph for a paper, then one sentence for each fact."""
    facts = [f"{what}: {how}." for what, how in report.method.facts]
    signatures = (say("Signature: {signature}", signature=signature) for signature in report.method.signatures)
    return [report.method.paragraph, *facts, *signatures]
