"""Exports of OpenTelemetry in protobuf as the objects that OTLP/JSON has; needs the extra `traces`."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from neraca.errors import InputError

#: The parts of an `AnyValue` that OTLP/JSON writes as they are.
_PLAIN: Mapping[str, str] = {
    "string_value": "stringValue",
    "bool_value": "boolValue",
    "int_value": "intValue",
    "double_value": "doubleValue",
}


def decode_protobuf(data: bytes, signal: str, where: str) -> dict[str, Any]:
    """Return an export of spans or of log records as the object that OTLP/JSON has, as far as spans are read of it.

    Raise `InputError` if the bytes are no such message, or are nested deeper than protobuf allows (100 messages).
    """
    request: Any = ExportTraceServiceRequest() if signal == "traces" else ExportLogsServiceRequest()
    try:
        request.ParseFromString(data)
    except (DecodeError, RecursionError) as error:
        raise InputError(
            f"{where}: not a protobuf export of {signal}: {error}; is the type of content right?"
        ) from error
    if signal == "traces":
        return {"resourceSpans": [_resource(each, "scopeSpans", "spans", _span) for each in request.resource_spans]}
    return {"resourceLogs": [_resource(each, "scopeLogs", "logRecords", _log_record) for each in request.resource_logs]}


def _resource(message: Any, scopes: str, records: str, read: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Return the spans or log records of one resource."""
    by_scope = message.scope_spans if scopes == "scopeSpans" else message.scope_logs
    return {
        "resource": {"attributes": _attributes(message.resource.attributes)},
        scopes: [
            {records: [read(each) for each in (scope.spans if records == "spans" else scope.log_records)]}
            for scope in by_scope
        ],
    }


def _span(span: Any) -> dict[str, Any]:
    return {
        "traceId": span.trace_id.hex(),
        "spanId": span.span_id.hex(),
        "parentSpanId": span.parent_span_id.hex(),
        "name": span.name,
        "startTimeUnixNano": span.start_time_unix_nano,
        "endTimeUnixNano": span.end_time_unix_nano,
        "attributes": _attributes(span.attributes),
        "droppedAttributesCount": span.dropped_attributes_count,
        "status": {"code": span.status.code, "message": span.status.message},
        "events": [
            {"name": event.name, "timeUnixNano": event.time_unix_nano, "attributes": _attributes(event.attributes)}
            for event in span.events
        ],
    }


def _log_record(record: Any) -> dict[str, Any]:
    return {
        "traceId": record.trace_id.hex(),
        "spanId": record.span_id.hex(),
        "eventName": record.event_name,
        "timeUnixNano": record.time_unix_nano,
        "observedTimeUnixNano": record.observed_time_unix_nano,
        "attributes": _attributes(record.attributes),
        "body": _value(record.body),
    }


def _attributes(pairs: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"key": pair.key, "value": _value(pair.value)} for pair in pairs]


def _value(value: Any) -> dict[str, Any]:
    """Return an `AnyValue` as OTLP/JSON writes it; {} if it is not set."""
    kind = value.WhichOneof("value")
    if kind in _PLAIN:
        return {_PLAIN[kind]: getattr(value, kind)}
    if kind == "array_value":
        return {"arrayValue": {"values": [_value(part) for part in value.array_value.values]}}
    if kind == "kvlist_value":
        return {"kvlistValue": {"values": _attributes(value.kvlist_value.values)}}
    if kind == "bytes_value":
        return {"bytesValue": b64encode(value.bytes_value).decode()}
    return {}
