"""The model that a server of the user's own has behind a name.

Such a server takes any name, or the user gives a new model the name of an old one.  The kept replies are then those of
another model, and nothing in them says so.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from neraca.errors import ModelError, NeracaError
from neraca.models.cache import key_of
from neraca.models.cost import Spent
from neraca.models.endpoint import public
from neraca.models.model_session import ModelSession
from neraca.models.openai import Connection, address, secret
from neraca.translation import say

_SECONDS = 2.0


async def note_served_model(session: ModelSession, model: str, url: str, key: str) -> None:
    """Ask a server once which model it has; note it if the kept replies under this name and address are of another.

    A dry run asks nothing, and without a URL the provider's own model answers.

    Parameters
    ----------
    session
        The session, whose `served` gets the id of the model, and before it that of an earlier one.
    model, url, key
        `openai:NAME`, the base URL, and the key; "": from the environment.
    """
    if not url or not model.startswith("openai:") or session.dry_run or (model, url) in session.served:
        return
    async with session.lock(f"{model} {url}".encode()):
        if (model, url) not in session.served:
            served = await _served(model, url, key)
            session.served[model, url] = _compared(session, model, url, served) if served else ()


def _compared(session: ModelSession, model: str, url: str, served: str) -> tuple[str, ...]:
    """Keep the id of the first model that was seen under a name and address; note another one, and return both."""
    place = key_of(["served", model, url])
    before = session.cache.get([place]).get(place, served.encode()).decode()
    if before == served:
        session.cache.put({place: served.encode()})
        return (served,)
    with session.speaking():
        template = (
            "{url} has {served} behind this name, and the first replies kept here were of {before}: call it by another "
            "name (openai:NAME), or name another file of replies (--cache)"
        )
        session.note(model, say(template, url=public(url), served=served, before=before))
    return before, served


def models_of_replies(session: ModelSession, model: str, spent: Spent) -> tuple[str, ...]:
    """Return the ids of the models whose replies were used: kept ones are of the earlier model, new ones of the newest.

    Parameters
    ----------
    session
        The session that made the calls.
    model
        `openai:NAME`; "": of all models of the session.
    spent
        The calls, and the replies from the cache.

    Examples
    --------
    >>> with ModelSession() as session:
    ...     session.served["openai:q", "http://127.0.0.1/v1"] = ("old", "new")
    ...     [models_of_replies(session, "openai:q", Spent(calls=n, cached=m)) for n, m in ((1, 0), (0, 1), (1, 1))]
    [('new',), ('old',), ('old', 'new')]
    """
    ids: dict[str, None] = {}
    for (name, _), seen in session.served.items():
        if model in ("", name):
            ids |= dict.fromkeys([*(seen[:1] if spent.cached else ()), *(seen[-1:] if spent.calls else ())])
    return tuple(ids)


async def _served(model: str, url: str, key: str) -> str:
    """Return the id that a server lists for a name, or of its only model; "" if it does not say.

    Of a path, the name of the file is returned.
    """
    try:
        async with asyncio.timeout(_SECONDS), Connection(address(url, "models"), secret(model, url, key)) as connection:
            reply = msgspec.json.decode(await connection.get())
    except (ModelError, NeracaError, TimeoutError, msgspec.DecodeError):
        return ""
    entries = reply.get("data") if isinstance(reply, dict) else None
    ids = [_id(entry) for entry in entries] if isinstance(entries, list) else []
    name = model.partition(":")[2]
    return name if name in ids else ids[0].rpartition("/")[2] if len(ids) == 1 else ""


def _id(entry: Any) -> str:
    return str(entry.get("id", "")) if isinstance(entry, dict) else ""
