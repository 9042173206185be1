"""Mark the questions that a model answers without any document: they tell less about what a search finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from neraca.errors import BudgetReached, ModelError
from neraca.generation.drafts import KNOWN, Check, Checked
from neraca.generation.question_duplicates import says_same
from neraca.judges.concurrent import concurrently
from neraca.judges.llm.complete_replies import reply_struct, set_fields
from neraca.judges.llm.prompt import Prompts
from neraca.judges.outcome import Outcome, unscored
from neraca.models.chat import Chat
from neraca.models.model_session import ModelSession

ALONE = "answer_alone"
#: Questions in one call.
PER_CALL = 10


class AnswerAlone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to one question without any document; "" if the model does not know it."""

    answer: str


class ClosedBook:
    """Asks a model questions without showing it a document.

    Parameters
    ----------
    chat, prompts
        The model, and the prompts of this name.
    by
        The `by` of its verdicts.
    language
        Code of the language of the questions.
    """

    def __init__(self, chat: Chat, prompts: Prompts, by: str, language: str) -> None:
        self._chat, self._by, self._language = chat, by, language
        self._template = prompts.of(ALONE, language)

    def mark(self, questions: Sequence[Checked], session: ModelSession) -> tuple[list[Checked], BudgetReached | None]:
        """Return all questions, the accepted ones with an answer marked as known or not; and why it ended early.

        A question that the budget did not allow to ask has no mark.  In a dry run all questions count as accepted.
        """
        asked = [
            question for question in questions if question.draft.answerable and (question.accepted or session.dry_run)
        ]
        calls = [asked[at : at + PER_CALL] for at in range(0, len(asked), PER_CALL)]
        marked: list[Checked] = []
        stopped = None
        try:
            marked.extend(concurrently(calls, self._marked, session))
        except BudgetReached as error:
            stopped = error
        by_id = {question.id: question for question in marked}
        return [by_id.get(question.id, question) for question in questions], stopped

    async def _marked(self, questions: Sequence[Checked]) -> list[Checked]:
        """Return the questions of one call with their marks."""
        question_by_key = {f"q{n}": question for n, question in enumerate(questions, 1)}
        kind = reply_struct("AnswersAlone", tuple((key, AnswerAlone) for key in question_by_key))
        data = {"questions": {key: question.draft.complete for key, question in question_by_key.items()}}
        prompt = self._template.about(
            data, kind, kind(**dict.fromkeys(question_by_key, AnswerAlone("Within 30 days.")))
        )
        try:
            replies, why = set_fields((await self._chat.ask(prompt)).value), "the model left it out"
        except ModelError as error:
            replies, why = {}, str(error)
        return [
            replace(question, known=Check(KNOWN, self._outcome(question, replies.get(key), why), self._by))
            for key, question in question_by_key.items()
        ]

    def _outcome(self, question: Checked, reply: AnswerAlone | None, why: str) -> Outcome:
        if reply is None:
            return unscored(why)
        answer = " ".join(reply.answer.split())
        is_known = bool(answer) and says_same(question.draft.answer, answer, self._language)
        return Outcome(float(is_known), f"without documents: {answer}" if answer else "it does not know it")
