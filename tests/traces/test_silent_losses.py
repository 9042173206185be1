"""What traces say wrongly is counted: names of retrievers, times, amounts below 0."""

import json
from typing import Any

from traces.exports import body, request, span

from neraca.traces.trace_reading import read_traces


def read(tmp_path, *spans, **options):
    (tmp_path / "export.json").write_bytes(body(*spans))
    return read_traces(tmp_path / "export.json", **options)


def turn(**attributes):
    named = {"openinference_span_kind": "CHAIN", "input_value": "How many?", "output_value": "Two."}
    return span(1, **named, **attributes)


def test_a_retriever_that_matches_nothing_is_said_with_the_names_that_there_are(tmp_path):
    search = span(1, 2, 1, input_value="many") | {"name": "search"}
    reading = read(tmp_path, turn(), search, retrievers=["serach", "search"])
    loss = reading.losses.by_name["no such retriever"]
    assert (loss.count, loss.where) == (1, "serach")
    assert loss.detail in ("answer, search", "search, answer")
    assert "no such retriever" not in read(tmp_path, turn(), search, retrievers=["search"]).losses.by_name
    assert "no such retriever" not in read(tmp_path, turn(), search).losses.by_name


def test_a_turn_whose_time_cannot_be_read_is_counted(tmp_path):
    assert read(tmp_path, turn() | {"startTimeUnixNano": "soon"}).losses.by_name["no time"].count == 1
    assert "no time" not in read(tmp_path, turn()).losses.by_name


def test_a_turn_with_negative_amounts_is_counted_once_and_has_none(tmp_path):
    counts = {"llm.token_count.prompt": -3, "llm.token_count.completion": -1}
    wrong = turn()
    wrong["attributes"] += [{"key": name, "value": {"intValue": str(n)}} for name, n in counts.items()]
    reading = read(tmp_path, wrong)
    loss = reading.losses.by_name["negative usage"]
    assert (loss.count, loss.detail) == (1, "llm.token_count.prompt")
    assert reading.turns[0].usage == {}


def judgement(trace: int, number: int) -> dict[str, Any]:
    """An event that judges a span, as OpenTelemetry names it."""
    return {
        "traceId": f"{trace:032x}",
        "spanId": f"{number:016x}",
        "timeUnixNano": "1764000000000000000",
        "eventName": "gen_ai.evaluation.result",
        "attributes": [{"key": "gen_ai.evaluation.score.value", "value": {"doubleValue": 0.5}}],
    }


def test_judgements_of_other_tools_are_counted_and_no_part_of_a_turn(tmp_path):
    """One among log records and one in a span's events: the turn and its number of log records stay as they were."""
    judged = turn() | {"events": [{"name": "gen_ai.evaluation.result", "timeUnixNano": "1764000000000000000"}]}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [judgement(1, 1)]}]}]}
    text = "\n".join(json.dumps(row) for row in (request(judged), logs))
    (tmp_path / "both.jsonl").write_text(text)
    reading, plain = read_traces(tmp_path / "both.jsonl"), read(tmp_path, turn())
    assert reading.losses.by_name["judgement"].count == 2
    assert reading.turns == plain.turns
    assert "judgement" not in plain.losses.by_name


def test_scores_in_a_trace_of_langfuse_are_counted(tmp_path):
    trace = {
        "id": "t1",
        "input": "How many?",
        "output": "Two.",
        "observations": [],
        "scores": [{"value": 1}, {"value": 0}],
    }
    (tmp_path / "traces.json").write_text(json.dumps([trace | {"timestamp": "2026-01-01T00:00:00Z"}]))
    assert read_traces(tmp_path / "traces.json").losses.by_name["judgement"].count == 2
