"""Exports of spans and log records in JSON and protobuf, for tests of the receiver."""

from __future__ import annotations

import copy
import gzip
import json
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from neraca.traces.otlp_export import Export


def span(trace: int, number: int = 1, parent: int = 0, start: int = 0, **attributes: Any) -> dict[str, Any]:
    """A span of OTLP/JSON; `attributes` with _ for the dot."""
    begins = 1_764_000_000_000_000_000 + trace * 10**9 + start * 10**6
    return {
        "traceId": f"{trace:032x}",
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": "answer" if not parent else "step",
        "startTimeUnixNano": str(begins),
        "endTimeUnixNano": str(begins + 10**8),
        "attributes": [
            {"key": name.replace("_", "."), "value": {"stringValue": value}} for name, value in attributes.items()
        ],
    }


def turn(trace: int, question: str = "", answer: str = "Two.") -> dict[str, Any]:
    """A span that is a whole turn."""
    question = question or f"Question {trace}?"
    return span(
        trace, openinference_span_kind="CHAIN", input_value=question, output_value=answer, session_id=f"s{trace % 3}"
    )


def request(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def body(*spans: dict[str, Any]) -> bytes:
    return json.dumps(request(*spans)).encode()


def export(*spans: dict[str, Any], packed: bool = False) -> Export:
    data = body(*spans)
    return Export(
        signal="traces", media="json", coding="gzip" if packed else "", data=gzip.compress(data) if packed else data
    )


def in_protobuf(value: dict[str, Any]) -> bytes:
    """An export of OTLP/JSON in protobuf, written by the classes of opentelemetry-proto field by field."""
    if "resourceSpans" in value:
        message: Any = ExportTraceServiceRequest()
        fill_resources(message.resource_spans, value["resourceSpans"], "scopeSpans", "scope_spans", "spans", "spans")
    else:
        message = ExportLogsServiceRequest()
        fill_resources(
            message.resource_logs, value["resourceLogs"], "scopeLogs", "scope_logs", "logRecords", "log_records"
        )
    return message.SerializeToString()


def fill_resources(target: Any, resources: list[Any], scopes: str, scopes_field: str, records: str, field: str) -> None:
    for resource in resources:
        message = target.add()
        fill_attributes(message.resource.attributes, resource.get("resource", {}).get("attributes", []))
        for scope in resource[scopes]:
            inner = getattr(message, scopes_field).add()
            for record in scope[records]:
                fill_record(getattr(inner, field).add(), copy.deepcopy(record))


def fill_record(message: Any, record: dict[str, Any]) -> None:
    for key, name in (("traceId", "trace_id"), ("spanId", "span_id"), ("parentSpanId", "parent_span_id")):
        if record.get(key):
            setattr(message, name, bytes.fromhex(record[key]))
    for key, name in (
        ("startTimeUnixNano", "start_time_unix_nano"),
        ("endTimeUnixNano", "end_time_unix_nano"),
        ("timeUnixNano", "time_unix_nano"),
        ("observedTimeUnixNano", "observed_time_unix_nano"),
        ("droppedAttributesCount", "dropped_attributes_count"),
    ):
        if record.get(key):
            setattr(message, name, int(record[key]))
    for key, name in (("name", "name"), ("eventName", "event_name")):
        if record.get(key):
            setattr(message, name, record[key])
    fill_attributes(message.attributes, record.get("attributes", []))
    if "body" in record:
        fill_value(message.body, record["body"])
    if status := record.get("status"):
        message.status.code = status.get("code", 0)
        message.status.message = status.get("message", "")
    for event in record.get("events", []):
        fill_record(message.events.add(), event)


def fill_attributes(target: Any, attributes: list[Any]) -> None:
    for attribute in attributes:
        pair = target.add()
        pair.key = attribute["key"]
        fill_value(pair.value, attribute["value"])


def fill_value(message: AnyValue, value: dict[str, Any]) -> None:
    for kind, inner in value.items():
        if kind == "arrayValue":
            message.array_value.SetInParent()
            for part in inner.get("values", []):
                fill_value(message.array_value.values.add(), part)
        elif kind == "kvlistValue":
            message.kvlist_value.SetInParent()
            fill_attributes(message.kvlist_value.values, inner.get("values", []))
        else:
            name = {
                "stringValue": "string_value",
                "boolValue": "bool_value",
                "intValue": "int_value",
                "doubleValue": "double_value",
            }[kind]
            setattr(message, name, int(inner) if kind == "intValue" else inner)
