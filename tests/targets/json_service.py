"""A service on loopback, in a thread of its own, that answers with JSON."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

#: Gets the fields that were sent, `form` for a body that is no JSON, and `method`; returns JSON, or a status to refuse.
Reply = Callable[[dict[str, Any]], Any]


@contextmanager
def json_service(reply: Reply) -> Iterator[str]:
    """Yield the address of a service."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            self.answer({name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_json = self.headers["Content-Type"] == "application/json"
            self.answer(json.loads(body) if is_json else {"form": body.decode()})

        def answer(self, sent: dict[str, Any]) -> None:
            content = reply(sent | {"method": self.command})
            status = content if isinstance(content, int) else 200
            data = json.dumps({} if status != 200 else content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/chat"
        server.shutdown()
