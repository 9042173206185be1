"""Sequences of records that stay in their file and are read when used, so that a large run needs little memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, Self, TypeVar, overload

import msgspec

from neraca.errors import RunError
from neraca.journal import Journal

R = TypeVar("R", bound=msgspec.Struct)
V = TypeVar("V")
#: Size in bytes of a file from which its records stay there.
LARGE = 16 << 20
#: Number of records in memory during an iteration.
CHUNK = 1000


class _Nothing(msgspec.Struct, frozen=True, gc=False):
    """A record without fields, to read only the places of records."""


def is_large(file: Path) -> bool:
    """Return whether the records of a file should stay there."""
    return file.exists() and file.stat().st_size > LARGE


class StoredRecords(Sequence[R]):
    """Records of a journal, each read from the file when used.

    Parameters
    ----------
    journal
        The journal.
    offsets
        The first byte of the line of each record.
    """

    def __init__(self, journal: Journal[R], offsets: Iterable[int]) -> None:
        self._journal = journal
        self._offsets = array("q", offsets)
        self._file = journal.path.stat().st_ino

    @classmethod
    def of(cls, journal: Journal[R]) -> Self:
        """Take all records of a journal."""
        return cls(journal, (offset for offset, _ in journal.with_offsets(_Nothing)))

    def __len__(self) -> int:
        return len(self._offsets)

    @overload
    def __getitem__(self, row: int) -> R: ...
    @overload
    def __getitem__(self, row: slice) -> StoredRecords[R]: ...
    def __getitem__(self, row: int | slice) -> R | StoredRecords[R]:
        if isinstance(row, slice):
            return StoredRecords(self._journal, self._offsets[row])
        return self._at([self._offsets[row]])[0]

    def __iter__(self) -> Iterator[R]:
        for start in range(0, len(self), CHUNK):
            yield from self._at(self._offsets[start : start + CHUNK])

    def _at(self, offsets: Iterable[int]) -> list[R]:
        if self._journal.path.stat().st_ino != self._file:
            raise RunError(f"{self._journal.path}: somebody wrote it anew while it was read; start again")
        return self._journal.at(offsets)

    def take(self, rows: Iterable[int]) -> StoredRecords[R]:
        """Return the records of these rows, in this order."""
        return StoredRecords(self._journal, map(self._offsets.__getitem__, rows))


def taken(records: Sequence[R], rows: Iterable[int]) -> Sequence[R]:
    """Return the records of these rows, in this order; stored records stay in their file."""
    return records.take(rows) if isinstance(records, StoredRecords) else [records[row] for row in rows]


class ReadLater(Sequence[V], Generic[R, V]):
    """Values read from records, computed anew at each access.

    Parameters
    ----------
    records
        Records to read.
    read
        Function that returns the value of a record.
    """

    def __init__(self, records: Sequence[R], read: Callable[[R], V]) -> None:
        self._records = records
        self._read = read

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, row: int) -> V: ...
    @overload
    def __getitem__(self, row: slice) -> ReadLater[R, V]: ...
    def __getitem__(self, row: int | slice) -> V | ReadLater[R, V]:
        return ReadLater(self._records[row], self._read) if isinstance(row, slice) else self._read(self._records[row])

    def __iter__(self) -> Iterator[V]:
        return map(self._read, self._records)
