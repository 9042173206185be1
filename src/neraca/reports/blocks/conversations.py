"""The section of conversations: which of them broke what a judge or a person looked for, and in which turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from neraca.metrics.rag.conversation import session_rows
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts
from neraca.metrics.scorable import Scorable
from neraca.number_format import exact, integer
from neraca.records import Verdict
from neraca.reports.blocks.sections import FinishedSection
from neraca.reports.formats.visible_text import line
from neraca.reports.translation import say, say_all
from neraca.result import Table
from neraca.runs.session_contents import SESSION
from neraca.scores.scores import Scores

#: Most conversations in the table.
SHOWN = 40


class JudgedConversation(NamedTuple):
    """A verdict on a conversation: its run, its name, the number of its turns, and its first question."""

    run: str
    name: str
    turns: int
    question: str
    verdict: Verdict


def section(scores: Scores) -> FinishedSection | None:
    """Return the conversations that broke a criterion, lowest value first; None if no conversation was judged."""
    parts = [run.scorable for run in scores.runs if run.scorable is not None and run.scorable.offers("verdicts")]
    judged = [conversation for part in parts if _has_verdicts(part) for conversation in _judged(part)]
    if not judged:
        return None
    decided = [one for one in judged if one.verdict.value is not None]
    broken = sorted((one for one in decided if (one.verdict.value or 0) < 1), key=lambda one: one.verdict.value or 0)
    sentences = [
        say("{broken} of {all} verdicts on whole conversations say that it broke the criterion.",
            broken=integer(len(broken)), all=integer(len(decided)))
    ]  # fmt: skip
    failed = sum(one.verdict.status == "unscored" for one in judged)
    if failed:
        sentences.append(say("On {n} conversations a judge gave no verdict.", n=integer(failed)))
    rows = [
        [
            line(one.run, 60),
            f"{line(one.name, 60)}: {line(one.question, 100)}",
            integer(one.turns),
            line(one.verdict.aspect, 40),
            exact(one.verdict.value or 0),
            line(one.verdict.why, 300),
        ]
        for one in broken[:SHOWN]
    ]
    columns = say_all("Run", "Conversation", "turns", "criterion", "value", "where it broke")
    title = say("Conversations that broke a criterion ({n} of {all:,})", n=len(rows), all=len(broken))
    return FinishedSection((Table(columns, rows, title, names=2),) if rows else (), tuple(sentences))


def _has_verdicts(part: Scorable) -> bool:
    return SESSION in part.column("verdicts").table.about.words


def _judged(part: Scorable) -> Iterator[JudgedConversation]:
    """Yield the verdicts on the conversations of a run, in the order of its questions."""
    verdicts, items = part.column("verdicts"), part.column("items")
    for rows in session_rows(part.view(JudgeVerdicts)):
        for verdict in verdicts.on(rows[-1], hits=False):
            if verdict.about == SESSION:
                first = items[rows[0]]
                yield JudgedConversation(part.name, first.session or first.id, len(rows), first.query, verdict)
