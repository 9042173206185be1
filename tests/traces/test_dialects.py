"""The same turn is read from every dialect and export: by real SDKs (real_*) and written by hand (golden/README.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import neraca
from neraca.traces.losses import Losses
from neraca.traces.spans import Event, Span, with_contents
from neraca.traces.turns import turns_of

GOLDEN = Path(__file__).with_name("golden")
HITS = (("k1", "Room in Asri, two windows."), ("k2", "Room in Johor."))
NO_RETRIEVAL = "the trace records no retrieval"
USAGE = {"input_tokens": 120, "output_tokens": 9}
PRICED = {**USAGE, "cost": 0.002}
CALL = ({"name": "search", "arguments": {"city": "Asri"}},)
#: Files → what differs from the usual turn, and the losses.  `retrievers`: what --retriever names.
FILES: dict[str, dict[str, Any]] = {
    "genai.jsonl": {"user": True, "first": 0.75, "losses": ["no cost"]},
    "genai_events.jsonl": {"hits": NO_RETRIEVAL, "losses": ["no retrieval", "no cost"]},
    "genai_logs_*.jsonl": {"hits": NO_RETRIEVAL, "losses": ["no retrieval", "no cost"]},
    "openinference.jsonl": {"user": True, "usage": PRICED},
    "phoenix.jsonl": {"losses": ["no cost"]},
    "openllmetry.jsonl": {
        "retrievers": ["search"],
        "losses": ["no cost"],
    },
    "langfuse.jsonl": {"user": True, "usage": PRICED, "first": 0.75},
    "langfuse_trace.json": {"user": True, "usage": PRICED, "first": 0.75},
    "langsmith.jsonl": {"usage": PRICED, "first": 0.75},
    "mlflow.json": {"user": True, "losses": ["no cost"]},
    "vercel.jsonl": {"retrievers": ["search"], "calls": CALL, "losses": ["no cost"]},
    "pydantic_ai.jsonl": {"retrievers": ["search"], "calls": CALL, "losses": ["no cost"]},
    "logfire.jsonl": {"hits": NO_RETRIEVAL, "losses": ["no retrieval", "no cost"]},
    "real_openinference.jsonl": {"user": True, "losses": ["no cost"], "seconds": None},
    "real_phoenix.json": {"user": True, "losses": ["no cost"]},
    "real_phoenix_frame.parquet": {"user": True, "losses": ["no cost"]},
    "real_openllmetry.jsonl": {"user": True, "retrievers": ["search"], "losses": ["no cost"], "seconds": None},
    "real_openai_v2.jsonl": {"losses": ["no cost"], "seconds": None},
    "real_adk.jsonl": {
        "retrievers": ["search"],
        "calls": CALL,
        "losses": ["no cost"],
        "usage": {"input_tokens": 120, "output_tokens": 10},
        "seconds": None,
    },
    **{
        name: {"user": True, "losses": ["judgement", "no cost"], "seconds": None}
        for name in ("real_mlflow.json", "real_mlflow_frame.jsonl", "real_mlflow_frame.parquet")
    },
    "real_langfuse.jsonl": {"user": True, "usage": PRICED, "seconds": None},
    **{
        f"real_{name}.jsonl": {
            "retrievers": ["search"],
            "calls": CALL,
            "losses": ["no cost"],
            "usage": None,
            "seconds": None,
            "session": None,
            "model": "function:model:",
        }
        for name in ("pydantic_ai_2", "pydantic_ai_6", "sdk_json")
    },
}


@pytest.mark.parametrize("name", FILES)
def test_the_turn_is_read(name: str) -> None:
    differs = FILES[name]
    reading = neraca.read_traces(sorted(GOLDEN.glob(name)), retrievers=differs.get("retrievers", ()))
    (turn,) = reading.turns
    assert (turn.question, turn.text) == ("Is there a room in Asri?", "Yes, a room with two windows.")
    hits = differs.get("hits", HITS)
    assert (turn.unknown_hits or tuple((hit.id, hit.text) for hit in turn.hits or ())) == hits
    assert turn.calls == differs.get("calls", ())
    assert turn.model == differs.get("model", "m-2026")
    assert bool(turn.user) == differs.get("user", False)
    assert [loss.name for loss in reading.losses] == differs.get("losses", [])
    if differs.get("session", "c1"):  # a real SDK makes an id of its own
        assert turn.session == "c1"
    if usage := differs.get("usage", USAGE):
        assert turn.usage == usage
    else:
        assert turn.usage.keys() == USAGE.keys()
    if seconds := differs.get("seconds", 2.0):
        assert (turn.seconds, turn.first_token_seconds) == (pytest.approx(seconds), differs.get("first"))


def test_every_golden_file_is_read() -> None:
    named = {path for name in FILES for path in GOLDEN.glob(name)}
    assert named == {path for path in GOLDEN.iterdir() if path.suffix != ".md"}


def test_each_field_remembers_its_attribute_and_span() -> None:
    reading = neraca.read_traces(GOLDEN / "openinference.jsonl")
    read_from = reading.pairs[0][0].extra["from_trace"]["from"]
    assert read_from["question"] == "input.value of answer (00f067aa0ba902b7)"
    assert read_from["hits"] == "reranker.output_documents of rerank (00f067aa0ba902b6)"
    assert read_from["input_tokens"] == "llm.token_count.prompt of ChatCompletion (00f067aa0ba902b9)"
    rows = {row["field"]: row for row in reading.probe().rows()}
    assert (rows["answer"]["value"], rows["answer"]["attribute"]) == ("Yes, a room with two windows.", "output.value")
    assert rows["version"] == {"field": "version", "value": None, "attribute": None, "span": None}


def test_all_retrievals_are_kept() -> None:
    (item, _) = neraca.read_traces(GOLDEN / "openinference.jsonl").pairs[0]
    assert item.extra["from_trace"]["retrievals"] == [
        {"name": "vector", "hits": ["k2", "k1"]},
        {"name": "rerank", "hits": ["k1", "k2"]},
    ]


@pytest.mark.parametrize(
    "columns",
    [
        {"promptTokens": 3, "completionTokens": 4, "calculatedTotalCost": 0.75},
        {"inputUsage": "3", "outputUsage": "4", "costDetails": {"input": 0.25, "output": 0.5}},
        {"usage": {"input": 3, "output": 4, "total": 7, "unit": "TOKENS"}, "totalCost": "0.75"},
    ],
)
def test_older_columns_of_langfuse_are_read(tmp_path: Path, columns: dict[str, Any]) -> None:
    row = {"id": "a", "traceId": "t", "parentObservationId": None, "type": "GENERATION", "input": "q?", "output": "a"}
    row |= {"startTime": "2026-11-02T09:00:00Z", "endTime": "2026-11-02T09:00:02Z", "timeToFirstToken": 0.5, **columns}
    (tmp_path / "a.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (turn,) = neraca.read_traces(tmp_path).turns
    assert (turn.usage, turn.first_token_seconds) == ({"input_tokens": 3, "output_tokens": 4, "cost": 0.75}, 0.5)


def test_the_event_of_the_first_token_is_read() -> None:
    moment = 10**18
    event = Event(name="First Token Stream Event", time=moment + 10**9 // 4)
    attributes = {"openinference.span.kind": "LLM", "input.value": "q?", "output.value": "a"}
    span = Span(trace="t", id="a", start=moment, end=moment + 10**9, attributes=attributes)
    (turn,) = turns_of([with_contents(span, [event])], Losses())
    assert turn.first_token_seconds == 0.25
