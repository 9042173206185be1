"""Arrange the numbers of a report as sheets for people: headings in words, texts beside ids, and numbers as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from neraca.number_format import number_of
from neraca.records import Answer
from neraca.reports.blocks.block import Document
from neraca.reports.blocks.cell_parts import with_parts_apart
from neraca.reports.blocks.questions import items_of
from neraca.reports.formats.visible_text import clip
from neraca.reports.report import Report
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.reports.translation import say
from neraca.result import Table
from neraca.scores.scores import RunScores

Rows = list[dict[str, Any]]
#: The most characters of a text; a cell holds some more, and a text that was cut ends with `…`.
LONGEST = 32_000
#: Names of columns in the data → headings in English.
HEADINGS = {
    "run": "Run",
    "group": "Group",
    "metric": "Metric",
    "value": "Value",
    "low": "Interval from",
    "high": "Interval to",
    "n": "Questions scored",
    "unscored": "Questions unscored",
    "method": "Kind of interval",
    "interval_method": "Kind of interval",
    "lowest": "Lowest possible mean",
    "highest": "Highest possible mean",
    "why": "Reason",
    "item": "Question id",
    "query": "Question",
    "trial": "Trial",
    "about": "About",
    "aspect": "Aspect",
    "by": "Judged by",
    "at": "Time",
    "a": "First run",
    "b": "Second run",
    "difference": "Difference",
    "p": "p",
    "p_adjusted": "p adjusted",
    "effect": "Effect",
    "effect_low": "Effect from",
    "effect_high": "Effect to",
    "wins": "Wins",
    "ties": "Ties",
    "losses": "Losses",
    "test": "Test",
    "correction": "Correction",
    "better": "Better run",
    "needed": "n needed (t)",
    "sessions": "Observations",
    "statistic": "Statistic",
    "df": "Degrees of freedom",
    "margin": "Margin",
    "p_a_not_worse": "p: first run not worse",
    "p_b_not_worse": "p: second run not worse",
    "p_equivalent": "p: equivalent",
    "shown": "Shown",
    "margin_low": "Margin interval from",
    "margin_high": "Margin interval to",
    "margin_test": "Test of the margin",
    "margin_correction": "Correction of the margin",
    "margin_why_no_interval": "No margin interval because",
    "needed_equivalent": "n needed for equivalence",
    "chance_a": "Chance that the first is better",
    "chance_equivalent": "Chance that they are equivalent",
    "chance_b": "Chance that the second is better",
    "untested": "Not tested because",
    "why_no_interval": "No interval because",
    "judged_a": "Judged hits, first run",
    "judged_b": "Judged hits, second run",
    "tied_a": "Tied hits, first run",
    "tied_b": "Tied hits, second run",
    "worst_a": "Worst order of ties, first run",
    "worst_b": "Worst order of ties, second run",
    "best_a": "Best order of ties, first run",
    "best_b": "Best order of ties, second run",
}
#: Names of sheets in the data → in English.
SHEETS = {"scores": "Scores", "questions": "Questions", "comparisons": "Comparisons", "verdicts": "Verdicts"}
#: The number format of p-values: small ones keep their first digits.
_P = "[<0.001]0.0E+00;0.0000"
_P_VALUES = ("p", "p_adjusted", "p_a_not_worse", "p_b_not_worse", "p_equivalent")


def report_sheets(report: Report, data: Mapping[str, Rows]) -> tuple[dict[str, Rows], dict[str, str]]:
    """Return the rows of each sheet of a comparison, and the number format of each column.

    Every question has a row for each run, with its text, the answer and a column for each metric.  Columns that are
    empty in all rows are left out.
    """
    queries = {item.id: item.query for item in items_of(report.scores) if item.query}
    sheets: dict[str, Rows] = {}
    formats: dict[str, str] = {}
    for name, rows in data.items():
        if name == "questions":
            sheets[say(SHEETS[name])] = list(_questions(report, queries))
            continue
        texts = queries if name == "verdicts" else {}
        filled = _filled([_with_query(row, texts) for row in rows])
        keys = dict.fromkeys(key for row in filled for key in row)
        headings = dict(zip(keys, unique_names([say(HEADINGS.get(key, key)) for key in keys]), strict=True))
        sheets[say(SHEETS[name])] = [{headings[key]: value for key, value in row.items()} for row in filled]
        formats |= {headings[key]: _P for key in _P_VALUES if key in headings}
    return sheets, formats


def document_sheets(document: Document) -> tuple[dict[str, Rows], dict[str, str]]:
    """Return the rows of each table of a report of another kind, intervals apart, and numbers as numbers."""
    tables = [with_parts_apart(table) for table in document.tables if table.columns]
    return {
        table.name or say("table {n}", n=place): list(_numbers(table)) for place, table in enumerate(tables, start=1)
    }, {}


def _numbers(table: Table) -> Iterator[dict[str, Any]]:
    columns = unique_names(table.columns)
    for row in table.rows:
        yield {
            column: text if place < table.names or (number := number_of(text)) is None else number
            for place, (column, text) in enumerate(zip(columns, row, strict=True))
        }


def unique_names(names: Sequence[str]) -> list[str]:
    """Number headings that occur again.

    >>> unique_names(["rank", "reads on", "reads on"])
    ['rank', 'reads on', 'reads on 2']
    """
    unique: list[str] = []
    for place, name in enumerate(names):
        repetitions = names[:place].count(name)
        unique.append(f"{name} {repetitions + 1}" if repetitions else name)
    return unique


def _with_query(row: Mapping[str, Any], queries: Mapping[str, str]) -> dict[str, Any]:
    """Put the text of the question behind its id."""
    texts: dict[str, Any] = {}
    for key, value in row.items():
        texts[key] = value
        if key == "item" and queries:
            texts["query"] = clip(queries.get(value, ""), LONGEST)
    return texts


def _filled(rows: Rows) -> Rows:
    """Leave out the columns that are empty in all rows."""
    filled = {key for row in rows for key, value in row.items() if not _is_empty(value)}
    return [{key: value for key, value in row.items() if key in filled} for row in rows]


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _questions(report: Report, queries: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each question and run, with the values of all metrics."""
    scores = report.scores
    labels = MetricLabels.of(scores.metrics)
    answers = [_answers(run) for run in scores.runs]
    values = [
        [(labels[str(metric)], run.values(metric), run.why(metric)) for metric in scores.metrics] for run in scores.runs
    ]
    for place, name in enumerate(map(str, scores.runs[0].ids)):
        for run, answers_of_run, columns in zip(scores.runs, answers, values, strict=True):
            row: dict[str, Any] = {say("Question id"): name}
            row |= {say("Question"): clip(queries.get(name, ""), LONGEST)} if queries else {}
            row |= {tag: column[place] for tag, column in run.tags.items()}
            row |= {say("Run"): run.name}
            row |= {say("Answer"): answers_of_run.get(place, "")} if any(answers) else {}
            row |= {label: float(numbers[place]) for label, numbers, _ in columns}
            reasons = {label: why[place] for label, _, why in columns if place in why}
            yield row | {say("Reason"): "; ".join(f"{label}: {why}" for label, why in reasons.items())}


def _answers(run: RunScores) -> dict[int, str]:
    """Return the text of the answer to each question by its place; of several trials all, numbered."""
    if run.scorable is None:
        return {}
    if run.scorable.offers("answers"):
        records: Sequence[Answer] = run.scorable.column("answers")
        texts = [answer.text for answer in records]
    elif run.scorable.offers("response"):
        texts = [text or "" for text in run.scorable.column("response")]
    else:
        return {}
    by_place: dict[int, list[str]] = {}
    for row, place in enumerate(range(len(texts)) if run.item is None else run.item.tolist()):
        by_place.setdefault(place, []).append(texts[row])
    return {place: clip(_together(of_item), LONGEST) for place, of_item in by_place.items()}


def _together(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, start=1))
