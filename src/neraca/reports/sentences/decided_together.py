"""Say whose verdicts count: how those of several people were combined, and what stays undecided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from neraca.counts_and_lists import count, listed
from neraca.metrics.rag.judge_verdicts import aspects_of
from neraca.number_format import exact, span
from neraca.reports.blocks.tables import about_hits
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.aspect_words import aspect_words
from neraca.reports.sentences.combined_grades import combined_grades
from neraca.reports.sentences.reasons import source_words
from neraca.reports.sentences.relevance_words import contradictions, sources
from neraca.runs.preferred import run_preferred_over
from neraca.scores.scores import Scores
from neraca.translation import say
from neraca.verdicts.raters import EXPECTS, RELEVANCE, Together
from neraca.verdicts.selection import Selection

_YES_NO = (0.0, 1.0)


def whose_verdicts(scores: Scores) -> Iterator[str]:
    """Say what verdicts leave open or contradict, whose count, and how several were combined: the gravest first."""
    yield from _left_open(scores)
    yield from contradictions(scores)
    yield from selection_notes(scores)
    yield from _rules(scores)
    yield from combined_grades(scores)


def _counted_rules(scores: Scores) -> dict[str, Mapping[str, Together]]:
    rules_by_aspect: Mapping[str, Mapping[str, Together]] = scores.facts.get("raters", {})
    return {aspect: rules for aspect, rules in rules_by_aspect.items() if _counts(scores, aspect)}


def _rules(scores: Scores) -> Iterator[str]:
    """Say how the verdicts of several people were combined."""
    for aspect, rule_by_source in _counted_rules(scores).items():
        for source, rule in rule_by_source.items():
            yield say(
                "{aspect}: {rule} of {raters} raters where several people decided ({times})"
                if source == "human"
                else "{aspect}: {rule} of {raters} judges where several of them decided ({times})",
                aspect=aspect_words(aspect),
                rule=say(rule.in_words),
                raters=rule.raters,
                times=count(rule.places, "time"),
            )
            yes_no = rule.guessed and rule.rule == "majority"
            if yes_no and source == "human" and (aspect != RELEVANCE or rule.open):
                yield say(
                    "{aspect} is taken as yes or no, because every rating is 0 or 1; if it is a scale, say {how}",
                    aspect=aspect_words(aspect),
                    how="--combine median" if aspect == RELEVANCE else f"-m 'Rubric({line(aspect)})' or --combine mean",
                )


def _left_open(scores: Scores) -> Iterator[str]:
    """Say how many verdicts stay undecided, and what the values are if they are decided either way."""
    yield from _undecided(_counted_rules(scores))
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
            by=line(source_words(selection.by)),
            sources=sources(scores),
        )
    if EXPECTS in selection.silent:
        yield say(
            "{by} gave no verdict on what questions expect, so --by does not restrict it: everybody counts there",
            by=line(source_words(selection.by)),
        )
    if overruled := scores.facts.get("overruled"):
        yield say(
            "{questions} ({ids}): a verdict on whether a good answer is empty contradicts the data set; "
            "the verdict counts",
            questions=count(len(overruled), "question"),
            ids=line(", ".join(overruled[:3])) + (", …" if len(overruled) > 3 else ""),
        )


def _counts(scores: Scores, aspect: str) -> bool:
    """Return whether the combined verdicts on an aspect count; they do not if every metric names its own judge."""
    if run_preferred_over(aspect) and not any(aspect in aspects_of(metric) for metric in scores.metrics):
        return False  # the section on preferences counts each person's own
    judges_named = [metric.settings.get("by", "") for metric in scores.metrics if aspect in aspects_of(metric)]
    return not judges_named or any(by in ("", "human") for by in judges_named)


def _undecided(rules_by_aspect: Mapping[str, Mapping[str, Together]]) -> Iterator[str]:
    """Say how many verdicts stay undecided, and why."""
    values_by_aspect = {
        aspect: [values for rule in by_source.values() for values in rule.open.values()]
        for aspect, by_source in rules_by_aspect.items()
    }
    n_expects = len(values_by_aspect.pop(EXPECTS, []))
    yes_no = sum(values == _YES_NO for values_of_aspect in values_by_aspect.values() for values in values_of_aspect)
    if yes_no:
        yield say("undecided, because as many people said yes as no, and taken as unjudged: {n:,}", n=yes_no)
    for aspect, values_of_aspect in values_by_aspect.items():
        graded = [values for values in values_of_aspect if values != _YES_NO]
        pairs = {values for values in graded if len(values) == 2}
        if len(pairs) == 1 and all(values in pairs for values in graded):
            low, high = graded[0]
            yield say(
                "{aspect}: undecided, because as many people said {low} as {high}, and taken as unjudged: {n:,}",
                aspect=aspect_words(aspect),
                low=exact(low),
                high=exact(high),
                n=len(graded),
            )
        elif graded:
            yield say(
                "{aspect}: undecided, because no value has a majority (such as {values}), and taken as unjudged: {n:,}",
                aspect=aspect_words(aspect),
                values=listed(list(map(exact, graded[0]))),
                n=len(graded),
            )
    if n_expects:
        yield say(
            "expects: undecided, because as many people said yes as no, so what the data set says stands: {n:,}",
            n=n_expects,
        )
