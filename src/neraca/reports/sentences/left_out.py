"""Notes on failed answers, averaged trials, and verdicts on results that no run returned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from neraca.number_format import integer
from neraca.reports.counts_and_lists import count
from neraca.reports.translation import say
from neraca.scores.scores import Scores

if TYPE_CHECKING:
    from neraca.verdicts.unreturned import Unreturned


def failed_answers(scores: Scores) -> Iterator[str]:
    """Say how many answers of each run failed or are left unscored, and that trials were averaged."""
    for run in scores.runs:
        if run.scorable is None or not run.scorable.offers("run"):
            continue
        from neraca.records import FAILED, LEFT_OUT  # slow to import, and a small TREC run does not need it

        statuses = Counter[str](run.scorable.column("status"))
        if failures := Counter({status: n for status, n in statuses.items() if status in FAILED}):
            yield say(
                "{name}: {failed:,} of {answers} failed ({failures}); a failed answer counts as an empty one, and is "
                "never right",
                name=run.name,
                failed=failures.total(),
                answers=count(statuses.total(), "answer"),
                failures=", ".join(f"{integer(n)} {say(status)}" for status, n in failures.items()),
            )
        for status, why in LEFT_OUT.items():
            if n := statuses[status]:
                yield say(
                    "{name}: {answers} left unscored ({why})",
                    name=run.name,
                    answers=count(n, "answer is", "answers are"),
                    why=say(why),
                )
        if (trials := run.scorable.column("trials")) > 1:
            yield say(
                "{name}: each question was asked {n} times; the mean of its answers counts", name=run.name, n=trials
            )


def unreturned(scores: Scores) -> Iterator[str]:
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
