"""Chat completions: our own client for OpenAI and compatible endpoints."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from neraca.errors import ModelError
from neraca.models.client import Declined, ParameterDeclined, RawReply
from neraca.models.cost import tokens
from neraca.models.endpoint import excerpt
from neraca.models.openai import Connection, Refused, address, secret
from neraca.models.prompt import Prompt
from neraca.models.streamed_reply import STREAMING, Endless, Watch, joined, longest_reply

_WORDS = "Reply with one JSON object and nothing else. It fits this JSON schema:\n"
_THOUGHT = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)
_TOO_LONG = re.compile(r"^status 413|context[ _](length|window|size)")

#: pydantic-ai's name of a setting → the endpoint's, if they differ by more than the prefix `openai_`.
_NAMES = {
    "max_tokens": "max_completion_tokens",
    "stop_sequences": "stop",
    "thinking": "reasoning_effort",
    "openai_text_verbosity": "verbosity",
}


@dataclass(frozen=True)
class Model:
    """The name of a model, and a connection to its endpoint."""

    name: str
    connection: Connection


@dataclass(frozen=True)
class ReplyMode:
    """Demands the form of a reply by fields of the request, and by words after the instructions."""

    fields: dict[str, Any]
    words: str = ""


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Numbers of tokens, under the names that genai-prices reads."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


async def connect(model: str, url: str, key: str) -> AsyncGenerator[Model]:
    """Yield a connected model; see `neraca.models.client.Client`.  The provider in `model` is ignored."""
    async with Connection(address(url, "chat/completions"), secret(model, url, key)) as connection:
        yield Model(model.partition(":")[2], connection)


def reply_modes(kind: str, schema: Mapping[str, Any]) -> dict[str, ReplyMode]:
    """Return the reply modes, best first; see `neraca.models.client.Client`."""
    strict = {"name": kind, "schema": _strict(schema), "strict": True}
    tool = {"name": kind, "description": "The reply.", "parameters": schema}
    return {
        "native": ReplyMode({"response_format": {"type": "json_schema", "json_schema": strict}}),
        "tool": ReplyMode({"tools": [{"type": "function", "function": tool}], "tool_choice": "required"}),
        "prompted": ReplyMode(
            {"response_format": {"type": "json_object"}}, f"\n\n{_WORDS}{msgspec.json.encode(schema).decode()}"
        ),
    }


def _strict(schema: Any) -> Any:
    """Return the schema in OpenAI's strict form: every field is required, without defaults, and no other is allowed.

    >>> _strict({"properties": {"default": {"type": "integer", "default": 1}}})["required"]
    ['default']
    """
    if isinstance(schema, list):
        return [_strict(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    strict = {name: _strict(part) for name, part in schema.items() if name != "default"}
    for names in ("properties", "$defs"):
        if names in schema:
            strict[names] = {name: _strict(part) for name, part in schema[names].items()}
    if "properties" in schema:
        strict |= {"required": list(schema["properties"]), "additionalProperties": False}
    return strict


async def complete(
    model: Model,
    prompt: Prompt[Any],
    mode: ReplyMode,
    settings: Mapping[str, Any],
    dropped: Collection[str],
    key: str,
    heard: Callable[[], None] | None = None,
) -> RawReply:
    """Make one call; see `neraca.models.client.Client`."""
    streaming = STREAMING if heard else {}
    parameters = {name: value for name, value in (_parameters(settings) | streaming).items() if name not in dropped}
    request = {
        "model": model.name,
        "messages": [
            {"role": "system", "content": prompt.system + mode.words},
            {"role": "user", "content": prompt.user},
        ],
        **parameters,
        **mode.fields,
    }
    data = msgspec.json.encode(request)
    watch = Watch(longest_reply(prompt.guess))
    try:
        headers = dict(settings.get("extra_headers") or {})
        if heard and model.connection.plain:  # llama.cpp ends it after a stream; a request that reuses it would be lost
            headers["Connection"] = "close"

        def arrived(part: bytes) -> None:
            if heard:
                heard()
                watch.add(part)

        body = await model.connection.post(data, headers, arrived)
    except Endless as error:
        return _ended_reply(error, data, watch.text)
    except Refused as error:
        if _TOO_LONG.search(str(error)):
            raise ModelError(str(error)) from None
        if parameter := _refused_parameter(error, parameters, mode.fields):
            raise ParameterDeclined(str(error), parameter) from None
        raise Declined(str(error)) from None
    try:
        completion = _DECODER.decode(joined(body))
    except msgspec.DecodeError as error:
        reason = f"{str(error).rstrip('.')}: {excerpt(body.decode(errors='replace'), key)}"
        raise ModelError(f"reply not understood; check the end of the URL, usually /v1: {reason}", again=True) from None
    return _raw_reply(completion, data)


def _parameters(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings as parameters of a request: pydantic-ai's names become the endpoint's, others stay.

    >>> _parameters({"temperature": 0.0, "openai_seed": 1, "extra_body": {"top_k": 5}})
    {'temperature': 0.0, 'seed': 1, 'top_k': 5}
    >>> _parameters({"max_tokens": 9, "thinking": True})
    {'max_completion_tokens': 9, 'reasoning_effort': 'medium'}
    """
    direct = {name: value for name, value in settings.items() if name not in ("extra_headers", "extra_body")}
    parameters = {_NAMES.get(name, name.removeprefix("openai_")): value for name, value in direct.items()}
    if isinstance(effort := parameters.get("reasoning_effort"), bool):
        parameters["reasoning_effort"] = "medium" if effort else "none"
    return {**parameters, **settings.get("extra_body", {})}


