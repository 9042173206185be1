"""Judges that ask one question about each answer, or each thing of it, once or several times: one verdict on each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, Literal, TypeVar

import msgspec

from neraca.files import fingerprint
from neraca.judges.concurrent import concurrently, together
from neraca.judges.llm.majority_vote import RepeatSettings, ask_repeatedly
from neraca.judges.llm.model_judge import MakeChat, contexts_of, judgeable, judgeable_in_words
from neraca.judges.llm.prompt import Prompts, Template, language_of
from neraca.judges.outcome import Outcome, not_applicable
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict

R = TypeVar("R", bound=msgspec.Struct)
#: Texts that a judge may be shown beside question and answer.
Beside = Literal["reference", "contexts"]


class YesNoReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The model's reply to a yes-or-no question.  The reason comes first, so that the model reasons first."""

    reason: str
    yes: bool


class GradeReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The model's grade on a scale.  The reason comes first, so that the model reasons first."""

    reason: str
    grade: int


class EachQuestion(ABC, Generic[R]):
    """A judge that asks one question about each thing of an answer, and writes one verdict on each.

    A failed answer is judged as an empty one; a suspect one is not judged.

    Parameters
    ----------
    prompt
        The name of the prompt.
    settings
        Of the model, and how often it is asked.
    chat
        Makes the model of a session.
    aspect
        Of the verdicts.
    instruction
        What is added to the prompt, such as a criterion; another one makes another `by`.
    """

    kind: type[R]
    settings_type: type[RepeatSettings] = RepeatSettings

    def __init__(
        self, prompt: str, settings: RepeatSettings, chat: MakeChat, aspect: str, instruction: str = ""
    ) -> None:
        self._name, self._settings, self._make_chat = prompt, settings, chat
        self._aspect, self._instruction = aspect, instruction
        self._prompts = settings.load(prompt)
        self.by = judge_name(settings, self._prompts, aspect, instruction)

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> Iterator[Verdict]:
        """Yield one verdict on each thing, those of an answer together, in the order in which answers are finished."""
        chat = self._make_chat(self._settings.chat, session)

        async def ask(item: Item, data: Mapping[str, Any] | Outcome) -> Outcome:
            if isinstance(data, Outcome):
                return data
            template = with_instruction(self._prompts.of(self._name, language_of(item)), self._instruction)
            prompt = template.about(data, self.kind, self.guess(), self.check)
            return await ask_repeatedly(chat, prompt, self._settings.repeats, self.read, self.scale, self.word)

        async def work(pair: tuple[Item, Answer]) -> list[Verdict]:
            item, answer = pair
            things = self.things(item, answer)
            outcomes = await together(*(ask(item, data) for data in things.values()))
            return [
                outcome.on(answer, about, self._aspect, self.by)
                for about, outcome in zip(things, outcomes, strict=True)
            ]

        return concurrently(self.judgeable(pairs), work, session)

    def judgeable(self, pairs: Iterable[tuple[Item, Answer]]) -> list[tuple[Item, Answer]]:
        """Return the answers that are judged."""
        return judgeable(pairs)

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest value."""
        return 0.0, 1.0

    @abstractmethod
    def things(self, item: Item, answer: Answer) -> Mapping[str, Mapping[str, Any] | Outcome]:
        """Return what is judged → what the model is shown of it; or the outcome, where it need not be asked."""

    @abstractmethod
    def guess(self) -> R:
        """Return a plausible reply."""

    @abstractmethod
    def read(self, reply: R) -> tuple[float, str]:
        """Return the value in a reply, and its reason."""

    def check(self, reply: R) -> str:
        """Return what is wrong with a reply of the right shape, or ""."""
        return ""

    def word(self, value: float) -> str:
        """Return a value in a word."""
        return f"{value:g}"


class SingleQuestion(EachQuestion[R]):
    """A judge that asks one question about each answer, and writes one verdict on it."""

    def judgeable(self, pairs: Iterable[tuple[Item, Answer]]) -> list[tuple[Item, Answer]]:
        """Return the answers that are judged; one that says nothing has no hits either."""
        return judgeable_in_words(pairs)

    def things(self, item: Item, answer: Answer) -> Mapping[str, Mapping[str, Any] | Outcome]:
        """Return the answer as the one thing that is judged."""
        return {"answer": self.shown(item, answer)}

    @abstractmethod
    def shown(self, item: Item, answer: Answer) -> Mapping[str, Any] | Outcome:
        """Return what the model is shown of them; or the outcome, where it need not be asked."""


class YesNo(SingleQuestion[YesNoReply]):
    """A judge that asks whether something is so: 1 yes, 0 no."""

    kind = YesNoReply

    def guess(self) -> YesNoReply:
        """Return yes."""
        return YesNoReply("it says what the question asks for, in plain words", True)

    def read(self, reply: YesNoReply) -> tuple[float, str]:
        """Return 1 or 0, and the reason."""
        return float(reply.yes), reply.reason

    def word(self, value: float) -> str:
        """Return yes or no."""
        return "yes" if value else "no"


def check_grade(grade: int, scale: tuple[float, float]) -> str:
    """Return what is wrong with a grade outside the scale, or "".

    >>> check_grade(4, (0.0, 3.0))
    'grade 4 is not from 0 to 3'
    """
    low, high = scale
    return "" if low <= grade <= high else f"grade {grade} is not from {low:g} to {high:g}"


def judge_name(settings: RepeatSettings, prompts: Prompts, *instructions: str) -> str:
    """Return what stands in the `by` of verdicts: the model, and six letters of the hash of all its instructions."""
    return f"llm:{settings.model}#{fingerprint((prompts.hash, instructions))[:6]}"


def with_instruction(template: Template, instruction: str) -> Template:
    """Return the prompt with an instruction of the user at its end."""
    return replace(template, text=f"{template.text}\n\n{instruction}") if instruction else template


def shown_texts(item: Item, answer: Answer, beside: Sequence[Beside] = ()) -> Mapping[str, Any] | Outcome:
    """Return what a model is shown of an answer with a text; or why there is nothing to show.

    Parameters
    ----------
    item, answer
        The question, and its answer.
    beside
        What is shown too.

    Examples
    --------
    >>> shown_texts(Item(id="q", query="Where?"), Answer(item="q", text="Here."))
    {'question': 'Where?', 'answer': 'Here.'}
    >>> shown_texts(Item(id="q", query="Where?"), Answer(item="q", text="Here."), ["reference"])
    Outcome(value=None, why='the item has no reference', status='not_applicable')
    """
    data: dict[str, Any] = {"question": item.query, "answer": answer.text}
    if not answer.text.strip():
        return not_applicable("the answer has no text")
    if "reference" in beside:
        data["reference"] = [text for text in item.references if text.strip()]
        if not data["reference"]:
            return not_applicable("the item has no reference")
    if "contexts" in beside:
        data["contexts"] = list(contexts_of(answer).values())
        if not data["contexts"]:
            return not_applicable("its hits have no text" if answer.hits else "it has no hits")
    return data
