"""Spans as `span.to_json()` and the exporter to the console print them: indented objects one below the other."""

import json

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from neraca.errors import InputError
from neraca.traces.trace_reading import read_traces


@pytest.fixture
def spans():
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    for n in range(3):
        with tracer.start_as_current_span("answer") as span:
            span.set_attributes({"openinference.span.kind": "CHAIN", "input.value": f"Question {n}? {{}}"})
            span.set_attribute("output.value", "Two.\n}\n{")
    return exporter.get_finished_spans()


@pytest.mark.parametrize("name", ["spans.json", "spans.jsonl"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_indented_spans_are_read_as_those_of_one_line(spans, tmp_path, name, ending):
    (tmp_path / name).write_bytes(ending.join(span.to_json().replace("\n", ending) for span in spans).encode())
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines" / "lines.jsonl").write_text("\n".join(span.to_json(indent=None) for span in spans))
    indented, lines = read_traces(tmp_path / name), read_traces(tmp_path / "lines")
    assert len(indented.turns) == 3
    assert [turn.question for turn in indented.turns] == [turn.question for turn in lines.turns]
    assert [turn.text for turn in indented.turns] == ["Two.\n}\n{"] * 3


def test_an_object_that_is_not_finished_is_counted_if_others_are_there(spans, tmp_path):
    text = "\n".join(span.to_json() for span in spans)
    (tmp_path / "spans.jsonl").write_text(text[:-30])
    reading = read_traces(tmp_path / "spans.jsonl")
    assert (len(reading.turns), reading.losses.by_name["torn"].count) == (2, 1)
    (tmp_path / "one.jsonl").write_text(spans[0].to_json()[:-30])
    with pytest.raises(InputError, match="not JSON"):
        read_traces(tmp_path / "one.jsonl")


def test_a_single_indented_object_is_still_one_value(spans, tmp_path):
    (tmp_path / "one.json").write_text(json.dumps(json.loads(spans[0].to_json()), indent=1))
    assert len(read_traces(tmp_path / "one.json").turns) == 1
