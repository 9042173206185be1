"""The section of conversations: which of them broke what a judge or a person looked for, and in which turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from neraca.counts_and_lists import count
from neraca.metrics.rag.conversation import session_rows
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts
from neraca.metrics.scorable import Scorable
from neraca.number_format import exact, integer
from neraca.records import Verdict
from neraca.reports.blocks.sections import FinishedSection
from neraca.reports.formats.visible_text import line
from neraca.result import Table
from neraca.runs.session_contents import SESSION
from neraca.scores.scores import Scores
from neraca.translation import say, say_all

#: Most conversations in the table.
SHOWN = 40


class JudgedConversation(NamedTuple):
    """A verdict on a conversation: its run, its name, the number of its turns, and its first question."""

    run: str
    name: str
    turns: int
    question: str
    verdict: Verdict

    @property
    def value(self) -> float:
        """The value of the verdict; 0 without one."""
        return self.verdict.value or 0.0


def section(scores: Scores) -> FinishedSection | None:
    """Return the conversations that broke a criterion, lowest value first; None if no conversation was judged."""
    parts = [run.scorable for run in scores.runs if run.scorable is not None and run.scorable.offers("verdicts")]
    judged = [conversation for part in parts if _has_verdicts(part) for conversation in _judged(part)]
    if not judged:
        return None
    decided = [conversation for conversation in judged if conversation.verdict.value is not None]
    broken = sorted((c for c in decided if c.value < 1), key=lambda conversation: conversation.value)
    sentence = say(
        "{broken} of {all} verdicts on whole conversations say that it broke the criterion.",
        broken=integer(len(broken)),
        all=integer(len(decided)),
    )
    failed = sum(conversation.verdict.status == "unscored" for conversation in judged)
    sentences = [sentence]
    if failed:
        sentences.append(
            say("A judge gave no verdict on {conversations}.", conversations=count(failed, "conversation"))
        )
    rows = [
        [
            line(conversation.run, 60),
            f"{line(conversation.name, 60)}: {line(conversation.question, 100)}",
            integer(conversation.turns),
            line(conversation.verdict.aspect, 40),
            exact(conversation.value),
            line(conversation.verdict.why, 300),
        ]
        for conversation in broken[:SHOWN]
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
