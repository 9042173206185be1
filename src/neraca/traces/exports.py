"""Turn the records of an export into spans: one short reader for each source, chosen by the keys of the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from neraca.traces.attributes import decoded, flattened, number, table, tables
from neraca.traces.conventions import ATTRIBUTES
from neraca.traces.losses import Losses
from neraca.traces.otlp import otlp_log_records, otlp_spans
from neraca.traces.spans import Event, LogRecord, Span
from neraca.traces.times import nanoseconds
from neraca.traces.trace_files import Record

Row = Mapping[str, Any]
#: Kinds of observations that Langfuse exports, in capitals.
_LANGFUSE = frozenset(
    "SPAN GENERATION EVENT AGENT TOOL CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL".split()  # noqa: SIM905
)

#: The name of events that judge a turn, as `neraca traces back` sends them.
JUDGEMENT = "gen_ai.evaluation.result"


class MalformedError(ValueError):
    """A record that is no whole span; the message completes "the first: ...", for `Losses`."""


def read_spans(records: Iterable[Record], losses: Losses) -> Iterator[Span | LogRecord]:
    """Yield the spans and log records in the records of an export; count what cannot be read, and judgements.

    A judgement of a turn by another tool is no part of the turn.
    """
    for record in records:
        row = _whole_trace(record.value)
        if n := _count_judgements(row):
            losses.add("judgement", record.where, count=n)
        reader = _reader_of(row)
        if reader is None:
            kind = "metrics" if "resourceMetrics" in row else "unknown record"
            losses.add(kind, record.where, f"the keys {', '.join(list(map(str, row))[:6]) or '(none)'}")
            continue
        for read in reader(row):
            try:
                whole = _checked(read())
                if n := _count_events(whole):
                    losses.add("judgement", record.where, count=n)
                if not n or isinstance(whole, Span):
                    yield whole
            except MalformedError as error:
                losses.add("malformed", record.where, str(error))


def _whole_trace(row: Row) -> Row:
    """Return the trace in the column `trace` of a row of MLflow's data frame, else the row."""
    inner = table(row["trace"]) if "trace" in row else {}
    return inner if "info" in inner else row


def _count_judgements(row: Row) -> int:
    """Count the scores of Langfuse, assessments of MLflow and annotations of Phoenix in a record."""
    lists = row.get("scores"), table(row.get("info")).get("assessments"), row.get("annotations")
    return sum(len(each) for each in lists if isinstance(each, list))


def _count_events(record: Span | LogRecord) -> int:
    """Count the events that judge a turn in a span or log record."""
    events = [record.event] if isinstance(record, LogRecord) else record.events
    return sum(event.name == JUDGEMENT for event in events)


def _reader_of(row: Row) -> Callable[[Row], Iterator[Callable[[], Span | LogRecord]]] | None:
    """Return the reader that belongs to the keys of a record."""
    keys = row.keys()
    for name, reader in (
        ("resourceSpans", otlp_spans),
        ("resource_spans", otlp_spans),
        ("resourceLogs", otlp_log_records),
    ):
        if name in keys:
            return reader
    if "info" in keys and isinstance(decoded(row.get("data")), Mapping):
        return _mlflow_trace
    if "run_type" in keys or "dotted_order" in keys:
        return _single(_langsmith_run)
    if "observations" in keys and "id" in keys:
        return _langfuse_trace
    observation = str(row.get("type", "")).upper() in _LANGFUSE
    if observation and {"traceId", "trace_id"} & keys and {"parentObservationId", "parent_observation_id"} & keys:
        return _single(_langfuse_observation)
    if isinstance(row.get("context"), Mapping) or "context.span_id" in keys or ({"trace_id", "span_id"} <= keys):
        return _single(_plain_span)
    return None


def _single(read: Callable[[Row], Span]) -> Callable[[Row], Iterator[Callable[[], Span]]]:
    return lambda row: iter([lambda: read(row)])


def _checked(record: Span | LogRecord) -> Span | LogRecord:
    """Return a span; raise `MalformedError` if it has no usable ids."""
    names = {"trace id": record.trace, "span id": record.span if isinstance(record, LogRecord) else record.id}
    for name, value in names.items():
        if not value.strip("0"):
            raise MalformedError(f"it has no {name}")
        if len(value) > 128 or not value.isprintable():
            raise MalformedError(f"its {name} is not one ({len(value)} characters); ids are up to 128 printable ones")
    return record


