"""Make the section of a report on the reliability of metrics, and its tables."""

from __future__ import annotations

import math
from dataclasses import dataclass

from neraca.counts_and_lists import count
from neraca.metaeval.reliability import (
    PERSISTENCE,
    Reliability,
    reliability,
)
from neraca.metaeval.trials import RepeatedDifference, Repeats
from neraca.number_format import integer, localised, number, percent, percent_span, span, with_interval
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.reliability import missing, sentences, subject
from neraca.result import Table
from neraca.scores.scores import Scores
from neraca.stats.agreement.split_half import SPLITS
from neraca.stats.intervals.interval import Estimate
from neraca.stats.intervals.trials import ErrorParts
from neraca.translation import say, say_all

#: The most rows of a table in a report.
MOST = 24
#: With very many questions, a report splits them less often: all halves together have about this many questions.
HALVED = 10_000_000
TITLE = "How far these metrics can be trusted"


@dataclass(frozen=True)
class ReliabilitySection:
    """The section on the metrics themselves.

    Attributes
    ----------
    says
        Sentences.
    tables
        The tables that are not empty.
    missing
        Sentences: what cannot be said, and why.
    """

    title: str
    says: tuple[str, ...]
    tables: tuple[Table, ...]
    missing: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences."""
        return self.says + self.missing


def section(scores: Scores) -> ReliabilitySection | None:
    """Make the section; None if there is nothing to say, as of one run that was asked once."""
    result = reliability(scores, splits=min(SPLITS, max(100, HALVED // max(1, len(scores.runs[0])))))
    section_tables = tables(result, MOST)
    if not section_tables:
        return None
    return ReliabilitySection(
        TITLE, tuple(sentences(result)), tuple(section_tables), tuple(line(text, 400) for text in missing(result))
    )


def tables(result: Reliability, most: int = 0) -> list[Table]:
    """Return up to four tables, each with at most `most` rows (0: all rows)."""
    all_tables = (_trial_table(result), _error_table(result), _order_table(result), _ranking_table(result))
    return [_cut(table, most) for table in all_tables if table.rows]


def _cut(table: Table, most: int) -> Table:
    left_out = len(table.rows) - most
    if not most or left_out <= 0:
        return table
    more = say("{rows} more not shown; neraca reliability prints all", rows=count(left_out, "row"))
    return table._replace(rows=table.rows[:most], title=f"{table.title} ({more})")


def _trial_table(result: Reliability) -> Table:
    names = ("metric", "run", "questions", "trials", "ICC", "ICC of the mean")
    columns = (*names, "flipped") if any(repeats.flips for repeats in result.repeats) else names
    rows = []
    for repeats in result.repeats:
        parts = repeats.components
        cells = (_trials(parts.trials), _with_span(parts.icc), _with_span(parts.icc_mean), _flipped(repeats.flips))
        rows.append((line(repeats.metric), line(repeats.run), integer(parts.items), *cells)[: len(columns)])
    return Table(say_all(*columns), tuple(rows), say("Asked again: how alike the trials of one question are"), names=2)


def _trials(trials: float) -> str:
    return integer(trials) if trials == round(trials) else localised(f"{trials:.1f}")


def _with_span(estimate: Estimate) -> str:
    return with_interval(number(estimate.value, 2), span(estimate.low, estimate.high, 2))


def _flipped(flips: Estimate | None) -> str:
    if flips is None or math.isnan(flips.value):
        return "–"
    return with_interval(percent(flips.value), percent_span(flips.low, flips.high))


def _error_table(result: Reliability) -> Table:
    columns = (
        "metric",
        "run or difference",
        "standard error",
        "due to trials",
        "twice the trials",
        "twice the questions",
    )
    entries_with_errors: list[Repeats | RepeatedDifference] = [*result.repeats, *result.differences]
    entries = [(entry.metric, subject(entry), entry.parts) for entry in entries_with_errors]
    order = {metric: place for place, metric in enumerate(dict.fromkeys(metric for metric, _, _ in entries))}
    entries.sort(key=lambda row: order[row[0]])
    rows = [(line(metric), subject_name, *_error_cells(parts)) for metric, subject_name, parts in entries]
    return Table(say_all(*columns), tuple(rows), say("What the standard error is made of"), names=2)


def _error_cells(parts: ErrorParts) -> tuple[str, str, str, str]:
    share = "–" if math.isnan(parts.share) else percent(parts.share)
    return number(parts.error), share, number(parts.with_more(trials=2)), number(parts.with_more(items=2))


def _order_table(result: Reliability) -> Table:
    columns = [
        "metric",
        "questions",
        "pairs told apart",
        "difference required",
        "swapped in halves",
        "same best in both",
    ]
    several = any(len(stability.values) > 2 for stability in result.stability)
    rows = []
    for stability in result.stability:
        counts, split = stability.discrimination, stability.split
        cells = [
            line(stability.metric),
            integer(stability.n),
            say("{n} of {all}", n=counts.told_apart, all=counts.pairs),
            number(counts.required),
        ]
        cells += ["–", "–"] if split is None else [percent(split.swaps), percent(split.best)]
        if several:
            cells += ["–", "–"] if split is None else [number(split.tau, 2), number(split.tau_ap, 2)]
        rows.append(tuple(cells))
    headings = (*columns, *(("τ", "τ_AP") if several else ()))
    return Table(say_all(*headings), tuple(rows), say("Whether other questions would rank the runs alike"))


def _ranking_table(result: Reliability) -> Table:
    """Return how alike metrics rank the runs, the least alike first, unknown ones last."""
    rankings = sorted(result.rankings, key=lambda agreement: (math.isnan(agreement.tau), agreement.tau, agreement.rbo))
    rows = [
        (
            line(agreement.one),
            line(agreement.other),
            number(agreement.tau, 2),
            number(agreement.tau_ap, 2),
            number(agreement.rbo, 2),
        )
        for agreement in rankings
    ]
    columns = (*say_all("metric", "beside"), "τ", "τ_AP", f"RBO(p={PERSISTENCE:g})")
    return Table(columns, tuple(rows), say("Whether the metrics rank the runs alike"), names=2)
