"""A span: one step of a recorded call, such as a retrieval or a call of a model, whatever program wrote it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from neraca.files import fingerprint
from neraca.traces.attributes import gathered
from neraca.traces.conventions import ATTRIBUTES, CONVENTIONS


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """An event during a span, or a log record that names the span; `time` is in nanoseconds."""

    name: str
    time: int = 0
    attributes: Mapping[str, Any] = {}


class Span(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One step of a trace.

    Attributes
    ----------
    trace, id, parent
        The ids of the trace, the span and the span that began it; "": it is a root.
    name
        The name that the program gave it.
    start, end
        Nanoseconds since 1970; 0: not recorded.
    error
        The message if it failed; "": it did not.
    attributes
        Name → value; nested objects are written with dots.
    events
        What happened during it, in order.
    dropped
        The number of attributes that the program dropped because there were too many.
    """

    trace: str
    id: str
    parent: str = ""
    name: str = ""
    start: int = 0
    end: int = 0
    error: str = ""
    attributes: Mapping[str, Any] = {}
    events: tuple[Event, ...] = ()
    dropped: int = 0

    @property
    def seconds(self) -> float | None:
        """The duration; None if a time is missing."""
        return (self.end - self.start) / 1e9 if self.start and self.end >= self.start else None


class LogRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An exported log record that names a span."""

    trace: str
    span: str
    event: Event


class SpanStore:
    """All spans that were read; copies of a span count once, and the order of reading does not matter."""

    def __init__(self) -> None:
        self._spans: dict[tuple[str, str], Span] = {}
        self._logs: dict[tuple[str, str], dict[str, Event]] = {}
        self.read = self.repeated = self.logs = 0

    def __len__(self) -> int:
        return len(self._spans)

    def add(self, record: Span | LogRecord) -> None:
        """Take a span or a log record.  Of two versions of a span, keep the one that says more."""
        if isinstance(record, LogRecord):
            self.logs += 1
            self._logs.setdefault((record.trace, record.span), {})[fingerprint(record.event)] = record.event
            return
        self.read += 1
        key = record.trace, record.id
        earlier = self._spans.get(key)
        self.repeated += earlier is not None
        if earlier is None or (earlier != record and _completeness(record) > _completeness(earlier)):
            self._spans[key] = record

    def traces(self) -> dict[str, list[Span]]:
        """Return id → the spans of each trace, by time; content of events and log records is among the attributes."""
        by_trace: dict[str, list[Span]] = {}
        for key in sorted(self._spans):
            logs = self._logs.get(key, {})
            span = self._spans[key]
            events = (*span.events, *(logs[name] for name in sorted(logs, key=lambda name: (logs[name].time, name))))
            by_trace.setdefault(span.trace, []).append(with_contents(span, events))
        for spans in by_trace.values():
            spans.sort(key=lambda span: (span.start, -span.end, span.id))
        return by_trace

    @property
    def lonely_logs(self) -> int:
        """The number of log records whose span was not exported."""
        return sum(len(events) for key, events in self._logs.items() if key not in self._spans)


def _completeness(span: Span) -> tuple[bool, int, int, int, str]:
    """Return a key by which the fuller of two versions of a span is larger, the same in any order of reading."""
    return span.end > 0, len(span.attributes), len(span.events), span.end, fingerprint(span)


def with_contents(span: Span, events: Sequence[Event]) -> Span:
    """Return the span with the content of its events as attributes, under the names of today's convention."""
    found: dict[str, Any] = {}
    asked: list[Mapping[str, Any]] = []
    replied: list[Mapping[str, Any]] = []
    for event in events:
        if event.name in CONVENTIONS.events.attributes:
            found |= event.attributes
        elif event.name in CONVENTIONS.events.moments and event.time:
            found.setdefault(event.name, event.time)
        elif role := CONVENTIONS.events.messages.get(event.name):
            message = {"role": role, **_body(event.attributes)}
            if role == "choice":
                replied.append({**message, "role": "assistant"})
            else:
                asked.append(message)
    for name, messages in (("gen_ai.input.messages", asked), ("gen_ai.output.messages", replied)):
        if messages:
            found.setdefault(name, messages)
    attributes = gathered({**found, **span.attributes}, ATTRIBUTES)
    return msgspec.structs.replace(span, attributes=attributes) if attributes != span.attributes else span


def _body(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a message in an event; some programs write the message as JSON into one attribute."""
    content = attributes.get("gen_ai.event.content")
    if isinstance(content, str):
        try:
            content = msgspec.json.decode(content)
        except (msgspec.DecodeError, RecursionError):
            return {"content": content}
    return content if isinstance(content, Mapping) else attributes


def commonest_attributes(spans: Iterable[Span], most: int = 5) -> list[str]:
    """Return the names of the attributes that occur most often in spans."""
    counts = Counter(name for span in spans for name in span.attributes)
    return [name for name, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:most]]