def _text(row: Row, *names: str) -> str:
    """Return the first of these columns that has content, as text."""
    for name in names:
        value = row.get(name)
        if value is not None and value != "":
            return str(value)
    return ""


def _id(row: Row, *names: str) -> str:
    """Return an id in lower case if it is hexadecimal, without 0x; "" for one of zeros."""
    text = _text(row, *names).strip()
    text = text[2:] if text[:2] in ("0x", "0X") else text
    is_hex = len(text) in (16, 32) and all(sign in "0123456789abcdefABCDEF" for sign in text)
    text = text.lower() if is_hex else text
    return text if text.strip("0") else ""


def _filled(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None and value != ""}


def _plain_span(row: Row) -> Span:
    """Read a span as Phoenix, Logfire, MLflow and the SDK of OpenTelemetry write it: by name, or column by column."""
    context = row.get("context")
    context = context if isinstance(context, Mapping) else {}
    flat = {key.removeprefix("attributes."): value for key, value in row.items() if key.startswith("attributes.")}
    inner = decoded(row.get("attributes"))
    attributes = flattened({**flat, **(inner if isinstance(inner, Mapping) else {})}, ATTRIBUTES)
    if kind := _text(row, "span_kind"):
        attributes.setdefault("openinference.span.kind", kind)
    if scope := _text(row, "otel_scope_name"):
        attributes.setdefault("otel.scope.name", scope)
    resource = row.get("resource")
    if isinstance(resource, Mapping) and isinstance(resource.get("attributes"), Mapping):
        attributes = {**_service(resource["attributes"]), **attributes}
    ids = {**row, **{f"context.{key}": value for key, value in context.items()}}
    status = row.get("status")
    state = status if isinstance(status, Mapping) else {"code": status or row.get("status_code")}
    events = decoded(row.get("events") or row.get("otel_events") or [])
    return Span(
        trace=_id(ids, "context.trace_id", "trace_id"),
        id=_id(ids, "context.span_id", "span_id"),
        parent=_id(row, "parent_id", "parent_span_id"),
        name=_text(row, "name", "span_name"),
        start=nanoseconds(row, "start_time_unix_nano", "start_time", "start_timestamp"),
        end=nanoseconds(row, "end_time_unix_nano", "end_time", "end_timestamp"),
        error=_error(
            _text(state, "code", "status_code", "otel_status_code"),
            _text({**row, **state}, "message", "description", "status_message", "otel_status_message"),
        ),
        attributes=_filled(attributes),
        events=tuple(_events(events)),
    )