def _refused_parameter(error: Refused, parameters: Iterable[str], fields: Iterable[str]) -> str:
    """Return the parameter that a refusal names; "" if it names none, several, or a field of the reply mode.

    >>> error = Refused("status 400", "Unrecognized request argument supplied: top_k", "")
    >>> _refused_parameter(error, ["temperature", "top_k"], ["response_format"])
    'top_k'
    """
    named_parameter = re.split(r"[.\[]", error.parameter)[0]
    words = {named_parameter} if named_parameter else set(re.findall(r"\w+", error.body))
    candidates = [name for name in (*parameters, *fields) if name in words]
    return candidates[0] if len(candidates) == 1 and candidates[0] in parameters else ""


class _Part(msgspec.Struct, frozen=True):
    text: str | None = None


class _Function(msgspec.Struct, frozen=True):
    arguments: str


class _ToolCall(msgspec.Struct, frozen=True):
    function: _Function


class _Message(msgspec.Struct, frozen=True):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message
    finish_reason: str | None = None


class _Details(msgspec.Struct, frozen=True):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _Counts(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Details | None = None


class _Completion(msgspec.Struct, frozen=True):
    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1)]
    usage: _Counts | None = None


_DECODER = msgspec.json.Decoder(_Completion)


def _raw_reply(completion: _Completion, request: bytes) -> RawReply:
    """Return the reply in the first choice; if the endpoint did not count its tokens, estimate them."""
    choice = completion.choices[0]
    message = choice.message
    content = message.content or ""
    text = content if isinstance(content, str) else "".join(part.text or "" for part in content)
    text = message.tool_calls[0].function.arguments if message.tool_calls else _THOUGHT.sub("", text, count=1)
    stopped = "content_filter" if message.refusal else choice.finish_reason
    counts = completion.usage or _Counts(tokens(request.decode()), tokens(text))
    details = counts.prompt_tokens_details or _Details()
    usage = Usage(
        input_tokens=counts.prompt_tokens,
        output_tokens=counts.completion_tokens,
        cache_read_tokens=details.cached_tokens or 0,
        cache_write_tokens=details.cache_write_tokens or 0,
    )
    return RawReply(
        text=text,
        stopped=stopped if stopped in ("length", "content_filter") else "",
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        usage=usage,
    )


def _ended_reply(error: Endless, request: bytes, text: str) -> RawReply:
    """Return a reply that was ended; its tokens are estimated, because the endpoint did not come to count them."""
    usage = Usage(input_tokens=tokens(request.decode()), output_tokens=tokens(text))
    return RawReply(
        text=text,
        stopped="",
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        usage=usage,
        ended=error,
    )
