"""Find the lines of one question in a file of records, by a search or by an index.

A search scans the bytes and parses only lines that may match, so that the first question of a large run shows at once.
An index parses each line once, and then finds any question of a file of any size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray

#: Bytes of a file to read at once, about.
_BLOCK = 1 << 20


class LineIndex(NamedTuple):
    """The n readable lines of a file, indexed by a checksum of one field.

    Attributes
    ----------
    sums
        Shape (n,): CRC-32 of the field of each line, sorted; different values may have the same checksum.
    offsets
        Shape (n,): byte at which each line begins; sorted among equal checksums.
    """

    sums: NDArray[np.uint32]
    offsets: NDArray[np.int64]

    def places(self, value: str) -> list[int]:
        """Return the byte offsets of the lines whose field may have this value, in file order."""
        checksum = np.uint32(crc32(value.encode()))
        start, end = np.searchsorted(self.sums, checksum), np.searchsorted(self.sums, checksum, "right")
        offsets: list[int] = self.offsets[start:end].tolist()
        return offsets


def line_index(file: Path, field: str) -> LineIndex:
    """Index a file of JSON objects by a text field; leave out lines that cannot be read."""
    record: Any = msgspec.defstruct("Record", [("value", str)], rename={"value": field})  # other fields are skipped
    decoder = msgspec.json.Decoder(record)
    sums, offsets, offset = [], [], 0
    with file.open("rb") as opened:
        while lines := opened.readlines(_BLOCK):
            for value, line in zip(_values(decoder, lines), lines, strict=True):
                if value is not None:
                    sums.append(crc32(value.encode()))
                    offsets.append(offset)
                offset += len(line)
    keys = np.array(sums, dtype=np.uint32)
    order = np.argsort(keys, kind="stable")
    return LineIndex(keys[order], np.array(offsets, dtype=np.int64)[order])


def _values(decoder: msgspec.json.Decoder[Any], lines: list[bytes]) -> list[str | None]:
    """Return the value of each line; None if the line cannot be read."""
    with suppress(msgspec.DecodeError, UnicodeDecodeError):
        decoded: list[str | None] = [record.value for record in decoder.decode_lines(b"".join(lines))]
        if len(decoded) == len(lines):
            return decoded
    values: list[str | None] = []
    for line in lines:
        value = None
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            value = decoder.decode(line).value
        values.append(value)
    return values


def search_lines(file: Path, field: str, value: str) -> Iterator[int]:
    """Yield the byte offsets of the lines whose field may have this value, in file order; none if there is no file.

    Every line whose value contains a backslash counts too, because an escaped value cannot be compared by its bytes.
    """
    encoded = re.escape(msgspec.json.encode(value)[1:-1])
    pattern = re.compile(rb'"%s"\s*:\s*"(?:%s"|[^"\\\n]*\\)' % (re.escape(field.encode()), encoded))
    if not file.is_file():
        return
    offset, buffer = 0, b""
    with file.open("rb", buffering=0) as opened:
        while block := opened.read(_BLOCK):
            buffer += block
            end = buffer.rfind(b"\n") + 1
            yield from (offset + start for start in _find_lines(pattern, buffer, end))
            offset, buffer = offset + end, buffer[end:]
    yield from (offset + start for start in _find_lines(pattern, buffer, len(buffer)))


def _find_lines(pattern: re.Pattern[bytes], text: bytes, end: int) -> Iterator[int]:
    """Yield the start of each line that matches the pattern, up to `end`."""
    position = 0
    while match := pattern.search(text, position, end):
        yield text.rfind(b"\n", 0, match.start()) + 1
        position = text.find(b"\n", match.end(), end) + 1 or end
