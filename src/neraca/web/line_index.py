"""Where the lines of one question begin in a file of records: searched for, or looked up once an index was made.

A search goes through the bytes and reads nothing but the lines that may be meant, so that the first question of a large
run is there at once.  An index reads each line once, and then finds any question of a file of any size.
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

#: About so many bytes of a file are read at once.
_BLOCK = 1 << 20


class LineIndex(NamedTuple):
    """The n lines of a file that can be read, by a checksum of one of their fields.

    Attributes
    ----------
    sums
        Shape (n,): CRC-32 of the field of each line, rising; of different values it may be the same.
    offsets
        Shape (n,): where each line begins, in bytes; rising where the checksum is the same.
    """

    sums: NDArray[np.uint32]
    offsets: NDArray[np.int64]

    def places(self, value: str) -> list[int]:
        """Where lines begin in which the field may have this value, in the order written."""
        wanted = np.uint32(crc32(value.encode()))
        start, end = np.searchsorted(self.sums, wanted), np.searchsorted(self.sums, wanted, "right")
        found: list[int] = self.offsets[start:end].tolist()
        return found


def line_index(file: Path, field: str) -> LineIndex:
    """Make the index of a file of JSON objects by a field that is text; broken lines are left out."""
    alone: Any = msgspec.defstruct("Alone", [("value", str)], rename={"value": field})  # other fields are skipped
    decoder = msgspec.json.Decoder(alone)
    sums, offsets, place = [], [], 0
    with file.open("rb") as opened:
        while lines := opened.readlines(_BLOCK):
            for value, line in zip(_values(decoder, lines), lines, strict=True):
                if value is not None:
                    sums.append(crc32(value.encode()))
                    offsets.append(place)
                place += len(line)
    keys = np.array(sums, dtype=np.uint32)
    order = np.argsort(keys, kind="stable")
    return LineIndex(keys[order], np.array(offsets, dtype=np.int64)[order])


def _values(decoder: msgspec.json.Decoder[Any], lines: list[bytes]) -> list[str | None]:
    """The value of each line; None of a broken one."""
    with suppress(msgspec.DecodeError, UnicodeDecodeError):
        known: list[str | None] = [one.value for one in decoder.decode_lines(b"".join(lines))]
        if len(known) == len(lines):
            return known
    values: list[str | None] = []
    for line in lines:
        value = None
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            value = decoder.decode(line).value
        values.append(value)
    return values


def search_lines(file: Path, field: str, value: str) -> Iterator[int]:
    """Where lines begin in which a field may have this value, in the order written; none where there is no file.

    A line is found too where the value is written with a backslash, so that it cannot be told from its bytes.
    """
    written = re.escape(msgspec.json.encode(value)[1:-1])
    pattern = re.compile(rb'"%s"\s*:\s*"(?:%s"|[^"\\\n]*\\)' % (re.escape(field.encode()), written))
    if not file.is_file():
        return
    before, rest = 0, b""
    with file.open("rb", buffering=0) as opened:
        while block := opened.read(_BLOCK):
            rest += block
            whole = rest.rfind(b"\n") + 1
            yield from (before + start for start in _lines_with(pattern, rest, whole))
            before, rest = before + whole, rest[whole:]
    yield from (before + start for start in _lines_with(pattern, rest, len(rest)))


def _lines_with(pattern: re.Pattern[bytes], text: bytes, end: int) -> Iterator[int]:
    """Where each line begins in which the pattern is found, in a text that ends at `end`."""
    place = 0
    while match := pattern.search(text, place, end):
        yield text.rfind(b"\n", 0, match.start()) + 1
        place = text.find(b"\n", match.end(), end) + 1 or end
