"""A server on loopback that takes evaluations as Langfuse, Phoenix or OTLP do, and checks their documented form."""

from __future__ import annotations

import json
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SCORE = {
    "id",
    "traceId",
    "sessionId",
    "observationId",
    "name",
    "value",
    "comment",
    "metadata",
    "environment",
    "dataType",
}
ANNOTATION = {"name", "annotator_kind", "span_id", "result", "metadata", "identifier"}


class ToolServer:
    """What a server holds, by the ids of the tool; `troubles` are statuses that the next requests get instead."""

    def __init__(self) -> None:
        self.held: dict[Any, Any] = {}
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.troubles: list[int] = []
        self.known_spans: set[str] | None = None
        self.refused: set[str] = set()
        self.address = ""

    def langfuse(self, body: Any) -> tuple[int, Any]:
        successes, errors = [], []
        assert set(body) == {"batch"}
        assert len(body["batch"]) <= 100
        for event in body["batch"]:
            assert set(event) == {"id", "type", "timestamp", "body"}
            assert event["type"] == "score-create"
            assert event["timestamp"].endswith("Z")
            score = event["body"]
            assert set(score) <= SCORE
            assert isinstance(score["value"], float)
            assert score["dataType"] == "NUMERIC"
            if score["traceId"] in self.refused:
                errors.append({"id": event["id"], "status": 400, "message": "invalid score"})
                continue
            self.held[score["id"]] = score
            successes.append({"id": event["id"], "status": 201})
        return 207, {"successes": successes, "errors": errors}

    def phoenix(self, body: Any) -> tuple[int, Any]:
        assert set(body) == {"data"}
        for annotation in body["data"]:
            assert set(annotation) <= ANNOTATION
            assert annotation["annotator_kind"] in ("LLM", "CODE", "HUMAN")
            assert set(annotation["result"]) <= {"label", "score", "explanation"}
        spans = {annotation["span_id"] for annotation in body["data"]}
        if self.known_spans is not None and (missing := spans - self.known_spans):
            return 404, f"Spans with IDs {', '.join(sorted(missing))} do not exist."
        for annotation in body["data"]:
            self.held[annotation["span_id"], annotation["name"], annotation["identifier"]] = annotation
        return 200, {"data": [{"id": str(n)} for n, _ in enumerate(body["data"])]}

    def otlp(self, body: Any) -> tuple[int, Any]:
        [resource] = body["resourceLogs"]
        for scope in resource["scopeLogs"]:
            for record in scope["logRecords"]:
                attributes = {each["key"]: each["value"] for each in record["attributes"]}
                assert record["eventName"] == "gen_ai.evaluation.result"
                assert set(attributes["gen_ai.evaluation.score.value"]) == {"doubleValue"}
                assert len(bytes.fromhex(record["traceId"])) == 16
                assert len(bytes.fromhex(record["spanId"])) == 8
                name = attributes["gen_ai.evaluation.name"]["stringValue"]
                self.held[record["traceId"], record["spanId"], name] = attributes
        return 200, {"partialSuccess": {}}


@contextmanager
def tool_server() -> Iterator[ToolServer]:
    """Serve on a free port."""
    server = ToolServer()
    replies = {
        "/api/public/ingestion": server.langfuse,
        "/v1/span_annotations?sync=true": server.phoenix,
        "/v1/logs": server.otlp,
    }

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append((self.path, dict(self.headers), body))
            trouble = server.troubles.pop(0) if server.troubles else 0
            if trouble:
                status, reply = trouble, f"trouble with {self.headers.get('Authorization', '')}"
            else:
                try:
                    status, reply = replies[self.path](body)
                except (AssertionError, KeyError, ValueError) as error:
                    status, reply = 400, f"{type(error).__name__}: {error}"
            data = json.dumps(reply).encode()
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "7")
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:9/")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.address = f"http://127.0.0.1:{served.server_port}"
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        served.shutdown()
        served.server_close()
        thread.join()


def keys_of(headers: dict[str, str]) -> str:
    """The user and password of basic authentication."""
    return b64decode(headers["Authorization"].removeprefix("Basic ")).decode()
