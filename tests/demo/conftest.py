from __future__ import annotations

import json
import socket
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
import uvicorn

from neraca.demo import QUESTIONS
from neraca.demo.chat import Chat
from neraca.demo.search import Search
from neraca.demo.server import make_app
from neraca.records import Item


@pytest.fixture(scope="session")
def index_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo") / "index"


@pytest.fixture(scope="session")
def search(index_folder) -> Iterator[Search]:
    made = Search(index_folder)
    yield made
    made.close()


@pytest.fixture
def items() -> list[Item]:
    return [msgspec.json.decode(line, type=Item) for line in QUESTIONS.read_bytes().splitlines()]


class Client:
    """Asks a demo over real HTTP."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str, **query: Any) -> tuple[int, Any]:
        return self._send(f"{self.url}{path}?{urllib.parse.urlencode(query, doseq=True)}", None)

    def chat(self, message: Any = None, **body: Any) -> tuple[int, Any]:
        return self.post(body if message is None else {"message": message, **body})

    def post(self, body: Any) -> tuple[int, Any]:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self._send(f"{self.url}/chat", sent)

    def _send(self, url: str, body: bytes | None) -> tuple[int, Any]:
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                text = response.read().decode()
                return response.status, json.loads(text) if "json" in response.headers["Content-Type"] else text
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)


@contextmanager
def serving(chat: Chat) -> Iterator[Client]:
    """Serve a chat in a thread of this process."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        server = uvicorn.Server(uvicorn.Config(make_app(chat), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Client(f"http://127.0.0.1:{listener.getsockname()[1]}")
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def client(search) -> Iterator[Client]:
    with serving(Chat(search)) as made:
        yield made
