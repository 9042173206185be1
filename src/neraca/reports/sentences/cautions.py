"""Yield the cautions before the numbers of a report: few questions, failures, hits that nobody judged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from neraca.comparisons.difference import Difference
from neraca.counts_and_lists import count, form, listed
from neraca.records import FAILED, LEFT_OUT
from neraca.reports.blocks.metric_rows import only_failed
from neraca.reports.blocks.run_summary import RunSummary, differing_settings
from neraca.reports.blocks.tables import about_hits
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.drawn import drawn_notes
from neraca.reports.sentences.finding import FEW
from neraca.reports.sentences.judge_trust import judge_doubts
from neraca.reports.sentences.judged_shares import judged_shares_caution
from neraca.reports.sentences.notes import notes
from neraca.reports.sentences.parts import Facts
from neraca.reports.sentences.relevance_words import mixed_sources
from neraca.reports.sentences.several_judges import several_judges
from neraca.reports.sentences.ungraded_hits import hits_without_grade
from neraca.scores.scores import Scores
from neraca.translation import say

#: From so many runs on, a caution that differs between them only in its numbers is one sentence.
FEWEST_ALIKE = 3
_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,]\d+)*(?!\w)")


def cautions(scores: Scores, differences: Sequence[Difference], facts: Facts, cards: Sequence[RunSummary]) -> list[str]:
    """Return the cautions for readers of the numbers, the gravest first; those that many runs share are folded."""
    return fold(_cautions(scores, differences, facts, cards), [line(run.name) for run in scores.runs])


def fold(sentences: Iterable[str], names: Sequence[str]) -> list[str]:
    """Fold sentences `RUN: …` that differ only in the run and in numbers into the first, with the others' numbers.

    >>> fold(["a: 3 of 9 hits fail.", "b: 4 of 9 hits fail.", "c: 5 of 9 hits fail.", "Few."], ["a", "b", "c"])
    ['a: 3 of 9 hits fail. Likewise, with other numbers: b 4; c 5.', 'Few.']
    >>> fold([f"{run}: 2 hits fail." for run in "abc"], ["a", "b", "c"])
    ['a, b and c: 2 hits fail.']
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for sentence in sentences:
        name = max((name for name in names if sentence.startswith(f"{name}: ")), key=len, default="")
        text = sentence.removeprefix(f"{name}: ") if name else sentence
        groups.setdefault(_NUMBER.sub("#", f": {text}") if name else sentence, []).append((name, text))
    folded: list[str] = []
    for group in groups.values():
        if len(group) < FEWEST_ALIKE or not group[0][0]:
            folded += [f"{name}: {text}" if name else text for name, text in group]
            continue
        numbers = [_NUMBER.findall(text) for _, text in group]
        places = [place for place, column in enumerate(zip(*numbers, strict=True)) if len(set(column)) > 1]
        if not places:
            folded.append(f"{listed([name for name, _ in group], at_most=len(group))}: {group[0][1]}")
            continue
        parts = [
            f"{name} {', '.join(of_run[place] for place in places)}"
            for (name, _), of_run in zip(group[1:], numbers[1:], strict=True)
        ]
        name, text = group[0]
        folded.append(f"{name}: {text} {say('Likewise, with other numbers: {parts}.', parts='; '.join(parts))}")
    return folded


