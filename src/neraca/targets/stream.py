"""Decode answers that arrive in pieces (server-sent events, JSON lines, plain text) and put them together."""

from __future__ import annotations

import asyncio
import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from neraca.errors import TargetError
from neraca.records import Answer, Hit, Item
from neraca.targets.jsonpath import outline
from neraca.targets.response_parser import ResponseParser
from neraca.targets.target import Conversation

Kind = Literal["sse", "jsonl", "text"]
_END_OF_LINE = re.compile(rb"\r\n|\n|\r")


class Event(NamedTuple):
    """One event: its name ("" unless the stream names its events) and its undecoded data."""

    name: str
    data: str


class Lines:
    """Splits bytes, which arrive in chunks of any size, into whole lines; a line ends with CR LF, LF or CR."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._after_cr = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that this chunk completes."""
        if self._after_cr and chunk[:1] == b"\n":
            chunk = chunk[1:]
            self._after_cr = False
        if not chunk:
            return []
        self._after_cr = chunk[-1:] == b"\r"
        if b"\n" not in chunk and b"\r" not in chunk:
            self._pieces.append(chunk)
            return []
        lines = _END_OF_LINE.split(b"".join(self._pieces) + chunk)
        self._pieces = [lines.pop()]
        return lines

    def close(self) -> bytes:
        """Return the bytes after the last end of line."""
        tail, self._pieces = b"".join(self._pieces), []
        return tail


class Decoder(Protocol):
    """Decodes bytes, which arrive in chunks of any size, as events."""

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events that this chunk completes."""

    def close(self) -> list[Event]:
        """Return the events that the end of the stream completes."""


class SseDecoder:
    """Decodes server-sent events as the WHATWG HTML standard describes them (section 9.2).

    Unlike there, an event at the end of the stream counts even if its blank line is missing.
    """

    def __init__(self) -> None:
        self._lines = Lines()
        self._name = ""
        self._data: list[str] = []
        self._at_start = True

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events that this chunk completes."""
        return [event for line in self._lines.feed(chunk) if (event := self._line(line))]

    def close(self) -> list[Event]:
        """Return the last event if no blank line closed it."""
        return [event for line in (self._lines.close(), b"") if (event := self._line(line))]

    def _line(self, line: bytes) -> Event | None:
        if self._at_start:
            line = line.removeprefix(codecs.BOM_UTF8)
            self._at_start = False
        if not line:
            event = Event(self._name, "\n".join(self._data)) if self._data else None
            self._name, self._data = "", []
            return event
        field, _, value = line.decode("utf-8", "replace").partition(":")
        if field == "data":
            self._data.append(value.removeprefix(" "))
        elif field == "event":
            self._name = value.removeprefix(" ")
        return None


class JsonLinesDecoder:
    """Decodes each line as an event, and skips blank lines."""

    def __init__(self) -> None:
        self._lines = Lines()

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the lines that this chunk completes."""
        return [Event("", line.decode("utf-8", "replace")) for line in self._lines.feed(chunk) if line.strip()]

    def close(self) -> list[Event]:
        """Return the last line if no line end closed it."""
        line = self._lines.close()
        return [Event("", line.decode("utf-8", "replace"))] if line.strip() else []


class TextDecoder:
    """Decodes each chunk as a piece of text; a character cut between two chunks belongs to the second."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the text of this chunk."""
        text = self._decoder.decode(chunk)
        return [Event("", text)] if text else []

    def close(self) -> list[Event]:
        """Return a replacement character if the stream ended within a character."""
        text = self._decoder.decode(b"", final=True)
        return [Event("", text)] if text else []


DECODERS: Mapping[Kind, type[SseDecoder] | type[JsonLinesDecoder] | type[TextDecoder]] = {
    "sse": SseDecoder,
    "jsonl": JsonLinesDecoder,
    "text": TextDecoder,
}


