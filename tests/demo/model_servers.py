"""Small real servers on loopback that speak the protocols of three model providers.

>>> with model_server("openai", reply=lambda request: "halo") as url:
...     url.startswith("http://127.0.0.1:"), url.environment["OPENAI_BASE_URL"] == url
(True, True)
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Provider = Literal["openai", "anthropic", "google"]
Reply = Callable[[dict[str, Any]], str | tuple[int, dict[str, Any]]]
KEY = "loopback-key"
USAGE = (11, 7)


@dataclass
class Asked:
    """A request that a server got."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ModelUrl(str):
    """The base address of a server, with what it was asked and the environment that leads the SDK to it."""

    requests: list[Asked]
    environment: dict[str, str]


@contextmanager
def model_server(provider: Provider, reply: Reply = lambda _body: "baik") -> Iterator[ModelUrl]:
    """Serve one protocol; `reply` makes the text of each answer, or a status and an error body."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            made = reply(body) if self.path.endswith(PATHS[provider]) else (404, {"error": {"message": self.path}})
            status, answer = made if isinstance(made, tuple) else (200, ANSWERS[provider](made, body))
            streamed = provider == "anthropic" and body.get("stream") and status == 200
            sent = anthropic_events(answer) if streamed else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    url = ModelUrl(f"http://127.0.0.1:{server.server_port}{'/v1' if provider == 'openai' else ''}")
    url.requests = asked
    url.environment = {ADDRESS[provider]: str(url), KEYS[provider]: KEY}
    try:
        yield url
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


PATHS = {"openai": "/chat/completions", "anthropic": "/v1/messages", "google": ":generateContent"}
ADDRESS = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL", "google": "GOOGLE_GEMINI_BASE_URL"}
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY"}


def openai_answer(text: str, body: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1], "total_tokens": sum(USAGE)}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": body["model"]}
    return head | {"choices": [choice], "usage": usage}


def anthropic_answer(text: str, body: dict[str, Any]) -> dict[str, Any]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"]}
    usage = {"input_tokens": USAGE[0], "output_tokens": USAGE[1]}
    content = [{"type": "text", "text": text}] if text else []
    return head | {"content": content, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage}


def anthropic_events(answer: dict[str, Any]) -> bytes:
    """Give an answer as the events of a stream: that SDK's clients stream when much may be written."""
    usage = {"output_tokens": answer["usage"]["output_tokens"]}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**answer, "content": [], "stop_reason": None}}
    ]
    for index, part in enumerate(answer["content"]):
        delta = {"type": "text_delta", "text": part["text"]}
        events.append({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    events.append(
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage}
    )
    events.append({"type": "message_stop"})
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def google_answer(text: str, _body: dict[str, Any]) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": USAGE[0], "candidatesTokenCount": USAGE[1], "totalTokenCount": sum(USAGE)}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-loopback"}


ANSWERS = {"openai": openai_answer, "anthropic": anthropic_answer, "google": google_answer}
