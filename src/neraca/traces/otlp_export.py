"""One export of OpenTelemetry over HTTP: unpack and decode its body, and encode the reply."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any, Literal

import msgspec

from neraca.errors import InputError, MissingExtra
from neraca.traces.exports import read_spans
from neraca.traces.losses import Losses
from neraca.traces.spans import LogRecord, Span
from neraca.traces.trace_files import Record, decode_json

Signal = Literal["traces", "logs", "metrics"]
Media = Literal["json", "protobuf"]
Coding = Literal["", "gzip"]
#: Bytes that the body of an export may have, packed and unpacked.
LARGEST = 64 << 20
#: Type of content → how a body is written.
MEDIA: Mapping[str, Media] = {
    "application/json": "json",
    "application/x-protobuf": "protobuf",
    "application/protobuf": "protobuf",
}
_KEYS: Mapping[Signal, str] = {"traces": "resourceSpans", "logs": "resourceLogs"}
#: The field of a reply that counts what was rejected.
_REJECTED: Mapping[Signal, str] = {
    "traces": "rejectedSpans",
    "logs": "rejectedLogRecords",
    "metrics": "rejectedDataPoints",
}


class TooLargeError(InputError):
    """A body is larger than `LARGEST`."""

    def __init__(self) -> None:
        super().__init__(f"the body has over {LARGEST >> 20} MiB, unpacked; export smaller batches")


class Export(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """An export as it came: a line of the journal.

    Attributes
    ----------
    signal
        Whether it holds spans or log records.
    media, coding
        The form of the body, and how it is packed.
    data
        The body.
    late
        The ids of traces whose spans in this export came too late, and are left out.
    """

    signal: Signal
    media: Media
    coding: Coding = ""
    data: bytes
    late: tuple[str, ...] = ()


#: Keys by which a line of the journal is known.
EXPORT_KEYS = frozenset({"signal", "media", "data"})


def spans_in(export: Export, where: str, losses: Losses) -> Iterator[Span | LogRecord]:
    """Yield the spans and log records of an export, and count what is malformed or no part of a turn.

    Raise `InputError` if the body as a whole cannot be read, and `MissingExtra` if protobuf is not installed.
    """
    value = _decoded(export, where)
    key = _KEYS[export.signal]
    if not isinstance(value, dict) or not isinstance(value.get(key, []), list | None) or (value and key not in value):
        raise InputError(f"{where}: no export of {export.signal}: it has no list `{key}`; send what OTLP/HTTP demands")
    if value.get(key):
        for record in read_spans([Record({key: value[key]}, where)], losses):
            if record.trace not in export.late:
                yield record


def _decoded(export: Export, where: str) -> Any:
    data = _unpacked(export.data, where) if export.coding == "gzip" else export.data
    if len(data) > LARGEST:
        raise TooLargeError
    if export.media == "json":
        return decode_json(data, where)
    if not has_protobuf():
        raise MissingExtra(
            'protobuf needs opentelemetry-proto: pip install "neraca[traces]"; or let the exporter send http/json'
        )
    from neraca.traces.otlp_protobuf import decode_protobuf

    return decode_protobuf(data, export.signal, where)


def has_protobuf() -> bool:
    """Return whether exports in protobuf can be read; this imports nothing of it."""
    try:
        return find_spec("opentelemetry.proto.collector") is not None
    except ModuleNotFoundError:
        return False


def _unpacked(data: bytes, where: str) -> bytes:
    """Return the content of a gzip body; stop at `LARGEST` bytes."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        content = unpacker.decompress(data, LARGEST + 1)
    except zlib.error as error:
        raise InputError(f"{where}: not gzip: {error}; pack it anew, or send it without Content-Encoding") from error
    if len(content) > LARGEST:
        raise TooLargeError
    if not unpacker.eof or unpacker.unused_data:
        fault = "holds more than one packed file" if unpacker.eof else "ends in the middle"
        raise InputError(f"{where}: the gzip body {fault}; pack it anew")
    return content


def reply(signal: Signal, media: Media, rejected: int = 0, message: str = "") -> bytes:
    """Return the body of a reply to an export, with how many spans were rejected and why.

    >>> reply("traces", "json"), reply("traces", "json", 1, "no id")
    (b'{}', b'{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no id"}}')
    """
    if media == "json":
        partial = {_REJECTED[signal]: str(rejected), "errorMessage": message}
        return msgspec.json.encode({"partialSuccess": partial} if rejected else {})
    if not rejected:
        return b""
    text = message.encode(errors="replace")
    partial_success = b"\x08" + _varint(rejected) + b"\x12" + _varint(len(text)) + text
    return b"\x0a" + _varint(len(partial_success)) + partial_success


def refusal(media: Media, message: str) -> bytes:
    r"""Return the body of a reply that refuses: a `google.rpc.Status` with this message.

    >>> refusal("json", "too large"), refusal("protobuf", "no")
    (b'{"message":"too large"}', b'\x12\x02no')
    """
    if media == "json":
        return msgspec.json.encode({"message": message})
    text = message.encode(errors="replace")
    return b"\x12" + _varint(len(text)) + text


def _varint(number: int) -> bytes:
    """Return a whole number as protobuf writes it: seven bits a byte, the lowest first."""
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])
