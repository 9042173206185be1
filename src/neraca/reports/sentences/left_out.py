"""Notes on failed answers, averaged trials, and verdicts on results that no run returned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from neraca.counts_and_lists import count
from neraca.number_format import integer
from neraca.scores.scores import RunScores, Scores
from neraca.translation import say

if TYPE_CHECKING:
    from neraca.verdicts.unreturned import Unreturned


def failed_answers(scores: Scores) -> Iterator[str]:
    """Say how many answers of each run failed or are left unscored, and how columns of a table were read."""
    for run in scores.runs:
        of_run_folder = run.scorable is not None and run.scorable.offers("run")
        if of_run_folder or "empty" in run.facts:
            yield from _statuses(run)
        if run.scorable is not None and of_run_folder and (trials := run.scorable.column("trials")) > 1:
            yield say(
                "{name}: each question was asked {n} times; the mean of its answers counts", name=run.name, n=trials
            )
    if checks := scores.facts.get("checks"):
        yield say("read as checks of answers: {columns}; rename a column that is none", columns=", ".join(checks))
    for name, word in scores.facts.get("no_statuses", ()):
        yield say(
            "column {name!r} does not hold the status of answers, but {word}; it is not read", name=name, word=word
        )


def _statuses(run: RunScores) -> Iterator[str]:
    """Say how many answers of a run folder or of a table failed, and how many are never scored."""
    from neraca.records import ANSWER_STATUSES, FAILED, LEFT_OUT  # slow to import; a small TREC run does not need it

    if "empty" in run.facts:
        statuses = Counter[str]({status: run.facts[f"status {status}"] for status in ANSWER_STATUSES})
    else:
        statuses = Counter[str](run.scorable.column("status")) if run.scorable else Counter[str]()
    if failures := +Counter({status: n for status, n in statuses.items() if status in FAILED}):
        yield say(
            "{name}: {failed:,} of {answers} failed ({failures}); a failed answer counts as an empty one, and is "
            "never right",
            name=run.name,
            failed=failures.total(),
            answers=count(statuses.total(), "answer"),
            failures=", ".join(f"{integer(n)} {say(status)}" for status, n in failures.items()),
        )
    for status, why in LEFT_OUT.items():
        if (n := statuses[status]) and "empty" not in run.facts:  # of a table, each reason is counted elsewhere
            yield say(
                "{name}: {answers} left unscored ({why})",
                name=run.name,
                answers=count(n, "answer is", "answers are"),
                why=say(why),
            )


def left_out_verdicts(scores: Scores) -> Iterator[str]:
    """Say which verdicts or grades do not count, because others do or because no run returned what they are about."""
    contested, groups = scores.facts.get("contested", (0, ()))
    if contested:
        yield say(
            "{documents} with different grades under {groups} (the second column of the qrels): the highest counts. "
            "If these are raters and no subtopics, give one grade for each document",
            documents=count(contested, "document"),
            groups=", ".join(groups[:3]) + (", …" if len(groups) > 3 else ""),
        )
    yield from _unreturned(scores)
    if pairs_not_shown := scores.facts.get("pairs_not_shown"):
        from neraca.reports.sentences.agreement import left_out_pairs  # a small TREC run does not need it

        yield from (text.removesuffix(".") for text in left_out_pairs(pairs_not_shown))


def _unreturned(scores: Scores) -> Iterator[str]:
    """Say which verdicts of people are about results that no run returned."""
    unreturned_verdicts: Unreturned | None = scores.facts.get("unreturned")
    if unreturned_verdicts and unreturned_verdicts.first:
        from neraca.reports.formats.visible_text import line  # slow to import, and a small TREC run does not need it

        verdict = unreturned_verdicts.first
        yield say(
            "left out, because no run returned the result that they are about: {verdicts} of people, such as {about} "
            "of {item} by {rater}",
            verdicts=count(unreturned_verdicts.n, "verdict"),
            about=line(verdict.about),
            item=line(verdict.item),
            rater=line(verdict.by),
        )
