"""`neraca receive` as a process: real exporters, replies, limits, and input that means harm."""

from __future__ import annotations

import gzip
import json
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from traces.exports import body, in_protobuf, request, turn
from web.receiving import JSON, PROTOBUF, Receiving, post, receiving

from neraca.runs.run import Run

MIB = 1 << 20


def packed(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiving]:
    with receiving(tmp_path_factory.mktemp("received") / "run") as started:
        yield started
        code, out, err = started.end()
        assert (code, "Traceback" in err) == (0, False), err
        assert "questions and answers written" in out


def ask(tracer: Any, number: int) -> None:
    """A turn as a program with OpenInference records it."""
    with tracer.start_as_current_span("answer") as top:
        top.set_attributes({"openinference.span.kind": "CHAIN", "input.value": f"Question {number}?"})
        with tracer.start_as_current_span("search") as search:
            search.set_attribute("openinference.span.kind", "RETRIEVER")
            search.set_attribute("retrieval.documents.0.document.id", f"d{number}")
            search.set_attribute("retrieval.documents.0.document.content", "Two floors.")
        top.set_attribute("output.value", "Two.")


@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip])
def test_the_sdk_of_opentelemetry_exports_to_it(tmp_path: Path, compression: Compression) -> None:
    with receiving(tmp_path / "run") as started:
        exporter = OTLPSpanExporter(endpoint=f"{started.address}/v1/traces", compression=compression)
        provider = TracerProvider(resource=Resource.create({"service.version": "2.1"}))
        provider.add_span_processor(BatchSpanProcessor(exporter))
        for number in range(20):
            ask(provider.get_tracer("test"), number)
        provider.shutdown()
        code, out, err = started.end(signal.SIGINT)
    assert (code, "Traceback" in err) == (0, False), err
    assert "spans in OpenInference      40" in out
    run = Run(tmp_path / "run")
    assert [item.query for item in run.items] == [f"Question {number}?" for number in range(20)]
    assert {item.tags["version"] for item in run.items} == {"2.1"}
    assert [answer.hits[0].id for answer in run.answers().values()] == [f"d{number}" for number in range(20)]


def test_each_reply_has_the_type_of_its_request(server: Receiving) -> None:
    for number, (media, data, empty) in enumerate(
        [(JSON, body(turn(1)), b"{}"), (PROTOBUF, in_protobuf(request(turn(2))), b"")]
    ):
        reply = post(server.port, data, media=media)
        assert (reply.status, reply.headers["content-type"], reply.body) == (200, media, empty), number
        reply = post(server.port, b"\xff", media=media)
        assert (reply.status, reply.headers["content-type"]) == (400, media)
    assert b"not a protobuf export of traces" in reply.body


def test_rejected_spans_are_counted_in_the_reply(server: Receiving) -> None:
    spans = {**turn(3), "traceId": ""}, turn(4)
    partial = json.loads(post(server.port, body(*spans)).body)["partialSuccess"]
    assert partial == {"rejectedSpans": "1", "errorMessage": "1 without usable ids: it has no trace id"}
    reply = post(server.port, in_protobuf(request(*spans)), media=PROTOBUF)
    message = ExportTraceServiceResponse.FromString(reply.body).partial_success
    assert (message.rejected_spans, message.error_message) == (1, partial["errorMessage"])


def test_logs_are_taken_and_metrics_are_dropped(server: Receiving) -> None:
    assert post(server.port, b'{"resourceLogs": []}', "/v1/logs").status == 200
    assert post(server.port, b"anything", "/v1/metrics", PROTOBUF).status == 200
    assert post(server.port, b"{}").status == 200


