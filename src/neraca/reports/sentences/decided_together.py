"""Sentences on whose verdicts count: what several people decided together, and what they left undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from neraca.metrics.rag.decided_by import decided_by
from neraca.metrics.rag.judge_verdicts import aspects_of
from neraca.number_format import exact, span
from neraca.reports.blocks.tables import about_hits
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.formats.escape import line
from neraca.reports.sentences.combined_grades import combined_grades
from neraca.reports.sentences.relevance_words import contradictions, sources
from neraca.reports.translation import say
from neraca.scores.scores import Scores
from neraca.verdicts.raters import EXPECTS, RELEVANCE, Together
from neraca.verdicts.selection import Selection

_YES_NO = (0.0, 1.0)


def whose_verdicts(scores: Scores) -> Iterator[str]:
    """Say whose verdicts count, how several were combined, and what they leave open."""
    yield from together_notes(scores)
    yield from combined_grades(scores)
    yield from selection_notes(scores)
    yield from contradictions(scores)
    if scores.labels is None:
        yield from mixed_judges(scores)


def together_notes(scores: Scores) -> Iterator[str]:
    """Say how the verdicts of several people were combined, and what stays open after a tie."""
    several: Mapping[str, Mapping[str, Together]] = scores.facts.get("raters", {})
    counting = {aspect: each for aspect, each in several.items() if _counts(scores, aspect)}
    for aspect, by_source in counting.items():
        for source, together in by_source.items():
            yield say(
                "{aspect}: {rule} of {raters} raters where several people decided ({times})"
                if source == "human"
                else "{aspect}: {rule} of {raters} judges where several of them decided ({times})",
                aspect=line(aspect),
                rule=say(together.in_words),
                raters=together.raters,
                times=count(together.places, "time"),
            )
            yes_no = together.guessed and together.rule == "majority"
            if yes_no and source == "human" and (aspect != RELEVANCE or together.open):
                yield say(
                    "{aspect} is taken as yes or no, because every rating is 0 or 1; if it is a scale, say {how}",
                    aspect=line(aspect),
                    how="--combine median" if aspect == RELEVANCE else f"-m 'Rubric({line(aspect)})' or --combine mean",
                )
    yield from _undecided(counting)
    if scores.relevance and scores.relevance.contradicted:
        yield say(
            "undecided, because one person graded them in two ways at the same time, and taken as unjudged: {n:,}",
            n=len(scores.relevance.contradicted),
        )
    for (run, metric), (low, high) in scores.facts.get("if_decided", {}).items():
        yield say(
            "{metric} of {run} is {values} if these are decided either way",
            metric=metric,
            run=line(run),
            values=span(low, high),
        )


def selection_notes(scores: Scores) -> Iterator[str]:
    """Say where the source named by `--by` gave no verdict, so that others count."""
    selection: Selection = scores.facts.get("selection", Selection())
    if RELEVANCE in selection.silent and about_hits(scores):
        yield say(
            "{by} gave no verdict on relevance, so --by does not restrict it: relevance is by {sources}",
            by=line(selection.by),
            sources=sources(scores),
        )
    if EXPECTS in selection.silent:
        yield say(
            "{by} gave no verdict on what questions expect, so --by does not restrict it: everybody counts there",
            by=line(selection.by),
        )


def mixed_judges(scores: Scores) -> Iterator[str]:
    """Say which metrics rest on verdicts of people and of a judge side by side."""
    metrics: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for metric in scores.scored:
        counts = Counter[str]()
        for run in scores.runs:
            if run.scorable is not None:
                counts += decided_by(metric, run.scorable)
        if counts["human"] and len(counts) > 1:
            people_first = tuple(sorted(counts.items(), key=lambda pair: pair[0] != "human"))
            metrics.setdefault(people_first, []).append(str(metric))
    for counted, names in metrics.items():
        (_, people), *others = counted
        yield say(
            "{metrics}: {people:,} verdicts by people beside {others}, and people's word counts where both decided; "
            "--by names one of them alone, and --correct ppi says what people would have said of all",
            metrics=listed([line(name) for name in names]),
            people=people,
            others=listed([say("{n:,} by {source}", n=n, source=line(source)) for source, n in others]),
        )


def _counts(scores: Scores, aspect: str) -> bool:
    """Return whether people's joint verdicts on an aspect count; they do not if every metric names its own judge."""
    judges_named = [metric.settings.get("by", "") for metric in scores.metrics if aspect in aspects_of(metric)]
    return not judges_named or any(by in ("", "human") for by in judges_named)


def _undecided(several: Mapping[str, Mapping[str, Together]]) -> Iterator[str]:
    """Say how many things stay undecided and why."""
    of_aspects = {
        aspect: [values for together in by_source.values() for values in together.open.values()]
        for aspect, by_source in several.items()
    }
    expected = len(of_aspects.pop(EXPECTS, []))
    yes_no = sum(values == _YES_NO for opened in of_aspects.values() for values in opened)
    if yes_no:
        yield say("undecided, because as many people said yes as no, and taken as unjudged: {n:,}", n=yes_no)
    for aspect, opened in of_aspects.items():
        graded = [values for values in opened if values != _YES_NO]
        pairs = {values for values in graded if len(values) == 2}
        if len(pairs) == 1 and all(values in pairs for values in graded):
            low, high = graded[0]
            yield say(
                "{aspect}: undecided, because as many people said {low} as {high}, and taken as unjudged: {n:,}",
                aspect=line(aspect),
                low=exact(low),
                high=exact(high),
                n=len(graded),
            )
        elif graded:
            yield say(
                "{aspect}: undecided, because no value has a majority (such as {values}), and taken as unjudged: {n:,}",
                aspect=line(aspect),
                values=listed(list(map(exact, graded[0]))),
                n=len(graded),
            )
    if expected:
        yield say(
            "expects: undecided, because as many people said yes as no, so what the data set says stands: {n:,}",
            n=expected,
        )
