"""The base classes of judges that ask one question about each answer, or about each part of it such as each hit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, Generic, Literal, TypeVar, cast

import msgspec

from neraca.files import fingerprint
from neraca.judges.concurrent import concurrently, together
from neraca.judges.llm.majority_vote import RepeatSettings, ask_repeatedly
from neraca.judges.llm.model_judge import MakeChat, contexts_of, judgeable, judgeable_in_words
from neraca.judges.llm.optional_reason import PLAUSIBLE_REASON, OptionalReason, reason_text
from neraca.judges.llm.orders import texts_of, with_cautions
from neraca.judges.llm.prompt import Prompts, Template, language_of
from neraca.judges.outcome import Outcome, missing, not_applicable
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict

R = TypeVar("R", bound=msgspec.Struct)
#: Texts that a judge may be shown beside question and answer.
Beside = Literal["reference", "contexts"]
#: Grades that a schema names one by one.
_MOST_GRADES = 100


class YesNoReply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The model's reply to a yes-or-no question.  The reason comes first, so that the model reasons first."""

    reason: OptionalReason = msgspec.UNSET
    yes: bool


class GradeReply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The model's grade on a scale.  The reason comes first, so that the model reasons first."""

    reason: OptionalReason = msgspec.UNSET
    grade: int