def _service(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the resource of a span says about the version of the system."""
    return {name: attributes[name] for name in ("service.name", "service.version") if name in attributes}


def _events(events: Any) -> Iterator[Event]:
    for event in events if isinstance(events, list) else []:
        if isinstance(event, Mapping):
            inner = decoded(event.get("attributes"))
            yield Event(
                name=_text(event, "name", "event_name"),
                time=nanoseconds(event, "time_unix_nano", "timestamp", "event_timestamp"),
                attributes=inner if isinstance(inner, Mapping) else {},
            )


def _error(code: str, message: str) -> str:
    """Return the message of a failed span; "" if it did not fail."""
    failed = code.upper().removeprefix("STATUS_CODE_") in ("ERROR", "2") or code.upper() == "STATUSCODE.ERROR"
    return (message or "failed without a message") if failed else ""


def _mlflow_trace(row: Row) -> Iterator[Callable[[], Span]]:
    """Read a trace of MLflow: its spans, with the session and user that its metadata name."""
    info = table(row["info"])
    metadata = table(info.get("trace_metadata") or info.get("request_metadata"))
    shared = {name: metadata[name] for name in ("mlflow.trace.session", "mlflow.trace.user") if name in metadata}
    trace = _text(info, "trace_id", "request_id")
    for span in tables(table(row["data"]).get("spans")):
        attributes = {**shared, **table(span.get("attributes"))}
        yield lambda span=span, attributes=attributes: _plain_span(  # type: ignore[misc]
            {**span, "attributes": attributes, "trace_id": trace, "context": _context(span, trace)}
        )


def _context(span: Row, trace: str) -> dict[str, Any]:
    inner = span.get("context")
    own = inner if isinstance(inner, Mapping) else span
    return {"trace_id": trace or own.get("trace_id"), "span_id": own.get("span_id")}


def _langfuse_trace(row: Row) -> Iterator[Callable[[], Span]]:
    """Read a trace of Langfuse with its observations; the trace is their root."""
    observations = tables(row["observations"])
    times = [str(each.get(key)) for each in observations for key in ("startTime", "endTime") if each.get(key)]
    root = {
        **row,
        "traceId": row["id"],
        "type": "SPAN",
        "startTime": min([*times, str(row.get("timestamp") or "")] if row.get("timestamp") else times, default=None),
        "endTime": max(times, default=None),
    }
    yield lambda: _langfuse_observation(root)
    for each in observations:
        parent = _text(each, "parentObservationId", "parent_observation_id") or row["id"]
        merged = {**each, "traceId": row["id"], "parentObservationId": parent}
        yield lambda merged=merged: _langfuse_observation(merged)  # type: ignore[misc]


def _langfuse_observation(row: Row) -> Span:
    """Read an observation of Langfuse, under the names that its SDK gives to the same things as attributes."""
    level = _text(row, "level").upper()
    attributes = {
        "langfuse.observation.type": _text(row, "type").lower(),
        "langfuse.observation.input": row.get("input"),
        "langfuse.observation.output": row.get("output"),
        "langfuse.observation.model.name": _text(row, "model", "provided_model_name", "providedModelName"),
        "langfuse.observation.usage_details": _langfuse_usage(row),
        "langfuse.observation.cost_details": row.get("costDetails") or row.get("cost_details"),
        "langfuse.observation.total_cost": number(_text(row, "calculatedTotalCost", "totalCost", "total_cost")),
        "langfuse.observation.time_to_first_token": number(_text(row, "timeToFirstToken", "time_to_first_token")),
        "langfuse.observation.completion_start_time": _text(row, "completionStartTime", "completion_start_time"),
        "langfuse.session.id": _text(row, "sessionId", "session_id"),
        "langfuse.user.id": _text(row, "userId", "user_id"),
        "langfuse.version": _text(row, "version"),
        "langfuse.release": _text(row, "release"),
    }
    return Span(
        trace=_id(row, "traceId", "trace_id"),
        id=_id(row, "id"),
        parent=_id(row, "parentObservationId", "parent_observation_id"),
        name=_text(row, "name"),
        start=nanoseconds(row, "startTime", "start_time", "timestamp"),
        end=nanoseconds(row, "endTime", "end_time"),
        error=_error(level, _text(row, "statusMessage", "status_message")),
        attributes=_filled(attributes),
    )


def _langfuse_usage(row: Row) -> Mapping[str, Any]:
    """Return the tokens of an observation by the names of today; older exports have them in other columns."""
    for column in ("usageDetails", "usage_details", "usage"):
        usage = table(row.get(column))
        if usage and str(usage.get("unit") or "TOKENS").upper() == "TOKENS":
            names = {"promptTokens": "input", "completionTokens": "output"}
            return {names.get(name, name): amount for name, amount in usage.items() if amount is not None}
    input_tokens = _text(row, "promptTokens", "prompt_tokens", "inputUsage", "input_usage", "inputTokens")
    output_tokens = _text(row, "completionTokens", "completion_tokens", "outputUsage", "output_usage", "outputTokens")
    return _filled({"input": input_tokens, "output": output_tokens})


def _langsmith_run(row: Row) -> Span:
    """Read a run of LangSmith.  Its `session_id` is the project; the conversation is named in the metadata."""
    extra = decoded(row.get("extra"))
    metadata = extra.get("metadata") if isinstance(extra, Mapping) else None
    parents = decoded(row.get("parent_run_ids"))
    above = {"parent": parents[-1]} if isinstance(parents, list) and parents else {}
    attributes = {
        "langsmith.run_type": _text(row, "run_type"),
        "langsmith.inputs": row.get("inputs"),
        "langsmith.outputs": row.get("outputs"),
        "langsmith.metadata": metadata or decoded(row.get("metadata")),
        **{
            f"langsmith.{name}": row.get(name)
            for name in (
                "prompt_tokens",
                "completion_tokens",
                "total_cost",
                "prompt_cost",
                "completion_cost",
                "first_token_time",
            )
        },
    }
    message = _text(row, "error")
    return Span(
        trace=_id(row, "trace_id") or _id(row, "id"),
        id=_id(row, "id"),
        parent=_id({**above, **_filled(row)}, "parent_run_id", "parent"),
        name=_text(row, "name"),
        start=nanoseconds(row, "start_time"),
        end=nanoseconds(row, "end_time"),
        error=message or _error(_text(row, "status"), ""),
        attributes=_filled(attributes),
    )
