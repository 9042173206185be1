"""What a reader of a report must know before trusting its numbers: few questions, failures, hits that nobody judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from neraca.comparisons.difference import Difference
from neraca.datasets.trec.qrels import UNJUDGED
from neraca.metrics.ranking.graded import GradedHits
from neraca.records import FAILED
from neraca.reports.escape import line
from neraca.reports.notes import notes
from neraca.reports.number_format import count, form, listed
from neraca.reports.relevance_words import mixed_sources
from neraca.reports.run_summary import RunSummary, differing_settings
from neraca.reports.sentences_finding import FEW
from neraca.reports.sentences_parts import Facts
from neraca.reports.tables import about_hits
from neraca.reports.translation import say
from neraca.scores.scores import RunScores, Scores


def cautions(
    scores: Scores, differences: Sequence[Difference], facts: Facts, cards: Sequence[RunSummary]
) -> Iterator[str]:
    """Say what a reader must know before trusting the numbers, the gravest first."""
    items = len(scores.runs[0])
    if items < FEW:
        yield say(
            "These are only {questions}: read the result as an example, not as evidence.",
            questions=count(items, "question"),
        )
    for c in cards:
        if troubles := list(_troubles(c)):
            yield f"{c.name}: {'; '.join(troubles)}."
    for score in facts.scores:
        if score.unscored:
            why = facts.why.get(score.run, "")
            reason = say(", most often because: {why}", why=why) if why else ""
            yield say(
                "{metric} is unscored on {unscored} of {items} questions of {run}{reason}.",
                metric=facts.metric,
                unscored=score.unscored,
                items=items,
                run=line(score.run),
                reason=reason,
            )
    used = scores.relevance.used if scores.relevance else {}
    for run in scores.runs if used else ():
        unjudged, returned = _unjudged_hits(run)
        if unjudged:
            share = say("{unjudged} of {returned} hits were judged by nobody", unjudged=unjudged, returned=returned)
            yield say(
                "{name}: {share}; ranking metrics take them for not relevant, which may be unjust.",
                name=line(run.name),
                share=share,
            )
    yield from mixed_sources(scores)
    if scores.relevance and not used and about_hits(scores):
        yield say("Nobody judged the relevance of any hit.")
    for note in notes(scores, unscored=False):
        of_run = any(note.startswith(f"{run.name}: ") for run in scores.runs)  # a name stays as it is
        yield f"{note if of_run else note[:1].upper() + note[1:]}."
    if len(settings := differing_settings(cards)) > 1:
        yield (
            say(
                "The runs differ in {count} ({settings}): which of these makes a difference these numbers cannot tell.",
                count=count(len(settings), "setting"),
                settings=listed(settings),
            )
        )
    if len(differences) > 1 and {d.correction for d in differences} & {"none", ""}:
        yield say(
            "The p-values of {n} comparisons are not corrected: some may be low by chance.",
            n=len(differences),
        )


def _unjudged_hits(run: RunScores) -> tuple[int, int]:
    """How many hits nobody judged, and of how many; without those of questions for which nothing can be relevant."""
    if run.scorable is None:
        return 0, 0
    hits: GradedHits = run.scorable.column("grades")
    can_be_relevant = run.scorable.column("expects") != "none"
    judged = np.bincount(hits.owner[hits.grade != UNJUDGED], minlength=len(hits.returned))
    unjudged = (hits.returned - judged)[can_be_relevant]
    return int(unjudged.sum()), int(hits.returned[can_be_relevant].sum())


def _troubles(c: RunSummary) -> Iterator[str]:
    if c.unanswered:
        yield say(
            "{answers} still missing (the run is not finished)", answers=count(c.unanswered, "answer is", "answers are")
        )
    if c.failed:
        failures = [f"{n} {say(status)}" for status, n in c.statuses if status in FAILED]
        yield say(
            "{answers} failed ({failures}); a failed answer counts as an empty one",
            answers=count(c.failed, "answer"),
            failures=", ".join(failures),
        )
    if c.suspect:
        yield say(
            "{answers} may not be whole and {are} left unscored",
            answers=count(c.suspect, "answer"),
            are=form(c.suspect, "is", "are"),
        )
