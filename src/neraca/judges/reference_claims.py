"""Claims of the references: found once per data set, several in one call, and shared by all runs that are compared."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from neraca.errors import ModelError
from neraca.judges.complete_replies import ask_each, once
from neraca.judges.prompt import Prompts, Template
from neraca.models.cache import key_of
from neraca.models.chat import Chat
from neraca.models.model_session import ModelSession

#: References in one call, at most, and their words with those of their questions.
AT_MOST, WORDS = 10, 1500


class ReferenceReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The claims of one reference."""

    id: str
    claims: list[str]


class ReferencesReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of several references."""

    references: list[ReferenceReply]


@dataclass(frozen=True, slots=True)
class Reference:
    """A good answer to a question, and the code of the language in which they are."""

    question: str
    text: str
    language: str = ""


class ReferenceClaims:
    """Finds the claims of references, each once.

    What is found is kept one by one in the session's cache, so that another run of the same data set, or the same with
    more questions, pays only for what is new.

    Parameters
    ----------
    references
        All that will be asked for, in the order of the data set; it decides which stand in one call.
    chat, prompts, session
        Who is asked, how, and where it is kept.
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
        self._lots = {one: lot for lot in _lots(self._templates) for one in lot}
        self._asked: dict[int, asyncio.Task[Mapping[Reference, Sequence[str] | ModelError]]] = {}

    async def of(self, reference: Reference) -> Sequence[str]:
        """The claims of one; raises `ModelError` where they cannot be found out."""
        lot = self._lots[reference]
        if id(lot) not in self._asked:
            self._asked[id(lot)] = asyncio.create_task(self._ask(lot))
        found = (await asyncio.shield(self._asked[id(lot)]))[reference]
        if isinstance(found, ModelError):
            raise found
        return found

    async def _ask(self, lot: Sequence[Reference]) -> Mapping[Reference, Sequence[str] | ModelError]:
        template = self._templates[lot[0]]
        keys = {one: self._key(template, one) for one in lot}
        kept = self._session.cache.get(keys.values())
        found: dict[Reference, Sequence[str] | ModelError] = {
            one: msgspec.json.decode(kept[key], type=list[str]) for one, key in keys.items() if key in kept
        }
        ids = {f"q{n}": one for n, one in enumerate((one for one in lot if one not in found), 1)}

        async def ask(missing: Sequence[str], turn: int) -> dict[str, ReferenceReply]:
            data = [{"id": key, "question": ids[key].question, "reference": ids[key].text} for key in missing]
            guess = ReferencesReply([ReferenceReply(key, pieces(ids[key].text)) for key in missing])
            reply = await self._chat.ask(template.about(data, ReferencesReply, guess), turn)
            return once(reply.value.references, missing)

        said, why = await ask_each(list(ids), ask)
        for key, one in ids.items():
            found[one] = tidy(said[key].claims) if key in said else ModelError(why)
        if not self._session.dry_run:
            self._session.cache.put({keys[ids[key]]: msgspec.json.encode(tidy(said[key].claims)) for key in said})
        return found

    def _key(self, template: Template, reference: Reference) -> bytes:
        return key_of(("reference_claims", self._identity, template.text, reference.question, reference.text))


def tidy(claims: Iterable[str]) -> list[str]:
    """Claims without empty ones and without repetitions, which a model makes against its orders."""
    return list(dict.fromkeys(text for claim in claims if (text := " ".join(claim.split()))))


def pieces(text: str) -> list[str]:
    """About as many pieces of a text as it may have claims, for estimates: one for each twelve words.

    >>> pieces("one two")
    ['one two']
    """
    words = text.split()
    return [" ".join(words[at : at + 12]) for at in range(0, len(words), 12)]


def _lots(templates: Mapping[Reference, Template]) -> list[list[Reference]]:
    """References that are asked for in one call: of one prompt, at most ten, and not too long together."""
    lots: list[list[Reference]] = []
    open_: dict[Template, tuple[list[Reference], int]] = {}
    for one, template in templates.items():
        size = len(f"{one.question} {one.text}".split())
        lot, used = open_.get(template, ([], 0))
        if not lot or len(lot) == AT_MOST or used + size > WORDS:
            lot, used = [], 0
            lots.append(lot)
        lot.append(one)
        open_[template] = lot, used + size
    return lots
