"""The common parts of judges that call a language model: settings, answers that can be judged, contexts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from neraca.errors import SpecError
from neraca.judges.llm.prompt import Prompts
from neraca.judges.silent_answers import silent_answers
from neraca.models.chat import Chat, ChatSettings
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item
from neraca.settings import read_settings

S = TypeVar("S", bound="LlmJudgeSettings")
MakeChat = Callable[[ChatSettings, ModelSession], Chat]


class LlmJudgeSettings(ChatSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a judge that calls a model, from the table `[judges.NAME]`, which also holds the model's own.

    Attributes
    ----------
    language
        Language of all prompts, by code or name; "": the language of each item (tag `language`), or English if the item
        has no such tag or there are no prompts in its language.  Claims and reasons are always in the texts' language.
    prompts
        A folder of prompts that replace the shipped ones.
    examples
        A file of examples from the user's domain, which are added to the prompts.
    seed
        Seed of every random order.
    """

    language: str = ""
    prompts: str = ""
    examples: str = ""
    seed: int = 0

    @property
    def chat(self) -> ChatSettings:
        """The settings of the model alone."""
        return ChatSettings(**{name: getattr(self, name) for name in ChatSettings.__struct_fields__})

    @property
    def identity(self) -> dict[str, Any]:
        """The settings that affect the model's replies, for the cache keys of results made from replies."""
        return {name: getattr(self, name) for name in ("model", "url", "temperature", "max_tokens", "extra")}

    def load(self, *names: str) -> Prompts:
        """Read the prompts of these names."""
        return Prompts(names, language=self.language, folder=self.prompts, examples=self.examples)

    def by(self, prompts: Prompts) -> str:
        """Return the `by` of its verdicts: the model, and six letters of the hash of its prompts."""
        return f"llm:{self.model}#{prompts.hash}"


def read_llm_settings(kind: type[S], table: Mapping[str, Any] | None, who: str) -> S:
    """Read the settings of a judge that calls a model; raise `SpecError` if one is wrong or no model is named."""
    settings = read_settings(kind, table or {}, who)
    if not settings.model:
        raise SpecError(f"{who} needs a model, such as model = 'openai:gpt-4o-mini'")
    return settings


def judgeable(pairs: Iterable[tuple[Item, Answer]]) -> list[tuple[Item, Answer]]:
    """Return the answers that can be judged.

    A failed answer becomes an empty one, without text and hits.  An answer that is never scored is left out.
    """
    return [
        (item, msgspec.structs.replace(answer, text="", hits=()) if answer.failed else answer)
        for item, answer in pairs
        if not answer.left_out
    ]


def judgeable_in_words(pairs: Iterable[tuple[Item, Answer]]) -> list[tuple[Item, Answer]]:
    """Return the answers that can be judged by their words; silent ones (`silent_answers`) lose their hits.

    >>> from neraca.records import Hit
    >>> item, hits = Item(id="q", query="?"), (Hit(id="a"),)
    >>> pairs = [(item, Answer(item="q", text="Yes.", hits=hits)), (item, Answer(item="q", hits=hits))]
    >>> [len(answer.hits) for _, answer in judgeable_in_words(pairs)]
    [1, 0]
    """
    judged = judgeable(pairs)
    silent = silent_answers(answer for _, answer in judged)
    return [
        (item, msgspec.structs.replace(answer, hits=()) if is_silent else answer)
        for (item, answer), is_silent in zip(judged, silent, strict=True)
    ]


def contexts_of(answer: Answer) -> dict[str, str]:
    """Return hit id → text, for the hits that have text; if a hit came twice, its first text.

    The text of a hit that has only fields is their JSON.

    >>> from neraca.records import Hit
    >>> contexts_of(Answer(item="q", hits=(Hit(id="a", text="x"), Hit(id="a", text="x"), Hit(id="b"))))
    {'a': 'x'}
    """
    contexts: dict[str, str] = {}
    for hit in answer.hits:
        text = hit.text.strip() or (msgspec.json.encode(hit.fields).decode() if hit.fields else "")
        if text:
            contexts.setdefault(hit.id, text)
    return contexts
