"""A real model endpoint on loopback, OpenAI-compatible and Anthropic-shaped, that does what a test tells it.

It runs in a thread of its own, so that code under test may use `asyncio.run` as often as it likes.

    with LlmServer(reply=lambda call: {"grade": 4}) as server:
        settings = Settings(model="openai:judge", url=server.url, key="k")

`reply` and `fail` see a `Call`; `fail` says how the call goes wrong: see `FAILURES`.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

FAILURES = {
    "429": "too many requests",
    "429 after S": "too many requests, with Retry-After: S",
    "500, 503, 400, 401, 404 …": "any status",
    "quota": "429 that says that the money is out",
    "hang": "no reply for as long as the server lives",
    "drop": "the connection is closed without a reply",
    "malformed": "half a JSON text",
    "prose": "no JSON at all",
    "fenced": "the reply within a Markdown fence and words around it",
    "wrong": "JSON of another shape",
    "cut": "the reply stops at the limit of tokens",
    "filter": "the content filter keeps the reply",
    "empty": "no text",
    "other": "JSON that is no reply of a model",
    "cut short, error at the end": "a streamed reply that ends in the middle, or with an error",
}


@dataclass
class Call:
    """One request as the server saw it; `answered` once its whole reply was handed to the system."""

    number: int
    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]
    in_flight: int
    answered: bool = False
    failed: str = ""

    @property
    def model(self) -> str:
        return self.body["model"]

    @property
    def anthropic(self) -> bool:
        return self.path.endswith("/messages")

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body["messages"]

    @property
    def system(self) -> str:
        if self.anthropic:
            return _text(self.body.get("system", ""))
        return "\n".join(_text(each["content"]) for each in self.messages if each["role"] in ("system", "developer"))

    @property
    def user(self) -> str:
        return "\n".join(_text(each["content"]) for each in self.messages if each["role"] == "user")

    @property
    def mode(self) -> str:
        if self.body.get("tools"):
            return "tool"
        form = self.body.get("response_format") or self.body.get("output_config") or self.body.get("output_format")
        return "native" if form and "schema" in json.dumps(form) else "prompted"

    @property
    def schema(self) -> dict[str, Any]:
        if self.mode == "tool":
            tool = self.body["tools"][0]
            return tool["input_schema"] if self.anthropic else tool["function"]["parameters"]
        if self.mode == "native":
            form = self.body.get("output_config", {}).get("format") or self.body.get("output_format")
            return form["schema"] if form else self.body["response_format"]["json_schema"]["schema"]
        return {}

    @property
    def prompt_tokens(self) -> int:
        """What it reports: a quarter of the bytes of messages and schema."""
        return (len(self.system.encode()) + len(self.user.encode()) + len(json.dumps(self.schema))) // 4


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def sample(schema: dict[str, Any], whole: dict[str, Any] | None = None) -> Any:
    """The plainest value that fits a schema: what an endpoint says that was told nothing else."""
    whole = whole or schema
    if "$ref" in schema:
        return sample(whole["$defs"][schema["$ref"].rsplit("/", 1)[-1]], whole)
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return sample(schema["anyOf"][0], whole)
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: sample(inside, whole) for name, inside in schema.get("properties", {}).items()}
    return {"array": [], "string": "x", "integer": 1, "number": 1.0, "boolean": True}.get(kind)


@dataclass
class LlmServer:
    """What it was asked, and how it answers.

    `latency` in seconds; `slots`: replies that are made at once; `most`: calls in flight of which any further one is
    refused with 429; `modes`: of `native`, `tool`, `prompted` those that do not get 400; `refuses`: parameters that
    get 400 with their name in it; `context`: tokens that its list of models names for each; `letter`: seconds for each
    letter of a reply, which a streamed one is sent in.
    """

    reply: Callable[[Call], Any] = lambda call: sample(call.schema)
    fail: Callable[[Call], str | None] = lambda call: None
    latency: float = 0.0
    slots: int = 1000
    most: int | None = None
    modes: tuple[str, ...] = ("native", "tool", "prompted")
    refuses: tuple[str, ...] = ()
    context: int | None = None
    letter: float = 0.0
    keep: bool = True
    calls: list[Call] = field(default_factory=list)
    count: int = 0
    listed: tuple[str, ...] = ()
    in_flight: int = 0
    most_in_flight: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    url: str = ""

    def __enter__(self) -> Self:
        self._slots: asyncio.Semaphore | None = None
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(started,), daemon=True)
        self._thread.start()
        started.wait()
        return self

    def __exit__(self, *raised: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    @property
    def root(self) -> str:
        """The address without `/v1`, as Anthropic's client wants it."""
        return self.url.removesuffix("/v1")

    @property
    def connections(self) -> int:
        """Those that are open, and those that are gone while their call is still in flight."""
        return len(self._runner.server.connections) if self._runner.server else 0

    def _serve(self, started: threading.Event) -> None:
        async def live() -> None:
            self._over = asyncio.Event()
            app = web.Application(client_max_size=10**8)
            app.router.add_post("/v1/chat/completions", self._answer)
            app.router.add_post("/v1/messages", self._answer)
            app.router.add_get("/v1/models", self._list_models)
            app.router.add_post("/v1/{other:.*}", self._answer)
            self._runner = runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0, backlog=4096)
            await site.start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
            started.set()
            await self._over.wait()
            await asyncio.sleep(0.02)  # in which the server hears of clients that have just come
            await runner.cleanup()
            await asyncio.sleep(0.02)  # in which the loop lets go of the sockets

        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:  # which ends what hangs
            runner.run(live())

    async def _list_models(self, request: web.Request) -> web.StreamResponse:
        names = self.listed or {call.body.get("model", "") for call in self.calls}
        length = {"max_model_len": self.context} if self.context else {}
        return web.json_response({"data": [{"id": name, **length} for name in names]})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        try:
            body = await request.json()
        except ConnectionResetError:  # who asked was killed while asking
            return web.Response(status=400)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        call = Call(self.count, request.path, body, request.headers, self.in_flight)
        self.count += 1
        if self.keep:
            self.calls.append(call)
        try:
            return await self._respond(request, call)
        finally:
            self.in_flight -= 1

    async def _respond(self, request: web.Request, call: Call) -> web.StreamResponse:
        if self.most is not None and call.in_flight > self.most:
            self.refused += 1
            call.failed = "429"
        elif refused := next((name for name in self.refuses if name in call.body), ""):
            call.failed = f"400 {refused}"
        elif call.mode not in self.modes:
            call.failed = "400"
        else:
            call.failed = self.fail(call) or ""
        self.prompt_tokens += call.prompt_tokens
        if call.failed == "hang":
            await self._over.wait()
        if call.failed == "drop":
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        if call.failed[:3].isdigit() or call.failed == "quota":
            return _refusal(call.failed)
        self._slots = self._slots or asyncio.Semaphore(self.slots)
        async with self._slots:
            await asyncio.sleep(self.latency)
            body = {"status": "ok"} if call.failed == "other" else _body(call, self.reply(call))
            if call.body.get("stream"):
                return await self._stream(request, call, body)
            await asyncio.sleep(self.letter * body.get("usage", {}).get("completion_tokens", 0) * 4)
        response = web.json_response(body)
        with suppress(ConnectionResetError):  # nobody waits for it any more
            await response.prepare(request)
            await response.write_eof()
            call.answered = True
        return response

    async def _stream(self, request: web.Request, call: Call, body: dict[str, Any]) -> web.StreamResponse:
        """Send the reply letter by letter if letters take time; "cut short" ends it in the middle."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        (choice,) = body["choices"]
        tool = choice["message"].get("tool_calls")
        text = tool[0]["function"]["arguments"] if tool else choice["message"]["content"]
        sent = text[: len(text) // 2] if call.failed == "cut short" else text
        with suppress(ConnectionResetError):
            await response.prepare(request)
            for letter in sent if self.letter else [sent]:
                await asyncio.sleep(self.letter)
                delta = (
                    {"tool_calls": [{"index": 0, "function": {"arguments": letter}}]} if tool else {"content": letter}
                )
                await response.write(_event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}))
            if call.failed == "error at the end":
                await response.write(_event({"error": {"message": "out of memory"}}))
            elif call.failed != "cut short":
                end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
                await response.write(_event({"choices": [end]}))
                if "stream_options" in call.body:
                    await response.write(_event({"choices": [], "usage": body["usage"]}))
                await response.write(b"data: [DONE]\n\n")
            call.answered = True
            await response.write_eof()
        return response


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def _refusal(failed: str) -> web.Response:
    before, _, after = failed.partition(" after ")
    status, _, parameter = before.partition(" ")
    quota = failed == "quota"
    error = {"message": f"told to fail: {failed}", "type": "told", "code": "insufficient_quota" if quota else None}
    headers = {"Retry-After": after} if after else {}
    body = {"error": {**error, "param": parameter or None}}
    return web.json_response(body, status=429 if quota else int(status), headers=headers)


def _body(call: Call, reply: Any) -> dict[str, Any]:
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    text = {
        "malformed": text[: len(text) // 2] or "{",
        "prose": "I would rather not say.",
        "fenced": f"Here you are:\n```json\n{text}\n```\nAnything else?",
        "wrong": '{"quite": "different"}',
        "cut": text[: len(text) // 2],
        "filter": "",
        "empty": "",
    }.get(call.failed, text)
    out = max(1, len(text.encode()) // 4)
    return (_anthropic if call.anthropic else _openai)(call, text, out)


def _openai(call: Call, text: str, out: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    reason = {"cut": "length", "filter": "content_filter"}.get(call.failed, "stop")
    if call.mode == "tool" and call.failed not in ("prose", "empty", "filter"):
        name = call.body["tools"][0]["function"]["name"]
        function = {"name": name, "arguments": text}
        message = {"role": "assistant", "content": None, "tool_calls": [
            {"id": f"t{call.number}", "type": "function", "function": function}
        ]}  # fmt: skip
        reason = reason.replace("stop", "tool_calls")
    usage = {"prompt_tokens": call.prompt_tokens, "completion_tokens": out, "total_tokens": call.prompt_tokens + out}
    return {
        "id": f"c{call.number}",
        "object": "chat.completion",
        "created": 1,
        "model": call.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": usage,
    }


def _anthropic(call: Call, text: str, out: int) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if call.mode == "tool":
        name = call.body["tools"][0]["name"]
        content = [{"type": "tool_use", "id": f"t{call.number}", "name": name, "input": json.loads(text)}]
    return {
        "id": f"m{call.number}",
        "type": "message",
        "role": "assistant",
        "model": call.model,
        "content": content,
        "stop_reason": "tool_use" if call.mode == "tool" else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": call.prompt_tokens, "output_tokens": out},
    }
