"""Extract the claims of references: once per data set, several references in one call, for all runs together."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from neraca.errors import ModelError
from neraca.judges.llm.claim_texts import distinct_claims, estimated_claims, is_claim
from neraca.judges.llm.complete_replies import Attempt, ask_until_complete, reply_struct, set_fields
from neraca.judges.llm.prompt import Prompts, Template, language_of
from neraca.models.cache import key_of
from neraca.models.chat import Chat
from neraca.models.model_session import ModelSession
from neraca.records import Item

#: Most references in one call, and most words of these references and their questions.
AT_MOST, WORDS = 10, 1500


class ReferenceReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The claims of one reference."""

    claims: list[str]


@dataclass(frozen=True, slots=True)
class Reference:
    """A good answer to a question, and the code of their language."""

    question: str
    text: str
    language: str = ""


def reference_of(item: Item) -> Reference | None:
    """Return the reference whose claims count: the first that is not empty; None if there is none."""
    text = next((text for text in item.references if text.strip()), None)
    return None if text is None else Reference(item.query, text, language_of(item))


class ReferenceClaims:
    """Extracts the claims of references, each once.

    The claims of each reference are kept in the session's cache.  So another run of the same data set pays nothing, and
    a larger data set pays only for its new references.

    Parameters
    ----------
    references
        All references, in the order of the data set; neighbours share a call.
    chat, prompts, session
        The model, its prompts, and the session whose cache keeps the claims.
    identity
        All settings of the model that affect a reply.
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
        self._templates = {
            reference: prompts.of("reference_claims", reference.language) for reference in dict.fromkeys(references)
        }
        self._batches = {reference: batch for batch in _batches(self._templates) for reference in batch}
        self._tasks: dict[int, asyncio.Task[Mapping[Reference, Sequence[str] | ModelError]]] = {}

    async def of(self, reference: Reference) -> Sequence[str]:
        """Return the claims of one reference; raise `ModelError` if they could not be extracted."""
        batch = self._batches[reference]
        if id(batch) not in self._tasks:
            self._tasks[id(batch)] = asyncio.create_task(self._ask(batch))
        claims = (await asyncio.shield(self._tasks[id(batch)]))[reference]
        if isinstance(claims, ModelError):
            raise claims
        return claims

    async def _ask(self, batch: Sequence[Reference]) -> Mapping[Reference, Sequence[str] | ModelError]:
        template = self._templates[batch[0]]
        keys = {reference: self._key(template, reference) for reference in batch}
        cached = self._session.cache.get(keys.values())
        claims: dict[Reference, Sequence[str] | ModelError] = {
            reference: msgspec.json.decode(cached[key], type=list[str])
            for reference, key in keys.items()
            if key in cached
        }
        uncached = [reference for reference in batch if reference not in claims]
        references = {f"q{n}": reference for n, reference in enumerate(uncached, 1)}

        async def ask(attempt: Attempt) -> tuple[dict[str, ReferenceReply], bool]:
            asked = {key: references[key] for key in attempt.ids}
            kind = reply_struct("ReferencesReply", tuple((key, ReferenceReply) for key in asked))
            data = {key: {"question": text.question, "reference": text.text} for key, text in asked.items()}
            guess = kind(**{key: ReferenceReply(estimated_claims(text.text)) for key, text in asked.items()})
            prompt = template.about(data, kind, guess)
            texts = {key: text.question for key, text in asked.items()}
            prompt = replace(prompt, texts=texts, retries=0, correction=attempt.correction(template.language))
            reply = await self._chat.ask(prompt, attempt.number)
            entries: dict[str, ReferenceReply] = set_fields(reply.value)
            sources = {key: f"{text.text} {text.question}" for key, text in asked.items()}
            return {
                key: entry
                for key, entry in entries.items()
                if all(is_claim(claim, template.text, sources[key]) for claim in entry.claims)
            }, reply.earlier

        entries, why = await ask_until_complete(list(references), ask)
        for key, reference in references.items():
            claims[reference] = distinct_claims(entries[key].claims) if key in entries else ModelError(why)
        if not self._session.dry_run:
            new = {keys[references[key]]: distinct_claims(entry.claims) for key, entry in entries.items()}
            self._session.cache.put({key: msgspec.json.encode(texts) for key, texts in new.items()})
        return claims

    def _key(self, template: Template, reference: Reference) -> bytes:
        return key_of(("reference_claims", self._identity, template.text, reference.question, reference.text))


def _batches(templates: Mapping[Reference, Template]) -> list[list[Reference]]:
    """Group references into calls: with the same prompt, at most `AT_MOST` of them and `WORDS` words."""
    batches: list[list[Reference]] = []
    unfilled: dict[Template, tuple[list[Reference], int]] = {}
    for reference, template in templates.items():
        size = len(f"{reference.question} {reference.text}".split())
        batch, used = unfilled.get(template, ([], 0))
        if not batch or len(batch) == AT_MOST or used + size > WORDS:
            batch, used = [], 0
            batches.append(batch)
        batch.append(reference)
        unfilled[template] = batch, used + size
    return batches
