"""Relevance: each hit of each answer gets TREC's grade 0 to 3, by its text alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.majority_vote import RepeatSettings, read_repeat_settings
from neraca.judges.llm.model_judge import MakeChat, contexts_of
from neraca.judges.llm.single_question import EachQuestion, GradeReply, check_grade
from neraca.judges.outcome import Outcome, missing
from neraca.models.chat import Chat
from neraca.records import Answer, Item

#: From not relevant at all to the text that the question asks for.
LOWEST, HIGHEST = 0, 3


@JUDGES.register("relevance")
class RelevanceJudge(EachQuestion[GradeReply]):
    """Judges how relevant each hit is to its question: verdicts `hit:ID`, `relevance`, 0 to 3.

    The model sees the question, the earlier ones that the item's `extra` has as a list `conversation`, and the hit's
    text (or its fields, where it has no text); nothing of the answer, the other hits or the rank.  Missing where hit
    or question has no text.  Of several replies the median counts.

    Parameters
    ----------
    settings
        See `RepeatSettings`; raises `SpecError` where one is unknown or wrong.
    chat
        Makes the model of a session.

    References
    ----------
    Upadhyay, S. et al. (2024). UMBRELA: UMbrela is the (open-source reproduction of the) Bing RELevance Assessor.
    arXiv 2406.06519 (the scale; the prompt is our own).
    """

    kind = GradeReply

    @settings_as_keywords(RepeatSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        given = read_repeat_settings(RepeatSettings, settings, "judge relevance")
        super().__init__("relevance", given, chat, "relevance")

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest grade."""
        return float(LOWEST), float(HIGHEST)

    def things(self, item: Item, answer: Answer) -> Mapping[str, Mapping[str, Any] | Outcome]:
        """Return each hit, once, with its question and its text."""
        texts = contexts_of(answer)
        things: dict[str, Mapping[str, Any] | Outcome] = {}
        for hit in answer.hits:
            if not item.query.strip():
                things[f"hit:{hit.id}"] = missing("the question has no text")
            elif hit.id not in texts:
                things[f"hit:{hit.id}"] = missing("the hit has no text")
            else:
                things[f"hit:{hit.id}"] = {**_asked(item), "document": texts[hit.id]}
        return things

    def guess(self) -> GradeReply:
        """Return the highest grade."""
        return GradeReply("it gives what the question asks for, in plain words", HIGHEST)

    def read(self, reply: GradeReply) -> tuple[float, str]:
        """Return the grade, and the reason."""
        return float(reply.grade), reply.reason

    def check(self, reply: GradeReply) -> str:
        """Return what is wrong with a grade outside the scale."""
        return check_grade(reply.grade, self.scale)


def _asked(item: Item) -> dict[str, Any]:
    """The question, and those before it in its session where the item, as that of a pool does, brings them."""
    earlier = item.extra.get("conversation")
    return {"question": item.query, **({"conversation": earlier} if isinstance(earlier, list) and earlier else {})}