def _cautions(
    scores: Scores, differences: Sequence[Difference], facts: Facts, cards: Sequence[RunSummary]
) -> Iterator[str]:
    """Yield the cautions, each run's own.

    Those that doubt every comparison come first: few questions, how far labels check judges and what may have steered
    them (those behind the primary metric first), answers drawn at random, hits that nobody judged.  Then come those
    that change some numbers, such as failed answers, then how things count.
    """
    items = len(scores.runs[0])
    if items < FEW:
        yield say(
            "These are only {questions}: read the result as an example, not as evidence.",
            questions=count(items, "question"),
        )
    judged_shares = judged_shares_caution(scores) if len(scores.runs) > 1 else ()
    gravest = [*several_judges(scores), *judge_doubts(scores, facts.metric), *drawn_notes(scores), *judged_shares]
    yield from (f"{_capitalised(note, scores)}." for note in gravest)
    for card in cards:
        if troubles := list(_failures(card)):
            yield f"{card.name}: {'; '.join(troubles)}."
    for score in facts.scores:
        if only_failed(scores.run(score.run), facts.metric):
            yield say(
                "{metric} of {run} rests on {answers} alone: no answer that was given is scored.",
                metric=facts.metric,
                run=line(score.run),
                answers=count(score.n, "failed answer"),
            )
    yield from _unscored(facts, items)
    used = scores.relevance.used if scores.relevance else {}
    if used:
        yield from ungraded(scores)
    yield from mixed_sources(scores)
    if scores.relevance and not used and about_hits(scores):
        yield say("Nobody judged the relevance of any hit.")
    if len(differences) > 1 and {d.correction for d in differences} & {"none", ""}:
        yield say(
            "The p-values of {n} comparisons are not corrected: some may be low by chance.",
            n=len(differences),
        )
    for note in (note for note in notes(scores, unscored=False, primary=facts.metric) if note not in gravest):
        yield f"{_capitalised(note, scores)}."
    if len(settings := differing_settings(cards)) > 1:
        yield (
            say(
                "The runs differ in {count} ({settings}): which of these makes a difference these numbers cannot tell.",
                count=count(len(settings), "setting"),
                settings=listed(settings),
            )
        )


def _capitalised(note: str, scores: Scores) -> str:
    """Return a note with a capital letter; a name of a run or metric at its start stays as it is."""
    names_run = any(note.startswith(f"{run.name}: ") for run in scores.runs)
    first_word = note.partition(" ")[0]
    return note if names_run or first_word != first_word.lower() else note[:1].upper() + note[1:]


def _unscored(facts: Facts, items: int) -> Iterator[str]:
    """Say on how many questions the primary metric has no value, and why; runs of which the same holds together."""
    runs_by_case: dict[tuple[int, str], list[str]] = {}
    for score in facts.scores:
        if score.unscored:
            runs_by_case.setdefault((score.unscored, facts.why.get(score.run, "")), []).append(line(score.run))
    for (unscored, cause), runs in runs_by_case.items():
        yield say(
            "{metric} is unscored on {unscored} of {items} questions of {run}{reason}.",
            metric=facts.metric,
            unscored=unscored,
            items=items,
            run=listed(runs, at_most=len(runs)),
            reason=say(", most often because: {why}", why=cause) if cause else "",
        )


def ungraded(scores: Scores) -> Iterator[str]:
    """Say for each run how many of its hits nobody judged, and on how many people disagree."""
    for run in scores.runs:
        hits = hits_without_grade(run, scores.relevance)
        if hits.unjudged or hits.undecided:
            shares = []
            if hits.unjudged:
                counts = {"unjudged": hits.unjudged, "returned": hits.returned}
                shares.append(say("{unjudged} of {returned} hits were judged by nobody", **counts))
            if hits.undecided:
                counts = {"undecided": hits.undecided, "returned": hits.returned}
                are = form(hits.undecided, "is", "are")
                shares.append(say("{undecided} of {returned} hits {are} undecided", are=are, **counts))
            share = listed(shares)
            if hits.left_out:
                not_counted = count(hits.left_out, "hit")
                share += say(" (without {hits} of questions that expect nothing)", hits=not_counted)
            yield say(
                "{name}: {share}; ranking metrics take them for not relevant, which may be unjust.",
                name=line(run.name),
                share=share,
            )


def _failures(card: RunSummary) -> Iterator[str]:
    if card.unanswered:
        yield say(
            "{answers} still missing (the run is not finished)",
            answers=count(card.unanswered, "answer is", "answers are"),
        )
    if card.failed:
        failures = [f"{n} {say(status)}" for status, n in card.statuses if status in FAILED]
        yield say(
            "{answers} failed ({failures}); a failed answer counts as an empty one, and is never right",
            answers=count(card.failed, "answer"),
            failures=", ".join(failures),
        )
    for status, n in card.left_out:
        yield say(
            "{answers} left unscored ({why})", answers=count(n, "answer is", "answers are"), why=say(LEFT_OUT[status])
        )
