"""Let a second reader, who never sees the writer's answers, answer written questions from the documents.

One call asks several questions.  It shows the parts that they were written about, and of all other documents the
passages that share the rarest words with each question, in an order that tells nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from neraca.errors import ModelError
from neraca.files import fingerprint
from neraca.generation.drafts import TWO_DOCUMENTS, Check, Draft
from neraca.generation.passages import Passages
from neraca.generation.question_duplicates import check_answers
from neraca.judges.llm.complete_replies import reply_struct, set_fields
from neraca.judges.llm.prompt import Prompts
from neraca.judges.outcome import Outcome, unscored
from neraca.judges.rules.declines import DeclinesJudge
from neraca.models.chat import Chat
from neraca.records import Answer, Item

READ = "read_questions"
#: Passages of other documents that are shown for a question that documents should answer, and for one that none should.
NEAREST, NEAREST_UNANSWERABLE = 4, 8
#: Most passages of other documents in one call.
MOST_PASSAGES = 16
_CONTRADICTION = "the second reader names texts that answer it, and gives no answer"


class ReadQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question in the reply of the reader.  The reason comes first, so that the model reasons first."""

    reason: str
    answer: str
    alone: list[str]


@dataclass(frozen=True)
class _Text:
    """A text that the reader is shown: its document, and whether the writer was shown it too."""

    document: str
    text: str
    is_source: bool


