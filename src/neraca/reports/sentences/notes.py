"""Notes for readers of scores: rows left out, how things count, the language that was detected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from neraca.counts_and_lists import count, form, listed
from neraca.metrics.metric import Metric
from neraca.number_format import number, percent, span
from neraca.reports.sentences.cell_notes import cell_notes
from neraca.reports.sentences.document_ids import document_ids
from neraca.reports.sentences.generated import generated_questions
from neraca.reports.sentences.left_out import failed_answers, left_out_verdicts
from neraca.reports.sentences.qrels_notes import empty_answers_of_qrels, queries_at_zero, unjudged_questions
from neraca.reports.sentences.unit import unit_notes
from neraca.result import Sentences
from neraca.scores.ranking_basis import MANY_TIED, tie_range, tied_share
from neraca.scores.scores import RunScores, Scores
from neraca.scores.unit import SESSION
from neraca.translation import say

_LANGUAGE_UNKNOWN = "the language is not known: words are compared without their stems, and articles count as words"


def notes(scores: Scores, *, unscored: bool = True, primary: str = "") -> Sentences:
    """Return the notes on scores of any kind.

    Without `unscored`, leave out the notes on unscored values and on the columns taken as systems.  Callers that report
    these themselves use this.  What is doubtful about the primary metric comes first; default: the first metric.
    """
    return Sentences(_notes(scores, unscored, primary))


def _notes(scores: Scores, unscored: bool, primary: str) -> Iterator[str]:
    yield from generated_questions(scores)
    yield from document_ids(scores)
    yield from _doubts(scores, primary)
    if unscored and scores.relevance is not None:
        from neraca.reports.sentences.unread import unread

        yield from unread(scores)
    if scores.labels is None and (used := scores.relevance.used if scores.relevance else {}):
        yield from _mixed_sources(used)
    yield from same_people(scores.facts.get("same_ratings", ()))
    if scores.facts.get("raters") or scores.facts.get("selection"):
        from neraca.reports.sentences.decided_together import whose_verdicts  # a small TREC run does not need it

        yield from whose_verdicts(scores)
    yield from _rated_scales(scores)
    yield from left_out_verdicts(scores)
    if _have_verdicts(scores):
        from neraca.reports.sentences.misspelt import misspelt_aspects

        yield from misspelt_aspects(scores)
    if unscored:
        yield from failed_answers(scores)
    if _have_verdicts(scores):
        from neraca.reports.sentences.refusals import unclear_refusals

        yield from unclear_refusals(scores)
    yield from queries_at_zero(scores)
    yield from unjudged_questions(scores)
    yield from empty_answers_of_qrels(scores)
    yield from _of_runs(scores, scores.metrics if unscored else ())
    if any("marks" in run.facts for run in scores.runs):
        from neraca.reports.sentences.text_notes import text_notes

        yield from text_notes(scores)
    yield from _inapplicable_parameters(scores)
    yield from _subtopics(scores)
    for average in (metric for metric in scores.scored if metric.spec.name == "Average"):
        yield from _average(scores, average)
    yield from _table(scores)
    if unscored and (system_columns := scores.facts.get("taken")):
        columns = listed([repr(name) for name in system_columns])
        yield say(
            "each column of numbers is taken as a system: {columns}; name others with --response", columns=columns
        )
    yield from unit_notes(scores.unit)
    yield from unsaid_language(scores.metrics, scores.facts.get("languages", ()))
    if scores.detected:
        yield say("language found in the texts, not said: {detected}", detected=scores.detected)


def _doubts(scores: Scores, primary: str) -> Iterator[str]:
    """Say what makes every number doubtful; the imports wait, because most scores need none of them."""
    if _have_verdicts(scores):
        from neraca.reports.sentences.judge_trust import judge_doubts
        from neraca.reports.sentences.several_judges import several_judges

        yield from several_judges(scores)
        yield from judge_doubts(scores, primary)
    if any(run.draws for run in scores.runs):
        from neraca.reports.sentences.drawn import drawn_notes

        yield from drawn_notes(scores)
    if len(scores.runs) > 1:
        from neraca.reports.sentences.judged_shares import judged_shares_caution  # one run does not need it

        yield from judged_shares_caution(scores)


def _have_verdicts(scores: Scores) -> bool:
    return any(run.scorable is not None and run.scorable.offers("verdicts") for run in scores.runs)


def _rated_scales(scores: Scores) -> Iterator[str]:
    """Say on which scale people graded where the runs state another one than the usual, and its words."""
    for metric in scores.metrics:
        low, high = metric.definition.limits
        if metric.spec.name == "Rubric" and (low, high) != Metric.of(str(metric)).definition.limits:
            from neraca.reports.sentences.scale_words import (  # most reports do not need it
                value_in_words,
                words_of_scales,
            )

            by_value = words_of_scales(scores).get(str(dict(metric.params).get("name", "")), {})
            words = [value_in_words(value, text) for value, text in by_value.items() if text]
            text = say("{metric}: graded from {low} to {high}", metric=str(metric), low=f"{low:g}", high=f"{high:g}")
            yield f"{text} ({'; '.join(words)})" if words else text


def _of_runs(scores: Scores, metrics: Sequence[Metric]) -> Iterator[str]:
    """Say for each run which queries or rows were left out, and which values these metrics lack."""
    for run in scores.runs:
        if "queries" in run.facts:
            yield from _queries(run, metrics)
            yield from ties(run, scores.metrics)
        if "empty" in run.facts:
            yield from _rows(run, metrics, f"{run.name}: " if len(scores.runs) > 1 else "")


def _inapplicable_parameters(scores: Scores) -> Iterator[str]:
    """Name the metrics to which a parameter for all does not apply, except metrics that already have that setting."""
    for parameter, names in scores.facts.get("left_as_is", {}).items():
        fact = f"|{parameter.replace('=', ':')}|"
        if metrics := [name for name in names if not _has_fact(scores, name, fact)]:
            yield say("{what} does not apply to {names}: left as they are", what=parameter, names=", ".join(metrics))


def _has_fact(scores: Scores, name: str, fact: str) -> bool:
    """Return whether the signature of a metric, or of each part of an average, states a fact."""
    metric = Metric.of(name)
    parts = metric.spec.values if metric.spec.name == "Average" else (name,)
    return all(fact in scores.signatures.get(str(part), "") for part in parts)


def same_people(pairs: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """Name raters who may be one person under two names, from the result of `same_ratings`."""
    for first_rater, second_rater, n in pairs:
        from neraca.reports.formats.visible_text import line  # slow to import, and a small TREC run does not need it

        yield say(
            "perhaps one person under two names: {rater} and {other} gave alike all {n:,} verdicts of {rater}; then "
            "their agreement says nothing, and the person counts twice",
            rater=line(first_rater),
            other=line(second_rater),
            n=n,
        )


def _mixed_sources(used: Mapping[str, int]) -> Iterator[str]:
    """Note that verdicts of people and of a judge both count, if people judged the smaller part."""
    judge = next((source for source in ("rules", "llm") if used.get(source, 0) > used.get("human", 0) > 0), "")
    if judge:
        yield (
            say(
                "people judged {people:,} hits and {judge} {others:,} others: where people did not judge, the values "
                "share the errors of {judge}; --correct ppi says what people would have said of all",
                people=used["human"],
                judge=judge,
                others=used[judge],
            )
        )


def _subtopics(scores: Scores) -> Iterator[str]:
    """Note metrics of diversity scored on qrels without subtopics."""
    names = [
        str(metric) for metric in scores.metrics if any("subtopics" in inner.needs for inner in metric.with_inner())
    ]
    if names and not any(run.facts.get("subtopics", True) for run in scores.runs):
        yield say(
            "the qrels name no subtopics: for {metrics} every relevant document is of one and the same subtopic",
            metrics=listed(names),
        )


def ties(run: RunScores, metrics: Sequence[Metric]) -> Iterator[str]:
    """Note that document ids decide the order of many lines, and by how much values may change."""
    changes = [
        say("{metric} is {values}", metric=metric, values=values)
        if values
        else say("{metric} may change", metric=metric)
        for metric, values in tie_ranges(run, metrics)
    ]
    if changes:
        yield say(
            "{name}: {share} of its lines have the score of another line of the same query and are ranked by document "
            "id; in the worst and the best order of these, {ranges}",
            name=run.name,
            share=percent(tied_share(run)),
            ranges=listed(changes),
        )


def tie_ranges(run: RunScores, metrics: Sequence[Metric]) -> Iterator[tuple[Metric, str]]:
    """Yield each metric that the order of tied documents changes, with its range, "" if unknown; none if few tie."""
    if not tied_share(run) > MANY_TIED:
        return
    for metric in metrics:
        if not metric.diagnostic:
            low, high = sorted(tie_range(run, metric))
            if np.isnan(low) or number(low) != number(high):
                yield metric, "" if np.isnan(low) else span(low, high)


def passed_over_note(paths: Iterable[str | Path]) -> str:
    """Return a note on the paths that are not run folders."""
    return say("no run folder, passed over: {names}", names=", ".join(map(str, paths)))


def _queries(run: RunScores, metrics: Sequence[Metric]) -> Iterator[str]:
    """Yield notes on the queries of a TREC run: missing, unjudged, or without a value."""
    facts = run.facts
    for why, n in facts["left_out"].items():
        yield say("{name}: {n} left out ({why})", name=run.name, n=n, why=say(why))
    if facts["trials"] > 1:
        yield say(
            "{name}: each question was asked {n} times; the first answer counts",
            name=run.name,
            n=facts["trials"],
        )
    if facts["absent"]:
        names = ", ".join(facts["absent_names"]) + (", …" if facts["absent"] > len(facts["absent_names"]) else "")
        counts_all = run.left_out is None
        effect = say("counted as 0, as by trec_eval -c" if counts_all else "left out of the means")
        judged = count(facts["queries"], "judged query", "judged queries")
        missing = say("{n} of {judged} ({names})", n=facts["absent"], judged=judged, names=names)
        yield say("{name}: no document for {missing}; {counted}", name=run.name, missing=missing, counted=effect)
    if facts["unjudged_queries"]:
        noun = form(facts["unjudged_queries"], "query of the run is", "queries of the run are")
        yield say("{name}: {n} {which} not judged; left out", name=run.name, n=facts["unjudged_queries"], which=noun)
    left_out = set() if run.left_out is None else set(run.left_out.nonzero()[0].tolist())
    for metric in metrics:
        reasons = Counter(reason for row, reason in run.why(metric).items() if row not in left_out)
        if n_undefined := reasons.total():
            how_many, reason = (
                say("{n} of {queries}", n=n_undefined, queries=count(len(run) - len(left_out), "query", "queries")),
                reasons.most_common(1)[0][0],
            )
            yield say(
                "{name}: {metric} is not defined for {where} ({why}); left out of its mean",
                name=run.name,
                metric=metric,
                where=how_many,
                why=reason,
            )


def _rows(run: RunScores, metrics: Sequence[Metric], name: str) -> Iterator[str]:
    n, empty = len(run), run.facts["empty"]
    if n and empty == n:
        yield say("{name}every response is empty; is it the right column?", name=name)
    elif empty:
        effect = form(empty, "is empty and counts", "are empty and count")
        yield say(
            "{name}{empty:,} of {n:,} responses {what} as an answer without a word",
            name=name,
            empty=empty,
            n=n,
            what=effect,
        )
    metrics_by_reason: dict[tuple[str, int], list[str]] = {}
    for metric in metrics:
        for why, rows in Counter(run.why(metric).values()).items():
            metrics_by_reason.setdefault((why, rows), []).append(str(metric))
    for (why, rows), names in metrics_by_reason.items():
        in_metrics = "" if len(names) == len(metrics) else say(" in {names}", names=", ".join(names))
        yield say(
            "{name}{count:,} of {n:,} rows {are} unscored{where}: {why}",
            name=name,
            count=rows,
            n=n,
            are=form(rows, "is", "are"),
            where=in_metrics,
            why=why,
        )


def _average(scores: Scores, metric: Metric) -> Iterator[str]:
    """Note that an average rests on fewer answers than some of its metrics."""
    for run in scores.runs:
        name, n, n_unscored = f"{run.name}: " if len(scores.runs) > 1 else "", len(run), len(run.why(metric))
        unscored_by_metric = {
            inner: len(run.why(inner)) for inner in map(str, metric.spec.values) if inner in run.counts
        }
        if n_unscored > min(unscored_by_metric.values(), default=n_unscored):
            reasons = ", ".join(
                say("{inner} has none for {times:,}", inner=inner, times=n_unscored_answers)
                for inner, n_unscored_answers in unscored_by_metric.items()
                if n_unscored_answers
            )
            yield (
                say(
                    "{name}{title} rests on {n:,} of {all:,} answers, those for which all its metrics have a "
                    "value ({why}); each metric beside it rests on all for which it has one",
                    name=name,
                    title=scores.title(metric),
                    n=n - n_unscored,
                    all=n,
                    why=reasons,
                )
            )


def _repeated_ids(repetition: tuple[str, int, tuple[int, int]] | None) -> Iterator[str]:
    """Note rows that repeat the id of an earlier row."""
    if repetition:
        name, n_rows, (first_row, repeating_row) = repetition
        yield say(
            "column {name!r}: {times} the id of an earlier row, such as row {again:,} that of row {first:,}, and each "
            "counts as a row of its own; leave repeated rows out, or if they are answers to one question, add --unit "
            "{name}",
            name=name,
            times=count(n_rows, "row repeats", "rows repeat"),
            first=first_row,
            again=repeating_row,
        )


def _table(scores: Scores) -> Iterator[str]:
    """Yield notes on the cells and columns of a table, or on other files among runs."""
    facts = scores.facts
    if passed_over := facts.get("passed_over"):
        yield passed_over_note(passed_over)
    yield from _repeated_ids(facts.get("repeated_ids"))
    yield from cell_notes(facts)
    if facts.get("session") and scores.unit.by == SESSION:
        yield say("rows of one session (column {column!r}) count as one source of chance", column=facts["session"])
    if facts.get("unused"):
        yield (
            say(
                "the reference is {references}, the response is {responses}; not used: {unused} (name others with "
                "--reference and --response)",
                references=listed(facts["references"]),
                responses=listed(facts["responses"]),
                unused=", ".join(facts["unused"]),
            )
        )
    if column := facts.get("whose"):
        systems = len(scores.runs)
        yield (
            say(
                "people's scores (column {whose!r}) are not used: nobody can tell which of {systems} "
                "systems they are of; name one --human for each --response, in the same order",
                whose=column,
                systems=systems,
            )
        )
    if facts.get("unknown") or facts.get("without_contexts"):
        yield from _columns(facts.get("unknown", ()), facts.get("without_contexts", False))


def _columns(unknown: Sequence[str], without_contexts: bool) -> Iterator[str]:
    """Yield notes on columns of a table by their headings."""
    from neraca.datasets.columns import ALL, not_used

    yield from filter(None, [not_used(unknown)])
    if without_contexts:
        yield say("no column has contexts; call it one of {names}", names=", ".join(ALL["contexts"][:4]))


def unsaid_language(metrics: Iterable[Metric], languages: Iterable[str]) -> Iterator[str]:
    """Note that no language was given, although these metrics would have used it."""
    if tuple(languages) == ("",) and any(_reads_language(inner) for metric in metrics for inner in metric.with_inner()):
        yield say(_LANGUAGE_UNKNOWN)


def _reads_language(metric: Metric) -> bool:
    """Return whether the metric drops articles or compares stems if the language is known."""
    settings = metric.settings
    tokens = str(settings.get("tokens", "stem"))
    return "language" in settings and ("articles" in tokens or "stem" in tokens or "stem" in settings)
