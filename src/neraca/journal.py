"""Append-only journals: files of records that survive a kill.

Records are synced to disk before `append` returns.  A line torn by a crash is cut off at the next start.  Each line
carries the version of its schema, so that an old journal can always be read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from io import FileIO
from itertools import accumulate
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import msgspec

from neraca.errors import InputError, RunError
from neraca.files import open_to_append, sync, write_atomic

R = TypeVar("R", bound=msgspec.Struct)
K = TypeVar("K", bound=msgspec.Struct)
Upgrade = Callable[[dict[str, Any]], dict[str, Any]]
#: Number of bytes of a journal that are decoded at once.
_BATCH = 1 << 20
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError)


class Journal(Generic[R]):
    """An append-only file of records, one JSON object a line.

    Parameters
    ----------
    path
        The file; it is created when it is first opened for writing.
    kind
        The type of the records.
    version
        The current version of their schema, written as `v` into each line.
    upgrades
        Older version → function that converts an object of that version to the next version.
    """

    def __init__(
        self, path: Path, kind: type[R], version: int = 1, upgrades: Mapping[int, Upgrade] | None = None
    ) -> None:
        self.path = path
        self._kind = kind
        self._version = version
        self._upgrades = dict(upgrades or {})
        self._prefix = f'{{"v":{version},'.encode()
        self._decoder = msgspec.json.Decoder(kind)
        self._encoder = msgspec.json.Encoder()
        self._file: FileIO | None = None

    def __enter__(self) -> Self:
        """Open for writing, and cut off a last line that was torn by a crash."""
        self._file = open_to_append(self.path)
        size = self._file.seek(0, os.SEEK_END)
        end = _end_of_last_line(self._file, size)
        if end < size:
            self._file.seek(end)
            if self._is_whole(self._file.read(size - end)):
                self._file.write(b"\n")
            else:
                self._file.truncate(end)
            sync(self._file.fileno())
        return self

    def _is_whole(self, line: bytes) -> bool:
        """Return whether a line without a newline is a whole record, as after an edit by hand."""
        try:
            self._decode_line(line)
        except _UNREADABLE:
            return False
        return True

    def _decode_line(self, line: bytes) -> R:
        return self._decoder.decode(line) if line.startswith(self._prefix) else self._upgrade(line)

    def __exit__(self, *raised: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def append(self, *records: R) -> list[int]:
        """Write records, and return the offset of each line in bytes when they are on disk."""
        if self._file is None:
            raise RunError(f"{self.path}: the journal is not open for writing")
        if not records:
            return []
        lines = [self.line(record) for record in records]
        offsets = list(accumulate(map(len, lines), initial=self._file.seek(0, os.SEEK_END)))
        data = b"".join(lines)
        written = self._file.write(data)
        if written != len(data):
            self._file.truncate(self._file.seek(0, os.SEEK_END) - written)
            raise RunError(f"{self.path}: only {written} of {len(data)} bytes could be written; is the disk full?")
        sync(self._file.fileno())
        return offsets[:-1]

    def rewrite(self, records: Iterable[R]) -> None:
        """Replace the whole file by these records, at once; not while it is open for writing."""
        write_atomic(self.path, b"".join(map(self.line, records)))

    def line(self, record: R) -> bytes:
        """Return a record as the line that `append` writes."""
        return self._prefix + self._encoder.encode(record)[1:] + b"\n"

    def __iter__(self) -> Iterator[R]:
        """Yield the records in file order.  Skip a torn last line; raise `InputError` for a broken line."""
        if not self.path.exists():
            return
        lines_before = 0
        with self.path.open("rb") as file:
            while lines := file.readlines(_BATCH):
                records = self._decode_batch(lines, self._decoder)
                yield from self._decode_singly(lines, lines_before) if records is None else records
                lines_before += len(lines)

    def with_offsets(self, kind: type[K]) -> Iterator[tuple[int, K | R]]:
        """Yield the offset of each line in bytes, with a record of `kind`, which has only some of the fields.

        The other fields are not checked: `at` may still raise for them.  Errors are as in iteration.
        """
        if not self.path.exists():
            return
        decoder, lines_before, offset = msgspec.json.Decoder(kind), 0, 0
        with self.path.open("rb") as file:
            while lines := file.readlines(_BATCH):
                offsets = accumulate(map(len, lines), initial=offset)
                records = self._decode_batch(lines, decoder) or self._decode_singly(lines, lines_before)
                yield from zip(offsets, records, strict=False)
                lines_before, offset = lines_before + len(lines), file.tell()

    def at(self, offsets: Iterable[int]) -> list[R]:
        """Return the records of the lines at these offsets in bytes.  Raise `InputError` for a broken line."""
        records = []
        with self.path.open("rb") as file:
            for offset in offsets:
                file.seek(offset)
                try:
                    records.append(self._decode_line(file.readline()))
                except _UNREADABLE as error:
                    kind = self._kind.__name__
                    raise InputError(f"{self.path}, at byte {offset}: not a whole {kind}: {error}") from error
        return records

    def _decode_singly(self, lines: list[bytes], lines_before: int) -> Iterator[R]:
        for number, line in enumerate(lines, start=lines_before + 1):
            if not line.endswith(b"\n") and not self._is_whole(line):
                return
            try:
                yield self._decode_line(line)
            except _UNREADABLE as error:
                kind = self._kind.__name__
                raise InputError(f"{self.path} line {number}: not a whole {kind}: {error}") from error

    def _decode_batch(self, lines: list[bytes], decoder: msgspec.json.Decoder[K]) -> list[K] | None:
        """Decode lines at once if all are whole and of the current version; otherwise return None."""
        if all(line.startswith(self._prefix) and line.endswith(b"\n") for line in lines):
            with suppress(*_UNREADABLE):
                return decoder.decode_lines(b"".join(lines))
        return None

    def _upgrade(self, line: bytes) -> R:
        record = msgspec.json.decode(line, type=dict[str, Any])
        version = record.pop("v", 1)
        if not isinstance(version, int) or version > self._version:
            raise msgspec.ValidationError(
                f"version {version} is newer than the {self._version} known here; update Neraca"
            )
        for old in range(version, self._version):
            if old not in self._upgrades:
                raise msgspec.ValidationError(f"nothing upgrades version {old}")
            record = self._upgrades[old](record)
        return msgspec.convert(record, self._kind)


def _end_of_last_line(file: FileIO, size: int) -> int:
    """Return the offset after the last newline of a file, 0 if it has none."""
    end = size
    while end > 0:
        start = max(0, end - 65536)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0