class Assembly:
    """Puts one answer together from the pieces that arrive.

    Parameters
    ----------
    parser
        Reads text, hits, calls and usage from an event.  Any event may hold them.
    whole
        Whether each event brings the whole text so far, so that the last one counts; else pieces are appended.
    only
        Names of the events (`event:` or their key `type`) whose text counts; empty: all events.

    Attributes
    ----------
    started
        The time when the question was sent, by `time.perf_counter`.
    """

    def __init__(self, parser: ResponseParser, *, whole: bool = False, only: Sequence[str] = ()) -> None:
        self.started = perf_counter()
        self._parser = parser
        self._whole = whole
        self._only = frozenset(only)
        self._pieces: list[str] = []
        self._hits: list[Hit] | None = None
        self._calls: list[Mapping[str, Any]] = []
        self._usage: dict[str, float] = {}
        self._first_text_seconds: float | None = None
        self._saw_text = False
        self._last: Any = None

    def take(self, event: Event, kind: Kind) -> bool:
        """Add an event of a stream; return False if it says that the answer is complete."""
        if kind == "text":
            self.add(event.data)
            return True
        data = event.data.strip()
        if data == "[DONE]":
            return False
        if event.name == "error":
            self._refuse(data)
        if data or not self._parser.text_path:
            self.add(self._decode(event, data, kind), event.name)
        return True

    def add(self, piece: Any, name: str = "") -> None:
        """Add text, a list of hits, or an object that holds any of text, hits, calls and usage."""
        if isinstance(piece, str):
            path = self._parser.text_path
            if path and path.get(piece) != piece:
                path.need(piece)
            self._add_text(piece)
        elif isinstance(piece, list | tuple):
            self._add_hits(self._parser.list_of_hits(piece))
        elif isinstance(piece, Mapping):
            self._add_object(piece, name)
        else:
            raise TargetError(f"a piece of an answer must be text, a table or a list of hits; {outline(piece)}")

    def answer(self, item: Item, conversation: Conversation) -> Answer:
        """Return the whole answer; raise `TargetError` if the events lack the text or hits that must be there."""
        seconds = perf_counter() - self.started
        text, hits = self._parser.text_path, self._parser.hits_path
        lacks_text = text and not text.optional and not self._saw_text
        lacks_hits = hits and not hits.optional and self._hits is None
        is_empty = not self._saw_text and self._hits is None and not self._calls
        if lacks_text or lacks_hits or (is_empty and self._last is not None and not (text or hits)):
            error = self._parser.missing(self._last)
            raise TargetError(f"no event of the stream has the text or hits; the last event: {error}")
        return self._make_answer(item, conversation, seconds)

    def _make_answer(self, item: Item, conversation: Conversation, seconds: float | None) -> Answer:
        return Answer(
            item=item.id,
            trial=conversation.trial,
            text="".join(self._pieces),
            hits=tuple(self._hits or ()),
            calls=tuple(self._calls),
            usage=dict(self._usage),
            seconds=seconds,
            first_token_seconds=self._first_text_seconds,
        )

    @contextmanager
    def partial_when_stopped(self, item: Item, conversation: Conversation) -> Iterator[None]:
        """Attach the partial answer to a `CancelledError` that is raised inside; see `partial_of`."""
        try:
            yield
        except asyncio.CancelledError as stopped:
            if self._pieces or self._hits:
                so_far = self._make_answer(item, conversation, None)
                stopped.args = (msgspec.structs.replace(so_far, status="timeout", note="stopped before it was whole"),)
            raise

    def _decode(self, event: Event, data: str, kind: Kind) -> Any:
        """Decode JSON.  Of server-sent events without `response.text`, return plain text as a piece of the answer."""
        may_be_text = kind == "sse" and not self._parser.text_path
        if may_be_text and not data.startswith("{"):
            return event.data
        try:
            return msgspec.json.decode(data)
        except (msgspec.DecodeError, RecursionError) as error:
            if may_be_text:
                return event.data
            excerpt = self._parser.hide(data)[:300]
            raise TargetError(f"an event of the stream is not JSON ({error}): {excerpt!r}") from None

    def _refuse(self, data: str) -> None:
        try:
            error = msgspec.json.decode(data)
        except (msgspec.DecodeError, RecursionError):
            error = data
        inner = error.get("error", error) if isinstance(error, dict) else error
        self._parser.refuse(inner or "no reason given")

    def _add_object(self, event: Mapping[str, Any], name: str) -> None:
        self._last = event
        self._parser.refuse_error(event)
        text_counts = not self._only or name in self._only or event.get("type") in self._only
        text = self._parser.text(event, streamed=not self._whole) if text_counts else None
        if text is not None:
            self._add_text(text)
        hits = self._parser.hits(event)
        if hits is not None:
            self._add_hits(hits)
        self._calls += self._parser.calls(event) or ()
        self._usage |= self._parser.usage(event)

    def _add_text(self, text: str) -> None:
        self._saw_text = True
        if not text:
            return
        if self._first_text_seconds is None:
            self._first_text_seconds = perf_counter() - self.started
        if self._whole:
            self._pieces = [text]
        elif not self._repeats(text):
            self._pieces.append(text)

    def _repeats(self, text: str) -> bool:
        """Return whether an event repeats the whole text so far; never true if the user set `response.text`."""
        if self._parser.text_path or len(self._pieces) < 2:
            return False
        return len(text) > len(self._pieces[-1]) and text.strip() == "".join(self._pieces).strip()

    def _add_hits(self, hits: tuple[Hit, ...]) -> None:
        self._hits = [*([] if self._whole else self._hits or []), *hits]
