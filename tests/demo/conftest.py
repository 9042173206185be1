from __future__ import annotations

import json
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn

from neraca.demo.chat import Chat
from neraca.demo.search import Search
from neraca.demo.server import make_app


@pytest.fixture(scope="session")
def index_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo") / "index"


@pytest.fixture(scope="session")
def search(index_folder) -> Iterator[Search]:
    made = Search(index_folder)
    yield made
    made.index.close()


def post(url: str, body: Any) -> tuple[int, Any]:
    """Post a body to the chat of a demo; return the status and the answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}/chat", data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


@contextmanager
def serving(chat: Chat) -> Iterator[str]:
    """Serve a chat in a thread of this process, and return its address."""
    server = uvicorn.Server(uvicorn.Config(make_app(chat), log_level="warning"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def url(search) -> Iterator[str]:
    with serving(Chat(search)) as address:
        yield address
