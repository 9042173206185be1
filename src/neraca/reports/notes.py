"""What a reader of scores must know: what was left out, what counts as what, which language was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.reports.left_out import failed_answers, unreturned
from neraca.reports.number_format import count, form, listed, number
from neraca.reports.translation import say
from neraca.reports.unit import unit_notes
from neraca.result import Sentences
from neraca.scores.scores import RunScores, Scores
from neraca.scores.unit import SESSION

if TYPE_CHECKING:
    from neraca.verdicts.answer_verdicts import AnswerVerdicts
    from neraca.verdicts.raters import Together

#: A run of which less is judged, and runs that differ by more, cannot be compared without a caution.
ENOUGH_JUDGED, UNLIKE_JUDGED = 0.8, 0.1

_UNSAID = "the language is not known: words are compared without their stems, and articles count as words"


def notes(scores: Scores, *, unscored: bool = True) -> Sentences:
    """What to know of scores of anything; without `unscored` not what has no value, for those who say it themselves."""
    return Sentences(_notes(scores, unscored))


def _notes(scores: Scores, unscored: bool) -> Iterator[str]:
    if unscored and scores.relevance is not None:
        from neraca.reports.unread import unread

        yield from unread(scores)
    if scores.labels is None and (used := scores.relevance.used if scores.relevance else {}):
        yield from _mixed(used)
    yield from _raters(scores)
    yield from same_people(scores.facts.get("same_ratings", ()))
    yield from unreturned(scores)
    if unscored:
        yield from failed_answers(scores)
    yield from _refusals(scores)
    for run in scores.runs:
        if "queries" in run.facts:
            yield from _queries(run, scores.metrics if unscored else ())
        if "empty" in run.facts:
            yield from _rows(run, scores.metrics if unscored else (), f"{run.name}: " if len(scores.runs) > 1 else "")
    if len(scores.runs) > 1:
        yield from _unjudged(scores)
    for metric in scores.scored:
        if metric.spec.name == "Average":
            yield from _average(scores, metric)
    yield from _table(scores)
    yield from unit_notes(scores.unit)
    yield from unsaid_language(scores.metrics, scores.facts.get("languages", ()))
    if scores.detected:
        yield say("language found in the texts, not said: {detected}", detected=scores.detected)


def same_people(pairs: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """Say who may be one person under two names, from the result of `same_ratings`."""
    for rater, other, n in pairs:
        from neraca.reports.escape import line  # it needs what a small TREC run does not

        yield say(
            "perhaps one person under two names: {rater} and {other} gave the same {n:,} verdicts, every one; then "
            "their agreement says nothing, and the person counts twice",
            rater=line(rater),
            other=line(other),
            n=n,
        )


def _raters(scores: Scores) -> Iterator[str]:
    """How the verdicts of several people were combined, and what level majorities leave open."""
    several: Mapping[str, Together] = scores.facts.get("raters", {})
    contradicted = scores.relevance.contradicted if scores.relevance else 0
    if not several and not (scores.relevance and scores.relevance.undecided) and not contradicted:
        return
    from neraca.reports.escape import line  # it needs what a small TREC run does not

    for aspect, together in several.items():
        yield say(
            "{aspect}: {rule} of {raters} raters where several people decided ({places:,} times)",
            aspect=line(aspect),
            rule=say(together.in_words),
            raters=together.raters,
            places=together.places,
        )
        if together.guessed:
            yield say(
                "{aspect} is taken as yes or no, because every rating is 0 or 1; if it is a scale, say {how}",
                aspect=line(aspect),
                how="--combine median" if aspect == "relevance" else f"-m 'Rubric({line(aspect)})' or --combine mean",
            )
    undecided = sum(together.undecided for aspect, together in several.items() if aspect != "relevance")
    undecided += scores.relevance.undecided if scores.relevance else 0
    if undecided:
        yield say(
            "undecided, because as many people said yes as no, and taken as unjudged: {n:,}",
            n=undecided,
        )
    if contradicted:
        yield say(
            "undecided, because one person graded them in two ways at the same time, and taken as unjudged: {n:,}",
            n=contradicted,
        )
    for (run, metric), (low, high) in scores.facts.get("if_decided", {}).items():
        yield say(
            "{metric} of {run} is {low} to {high} if these are decided either way",
            metric=metric,
            run=line(run),
            low=number(low),
            high=number(high),
        )


def _refusals(scores: Scores) -> Iterator[str]:
    """Answers that decline although nobody said whether anything answers their questions."""
    for run in scores.runs:
        if run.scorable is None or not run.scorable.offers("verdicts"):
            continue
        verdicts: AnswerVerdicts = run.scorable.column("verdicts")
        table, rows = verdicts.table, verdicts.rows
        declines = table.aspect.where([name == "declines" for name in table.aspect.words])[rows]
        refused = verdicts.answer[rows[declines & (table.value[rows] == 1)]]
        unsaid = int((run.scorable.column("expects")[refused[refused >= 0]] == "").sum())
        if unsaid:
            yield say(
                "{run} declines {questions}, and nobody says whether anything answers them: refusals that are right "
                "count as bad answers; set expects to none or results, and look at RefusalF1",
                run=run.name,
                questions=count(unsaid, "question"),
            )


def _mixed(used: Mapping[str, int]) -> Iterator[str]:
    """That people and a judge count side by side, where people judged the smaller part."""
    judge = next((source for source in ("rules", "llm") if used.get(source, 0) > used.get("human", 0) > 0), "")
    if judge:
        yield (
            say(
                "people judged {people:,} hits and {judge} {others:,} others: such a mixture is as wrong as "
                "{judge} on what people did not see; --correct ppi says what people would have said of "
                "all",
                people=used["human"],
                judge=judge,
                others=used[judge],
            )
        )


def _unjudged(scores: Scores) -> Iterator[str]:
    """That runs are compared of which little is judged, or of one less than of another, at each cutoff that counts."""
    cutoffs = dict.fromkeys(k for metric in scores.metrics if not metric.diagnostic for k in _cutoff(metric))
    for k in sorted(cutoffs):
        shares = {run.name: _judged(run, k) for run in scores.runs}
        known = [share for share in shares.values() if not np.isnan(share)]
        if not known or (min(known) >= ENOUGH_JUDGED and max(known) - min(known) <= UNLIKE_JUDGED):
            continue
        yield say(
            "Judged@{k} is {values}: unjudged documents count as not relevant, so a difference may come from what was "
            "judged; judge what is missing (neraca pool) before you trust it",
            k=k,
            values=listed([f"{number(share)} ({name})" for name, share in shares.items()]),
        )


def _cutoff(metric: Metric) -> Iterator[int]:
    """The last rank that a metric of rankings looks at, and 10 where it has no cutoff; nothing of any other metric."""
    if metric.view is not None and "grades" in metric.needs:
        yield max(int(each.settings.get("at") or 0) for each in metric.with_inner()) or 10


def _judged(run: RunScores, k: int) -> float:
    """Judged@k of a run, over the answers to questions to which something can be relevant; NaN where none has a hit."""
    if run.scorable is None:
        return np.nan
    each = score_metric(Metric.of(f"Judged@{k}"), run.scorable).each
    item = np.arange(len(run)) if run.item is None else run.item
    counted = ~np.isnan(each) & (np.asarray(run.scorable.column("expects", ""), dtype=np.str_) != "none")
    if run.left_out is not None:
        counted &= ~run.left_out[item]
    return float(each[counted].mean()) if counted.any() else np.nan


def passed_over_note(paths: Iterable[str | Path]) -> str:
    """What to know where some of the paths that should be run folders are none."""
    return say("no run folder, passed over: {names}", names=", ".join(map(str, paths)))


def _queries(run: RunScores, metrics: Sequence[Metric]) -> Iterator[str]:
    """Notes on a TREC run beside its qrels."""
    facts = run.facts
    if facts["suspect"]:
        yield say("{name}: {n} answers may not be whole and are left out", name=run.name, n=facts["suspect"])
    if facts["trials"] > 1:
        yield say(
            "{name}: each question was asked {n} times; the first answer counts",
            name=run.name,
            n=facts["trials"],
        )
    if facts["absent"]:
        names = ", ".join(facts["absent_names"]) + (", …" if facts["absent"] > len(facts["absent_names"]) else "")
        whole = run.left_out is None
        counted = say("counted as 0, as by trec_eval -c" if whole else "left out of the means")
        missing = say("{n} of {all} judged queries ({names})", n=facts["absent"], all=facts["queries"], names=names)
        yield say("{name}: no document for {missing}; {counted}", name=run.name, missing=missing, counted=counted)
    if facts["unjudged_queries"]:
        which = form(facts["unjudged_queries"], "query of the run is", "queries of the run are")
        yield say("{name}: {n} {which} not judged; left out", name=run.name, n=facts["unjudged_queries"], which=which)
    out = set() if run.left_out is None else set(run.left_out.nonzero()[0].tolist())
    for metric in metrics:
        reasons = Counter(why for row, why in run.why(metric).items() if row not in out)
        if times := reasons.total():
            where, why = (
                say("{n} of {all} queries", n=times, all=len(run) - len(out)),
                reasons.most_common(1)[0][0],
            )
            yield say(
                "{name}: {metric} is not defined for {where} ({why}); left out of its mean",
                name=run.name,
                metric=metric,
                where=where,
                why=why,
            )


def _rows(run: RunScores, metrics: Sequence[Metric], name: str) -> Iterator[str]:
    n, empty = len(run), run.facts["empty"]
    if n and empty == n:
        yield say("{name}every response is empty; is it the right column?", name=name)
    elif empty:
        what = form(empty, "is empty and counts", "are empty and count")
        yield say(
            "{name}{empty:,} of {n:,} responses {what} as an answer without a word",
            name=name,
            empty=empty,
            n=n,
            what=what,
        )
    if marks := run.facts.get("marks", 0):
        yield say(
            "{name}in {marks:,} of {n:,} rows one side has harakat or tatweel that the other lacks: in Arabic and "
            "Persian they play no part in metrics of words; in other languages, in a row without one, and in metrics "
            "of characters they count as differences",
            name=name,
            marks=marks,
            n=n,
        )
    without: dict[tuple[str, int], list[str]] = {}
    for metric in metrics:
        for why, rows in Counter(run.why(metric).values()).items():
            without.setdefault((why, rows), []).append(str(metric))
    for (why, rows), names in without.items():
        where = "" if len(names) == len(metrics) else say(" in {names}", names=", ".join(names))
        yield say(
            "{name}{count:,} of {n:,} rows {are} unscored{where}: {why}",
            name=name,
            count=rows,
            n=n,
            are=form(rows, "is", "are"),
            where=where,
            why=why,
        )


def _average(scores: Scores, metric: Metric) -> Iterator[str]:
    """That an average rests on fewer answers than some of its metrics."""
    for run in scores.runs:
        name, n, out = f"{run.name}: " if len(scores.runs) > 1 else "", len(run), len(run.why(metric))
        missing = {inner: len(run.why(inner)) for inner in map(str, metric.spec.values) if inner in run.counts}
        if out > min(missing.values(), default=out):
            why = ", ".join(
                say("{inner} has none for {times:,}", inner=inner, times=times)
                for inner, times in missing.items()
                if times
            )
            yield (
                say(
                    "{name}{title} rests on {n:,} of {all:,} answers, those for which all its metrics have a "
                    "value ({why}); each metric beside it rests on all for which it has one",
                    name=name,
                    title=scores.title(metric),
                    n=n - out,
                    all=n,
                    why=why,
                )
            )


def _table(scores: Scores) -> Iterator[str]:
    """Notes on the cells and columns of a table, or on what stood among runs."""
    facts = scores.facts
    if passed_over := facts.get("passed_over"):
        yield passed_over_note(passed_over)
    for name, (times, first, none) in facts.get("no_numbers", {}).items():
        cells = form(times, "cell is", "cells are")
        yield (
            say(
                "column {name!r}: {times:,} {cells} no number and left out, such as {first}{none}",
                name=name,
                times=times,
                cells=cells,
                first=first,
                none=say("; none is a number") if none else "",
            )
        )
    for name, times in facts.get("words_for_nothing", {}).items():
        cells = form(times, "cell holds", "cells hold")
        yield (
            say(
                "column {name!r}: {times:,} {cells} a word such as NaN, None or #N/A, which is text like "
                "any other; leave a cell empty where there is nothing",
                name=name,
                times=times,
                cells=cells,
            )
        )
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
    if whose := facts.get("whose"):
        systems = len(scores.runs)
        yield (
            say(
                "people's scores (column {whose!r}) are not used: nobody can tell which of {systems} "
                "systems they are of; name one --human for each --response, in the same order",
                whose=whose,
                systems=systems,
            )
        )
    if facts.get("unknown") or facts.get("without_contexts"):
        yield from _columns(facts.get("unknown", ()), facts.get("without_contexts", False))


def _columns(unknown: Sequence[str], without_contexts: bool) -> Iterator[str]:
    """Notes on columns of a table by their headings."""
    from neraca.datasets.columns import ALL, not_used

    yield from filter(None, [not_used(unknown)])
    if without_contexts:
        yield say("no column has contexts; call it one of {names}", names=", ".join(ALL["contexts"][:4]))


def unsaid_language(metrics: Iterable[Metric], languages: Iterable[str]) -> Iterator[str]:
    """That nobody said a language that these metrics would have used."""
    if tuple(languages) == ("",) and any(_reads_language(inner) for metric in metrics for inner in metric.with_inner()):
        yield say(_UNSAID)


def _reads_language(metric: Metric) -> bool:
    """Whether the metric drops articles or compares stems where the language is known."""
    settings = metric.settings
    tokens = str(settings.get("tokens", "stem"))
    return "language" in settings and ("articles" in tokens or "stem" in tokens or "stem" in settings)
