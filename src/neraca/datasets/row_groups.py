"""Read the row groups of a Parquet file, their numbers of rows and their bytes, from the footer alone.

The footer is in Thrift's compact protocol.  Only the fields needed here are used.

References
----------
https://parquet.apache.org/docs/file-format/, and https://github.com/apache/thrift, doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from neraca.errors import InputError

MAGIC = b"PAR1"
#: Length of the footer and the magic word, which end every file.
TAIL = 8
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 11, 12


class RowGroup(NamedTuple):
    """A row group: consecutive rows of a file, stored together.

    Attributes
    ----------
    first, rows
        The index of its first row in the file, from 0, and its number of rows.
    start, end
        Its bytes in the file; `end` is exclusive.
    """

    first: int
    rows: int
    start: int
    end: int


@dataclass(frozen=True)
class Footer:
    """The metadata of a Parquet file.

    Attributes
    ----------
    columns
        Names of its columns, in their order.
    groups
        Its row groups, in their order.
    metadata
        Further entries of the program that wrote the file, key → value.
    """

    columns: tuple[str, ...]
    groups: tuple[RowGroup, ...]
    metadata: Mapping[str, str]

    @property
    def rows(self) -> int:
        """Number of rows in the whole file."""
        return sum(group.rows for group in self.groups)


def footer_length(tail: bytes, where: str) -> int:
    """Return the length in bytes of the footer, without the tail, from the last `TAIL` bytes; raise `InputError`."""
    if len(tail) != TAIL or tail[4:] != MAGIC:
        raise InputError(f"{where}: not a Parquet file, or an incomplete one; write it anew")
    return int.from_bytes(tail[:4], "little")


def read_footer(footer: bytes, where: str) -> Footer:
    """Read the footer of the file that messages call `where`; raise `InputError`."""
    try:
        fields = _Reader(footer).struct()
        metadata = {entry[1].decode(): entry.get(2, b"").decode() for entry in fields.get(5, [])}
        return Footer(_columns(fields[2]), tuple(_groups(fields.get(4, []))), metadata)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"{where}: the footer of this Parquet file cannot be read; write it anew") from error


def _columns(schema: list[Mapping[int, Any]]) -> tuple[str, ...]:
    """Return the names of the top-level columns; the schema lists a tree, each node before its children."""
    nodes = iter(schema[1:])

    def skip_children(node: Mapping[int, Any]) -> None:
        for _ in range(node.get(5, 0)):
            skip_children(next(nodes))

    names = []
    for _ in range(schema[0].get(5, 0)):
        node = next(nodes)
        names.append(node[4].decode())
        skip_children(node)
    return tuple(names)


def _groups(structs: list[Mapping[int, Any]]) -> Iterator[RowGroup]:
    first = 0
    for group in structs:
        spans = [_span(column[3]) for column in group[1]]
        yield RowGroup(first, group[3], min(start for start, _ in spans), max(end for _, end in spans))
        first += group[3]


def _span(column: Mapping[int, Any]) -> tuple[int, int]:
    """Return the bytes of a column in a row group: from its dictionary, if it has one, to the end of its pages."""
    start = min(column[9], column.get(11) or column[9])
    return start, start + column[7]


class _Reader:
    """Reads Thrift's compact protocol: a structure is a mapping from numbers of fields to values."""

    def __init__(self, data: bytes) -> None:
        self._data, self._position = data, 0
        self._read: dict[int, Callable[[], Any]] = {
            _TRUE: lambda: True,
            _FALSE: lambda: False,
            _BYTE: self._byte,
            **dict.fromkeys((4, 5, 6), self._integer),
            _DOUBLE: lambda: self._bytes(8),
            _BINARY: lambda: self._bytes(self._varint()),
            **dict.fromkeys((_LIST, _SET), self._list),
            _MAP: self._map,
            _STRUCT: self.struct,
        }

    def struct(self) -> dict[int, Any]:
        """Return the structure that begins at the current byte."""
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != _STOP:
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = self._read[head & 15]()
        return fields

    def _byte(self) -> int:
        self._position += 1
        return self._data[self._position - 1]

    def _bytes(self, length: int) -> bytes:
        self._position += length
        if self._position > len(self._data):
            raise ValueError("the footer ends too early")
        return self._data[self._position - length : self._position]

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _integer(self) -> int:
        """Return a number in zigzag code, in which 0, 1, 2 and 3 stand for 0, -1, 1 and -2."""
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _list(self) -> list[Any]:
        head = self._byte()
        length, kind = head >> 4, head & 15
        length = self._varint() if length == 15 else length
        if kind in (_TRUE, _FALSE):  # in a list a truth value is a byte of its own
            return [self._byte() == 1 for _ in range(length)]
        return [self._read[kind]() for _ in range(length)]

    def _map(self) -> dict[Any, Any]:
        length = self._varint()
        if not length:
            return {}
        kinds = self._byte()
        return {self._read[kinds >> 4](): self._read[kinds & 15]() for _ in range(length)}
