"""Write the notes below a paper's table of results: tests, primary metric, zeros, unjudged hits, parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from neraca.counts_and_lists import count, listed
from neraca.metrics.metric import Metric
from neraca.number_format import integer, number, percent
from neraca.reports.blocks.metric_rows import MetricRow
from neraca.reports.formats.visible_text import line
from neraca.reports.paper import corrections_of, tests_of
from neraca.reports.report import Report
from neraca.reports.sentences.cautions import fold, ungraded
from neraca.reports.sentences.judge_trust import judges_of_columns
from neraca.reports.sentences.judged_shares import judged_shares
from neraca.reports.sentences.notes import tie_ranges
from neraca.reports.sentences.unit import noun, observations
from neraca.scores.ranking_basis import tied_share
from neraca.scores.unit import QUESTION
from neraca.translation import say

#: Parameters without which nobody can compute a value again; they are stated even if they have their default.
STATED = ("p", "T", "K", "A", "b", "alpha", "beta", "gains", "discount", "halflife", "L", "order", "smoothing")
#: Parameters that the label of a column shows, and those that the grade of relevance states for all metrics at once.
_IN_LABEL, _OF_GRADES = ("at", "name", "metric", "model", "recall", "*"), "rel"


def notes(report: Report, columns: Mapping[str, str], marked: Sequence[str]) -> Iterator[str]:
    """Yield the notes, one sentence or two each.

    Parameters
    ----------
    columns
        Canonical name of each metric → its heading in the table.
    marked
        The metrics of which some run has a mark of significance.
    """
    yield from _tests(report, marked)
    yield from _primary(report, columns)
    yield from _unmarked(report, columns, marked)
    yield from _fewer_questions(report, columns)
    yield from _zeros(report)
    if report.scores.relevance is not None and report.scores.relevance.used:
        yield say("Relevance of hits: by {whom}.", whom=report.relevance)
    yield from judges_of_columns(report.scores, columns)
    yield from _unjudged(report)
    yield from _ties(report, columns)
    yield from _parameters(columns)


def questions_noun(report: Report) -> str:
    """Return the English noun for what was asked: topics if every run is a TREC run, else questions."""
    return "topic" if all("queries" in run.facts for run in report.scores.runs) else "question"


def _tests(report: Report, marked: Sequence[str]) -> Iterator[str]:
    tested = [d for d in report.pairs if d.tested]
    if not tested:
        return
    how = corrections_of(tested)
    correction = say(", p-values {corrected}", corrected=how) if how else ""
    words = {"tests": tests_of(tested), "how": correction, "level": number(1 - report.level, 2)}
    yield (
        say("Tests: two-sided {tests}{how}, level {level}.", **words)
        if marked
        else say("No difference is significant (two-sided {tests}{how}, level {level}).", **words)
    )
    unit = report.scores.unit
    if unit.by != QUESTION:
        yield say(
            "One observation is one {unit}: {observations}.",
            unit=noun(unit),
            observations=observations(unit, unit.groups),
        )


def _primary(report: Report, columns: Mapping[str, str]) -> Iterator[str]:
    """Name the primary column, whether it is so by default, and that its p-values are corrected apart."""
    tested = {d.metric for d in report.pairs if d.tested}
    if len(tested) < 2 or report.primary not in tested:
        return
    words = {"primary": columns[report.primary]}
    apart = any(d.correction in ("holm", "bonferroni", "bh") for d in report.pairs)
    if report.declared:
        yield (
            say("Primary metric: {primary}; its p-values are corrected apart from the others.", **words)
            if apart
            else say("Primary metric: {primary}.", **words)
        )
        return
    yield (
        say("Primary metric (by default): {primary}; its p-values are corrected apart from the others.", **words)
        if apart
        else say("Primary metric (by default): {primary}.", **words)
    )


def _unmarked(report: Report, columns: Mapping[str, str], marked: Sequence[str]) -> Iterator[str]:
    """Say why columns have no marks although others have some, if it is not that no difference is significant."""
    if not any(d.tested for d in report.pairs):
        return
    neutral = [columns[row.metric] for row in report.metrics if row.better == "neither" and row.metric not in marked]
    if neutral:
        yield say(
            "Without marks: {metrics}, because no value of it is better than another: it describes answers or "
            "judgments, not the quality of a run.",
            metrics=listed(neutral, at_most=len(neutral)),
        )
    for sentence in report.without_letters:
        yield f"{sentence}."


def _fewer_questions(report: Report, columns: Mapping[str, str]) -> Iterator[str]:
    """Name the means over fewer questions than most."""
    size = len(report.scores.runs[0])
    numbers = {columns[row.metric]: [cell.score.n for cell in row.cells] for row in report.metrics}
    every = {n for ns in numbers.values() for n in ns}
    if len(every) > 1 and (fewer := list(fewer_questions(report.metrics, numbers, size))):
        noun_of_all = questions_noun(report)
        yield say(
            "Means over fewer than {questions}, because a value is undefined elsewhere: {fewer}.",
            questions=count(size, noun_of_all),
            fewer="; ".join(fewer),
        )


def fewer_questions(rows: Sequence[MetricRow], numbers: Mapping[str, Sequence[int]], size: int) -> Iterator[str]:
    """Name the means over fewer questions: first metrics of all runs, then of some; those that are alike together."""
    runs_in_order = [cell.score.run for cell in rows[0].cells]
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
            runs = [run for run, own in zip(runs_in_order, ns, strict=True) if own == n]
            which = listed(runs, at_most=len(runs))
            if len(metrics) == len(numbers):
                yield say("{run} on {n}", run=which, n=integer(n))
            else:
                yield say("{run} in {metric} on {n}", run=which, metric=named, n=integer(n))


def _zeros(report: Report) -> Iterator[str]:
    """Count the topics that a run lacks, and the answers that failed; both count as 0."""
    lacking = [run for run in report.scores.runs if run.facts.get("absent") and run.left_out is None]
    if lacking:
        numbers = (f"{run.name} ({integer(run.facts['absent'])})" for run in lacking)
        yield say("Topics without a document count as 0: {runs}.", runs="; ".join(numbers))
    for card in report.cards:
        if card.failed:
            yield say(
                "{run}: {answers} failed, and a failed answer counts as an empty one.",
                run=card.name,
                answers=count(card.failed, "answer"),
            )


def _unjudged(report: Report) -> Iterator[str]:
    """Say which hits nobody judged, where the cautions of the report say it."""
    scores = report.scores
    if scores.relevance is not None and scores.relevance.used:
        yield from fold(ungraded(scores), [line(run.name) for run in scores.runs])
    if len(scores.runs) > 1 and (shares := judged_shares(scores)):
        yield say(
            "{shares}: unjudged documents count as not relevant, so a difference may come from what was judged.",
            shares=shares,
        )


def _ties(report: Report, columns: Mapping[str, str]) -> Iterator[str]:
    """Give the means in the worst and the best order of tied documents, where their printed digits differ."""
    texts = []
    for run in report.scores.runs:
        metrics = [Metric.of(name) for name in columns] if "queries" in run.facts else []
        ranges = [
            f"{columns[str(metric)]} {values}" if values else say("{metric} may change", metric=columns[str(metric)])
            for metric, values in tie_ranges(run, metrics)
        ]
        if ranges:
            share = percent(tied_share(run))
            texts.append(
                say("{run} ({share} of its lines) {ranges}", run=run.name, share=share, ranges=", ".join(ranges))
            )
    if texts:
        yield say(
            "Tied documents stand in the order of their ids; in the worst and the best order: {runs}.",
            runs="; ".join(texts),
        )


def _parameters(columns: Mapping[str, str]) -> Iterator[str]:
    """State once each parameter that a reader needs to compute the values again."""
    metrics = [(Metric.of(metric), label) for metric, label in columns.items()]
    if any(label.startswith("P") and metric.spec.name == "P" for metric, label in metrics):
        yield say("P: precision.")
    if any(metric.spec.name == "R" for metric, _ in metrics):
        yield say("R: recall.")
    labels_by_settings: dict[str, list[str]] = {}
    for metric, label in metrics:
        if settings := _settings(metric):
            labels_by_settings.setdefault(settings, []).append(label)
    if labels_by_settings:
        texts = [f"{listed(labels, len(labels))}: {settings}" for settings, labels in labels_by_settings.items()]
        yield say("Parameters: {texts}.", texts="; ".join(texts))
    labels_by_grade: dict[float, list[str]] = {}
    for metric, label in metrics:
        if grade := metric.settings.get(_OF_GRADES, 0):
            labels_by_grade.setdefault(grade, []).append(label)
    for grade, labels in labels_by_grade.items():
        yield say("Relevant: grade ≥ {grade} in {metrics}.", grade=f"{grade:g}", metrics=listed(labels, len(labels)))


def _settings(metric: Metric) -> str:
    """Return the parameters of a metric that were given or that `STATED` names: `p = 0.8`."""
    own = dict(metric.params)
    texts = [
        f"{name} = {str(value).lower() if isinstance(value, bool) else value}"
        for name, value in metric.settings.items()
        if name not in (*_IN_LABEL, _OF_GRADES) and (name in own or name in STATED)
    ]
    graded = [say("graded")] if metric.settings.get(_OF_GRADES) == 0 else []
    return ", ".join([*texts, *graded])
