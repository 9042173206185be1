"""Append-only journals: files of records that survive a kill.

A line is one write, synced to disk before the next step.  A line torn by a crash is cut off at the next start.  Every
line carries the version of its schema, so that an old journal can always be read.
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
from neraca.files import open_to_append, sync

R = TypeVar("R", bound=msgspec.Struct)
K = TypeVar("K", bound=msgspec.Struct)
Upgrade = Callable[[dict[str, Any]], dict[str, Any]]
#: Number of bytes of a journal that are decoded at once.
_BATCH = 1 << 20


class Journal(Generic[R]):
    """An append-only file of records, one JSON object a line.

    Parameters
    ----------
    path
        The file; it need not exist.
    kind
        The record's type.
    version
        Current version of its schema, written as `v` into each line.
    upgrades
        For each older version a pure function from its object to the next version's.
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
        whole = _whole_lines(self._file, size)
        if whole < size:
            self._file.seek(whole)
            if self._is_whole(self._file.read(size - whole)):
                self._file.write(b"\n")
            else:
                self._file.truncate(whole)
            sync(self._file.fileno())
        return self

    def _is_whole(self, line: bytes) -> bool:
        """Return whether a last line lacks only its newline, as after an edit by hand."""
        try:
            self._read(line)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError):
            return False
        return True

    def _read(self, line: bytes) -> R:
        return self._decoder.decode(line) if line.startswith(self._prefix) else self._upgrade(line)

    def __exit__(self, *raised: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def append(self, *records: R) -> None:
        """Write records and return when they are on disk."""
        if self._file is None:
            raise RunError(f"{self.path}: the journal is not open for writing")
        if not records:
            return
        lines = b"".join(self._prefix + self._encoder.encode(record)[1:] + b"\n" for record in records)
        written = self._file.write(lines)
        if written != len(lines):
            self._file.truncate(self._file.seek(0, os.SEEK_END) - written)
            raise RunError(f"{self.path}: only {written} of {len(lines)} bytes could be written; is the disk full?")
        sync(self._file.fileno())

    def __iter__(self) -> Iterator[R]:
        """Yield the records in the order written.  Skip a torn last line; raise `InputError` for a broken line."""
        if not self.path.exists():
            return
        number = 0
        with self.path.open("rb") as file:
            while lines := file.readlines(_BATCH):
                records = self._batch(lines, self._decoder)
                yield from self._one_by_one(lines, number) if records is None else records
                number += len(lines)

    def places(self, kind: type[K]) -> Iterator[tuple[int, K | R]]:
        """Yield the first byte of each line, with the fields of its record that the smaller `kind` has.

        Fields that `kind` lacks are not checked; they may still prove broken when the line is read.  Errors are as
        in iteration.
        """
        if not self.path.exists():
            return
        decoder, number, begin = msgspec.json.Decoder(kind), 0, 0
        with self.path.open("rb") as file:
            while lines := file.readlines(_BATCH):
                starts = accumulate(map(len, lines), initial=begin)
                yield from zip(starts, self._batch(lines, decoder) or self._one_by_one(lines, number), strict=False)
                number, begin = number + len(lines), file.tell()

    def at(self, offsets: Iterable[int]) -> list[R]:
        """Return the records of the lines that begin at these bytes.  Raise `InputError` for a broken line."""
        records = []
        with self.path.open("rb") as file:
            for place in offsets:
                file.seek(place)
                try:
                    records.append(self._read(file.readline()))
                except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
                    kind = self._kind.__name__
                    raise InputError(f"{self.path}, at byte {place}: not a whole {kind}: {error}") from error
        return records

    def _one_by_one(self, lines: list[bytes], before: int) -> Iterator[R]:
        for number, line in enumerate(lines, start=before + 1):
            if not line.endswith(b"\n") and not self._is_whole(line):
                return
            try:
                yield self._read(line)
            except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
                kind = self._kind.__name__
                raise InputError(f"{self.path} line {number}: not a whole {kind}: {error}") from error

    def _batch(self, lines: list[bytes], decoder: msgspec.json.Decoder[K]) -> list[K] | None:
        """Decode lines at once if all are whole and of the current version; otherwise return None."""
        if all(line.startswith(self._prefix) and line.endswith(b"\n") for line in lines):
            with suppress(msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError):
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


def _whole_lines(file: FileIO, size: int) -> int:
    """Return the length of the file up to and including its last newline."""
    end = size
    while end > 0:
        start = max(0, end - 65536)
        file.seek(start)
        cut = file.read(end - start).rfind(b"\n")
        if cut >= 0:
            return start + cut + 1
        end = start
    return 0