class Reader:
    """Reads the questions of one call of the writer.

    Parameters
    ----------
    chat, prompts
        The model, and the prompts of this name.
    by
        The `by` of its verdicts.
    language
        Code of the language of the questions.
    passages
        The passages of all documents.
    """

    def __init__(self, chat: Chat, prompts: Prompts, by: str, language: str, passages: Passages) -> None:
        self._chat, self._by, self._language, self._passages = chat, by, language, passages
        self._template = prompts.of(READ, language)

    async def read(self, drafts: Sequence[Draft]) -> list[tuple[list[Check], tuple[str, ...]]]:
        """Return for each question its checks, and the ids of further documents that answer it as well."""
        texts = self._shown(drafts)
        draft_by_id = {f"q{n}": draft for n, draft in enumerate(drafts, 1)}
        turns = {key: draft for key, draft in draft_by_id.items() if draft.standalone}
        bare = {key: f"q{n}" for n, key in enumerate(turns, len(drafts) + 1)}
        questions = {key: draft.complete for key, draft in draft_by_id.items()}
        questions |= {bare[key]: draft.question for key, draft in turns.items()}
        data = {
            "questions": questions,
            "texts": {key: text.text for key, text in texts.items()},
        }
        kind = reply_struct("ReadingReply", tuple((key, ReadQuestion) for key in questions))
        guess = ReadQuestion("the texts say when it holds", "It holds unless an exception applies.", ["x1"])
        prompt = self._template.about(data, kind, kind(**dict.fromkeys(questions, guess)), _unknown(texts))
        try:
            replies = set_fields((await self._chat.ask(prompt)).value)
        except ModelError as error:
            replies, why = {}, str(error)
        else:
            why = "the second reader left it out"
        readings = []
        for key, draft in draft_by_id.items():
            checks, others = self._checks(draft, replies[key], texts) if key in replies else self._failed(draft, why)
            if key in bare:
                checks = [*checks, self._needs_history(draft, replies.get(bare[key]), texts)]
            readings.append((checks, others))
        return readings

    def _shown(self, drafts: Sequence[Draft]) -> dict[str, _Text]:
        """Return id → text: the parts that the writer saw, and the nearest passages of the others, shuffled."""
        windows = {window.passages: window for draft in drafts for window in draft.windows}
        shown = {number for numbers in windows for number in numbers}
        rankings = [
            self._passages.nearest(draft.complete, NEAREST if draft.answerable else NEAREST_UNANSWERABLE, shown)
            for draft in drafts
        ]
        ranks = range(max(map(len, rankings), default=0))
        in_turn = dict.fromkeys(ranking[rank] for rank in ranks for ranking in rankings if rank < len(ranking))
        texts = [_Text(window.document.id, window.whole, True) for window in windows.values()]
        for number in list(in_turn)[:MOST_PASSAGES]:
            texts.append(_Text(self._passages.document(number).id, self._passages.whole(number), False))
        random.Random(fingerprint([text.text for text in texts])).shuffle(texts)
        return {f"x{n}": text for n, text in enumerate(texts, 1)}

    def _checks(
        self, draft: Draft, reply: ReadQuestion, texts: dict[str, _Text]
    ) -> tuple[list[Check], tuple[str, ...]]:
        if _contradicts_itself(reply):
            return self._failed(draft, _CONTRADICTION)
        alone = [texts[key] for key in reply.alone]
        answer = " ".join(reply.answer.split())
        if answer and not alone and _declines(answer):
            answer = ""
        if not draft.answerable:
            holds = not answer and not alone
            why = reply.reason if holds else f"{', '.join(_documents(alone)) or 'texts together'}: {answer}"
            return [Check("nothing_found", Outcome(float(holds), why), self._by)], ()
        sources = {window.document.id for window in draft.windows}
        answers = {text.document for text in alone}
        others = tuple(document for document in _documents(alone) if document not in sources)
        if draft.kind in TWO_DOCUMENTS:
            checks = [Check("answerable", Outcome(float(bool(answer)), reply.reason), self._by)]
            if answer:
                enough = f"{', '.join(_documents(alone))} alone is enough: {answer}" if alone else ""
                checks.append(Check("necessary", Outcome(float(not alone), enough), self._by))
            others = ()
        else:
            checks = [Check("answerable", Outcome(float(bool(answers & sources)), reply.reason), self._by)]
        if checks[0].passed and answer:
            checks.append(Check("same_answer", check_answers(draft.answer, answer, self._language)))
        return checks, others

    def _needs_history(self, draft: Draft, reply: ReadQuestion | None, texts: dict[str, _Text]) -> Check:
        """Return whether a later turn cannot be answered without the turn before it."""
        if reply is None:
            return Check("needs_history", unscored("the second reader left it out"), self._by)
        if _contradicts_itself(reply):
            return Check("needs_history", unscored(_CONTRADICTION), self._by)
        sources = {window.document.id for window in draft.windows}
        is_answered = bool(sources & set(_documents([texts[key] for key in reply.alone])))
        is_same = is_answered and check_answers(draft.answer, reply.answer, self._language).value == 1
        return Check(
            "needs_history",
            Outcome(float(not is_same), f"alone it is answered: {reply.answer}" if is_same else ""),
            self._by,
        )

    def _failed(self, draft: Draft, why: str) -> tuple[list[Check], tuple[str, ...]]:
        return [Check("answerable" if draft.answerable else "nothing_found", unscored(why), self._by)], ()


def _contradicts_itself(reply: ReadQuestion) -> bool:
    return bool(reply.alone) and not reply.answer.strip()


def _documents(texts: Sequence[_Text]) -> list[str]:
    return list(dict.fromkeys(text.document for text in texts))


def _declines(answer: str) -> bool:
    """Return whether the reader says in words that there is no answer, though it should say nothing."""
    pair = (Item(id="read", query="?"), Answer(item="read", text=answer))
    return any(verdict.value == 1 for verdict in DeclinesJudge().judge([pair]))


def _unknown(texts: dict[str, _Text]) -> Callable[[msgspec.Struct], str]:
    """Return the check of a reply: it may only name texts that were shown."""

    def check(reply: msgspec.Struct) -> str:
        named = {key for read in set_fields(reply).values() for key in read.alone}
        return "" if named <= texts.keys() else f"`alone` has ids only from {', '.join(texts)}"

    return check
