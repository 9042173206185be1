"""Ask a server which models it lists, and how many tokens a call and its reply may have together.

Servers that are compatible with OpenAI's interface say the length in different places: llama.cpp, Ollama, LM Studio,
vLLM, TGI and services such as OpenRouter each have their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from neraca.errors import ModelError, NeracaError
from neraca.models.openai import Connection, address, secret

#: Tokens that a call of a judge may need: 3,000 words of contexts, the instructions and the reply.
NEEDED: Final = 8000
_SECONDS = 5.0
#: Names of the length that a server allows, in an entry of `/v1/models` or `/api/v0/models`.
_SERVED = ("max_model_len", "loaded_context_length", "n_ctx", "context_length")
#: Names of the length that the model was made for.
_MADE_FOR = ("max_context_length", "n_ctx_train")


class ContextLength(NamedTuple):
    """Most tokens of a call and its reply; `served`: the server allows so many, else the model was made for them."""

    tokens: int
    served: bool


async def context_length(model: str, url: str, key: str = "") -> ContextLength | None:
    """Return the context length of a model, or None if the server does not say.

    Parameters
    ----------
    model, url
        `openai:NAME`, and the base URL, which usually ends with `/v1`.
    key
        The key; "": from the environment.
    """
    name, root, key = model.partition(":")[2], url.partition("?")[0].removesuffix("/v1"), secret(model, url, key)
    made_for: ContextLength | None = None
    for place, data, read in _places(name, url, root):
        reply = await _read(place, data, key)
        context = read(reply) if reply is not None else None
        if context is not None and context.served:
            return context
        made_for = made_for or context
    return made_for


async def listed_models(model: str, url: str, key: str = "") -> list[str]:
    """Return the ids of the models that the server lists at `/models`, or [] if it lists none.

    Parameters are those of `context_length`.
    """
    entries = _field(await _read(address(url, "models"), None, secret(model, url, key)), "data")
    ids = [_field(entry, "id") for entry in entries] if isinstance(entries, list) else []
    return [name for name in ids if isinstance(name, str)]


_Place = tuple[str, bytes | None, Callable[[Any], ContextLength | None]]


def _places(name: str, url: str, root: str) -> Iterator[_Place]:
    """Yield addresses that may tell it, the data to post there (None: get), and how to read the reply."""
    yield f"{root}/props", None, lambda reply: _served(_field(reply, "default_generation_settings", "n_ctx"))
    yield f"{root}/api/ps", None, lambda reply: _of_entry(_field(reply, "models"), name)
    yield address(url, "models"), None, lambda reply: _of_entry(_field(reply, "data"), name)
    yield f"{root}/api/v0/models", None, lambda reply: _of_entry(_field(reply, "data"), name)
    yield f"{root}/info", None, lambda reply: _served(_field(reply, "max_total_tokens"))
    yield f"{root}/api/show", msgspec.json.encode({"model": name}), _of_ollama


async def _read(place: str, data: bytes | None, key: str) -> Any:
    """Return the JSON at an address, or None if there is none."""
    try:
        async with asyncio.timeout(_SECONDS), Connection(place, key) as connection:
            body = await (connection.get() if data is None else connection.post(data))
        return msgspec.json.decode(body)
    except (ModelError, NeracaError, TimeoutError, msgspec.DecodeError):
        return None


def _field(reply: Any, *names: str) -> Any:
    for name in names:
        reply = reply.get(name) if isinstance(reply, dict) else None
    return reply


def _served(value: Any) -> ContextLength | None:
    return ContextLength(value, served=True) if _is_length(value) else None


def _is_length(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _of_entry(entries: Any, name: str) -> ContextLength | None:
    """Read the entry of this model in a list; if the list has one entry only, that one."""
    listed = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    named = [entry for entry in listed if name in (entry.get("id"), entry.get("name"), entry.get("model"))]
    for entry in named or (listed if len(listed) == 1 else []):
        meta = entry["meta"] if isinstance(entry.get("meta"), dict) else {}
        values = entry | meta
        for names, served in ((_SERVED, True), (_MADE_FOR, False)):
            if (length := next((values[key] for key in names if _is_length(values.get(key))), 0)) > 0:
                return ContextLength(length, served)
    return None


def _of_ollama(reply: Any) -> ContextLength | None:
    """Read what Ollama says of a model, such as `llama.context_length`."""
    info = _field(reply, "model_info")
    lengths = (
        [value for key, value in info.items() if key.endswith(".context_length")] if isinstance(info, dict) else []
    )
    return ContextLength(lengths[0], served=False) if lengths and _is_length(lengths[0]) else None
