"""Our own client of chat completions: what it sends, and what it reads in a reply."""

import json
import subprocess
import sys

import pytest
from aiohttp import web
from models import llm_server
from models.conftest import KEY, Grade, prompt

from neraca.errors import MissingExtra, ModelError, SpecError
from neraca.models import openai_chat
from neraca.models.chat import Chat, ChatSettings
from neraca.models.client import Declined, ParameterDeclined
from neraca.models.cost import Price
from neraca.models.reply_schema import ReplySchema


@pytest.fixture
def answer_with(server, monkeypatch):
    """Let the server answer every call with this."""

    def set_reply(body, status=200):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        monkeypatch.setattr(llm_server, "_refusal", lambda failed: web.Response(status=status, body=body))
        server.fail = lambda call: str(status)

    return set_reply


async def complete(server, mode="native", model="openai:judge", **settings):
    """One call, past session and cache."""
    reply_mode = openai_chat.reply_modes("Grade", ReplySchema(Grade).schema)[mode]
    stream = openai_chat.connect(model, server.url, KEY)
    try:
        return await openai_chat.complete(await anext(stream), prompt(), reply_mode, settings, [], KEY)
    finally:
        await stream.aclose()


def completion(message, reason="stop", **more):
    return {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": reason}], **more}


# What is sent


async def test_the_endpoints_own_schema_has_every_field(server):
    await complete(server)
    own = server.calls[0].body
    assert own["messages"] == [{"role": "system", "content": "You grade."}, {"role": "user", "content": "answer 1"}]
    form = own["response_format"]["json_schema"]
    assert (own["response_format"]["type"], form["name"], form["strict"]) == ("json_schema", "Grade", True)
    assert form["schema"] == {
        "type": "object",
        "properties": {"grade": {"type": "integer"}, "why": {"type": "string"}},
        "required": ["grade", "why"],
        "additionalProperties": False,
    }
    assert set(own) == {"model", "messages", "response_format"}


async def test_a_tool_must_be_called(server):
    reply = await complete(server, "tool")
    own = server.calls[0].body
    [tool] = own["tools"]
    assert (own["tool_choice"], tool["type"], tool["function"]["name"]) == ("required", "function", "Grade")
    assert tool["function"]["parameters"] == ReplySchema(Grade).schema
    assert "response_format" not in own
    assert json.loads(reply.text) == {"grade": 4, "why": "answer 1"}


async def test_in_words_the_schema_stands_after_the_instructions(server):
    await complete(server, "prompted")
    own = server.calls[0].body
    first, _, rest = own["messages"][0]["content"].partition("\n\n")
    assert (first, own["response_format"]) == ("You grade.", {"type": "json_object"})
    assert "JSON" in rest
    assert json.loads(rest[rest.index("{") :]) == ReplySchema(Grade).schema


def test_parts_of_a_schema_are_made_strict_too():
    one = {"type": "object", "properties": {"properties": {"type": "array", "items": {"$ref": "#/$defs/P"}}}}
    inner = {"type": "object", "properties": {"x": {"anyOf": [{"type": "null"}], "default": None}}, "required": []}
    strict = openai_chat._strict({**one, "required": [], "$defs": {"P": inner}})
    assert (strict["required"], strict["$defs"]["P"]["required"]) == (["properties"], ["x"])
    assert strict["$defs"]["P"]["properties"] == {"x": {"anyOf": [{"type": "null"}]}}
    assert strict["$defs"]["P"]["additionalProperties"] is False


async def test_settings_go_by_pydantic_ais_names_or_the_endpoints_own(server):
    more = {"openai_seed": 1, "openai_text_verbosity": "low", "stop_sequences": ["x"], "top_k": 5, "thinking": "high"}
    await complete(server, max_tokens=9, temperature=0.5, **more, extra_headers={"X-A": "b"}, extra_body={"min_p": 0.1})
    own = {name: value for name, value in server.calls[0].body.items() if name not in ("messages", "response_format")}
    assert own == {
        "model": "judge",
        "max_completion_tokens": 9,
        "temperature": 0.5,
        "seed": 1,
        "verbosity": "low",
        "stop": ["x"],
        "top_k": 5,
        "reasoning_effort": "high",
        "min_p": 0.1,
    }
    assert server.calls[0].headers["X-A"] == "b"
    assert server.calls[0].headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "body, parameter",
    [
        ({"error": {"message": "'temperature' does not support 0.", "param": "temperature"}}, "temperature"),
        ({"error": {"message": "Unsupported parameter.", "param": "top_logprobs[0].x"}}, "top_logprobs"),
        ({"error": {"message": "Unrecognized request argument supplied: top_k"}}, "top_k"),
        ({"detail": [{"loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]}, "top_k"),
    ],
)
async def test_the_one_parameter_that_a_refusal_names(server, answer_with, body, parameter):
    """As OpenAI, and as endpoints that FastAPI serves, refuse one."""
    answer_with(body, 400)
    with pytest.raises(ParameterDeclined) as caught:
        await complete(server, temperature=0.0, top_k=5, top_logprobs=3)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Invalid schema: temperature", "param": "response_format"},
        {"message": "temperature and top_k cannot be given together"},
        {"message": "response_format does not go with top_k"},
        {"message": "no such model", "param": "model"},
        {"message": "max_completion_tokens is not known"},
    ],
)
async def test_where_a_refusal_names_none_or_several_nothing_is_dropped(server, answer_with, error):
    answer_with({"error": error}, 400)
    with pytest.raises(Declined):
        await complete(server, temperature=0.0, top_k=5)


# What is read


@pytest.mark.parametrize(
    "message, text",
    [
        ({"content": "{}"}, "{}"),
        (
            {"content": [{"type": "text", "text": '{"a"'}, {"type": "image"}, {"type": "text", "text": ": 1}"}]},
            '{"a": 1}',
        ),
        ({"content": None}, ""),
        ({}, ""),
        ({"content": '\n<think>{"no": 1}</think>\n{"why": "<think>x</think>"}'}, '\n{"why": "<think>x</think>"}'),
        ({"content": "Sure.", "tool_calls": [{"function": {"name": "Grade", "arguments": "{1}"}}]}, "{1}"),
        ({"content": "{}", "tool_calls": []}, "{}"),
        ({"content": "{}", "reasoning_content": "Well.", "annotations": [1]}, "{}"),
    ],
)
async def test_where_the_text_stands(server, answer_with, message, text):
    answer_with(completion(message))
    assert (await complete(server)).text == text


@pytest.mark.parametrize(
    "message, reason, stopped",
    [
        ({"content": "{"}, "length", "length"),
        ({"content": ""}, "content_filter", "content_filter"),
        ({"content": None, "refusal": "I will not."}, "stop", "content_filter"),
        ({"content": "{}", "refusal": None}, "stop", ""),
        ({"content": "{}"}, None, ""),
        ({"content": "{}"}, "load", ""),
    ],
)
async def test_why_a_reply_ended_early(server, answer_with, message, reason, stopped):
    answer_with(completion(message, reason))
    assert (await complete(server)).stopped == stopped


async def test_a_model_that_refuses_is_not_asked_again(server, chat, answer_with):
    answer_with(completion({"content": None, "refusal": "I will not."}))
    with pytest.raises(ModelError, match="content filter"):
        await chat().ask(prompt())
    assert server.count == 1


async def test_input_that_the_endpoint_had_in_its_cache_costs_less(server, answer_with):
    """OpenAI's price list, July 2024: $0.15 per million tokens of input, half of it where cached, $0.60 of output."""
    details = {"cached_tokens": 400_000, "audio_tokens": 0}
    usage = {"prompt_tokens": 1_000_000, "completion_tokens": 100_000, "prompt_tokens_details": details}
    answer_with(completion({"content": "{}"}, usage=usage))
    reply = await complete(server)
    assert (reply.input_tokens, reply.output_tokens) == (1_000_000, 100_000)
    price = Price("openai:gpt-4o-mini").of(reply.input_tokens, reply.output_tokens, reply.usage)
    assert price == pytest.approx(0.6 * 0.15 + 0.4 * 0.075 + 0.1 * 0.60)
    answer_with(
        completion({"content": "{}"}, usage={"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {}})
    )
    reply = await complete(server)
    assert Price("openai:gpt-4o-mini").of(10, 2, reply.usage) == pytest.approx((10 * 0.15 + 2 * 0.60) / 1e6)


async def test_tokens_that_nobody_counted_are_estimated(server, answer_with):
    answer_with(completion({"content": "{}" * 20}))
    reply = await complete(server)
    sent = len(json.dumps(server.calls[0].body, separators=(",", ":")))
    assert (reply.input_tokens, reply.output_tokens) == (-(-sent // 4), 10)


@pytest.mark.parametrize(
    "body, message",
    [
        (b"<!doctype html><title>Web UI</title>", "Web UI"),
        (b'{"choices": []}', "choices"),
        (b'{"error": "Unexpected endpoint or method"}', "Unexpected endpoint or method"),
        (b'{"choices": [{"message": {"content": 3}}]}', "content"),
        (b"", "truncated"),
        (KEY.encode(), r"\*\*\*"),
    ],
)
async def test_a_reply_that_is_none(server, answer_with, body, message):
    answer_with(body)
    with pytest.raises(
        ModelError, match=f"reply not understood; check the end of the URL, usually /v1.*{message}"
    ) as caught:
        await complete(server)
    assert caught.value.again
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "status, message, kind",
    [
        (400, "Unknown parameter: response_format.", Declined),
        (422, "Extra fields are not permitted.", Declined),
        (400, "This model's maximum context length is 8192 tokens.", ModelError),
        (400, "The request exceeds the available context size.", ModelError),
        (413, "Too large.", ModelError),
    ],
)
async def test_another_way_may_do_unless_the_prompt_is_too_long(server, answer_with, status, message, kind):
    answer_with({"error": {"message": message}}, status)
    with pytest.raises(ModelError, match=f"status {status}: ") as caught:
        await complete(server)
    assert (type(caught.value), caught.value.again) == (kind, False)


# Which client, and what it needs


async def test_a_key_is_needed_where_no_url_is_given(session, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(SpecError, match="openai:gpt-4o-mini: no key; set the environment variable OPENAI_API_KEY"):
        await Chat(ChatSettings(model="openai:gpt-4o-mini"), session()).ask(prompt())


async def test_ones_own_endpoint_needs_no_key(server, chat, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert (await chat(key="").ask(prompt())).value.grade == 4
    assert "Authorization" not in server.calls[0].headers


@pytest.mark.parametrize("model", ["openai:judge", "openai-chat:judge"])
async def test_models_of_openai_need_no_extra(server, chat, monkeypatch, model):
    for package in ("pydantic_ai", "openai", "genai_prices", "pydantic"):
        monkeypatch.setitem(sys.modules, package, None)
    reply = await chat(model=model, url=server.url).ask(prompt())
    assert (reply.value.grade, reply.cost, server.calls[0].model) == (4, None, "judge")


@pytest.mark.parametrize("model", ["openai-responses:judge", "anthropic:judge", "ollama:judge"])
async def test_others_do(chat, monkeypatch, model):
    monkeypatch.delitem(sys.modules, "neraca.models.provider", raising=False)
    monkeypatch.delattr("neraca.models.provider", raising=False)
    monkeypatch.setitem(sys.modules, "pydantic_ai.direct", None)
    with pytest.raises(MissingExtra, match=r'other than openai:.* pip install "neraca\[judge\]"'):
        await chat(model=model).ask(prompt())


def test_asking_an_endpoint_of_ones_own_imports_nothing_heavy(server, tmp_path):
    """In a process of its own: neither pydantic-ai and the SDK nor the package of prices."""
    program = f"""
import asyncio, sys
from pathlib import Path
import msgspec
from neraca.models.model_session import ModelSession
from neraca.models.chat import Chat, Prompt, ChatSettings

class Grade(msgspec.Struct, forbid_unknown_fields=True):
    grade: int
    why: str

asked = Prompt(system="s", user="u", kind=Grade, guess=Grade(1, ""))
with ModelSession(Path({str(tmp_path / "own.sqlite")!r})) as session:
    print(asyncio.run(Chat(ChatSettings(model="openai:judge", url={server.url!r}), session).ask(asked)).value.grade)
print(*sorted({{"pydantic", "pydantic_ai", "openai", "httpx", "httpx2", "genai_prices"}} & set(sys.modules)))
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (finished.stdout.split(), finished.stderr) == (["4"], "")


def test_what_was_kept_before_this_client_still_counts(session):
    """The key of a reply, as it was when pydantic-ai asked all models."""
    settings = ChatSettings(model="openai:judge", url="http://127.0.0.1:9/v1", key="k", extra={"top_p": 0.5})
    key = Chat(settings, session())._call(prompt(), 2).key
    assert key.hex() == "4936964dd32551a33af4918143544e2a36ff9bad083ef12ee0bea1221c991647"
