"""Find the fields of many lines at once, with their hashes and numbers, by numpy over the bytes of the file.

A run file of millions of lines holds only some thousand judged documents.  So no line is split in Python: numpy finds
the ends of the fields, and processes the fields eight bytes at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Words = NDArray[np.uint64]
    Floats = NDArray[np.float64]

#: Number of bytes before the first and after the last line, so that eight bytes can be read anywhere.
PAD = 8

_LOW = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)  # keeps the first n bytes of a word
_HIGH = ~_LOW[::-1]  # keeps the last n
_FILL = _HIGH & np.uint64(0x3030303030303030)  # the text "0" in the last n bytes
_MORE, _TOPS = np.uint64(0x7676767676767676), np.uint64(0x8080808080808080)  # 10 and more reach a byte's top bit
_PAIRS = np.uint64(0x000000FF000000FF)
_ODD = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: spreads equal differences over all bits
_TENS = np.array([10**n for n in range(9)], dtype=np.uint64)
_EXACT = 15  # a whole number of 15 digits, divided by a power of ten, gives the nearest double


class LineFields:
    """The fields of lines that all have the same number of fields, separated by one space or tab.

    Attributes
    ----------
    data
        The bytes of the lines, with `PAD` more bytes on both sides.
    first
        Index of the first byte of the first line.
    ends
        Shape (n, width): index of the byte after each field.
    """

    def __init__(self, data: bytes | bytearray, first: int, ends: Ints) -> None:
        self.data, self.first, self.ends = data, first, ends

    @classmethod
    def of(cls, data: bytes | bytearray, first: int, end: int, width: int) -> Self | None:
        """Find the fields of the whole lines in `data[first:end]`.

        Return None if a line has another number of fields, or an empty field.
        """
        inside = np.frombuffer(data, dtype=np.uint8, count=end - first, offset=first)
        gaps = inside <= 32
        places = np.flatnonzero(gaps)
        lines = len(places) // width
        if len(places) != width * lines or np.count_nonzero(inside == 10) != lines:
            return None
        if (inside[places[width - 1 :: width]] != 10).any() or gaps[:1].any() or (gaps[1:] & gaps[:-1]).any():
            return None
        places += first
        return cls(data, first, places.reshape(-1, width))

    @classmethod
    def of_texts(cls, texts: Sequence[bytes]) -> Self:
        """Make one line of each text; a text may hold anything."""
        ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1) - 1 + PAD
        return cls(bytes(PAD) + b"\n".join(texts) + bytes(PAD + 1), PAD, ends.reshape(-1, 1))

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def _words_from(self) -> Words:
        """The eight bytes that begin at each index, as one number."""
        return np.ndarray(len(self.data) - 7, "<u8", self.data, strides=(1,))

    def starts(self, column: int, rows: Any = slice(None)) -> Ints:
        """Return the start of the fields of a column, by default in all rows."""
        if column:
            behind_gap: Ints = self.ends[rows, column - 1] + 1
            return behind_gap
        starts = np.empty(len(self.ends), dtype=np.int64)
        starts[:1] = self.first
        np.add(self.ends[:-1, -1], 1, out=starts[1:])
        chosen: Ints = starts[rows]
        return chosen

    def texts(self, column: int, rows: Any = slice(None)) -> list[bytes]:
        """Return the fields of a column, by default in all rows."""
        data = self.data
        places = zip(self.starts(column, rows).tolist(), self.ends[rows, column].tolist(), strict=True)
        return [bytes(data[start:end]) for start, end in places]

    def changes(self, column: int) -> Ints:
        """Return the rows whose field differs from the field in the row before; the first row is included."""
        new = np.zeros(len(self), dtype=bool)
        new[:1] = True
        for word in self._words(column):
            new[1:] |= word[1:] != word[:-1]
        return np.flatnonzero(new)

    def hashes(self, column: int) -> Words:
        """Return a hash of each field; equal texts have equal hashes, and different texts very rarely do."""
        total: Any = np.uint64(0)
        for number, word in enumerate(self._words(column), start=1):
            word *= np.uint64(pow(_ODD, number, 1 << 64))
            total = word + total
        return mixed(total)

    def _words(self, column: int) -> Iterator[Words]:
        """Yield the fields eight bytes at a time, padded with zeros; only equal texts have equal words."""
        starts = self.starts(column)
        lengths = self.ends[:, column] - starts
        longest = int(lengths.max(initial=0))
        yield self._words_from[starts] & _LOW[np.minimum(lengths, 8) if longest > 8 else lengths]
        last = len(self._words_from) - 1
        for offset in range(8, longest, 8):
            remaining = lengths - offset
            yield self._words_from[np.minimum(starts + offset, last)] & _LOW[np.clip(remaining, 0, 8, out=remaining)]

    def numbers(self, column: int) -> Floats:
        """Return the fields as numbers; raise `ValueError` if one is not a number."""
        values = self._decimals(column) if len(self) else np.empty(0)
        if values is not None:
            return values
        texts = self.texts(column)
        if b"_" in b"".join(texts):
            raise ValueError("a number with underscores")
        return np.array(list(map(float, texts)), dtype=np.float64)

    def _decimals(self, column: int) -> Floats | None:
        """Return the numbers if all have at most 8 digits before and 8 after the point, and no exponent; else None."""
        data = np.frombuffer(self.data, dtype=np.uint8)
        starts, ends = self.starts(column), self.ends[:, column]
        negative = data[starts] == ord("-")
        signed = bool(negative.any())
        after = _after_the_point(data, ends)
        whole_ends = ends - (after + 1)  # without a point: after is -1
        digits = whole_ends - starts
        if signed:
            digits -= negative
        after = np.maximum(after, 0)
        length = digits + after
        if digits.min() < 0 or digits.max() > 8 or length.max() > _EXACT or length.min() < 1:
            return None
        if np.ndim(after) == 0 and length.max() < 8:  # one word holds the digits and the point
            word = self._words_from[ends - 8]
            part = word & _HIGH[after]
            word <<= np.uint64(8)  # move the digits before the point over the point
            word &= ~_HIGH[after]
            word |= part
            whole = _whole_numbers(word, length)
        else:
            whole, part = (
                _whole_numbers(self._words_from[whole_ends - 8], digits),
                _whole_numbers(self._words_from[ends - 8], after),
            )
            whole = None if whole is None or part is None else whole * _TENS[after] + part
        if whole is None:
            return None
        values: Floats = whole / _TENS[after].astype(np.float64)
        return np.where(negative, -values, values) if signed else values


def _whole_numbers(words: Words, count: Any) -> Words | None:
    """Return the whole numbers in the last `count` bytes of words; None if a byte is not a digit."""
    words &= _HIGH[count]
    words ^= _FILL[count]  # then digits are less than 10, all other bytes more
    if (((words + _MORE) | words) & _TOPS).any():
        return None
    words = words * np.uint64(10) + (words >> np.uint64(8))  # pairs of digits, then fours, then all eight
    even, odd = words & _PAIRS, (words >> np.uint64(16)) & _PAIRS
    even *= np.uint64(0x000F424000000064)
    odd *= np.uint64(0x0000271000000001)
    even += odd
    even >>= np.uint64(32)
    return even


def _after_the_point(data: NDArray[np.uint8], ends: Ints) -> Any:
    """Count the digits after the point, at most 8: one number if all counts are equal; -1 without a point."""
    first = [int(after) for after in range(9) if data[ends[0] - 1 - after] == ord(".")]
    if first and (data[ends - (1 + first[0])] == ord(".")).all():
        return np.int64(first[0])
    counts = np.full(len(ends), -1)
    for after in range(9):
        counts[data[ends - (1 + after)] == ord(".")] = after
    return counts


def mixed(values: Words) -> Words:
    """Spread each bit of a number over all of its bits."""
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
        values ^= values >> np.uint64(29)
        return values
