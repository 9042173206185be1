"""Relevance: grade each hit from 0 to 3, as in TREC, by its text alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.majority_vote import RepeatSettings, read_repeat_settings
from neraca.judges.llm.model_judge import MakeChat, contexts_of
from neraca.judges.llm.optional_reason import PLAUSIBLE_REASON
from neraca.judges.llm.single_question import Graded, GradeReply
from neraca.judges.outcome import Outcome, missing
from neraca.models.chat import Chat
from neraca.records import Answer, Item

#: The grades of a text that is not relevant at all, and of one that answers the question.
LOWEST, HIGHEST = 0, 3


@JUDGES.register("relevance")
class RelevanceJudge(Graded):
    """Judges how relevant each hit is to its question: verdicts `hit:ID`, `relevance`, 0 to 3.

    The model sees the question, the earlier questions in the list `conversation` of the item's `extra`, and the hit's
    text (its fields, if it has no text), but not the answer, the other hits or the rank.  `missing` if the hit or the
    question has no text.  If the model is asked several times, the median counts.

    References
    ----------
    Upadhyay, S. et al. (2024). UMBRELA: UMbrela is the (open-source reproduction of the) Bing RELevance Assessor.
    arXiv 2406.06519 (the scale; the prompt is our own).
    """

    @settings_as_keywords(RepeatSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        options = read_repeat_settings(RepeatSettings, settings, "judge relevance")
        super().__init__("relevance", options, chat, "relevance")

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest grade."""
        return float(LOWEST), float(HIGHEST)

    def parts(self, item: Item, answer: Answer) -> Mapping[str, Mapping[str, Any] | Outcome]:
        """Return for each distinct hit its question and its text."""
        texts, earlier = contexts_of(answer), item.extra.get("conversation")
        question: dict[str, Any] = {"question": item.query}
        if isinstance(earlier, list) and earlier:  # items of a pool carry the earlier questions of their session
            question["conversation"] = earlier
        parts: dict[str, Mapping[str, Any] | Outcome] = {}
        for hit in answer.hits:
            if not item.query.strip():
                parts[f"hit:{hit.id}"] = missing("the question has no text")
            elif hit.id not in texts:
                parts[f"hit:{hit.id}"] = missing("the hit has no text")
            else:
                parts[f"hit:{hit.id}"] = {**question, "document": texts[hit.id]}
        return parts

    def guess(self) -> GradeReply:
        """Return the highest grade."""
        return GradeReply(reason=PLAUSIBLE_REASON, grade=HIGHEST)