class QuestionPerPart(ABC, Generic[R]):
    """A judge that asks one question about each part of an answer, and writes one verdict on each part.

    A failed answer is judged as an empty one; a suspect one is not judged.

    Parameters
    ----------
    prompt
        The name of the prompt.
    settings
        The settings of the model and the number of repeats.
    chat
        Makes the model of a session.
    aspect
        The aspect of the verdicts.
    instruction
        An addition to the prompt, such as a criterion; it affects the `by` of the verdicts.
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
        """Yield one verdict on each part, answer by answer, in the order in which answers are finished."""
        chat = self._make_chat(self._settings.chat, session)

        async def ask(item: Item, data: Mapping[str, Any] | Outcome) -> Outcome:
            if isinstance(data, Outcome):
                return data
            template = with_instruction(self._prompts.of(self._name, language_of(item)), self._instruction)
            prompt = template.about(data, self.kind, self.guess(), self.check)
            return await ask_repeatedly(chat, prompt, self._settings.repeats, self.read, self.scale, self.word)

        async def work(pair: tuple[Item, Answer]) -> list[Verdict]:
            item, answer = pair
            parts = self.parts(item, answer)
            outcomes = await together(*(ask(item, data) for data in parts.values()))
            verdicts = [
                outcome.on(answer, about, self._aspect, self.by) for about, outcome in zip(parts, outcomes, strict=True)
            ]
            return with_cautions(verdicts, texts_of([pair]), answer)

        return concurrently(self.judgeable(pairs), work, session)

    def judgeable(self, pairs: Iterable[tuple[Item, Answer]]) -> list[tuple[Item, Answer]]:
        """Return the answers that are judged."""
        return judgeable(pairs)

    @property
    def criterion(self) -> str:
        """The user's own words by which this judge decides; "" if the prompt alone says it."""
        return self._instruction.partition(":")[2].strip()

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest value."""
        return 0.0, 1.0

    @abstractmethod
    def parts(self, item: Item, answer: Answer) -> Mapping[str, Mapping[str, Any] | Outcome]:
        """Return part (the verdict's `about`) → data for the prompt, or the outcome if no model need be asked."""

    @abstractmethod
    def guess(self) -> R:
        """Return a plausible reply."""

    @abstractmethod
    def read(self, reply: R) -> tuple[float, str]:
        """Return the value in a reply, and its reason."""

    def check(self, reply: R) -> str:
        """Return a description of what is wrong with a reply that fits the schema, or ""."""
        return ""

    def word(self, value: float) -> str:
        """Return a word for a value."""
        return f"{value:g}"


class SingleQuestion(QuestionPerPart[R]):
    """A judge that asks one question about each answer, and writes one verdict on it."""

    def judgeable(self, pairs: Iterable[tuple[Item, Answer]]) -> list[tuple[Item, Answer]]:
        """Return the answers that are judged; answers that say nothing lose their hits."""
        return judgeable_in_words(pairs)

    def parts(self, item: Item, answer: Answer) -> Mapping[str, Mapping[str, Any] | Outcome]:
        """Return the answer as the only part."""
        return {"answer": self.prompt_data(item, answer)}

    @abstractmethod
    def prompt_data(self, item: Item, answer: Answer) -> Mapping[str, Any] | Outcome:
        """Return the data for the prompt, or the outcome if no model need be asked."""


class Graded(QuestionPerPart[GradeReply]):
    """A judge that asks for a grade on its scale.  The schema names the grades, unless there are very many."""

    @property
    def kind(self) -> type[GradeReply]:  # type: ignore[override]
        """The struct of the reply, with the grades of the scale."""
        return _grade_reply(int(self.scale[0]), int(self.scale[1]))

    def read(self, reply: GradeReply) -> tuple[float, str]:
        """Return the grade, and the reason."""
        return float(reply.grade), reason_text(reply.reason)

    def check(self, reply: GradeReply) -> str:
        """Return a description of a grade outside the scale, or ""."""
        low, high = self.scale
        return "" if low <= reply.grade <= high else f"grade {reply.grade} is not from {low:g} to {high:g}"


@lru_cache(maxsize=64)
def _grade_reply(low: int, high: int) -> type[GradeReply]:
    """Return the struct of a grade whose schema names the allowed grades."""
    grades = list(range(low, high + 1)) if high - low < _MOST_GRADES else None
    grade = Annotated[int, msgspec.Meta(extra_json_schema={"enum": grades})] if grades else int
    kind: Any = msgspec.defstruct(
        "GradeReply",
        [("reason", OptionalReason, msgspec.UNSET), ("grade", grade)],
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )
    return cast(type[GradeReply], kind)


class YesNo(SingleQuestion[YesNoReply]):
    """A judge that asks a yes-or-no question: 1 yes, 0 no."""

    kind = YesNoReply

    def guess(self) -> YesNoReply:
        """Return yes."""
        return YesNoReply(reason=PLAUSIBLE_REASON, yes=True)

    def read(self, reply: YesNoReply) -> tuple[float, str]:
        """Return 1 or 0, and the reason."""
        return float(reply.yes), reason_text(reply.reason)

    def word(self, value: float) -> str:
        """Return yes or no."""
        return "yes" if value else "no"


def judge_name(settings: RepeatSettings, prompts: Prompts, *instructions: str) -> str:
    """Return the `by` of verdicts: the model, and six letters of the hash of all its instructions."""
    return f"llm:{settings.model}#{fingerprint((prompts.hash, instructions))[:6]}"


def with_instruction(template: Template, instruction: str) -> Template:
    """Return the prompt with the user's instruction at its end."""
    return replace(template, text=f"{template.text}\n\n{instruction}") if instruction else template


def answer_data(item: Item, answer: Answer, beside: Sequence[Beside] = ()) -> Mapping[str, Any] | Outcome:
    """Return the data of an answer with text for a prompt, or the reason why a text is missing.

    Parameters
    ----------
    item, answer
        The question, and its answer.
    beside
        Further texts to include.

    Examples
    --------
    >>> answer_data(Item(id="q", query="Where?"), Answer(item="q", text="Here."))
    {'question': 'Where?', 'answer': 'Here.'}
    >>> answer_data(Item(id="q", query="Where?"), Answer(item="q", text="Here."), ["reference"])
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
        if answer.unknown_hits:
            return missing(answer.unknown_hits)
        if not data["contexts"]:
            return not_applicable("its hits have no text" if answer.hits else "it has no hits")
    return data
