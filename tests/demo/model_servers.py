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
TOOL = "search_listings"
#: What is said; the arguments of a call of the tool; or a status and an error body.
Reply = Callable[[dict[str, Any]], str | dict[str, Any] | tuple[int, dict[str, Any]]]
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
    """Serve one protocol; `reply` makes each answer of a request."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            made = reply(body) if self.path.endswith(PATHS[provider]) else (404, {"error": {"message": self.path}})
            status, answer = made if isinstance(made, tuple) else (200, ANSWERS[provider](made, body))
            sent = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
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


def searched(body: dict[str, Any]) -> bool:
    """Whether a request ends with the result of a search, in any of the protocols."""
    last = (body.get("messages") or body.get("contents"))[-1]
    parts = last.get("content") if isinstance(last.get("content"), list) else last.get("parts") or []
    return last["role"] == "tool" or any(
        part.get("type") == "tool_result" or "functionResponse" in part for part in parts
    )


def search_once(arguments: dict[str, Any], text: str) -> Reply:
    """A model that searches, then says the text."""
    return lambda body: text if searched(body) else arguments


def openai_answer(made: str | dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": made}
    if isinstance(made, dict):
        call = {"id": "call_1", "type": "function", "function": {"name": TOOL, "arguments": json.dumps(made)}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls" if isinstance(made, dict) else "stop", "message": message}
    usage = {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1], "total_tokens": sum(USAGE)}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": body["model"]}
    return head | {"choices": [choice], "usage": usage}


def anthropic_answer(made: str | dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"]}
    usage = {"input_tokens": USAGE[0], "output_tokens": USAGE[1]}
    content: list[dict[str, Any]] = [{"type": "text", "text": made}] if made else []
    if isinstance(made, dict):
        content = [{"type": "tool_use", "id": "toolu_1", "name": TOOL, "input": made}]
    reason = "tool_use" if isinstance(made, dict) else "end_turn"
    return head | {"content": content, "stop_reason": reason, "stop_sequence": None, "usage": usage}


def google_answer(made: str | dict[str, Any], _body: dict[str, Any]) -> dict[str, Any]:
    part = {"functionCall": {"name": TOOL, "args": made}} if isinstance(made, dict) else {"text": made}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": USAGE[0], "candidatesTokenCount": USAGE[1], "totalTokenCount": sum(USAGE)}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-loopback"}


ANSWERS = {"openai": openai_answer, "anthropic": anthropic_answer, "google": google_answer}
