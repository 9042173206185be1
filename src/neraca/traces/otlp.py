"""Read OTLP/JSON, the export of OpenTelemetry's collector: spans, and log records that name a span."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from neraca.traces.attributes import tables
from neraca.traces.spans import Event, LogRecord, Span

#: Levels of lists and objects inside an attribute that are read.
_DEEPEST = 64
_HEXADECIMAL = re.compile("[0-9a-fA-F]*")
_FROM_RESOURCE = ("service.name", "service.version")


def otlp_spans(row: Mapping[str, Any]) -> Iterator[Callable[[], Span]]:
    """Yield, for each span of an export, a function that reads it."""
    for resource in tables(row.get("resourceSpans", row.get("resource_spans"))):
        shared = _shared(resource)
        for scope in tables(resource.get("scopeSpans", resource.get("scope_spans"))):
            for span in tables(scope.get("spans")):
                yield lambda span=span, shared=shared: _span(span, shared)  # type: ignore[misc]


def otlp_log_records(row: Mapping[str, Any]) -> Iterator[Callable[[], LogRecord]]:
    """Yield, for each log record of an export that names an event of a span, a function that reads it."""
    for resource in tables(row.get("resourceLogs")):
        for scope in tables(resource.get("scopeLogs")):
            for record in tables(scope.get("logRecords")):
                if record.get("traceId") and record.get("spanId"):
                    yield lambda record=record: _log(record)  # type: ignore[misc]


def _shared(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the resource says about the version of the system."""
    inner = resource.get("resource")
    attributes = _attributes(inner.get("attributes")) if isinstance(inner, Mapping) else {}
    return {name: attributes[name] for name in _FROM_RESOURCE if name in attributes}


def _span(span: Mapping[str, Any], shared: Mapping[str, Any]) -> Span:
    status = span.get("status")
    status = status if isinstance(status, Mapping) else {}
    failed = status.get("code") in (2, "2", "STATUS_CODE_ERROR")
    return Span(
        trace=_id(span.get("traceId")),
        id=_id(span.get("spanId")),
        parent=_id(span.get("parentSpanId")),
        name=str(span.get("name") or ""),
        start=_integer(span.get("startTimeUnixNano")),
        end=_integer(span.get("endTimeUnixNano")),
        error=str(status.get("message") or "failed without a message") if failed else "",
        attributes={**shared, **_attributes(span.get("attributes"))},
        events=tuple(
            Event(
                name=str(event.get("name") or ""),
                time=_integer(event.get("timeUnixNano")),
                attributes=_attributes(event.get("attributes")),
            )
            for event in tables(span.get("events"))
        ),
        dropped=_integer(span.get("droppedAttributesCount")),
    )


def _log(record: Mapping[str, Any]) -> LogRecord:
    attributes = _attributes(record.get("attributes"))
    body = _value(record.get("body"))
    name = record.get("eventName") or attributes.get("event.name") or ""
    inner = body if isinstance(body, Mapping) else {} if body is None else {"content": body}
    time = _integer(record.get("timeUnixNano")) or _integer(record.get("observedTimeUnixNano"))
    event = Event(name=str(name), time=time, attributes={**attributes, **inner})
    return LogRecord(trace=_id(record.get("traceId")), span=_id(record.get("spanId")), event=event)


def _id(value: Any) -> str:
    """Return an id in lower case; "" for a missing one or one of zeros.  Ids that are not hexadecimal stay as they are.

    >>> _id("0AF7"), _id("0000"), _id(None)
    ('0af7', '', '')
    """
    text = value.strip() if isinstance(value, str) else ""
    if _HEXADECIMAL.fullmatch(text):
        text = text.lower()
    return text if text.strip("0") else ""


def _integer(value: Any) -> int:
    """Return a whole number, which may be written as text; 0 for anything else."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 21:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 64 else 0


def _attributes(value: Any, depth: int = 0) -> dict[str, Any]:
    """Return name → value of a list of attributes; values that are null are left out."""
    pairs = ((str(part.get("key")), _value(part.get("value"), depth)) for part in tables(value))
    return {name: part for name, part in pairs if part is not None}


def _value(value: Any, depth: int = 0) -> Any:
    """Return the value in an `AnyValue`.

    >>> _value({"intValue": "7"}), _value({"arrayValue": {"values": [{"stringValue": "a"}]}}), _value({})
    (7, ['a'], None)
    """
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return None
    for kind, inner in value.items():
        if kind == "intValue":
            is_number = isinstance(inner, str) and len(inner) < 21 and inner.removeprefix("-").isdecimal()
            return int(inner) if is_number else inner
        if kind == "arrayValue":
            parts = inner.get("values") if isinstance(inner, Mapping) else None
            return [_value(part, depth + 1) for part in tables(parts)]
        if kind == "kvlistValue":
            return _attributes(inner.get("values") if isinstance(inner, Mapping) else None, depth + 1)
        if kind in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
            return inner
    return None
