"""Claims of the references: found once per data set, several in one call, and shared by all runs that are compared."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from neraca.errors import ModelError
from neraca.judges.llm.complete_replies import ask_until_complete, unambiguous
from neraca.judges.llm.prompt import Prompts, Template, language_of
from neraca.models.cache import key_of
from neraca.models.chat import Chat
from neraca.models.model_session import ModelSession
from neraca.records import Item

#: References in one call, at most, and their words with those of their questions.
AT_MOST, WORDS = 10, 1500


class ReferenceReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The claims of one reference."""

    id: str
    claims: list[str]


class ReferencesReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The model's reply on several references."""

    references: list[ReferenceReply]


@dataclass(frozen=True, slots=True)
class Reference:
    """A good answer to a question, and the code of the language in which they are."""

    question: str
    text: str
    language: str = ""


def reference_of(item: Item) -> Reference | None:
    """Return the reference whose claims count: the first that is not empty; None where there is none."""
    text = next((text for text in item.references if text.strip()), None)
    return None if text is None else Reference(item.query, text, language_of(item))


class ReferenceClaims:
    """Finds the claims of references, each once.

    The claims of each reference are kept in the session's cache.  So another run of the same data set, or the same with
    more questions, pays only for what is new.

    Parameters
    ----------
    references
        All that will be asked for, in the order of the data set, which decides which of them stand in one call.
    chat, prompts, session
        Which model is asked, how, and where the claims are kept.
    identity
        All of the model's settings that shape a reply.
    """

    def __init__(
        self,
        references: Iterable[Reference],
        chat: Chat,
        prompts: Prompts,
        session: ModelSession,
        identity: Mapping[str, Any],
    ) -> None:
        self._chat, self._session, self._identity = chat, session, identity
        self._templates = {one: prompts.of("reference_claims", one.language) for one in dict.fromkeys(references)}
        self._batches = {one: batch for batch in _batches(self._templates) for one in batch}
        self._tasks: dict[int, asyncio.Task[Mapping[Reference, Sequence[str] | ModelError]]] = {}

    async def of(self, reference: Reference) -> Sequence[str]:
        """Return the claims of one reference; raises `ModelError` where they cannot be found out."""
        batch = self._batches[reference]
        if id(batch) not in self._tasks:
            self._tasks[id(batch)] = asyncio.create_task(self._ask(batch))
        claims = (await asyncio.shield(self._tasks[id(batch)]))[reference]
        if isinstance(claims, ModelError):
            raise claims
        return claims

    async def _ask(self, batch: Sequence[Reference]) -> Mapping[Reference, Sequence[str] | ModelError]:
        template = self._templates[batch[0]]
        keys = {one: self._key(template, one) for one in batch}
        kept = self._session.cache.get(keys.values())
        claims: dict[Reference, Sequence[str] | ModelError] = {
            one: msgspec.json.decode(kept[key], type=list[str]) for one, key in keys.items() if key in kept
        }
        ids = {f"q{n}": one for n, one in enumerate((one for one in batch if one not in claims), 1)}

        async def ask(missing: Sequence[str], number: int) -> tuple[dict[str, ReferenceReply], bool]:
            data = [{"id": key, "question": ids[key].question, "reference": ids[key].text} for key in missing]
            guess = ReferencesReply([ReferenceReply(key, estimated_claims(ids[key].text)) for key in missing])
            reply = await self._chat.ask(template.about(data, ReferencesReply, guess), number)
            return unambiguous(reply.value.references, missing), reply.earlier

        entries, why = await ask_until_complete(list(ids), ask)
        for key, one in ids.items():
            claims[one] = distinct_claims(entries[key].claims) if key in entries else ModelError(why)
        if not self._session.dry_run:
            new = {keys[ids[key]]: distinct_claims(entry.claims) for key, entry in entries.items()}
            self._session.cache.put({key: msgspec.json.encode(texts) for key, texts in new.items()})
        return claims

    def _key(self, template: Template, reference: Reference) -> bytes:
        return key_of(("reference_claims", self._identity, template.text, reference.question, reference.text))


def distinct_claims(claims: Iterable[str]) -> list[str]:
    """Return claims without empty ones and without repetitions, which a model makes against its orders."""
    return list(dict.fromkeys(text for claim in claims if (text := " ".join(claim.split()))))


def estimated_claims(text: str) -> list[str]:
    """Cut a text into about as many pieces as it may have claims, for estimates: one for each twelve words.

    >>> estimated_claims("one two")
    ['one two']
    """
    words = text.split()
    return [" ".join(words[at : at + 12]) for at in range(0, len(words), 12)]


def _batches(templates: Mapping[Reference, Template]) -> list[list[Reference]]:
    """Return the references that stand in one call: of one prompt, at most ten, and not too long together."""
    batches: list[list[Reference]] = []
    unfilled: dict[Template, tuple[list[Reference], int]] = {}
    for one, template in templates.items():
        size = len(f"{one.question} {one.text}".split())
        batch, used = unfilled.get(template, ([], 0))
        if not batch or len(batch) == AT_MOST or used + size > WORDS:
            batch, used = [], 0
            batches.append(batch)
        batch.append(one)
        unfilled[template] = batch, used + size
    return batches
