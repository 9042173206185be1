"""Files that are broken, hostile or odd get an error that says what, where and what to do, or are counted."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import neraca
from neraca.datasets import compressed
from neraca.errors import InputError, SpecError
from neraca.traces import trace_files

GOLDEN = Path(__file__).with_name("golden")
GENAI = (GOLDEN / "genai.jsonl").read_bytes()


def one_span(**changes: Any) -> bytes:
    span = {"traceId": "ab" * 16, "spanId": "cd" * 8, "name": "x", **changes}
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()


DEEP = b'{"resourceSpans": ' + b"[" * 10_000 + b"]" * 10_000 + b"}\n"
DEEP_VALUE = b'{"trace_id": "t", "span_id": "s", "attributes": ' + b'{"a": ' * 300 + b"1" + b"}" * 300 + b"}\n"
FILES = {
    "deep.jsonl": (DEEP, "line 1: nested deeper than 200 levels"),
    "deep.json": (DEEP, "deep.json: nested deeper than 200 levels"),
    "deeper.jsonl": (DEEP_VALUE, "line 1: nested deeper than 200 levels"),
    "latin.jsonl": (GENAI.replace(b"two windows", b"two\xe9windows"), r"line 1: not .*UTF-8"),
    "broken.jsonl": (GENAI[:-20] + b"\n" + GENAI, "line 1: not JSON"),
    "text.jsonl": (b'"text"\n', "line 1: not an object but str"),
    "list.json": (b"[1, 2]", "record 1: not an object but int"),
    "half.json.gz": (gzip.compress(GENAI * 100)[:-30], "damaged"),
    "wrong.jsonl.gz": (GENAI, "not a gzip file"),
    "traces.txt": (GENAI, r"are read from \.json"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read_is_an_error_with_its_place(name: str, tmp_path: Path) -> None:
    content, message = FILES[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        neraca.read_traces(tmp_path / name)
    assert name in str(error.value)


def test_a_file_that_unfolds_without_end_is_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.jsonl.gz"
    bomb.write_bytes(gzip.compress(b" " * ((1 << 20) - 1) + b"\n") * 70)
    with pytest.raises(InputError, match=r"bomb.jsonl.gz: unfolds to over 6\d MiB, more than 200 times its size"):
        neraca.read_traces(bomb)


def test_a_line_that_is_too_long_is_refused(tmp_path: Path) -> None:
    (tmp_path / "long.jsonl").write_bytes(GENAI + b" " * ((64 << 20) + 1))
    with pytest.raises(InputError, match="line 2: over 64 MiB in one line; export smaller batches"):
        neraca.read_traces(tmp_path / "long.jsonl")


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        neraca.read_traces(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="no file of traces in it"):
        neraca.read_traces(tmp_path)


@pytest.mark.parametrize(
    "changes, detail",
    [
        ({"traceId": ""}, "it has no trace id"),
        ({"traceId": "0" * 32}, "it has no trace id"),
        ({"spanId": None}, "it has no span id"),
        ({"spanId": 7}, "it has no span id"),
        ({"spanId": "x" * 200}, r"its span id is not one \(200 characters\)"),
        ({"traceId": "a\nb"}, "its trace id is not one"),
    ],
)
def test_spans_with_wrong_ids_are_counted_and_the_others_stay(changes: Any, detail: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(GENAI + one_span(**changes) + b"\n")
    reading = neraca.read_traces(tmp_path)
    (loss,) = [loss for loss in reading.losses if loss.name == "malformed"]
    assert (len(reading), loss.count) == (1, 1)
    assert re.search(rf"a.jsonl line 2\)\. They are left out\. The first: {detail}", str(loss))


@pytest.mark.parametrize(
    "span",
    [
        {"attributes": {"a": 1}},
        {"attributes": [{"key": None, "value": 7}, 3]},
        {"attributes": [{"key": "n", "value": {"intValue": "9" * 5000}}]},
        {"startTimeUnixNano": "soon", "endTimeUnixNano": -1},
        {"startTimeUnixNano": "9" * 19, "attributes": [{"key": "input.value", "value": {"stringValue": "Where?"}}]},
        {"events": "none", "status": 7, "name": None, "droppedAttributesCount": "many"},
        {"parentSpanId": "cd" * 8},
    ],
)
def test_odd_spans_stop_nothing(span: Any, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(GENAI + one_span(**span) + b"\n")
    assert "genai" in str(neraca.read_traces(tmp_path)).lower()


def test_what_is_no_span_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(GENAI + b'{"resourceMetrics": []}\n{"what": 1, "is": 2}\n')
    (tmp_path / "notes.txt").write_text("notes")
    losses = {loss.name: str(loss) for loss in neraca.read_traces(tmp_path).losses}
    assert losses.keys() == {"metrics", "unknown record", "other file", "no cost"}
    assert losses["unknown record"].endswith("a.jsonl line 3). They are left out. The first has the keys what, is.")


def test_a_line_that_is_still_being_written_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(GENAI + GENAI[:300])
    reading = neraca.read_traces(tmp_path)
    assert (len(reading), [loss.name for loss in reading.losses]) == (1, ["torn", "no cost"])


def test_half_a_character_and_nan_do_not_stop_the_reading(tmp_path: Path) -> None:
    row = json.loads((GOLDEN / "langfuse.jsonl").read_text(encoding="utf-8").splitlines()[0])
    text = json.dumps(row | {"output": "Yes \ud83d", "total_cost": float("nan")})
    assert ("NaN" in text, "\\ud83d" in text) == (True, True)
    (tmp_path / "a.jsonl").write_text(text + "\n", encoding="utf-8")
    (turn,) = neraca.read_traces(tmp_path).turns
    assert (turn.text, turn.usage) == ("Yes ?", {})


def test_copies_count_once_and_upper_case_ids_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(
        GENAI + GENAI.replace(b"0af7651916cd43dd8448eb211c80319c", b"0AF7651916CD43DD8448EB211C80319C")
    )
    reading = neraca.read_traces(tmp_path)
    assert (len(reading), reading.counts.spans, reading.counts.repeated) == (1, 3, 3)


@pytest.mark.parametrize("name", ["a.json", "a.ndjson", "a.jsonl.gz", "pretty.json", "envelope.json", "list.json"])
def test_json_is_read_in_every_usual_form(name: str, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (GOLDEN / "langfuse.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    whole = {"pretty.json": rows, "envelope.json": {"data": rows, "meta": {}}, "list.json": rows}
    indent = 1 if name == "pretty.json" else None
    content = json.dumps(whole[name], indent=indent).encode() if name in whole else lines
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert [turn.question for turn in neraca.read_traces(tmp_path).turns] == ["Is there a room in Asri?"]


@pytest.mark.parametrize("name, source", [("a.csv", "langfuse"), ("a.parquet", "phoenix"), ("b.parquet", "langsmith")])
def test_tables_are_read(name: str, source: str, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (GOLDEN / f"{source}.jsonl").read_text(encoding="utf-8").splitlines()]
    if name == "a.csv":
        rows = [{key: json.dumps(v) if isinstance(v, dict) else v for key, v in row.items()} for row in rows]
    frame = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    frame.write_csv(tmp_path / name) if name == "a.csv" else frame.write_parquet(tmp_path / name)
    (turn,) = neraca.read_traces(tmp_path).turns
    assert (turn.text, [hit.id for hit in turn.hits or ()]) == ("Yes, a room with two windows.", ["k1", "k2"])


def test_a_trace_that_is_not_there_and_a_file_without_turns(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="trace zz: not among the 1 traces"):
        neraca.read_traces(GOLDEN / "genai.jsonl").probe("zz")
    (tmp_path / "a.jsonl").write_bytes(one_span() + b"\n")
    with pytest.raises(InputError, match=r"no turn was understood\. Traces in no known dialect: 1"):
        neraca.read_traces(tmp_path).probe()
    with pytest.raises(InputError, match="no turn was understood, and no run is written"):
        neraca.read_traces(tmp_path, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_limits_are_those_of_the_guide() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "traces.md").read_text(encoding="utf-8")
    for number in (
        trace_files.LONGEST_LINE >> 20,
        trace_files.LARGEST_VALUE >> 20,
        compressed.MOST_TIMES,
        trace_files.DEEPEST,
    ):
        assert f" {number} " in guide