@pytest.mark.parametrize(
    "status, sentence, data, words",
    [
        (404, "POST exports to /v1/traces", b"{}", {"path": "/"}),
        (404, "POST exports to /v1/traces", b"", {"method": "GET"}),
        (415, "'text/plain' is not read", b"{}", {"media": "text/plain"}),
        (415, "the packing 'br' is not read; send gzip", b"{}", {"Content_Encoding": "br"}),
        (403, "comes from a web page", b"{}", {"Origin": "http://127.0.0.1"}),
        (403, "names another server", b"{}", {"Host": "evil.example"}),
        (400, "not JSON", b"{", {}),
        (400, "not JSON", b"", {}),
        (400, "it has no list `resourceSpans`", b'{"batch": [1]}', {}),
        (400, "it has no list `resourceSpans`", b'{"resourceSpans": 7}', {}),
        (400, "it has no list `resourceSpans`", b"[1]", {}),
        (400, "not UTF-8", b'{"resourceSpans": [{"a": "\xff\xfe"}]}', {}),
        (400, "nested deeper than 200 levels", b'{"resourceSpans": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", {}),
        (400, "nested deeper than 200 levels", b'{"resourceSpans": ' + b"[" * 300 + b"]" * 300 + b"}", {}),
        (400, "not gzip", b"{}", {"Content_Encoding": "gzip"}),
        (400, "ends in the middle", packed(b"{}" * 99)[:-9], {"Content_Encoding": "gzip"}),
        (400, "more than one packed file", packed(b"{}") * 2, {"Content_Encoding": "gzip"}),
        (413, "over 64 MiB", packed(b" " * 70 * MIB), {"Content_Encoding": "gzip"}),
        (400, "it has no trace id", body({**turn(1), "traceId": None}), {}),
        (400, "its span id is not one (999 characters)", body({**turn(1), "spanId": "z" * 999}), {}),
        (400, "not a protobuf export", b"\x0a\xff\xff\xff\xff\x0f", {"media": PROTOBUF}),
    ],
)
def test_hostile_input_is_refused_with_a_sentence(
    server: Receiving, status: int, sentence: str, data: bytes, words: dict[str, str]
) -> None:
    reply = post(server.port, data, **words)  # type: ignore[arg-type]
    assert (reply.status, sentence.encode() in reply.body) == (status, True), reply
    assert post(server.port, body(turn(5))).status == 200


def test_nested_protobuf_is_refused(server: Receiving) -> None:
    value = {"stringValue": "x"}
    for _ in range(80):
        value = {"arrayValue": {"values": [value]}}  # type: ignore[dict-item]
    deep = {**turn(1), "attributes": [{"key": "a", "value": value}]}
    reply = post(server.port, in_protobuf(request(deep)), media=PROTOBUF)
    assert (reply.status, b"not a protobuf export of traces" in reply.body) == (400, True)


@pytest.mark.parametrize("says_length", [True, False])
def test_an_attribute_of_100_mb_is_refused_before_it_is_read_whole(server: Receiving, says_length: bool) -> None:
    """It is sent in pieces until the server answers or closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
        length = f"Content-Length: {100 * MIB}" if says_length else "Transfer-Encoding: chunked"
        head = f"POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: {JSON}\r\n{length}\r\n\r\n"
        client.sendall(head.encode())
        piece = b"x" * MIB if says_length else b"100000\r\n" + b"x" * MIB + b"\r\n"
        sent = 0
        client.setblocking(True)
        try:
            while sent < 100:
                client.sendall(piece)
                sent += 1
                client.settimeout(0.001)
                try:
                    if client.recv(1, socket.MSG_PEEK):
                        break
                except TimeoutError:
                    pass
                client.settimeout(30)
            reply = client.recv(4096)
        except ConnectionError:
            reply = b"HTTP/1.1 413"
    assert (reply[:12], sent < 80) == (b"HTTP/1.1 413", True)
    assert post(server.port, body(turn(6))).status == 200


def send_header(port: int, header: bytes) -> bytes:
    """The beginning of the reply to a request with this header as it is."""
    usual = [b"Host: 127.0.0.1:%d" % port, b"Content-Type: application/json", b"Content-Length: 2"]
    lines = [each for each in usual if each.partition(b":")[0] != header.partition(b":")[0]]
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(b"\r\n".join([b"POST /v1/traces HTTP/1.1", *lines, header, b"", b"{}"]))
        return client.recv(4096)[:12]


@pytest.mark.parametrize(
    "header", [b"Content-Type: \xff\xfe", b"Content-Encoding: \xff", b"Host: \xff", b"Origin: \xff"]
)
def test_headers_that_are_no_text_are_refused(server: Receiving, header: bytes) -> None:
    assert send_header(server.port, header)[:10] == b"HTTP/1.1 4"


def test_a_body_that_breaks_off_harms_nobody(server: Receiving) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
        host = f"Host: 127.0.0.1:{server.port}"
        client.sendall(
            f"POST /v1/traces HTTP/1.1\r\n{host}\r\nContent-Type: {JSON}\r\nContent-Length: 99\r\n\r\n{{".encode()
        )
    assert post(server.port, body(turn(7))).status == 200


def test_content_in_log_records_reaches_the_turn(tmp_path: Path) -> None:
    """The question and the answer are in a log record, as the GenAI instrumentations write them with EVENT_ONLY."""
    with receiving(tmp_path / "run") as started:
        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{started.address}/v1/traces")))
        logs = LoggerProvider()
        logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(endpoint=f"{started.address}/v1/logs")))
        with provider.get_tracer("test").start_as_current_span("chat") as top:
            top.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"})
            attributes = {
                "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "How many floors?"}]}],
                "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "Two."}]}],
            }
            record = LogRecord(event_name="gen_ai.client.inference.operation.details", attributes=attributes)
            logs.get_logger("test").emit(record)
        logs.shutdown()
        provider.shutdown()
        code, out, err = started.end()
        assert (code, "log records" in out, "Traceback" in err) == (0, True, False), err
    run = Run(tmp_path / "run")
    assert [item.query for item in run.items] == ["How many floors?"]
    assert [answer.text for answer in run.answers().values()] == ["Two."]


def test_a_function_of_the_user_redacts_in_the_other_process(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def hide(text):\n    return text.replace('Two', '[n]')\n", encoding="utf-8")
    with receiving(tmp_path / "run", "--redact", f"{tmp_path / 'mine.py'}:hide") as started:
        assert post(started.port, body(turn(1))).status == 200
        code, _, err = started.end()
        assert code == 0, err
    assert [answer.text for answer in Run(tmp_path / "run").answers().values()] == ["[n]."]


def reply_under_pressure(server: Receiving) -> Any:
    """The reply to a fifth body while four of 63 MiB are on their way, after at most five seconds.

    If the fifth came before the server had read the others, one of these is told to wait in its place.
    """
    head = f"POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: {JSON}\r\n"
    with ExitStack() as stack:
        for _ in range(4):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            client.sendall(f"{head}Content-Length: {64 * MIB}\r\n\r\n".encode())
            for _ in range(63):
                client.sendall(b" " * MIB)
        time.sleep(0.2)  # the server reads what the system still holds
        ends = time.monotonic() + 5
        while (reply := post(server.port, b" " * 8 * MIB)).status != 429 and time.monotonic() < ends:
            time.sleep(0.05)
    return reply


def test_under_pressure_senders_are_told_to_wait(server: Receiving) -> None:
    replies = (reply_under_pressure(server) for _ in range(4))
    reply = next((reply for reply in replies if reply.status == 429), None)
    assert reply is not None
    assert reply.headers["retry-after"] == "1"
    assert b"too much is waiting" in reply.body
    ends = time.monotonic() + 20
    while (reply := post(server.port, body(turn(8)))).status == 429 and time.monotonic() < ends:
        time.sleep(0.05)
    assert reply.status == 200


@pytest.mark.skipif(sys.platform != "linux", reason="the largest size of a file is set as Linux does")
def test_on_a_full_disk_nothing_is_acknowledged_and_later_all_is_well(tmp_path: Path) -> None:
    import resource

    with receiving(tmp_path / "run") as started:
        assert post(started.port, body(turn(1))).status == 200
        resource.prlimit(started.process.pid, resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
        reply = post(started.port, body(turn(2, "x" * 4000)))
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
        assert b"cannot be written" in reply.body
        resource.prlimit(started.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert post(started.port, body(turn(3))).status == 200
        code, _, err = started.end()
        assert (code, "free some space" in err) == (0, True)
    assert [item.query for item in Run(tmp_path / "run").items] == ["Question 1?", "Question 3?"]


def test_while_somebody_judges_a_stop_keeps_the_exports(tmp_path: Path) -> None:
    with receiving(tmp_path / "run", "--quiet", "0.1") as started:
        assert post(started.port, body(turn(1))).status == 200
        ends = time.monotonic() + 20
        while not (tmp_path / "run" / "manifest.json").is_file() and time.monotonic() < ends:
            time.sleep(0.05)
        time.sleep(0.3)
        with Run(tmp_path / "run").writing():
            assert post(started.port, body(turn(2))).status == 200
            code, _, err = started.end()
            assert (code, "another process" in err, "Traceback" in err) == (2, True, False), err
            assert "some turns are not written; their exports are kept, and the same command goes on" in err
    with receiving(tmp_path / "run") as started:
        code, _, err = started.end()
        assert (code, "going on with 2 exports that an earlier receiver left" in err) == (0, True)
    assert [item.query for item in Run(tmp_path / "run").items] == ["Question 1?", "Question 2?"]


def test_the_token_is_demanded(tmp_path: Path) -> None:
    with receiving(tmp_path / "run", "--token", "s3cret") as started:
        assert "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20s3cret" in started.printed
        for header in ({}, {"Authorization": "Bearer no"}, {"Authorization": "s3cret"}):
            reply = post(started.port, body(turn(1)), **header)
            assert (reply.status, reply.headers["www-authenticate"]) == (401, "Bearer")
            assert b"the token is missing or wrong" in reply.body
        assert send_header(started.port, b"Authorization: Bearer \xff") == b"HTTP/1.1 401"
        right = {"Authorization": "Bearer s3cret", "Host": "host.docker.internal"}
        assert post(started.port, body(turn(1)), **right).status == 200


def test_a_port_that_is_taken_is_an_error(tmp_path: Path) -> None:
    with receiving(tmp_path / "run") as started, receiving(tmp_path / "other", "--port", str(started.port)) as second:
        code = second.process.wait(30)
        assert second.process.stderr
        assert (code, "choose another --port" in second.process.stderr.read()) == (2, True)
