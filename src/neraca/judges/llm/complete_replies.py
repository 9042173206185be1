"""Ask a model until it has decided on every id.  No attempt repeats the request of an earlier one.

The schema of a call names its ids as required properties, so a model whose replies the endpoint holds to the schema
cannot leave one out.  Others can.  The second attempt then names the missing ids, and the third asks for them one by
one, in the simplest form.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from neraca.errors import ModelError
from neraca.models.reply_schema import Unfit

#: Most calls for one id.
ATTEMPTS = 3
NO_CLEAR_REPLY = "the model gave no clear word on it, asked three times"
#: Language → what an attempt after the first says to the model.
_AGAIN = {
    "en": "Attempt {number}: an earlier reply said nothing that can be used about {ids}. Give each of them.",
    "ar": "المحاولة {number}: ردٌّ سابق لم يقل شيئًا صالحًا عن {ids}. أعطِ كلًّا منها.",
    "es": "Intento {number}: una respuesta anterior no decía nada utilizable sobre {ids}. Da cada uno de ellos.",
    "id": "Percobaan {number}: balasan sebelumnya tidak berisi apa pun yang bisa dipakai tentang {ids}. Beri semuanya.",
}
T = TypeVar("T")


@dataclass(frozen=True)
class Attempt:
    """An attempt to get replies on some ids.

    Attributes
    ----------
    ids
        The ids to ask for.
    number
        Number of the attempt, from 0, over all sessions.
    remedy
        What was wrong with the whole reply before, or "".
    """

    ids: tuple[str, ...]
    number: int = 0
    remedy: str = ""

    @property
    def simplest(self) -> bool:
        """Whether to ask in the simplest form."""
        return self.number >= ATTEMPTS - 1

    def correction(self, language: str) -> str:
        """Return what to tell the model about the replies before; "" in the first attempt."""
        if not self.number:
            return ""
        sentence = _AGAIN.get(language, _AGAIN["en"])
        again = sentence.format(number=self.number + 1, ids=", ".join(self.ids))
        return f"{again} ({self.remedy})" if self.remedy else again


Ask = Callable[[Attempt], Awaitable[tuple[dict[str, T], bool]]]


@lru_cache(maxsize=256)
def reply_struct(name: str, fields: tuple[tuple[str, Any], ...]) -> type[msgspec.Struct]:
    """Return a struct of these fields (name, type).  Its schema demands them all; a reply may lack some when read.

    >>> reply = reply_struct("Reply", (("x1", bool), ("x2", bool)))
    >>> reply(x1=True)
    Reply(x1=True, x2=UNSET)
    """
    optional = [(field, kind | msgspec.UnsetType, msgspec.UNSET) for field, kind in fields]
    return msgspec.defstruct(name, optional, frozen=True, forbid_unknown_fields=True)


def set_fields(reply: msgspec.Struct) -> dict[str, Any]:
    """Return field → value, without the fields that the reply lacks."""
    fields = ((name, getattr(reply, name)) for name in reply.__struct_fields__)
    return {name: value for name, value in fields if value is not msgspec.UNSET}


async def ask_until_complete(ids: Sequence[str], ask: Ask[T]) -> tuple[dict[str, T], str]:
    """Ask until there is an entry for each id, in at most three attempts, and each time only for the missing ids.

    A reply from an earlier session does not count as an attempt.  An id that earlier sessions gave up is asked once.

    Parameters
    ----------
    ids
        The ids that need an entry.
    ask
        Makes an attempt.  Returns entries by id, and whether the reply was made in an earlier session.

    Returns
    -------
    tuple
        Id → entry; and the reason why the other ids have none.
    """
    entries: dict[str, T] = {}
    number, attempts, why, remedy = 0, 0, NO_CLEAR_REPLY, ""
    while (missing := tuple(key for key in ids if key not in entries)) and (number < ATTEMPTS or not attempts):
        alone = number >= ATTEMPTS - 1
        earlier, fits = True, False
        for group in [(key,) for key in missing] if alone else [missing]:
            try:
                new, is_earlier = await ask(Attempt(group, number, remedy))
            except Unfit as error:
                why, remedy, earlier = str(error), error.remedy, False
                if not fits:
                    break  # the others would most likely fail too
                continue
            except ModelError as error:  # the session has retried already, as often as the settings say
                return entries, str(error)
            entries |= new
            earlier, fits = earlier and is_earlier, True
        number += 1
        attempts += not earlier
    return entries, why
