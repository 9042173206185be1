"""Evaluations sent to servers of the documented form."""

import asyncio

import pytest
from traces.tool_server import keys_of, tool_server

from neraca.errors import SpecError
from neraca.traces.evaluation import Evaluation
from neraca.traces.evaluation_forms import FORMS
from neraca.traces.evaluation_sender import RETRIES, send

SECRET = "sk-lf-1234567890"


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk-lf-abc")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
    monkeypatch.setenv("PHOENIX_API_KEY", "px-secret-key")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-token=abc%20def,team=search")


def some(n, value=1.0, name="valid"):
    return [
        Evaluation(
            item=str(k),
            trace=f"{k + 1:032x}",
            span=f"{k + 1:016x}",
            name=name,
            value=value,
            label="pass",
            by="llm:m#1",
            why="as it should be",
            at="2026-11-02T09:00:00Z",
        )
        for k in range(n)
    ]


def sent(evaluations, tool, url, folder):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    return asyncio.run(send(evaluations, tool, url, folder, sleep=sleep)), waits


@pytest.mark.parametrize("tool", sorted(FORMS))
def test_a_server_of_each_tool_holds_each_value_once_however_often_it_is_sent(tool, tmp_path):
    with tool_server() as server:
        first, _ = sent(some(250), tool, server.address, tmp_path)
        assert (first.new, first.before, first.refused.total(), first.why) == (250, 0, 0, "")
        assert (len(server.held), len(server.requests)) == (250, 3)
        (tmp_path / "other").mkdir()
        again, _ = sent(some(250), tool, server.address, tmp_path / "other")
        assert again.new == 250  # another folder knows nothing, and sends all again
        assert len(server.held) == 250
        unchanged, _ = sent(some(250), tool, f"{server.address}/", tmp_path)
        assert (unchanged.new, unchanged.before) == (0, 250)
        changed, _ = sent([*some(249), *some(250, value=0.0)[249:]], tool, server.address, tmp_path)
        assert (changed.new, changed.before) == (1, 249)
        assert len(server.held) == 250


def test_keys_go_into_headers_and_nowhere_else(tmp_path):
    with tool_server() as server:
        for tool in FORMS:
            sent(some(1), tool, server.address, tmp_path)
        langfuse, otlp, phoenix = (headers for _, headers, _ in server.requests)
    assert keys_of(langfuse) == f"pk-lf-abc:{SECRET}"
    assert phoenix["Authorization"] == "Bearer px-secret-key"
    assert (otlp["x-token"], otlp["team"]) == ("abc def", "search")
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"secret" not in written
    assert SECRET.encode() not in written


def test_busy_servers_are_asked_again_after_the_time_that_they_name(tmp_path):
    with tool_server() as server:
        server.troubles = [429, 503]
        result, waits = sent(some(3), "langfuse", server.address, tmp_path)
    assert result.new == 3
    assert waits[0] == 7.0
    assert len(server.requests) == 3


def test_after_too_many_failures_it_stops_and_the_next_start_goes_on(tmp_path):
    with tool_server() as server:
        server.troubles = [0, *[500] * (RETRIES + 1)]
        result, _ = sent(some(250), "langfuse", server.address, tmp_path)
        assert (result.new, result.unsent) == (100, 150)
        assert result.why.startswith("status 500: ")
        assert SECRET not in result.why
        rest, _ = sent(some(250), "langfuse", server.address, tmp_path)
        assert (rest.new, rest.before, len(server.held)) == (150, 100, 250)


@pytest.mark.parametrize("status, why", [(401, "status 401"), (302, "status 302"), (404, "status 404")])
def test_wrong_keys_and_addresses_stop_at_once_without_their_secrets(status, why, tmp_path):
    with tool_server() as server:
        server.troubles = [status] * 9
        result, _ = sent(some(250), "langfuse", server.address, tmp_path)
    assert (result.new, result.unsent, len(server.requests)) == (0, 250, 1)
    assert why in result.why
    token = server.requests[0][1]["Authorization"].removeprefix("Basic ")
    assert token not in result.why


def test_what_a_server_refuses_is_counted_and_stops_nothing_else(tmp_path):
    with tool_server() as server:
        server.refused = {f"{3:032x}"}
        result, _ = sent(some(10), "langfuse", server.address, tmp_path)
        assert (result.new, dict(result.refused)) == (9, {"400 invalid score": 1})
        server.known_spans = {f"{k:016x}" for k in range(1, 9)}
        result, _ = sent(some(10), "phoenix", server.address, tmp_path)
        assert (result.new, dict(result.refused)) == (8, {"the server does not know the span": 2})
        server.held.clear()
        faulty = [*some(10)[:4], Evaluation(item="x", trace="no", span="no", name="valid", value=1.0)]
        result, _ = sent(faulty, "otlp", server.address, tmp_path)  # one that breaks the request alone
        assert (result.new, result.refused.total(), len(server.held)) == (4, 1, 4)


def test_if_the_first_are_all_refused_no_more_are_sent(tmp_path):
    with tool_server() as server:
        server.refused = {f"{k:032x}" for k in range(300)}
        result, _ = sent(some(250), "langfuse", server.address, tmp_path)
    assert (result.new, result.refused.total(), result.unsent) == (0, 100, 150)


def test_a_server_that_is_not_there_is_no_crash(tmp_path):
    result, waits = sent(some(3), "otlp", "http://127.0.0.1:9", tmp_path)
    assert (result.unsent, len(waits)) == (3, RETRIES)
    assert "not reached" in result.why


@pytest.mark.parametrize("url", ["cloud.langfuse.com", "ftp://x", "https://me:secret@host", "https://host?key=1"])
def test_addresses_with_keys_and_no_addresses_are_refused_without_repeating_the_key(url, tmp_path):
    with pytest.raises(SpecError, match="is no address of a server") as caught:
        sent(some(1), "langfuse", url, tmp_path)
    assert "secret" not in str(caught.value)


def test_missing_keys_of_langfuse_are_named(monkeypatch, tmp_path):
    monkeypatch.delenv("LANGFUSE_SECRET_KEY")
    with pytest.raises(SpecError, match="set LANGFUSE_SECRET_KEY"):
        sent(some(1), "langfuse", "http://127.0.0.1:9", tmp_path)
