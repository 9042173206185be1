"""Files that survive a kill: atomic writes, append-only journals, one writer at a time, fingerprints.

A journal line is one write, synced to disk before the next step; a line torn by a crash is cut at the next
start.  Every line carries the version of its schema, so that an old journal can be read for ever.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from itertools import accumulate
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import msgspec
from filelock import lock_descriptor

from neraca.errors import InputError, RunError

R = TypeVar("R", bound=msgspec.Struct)
K = TypeVar("K", bound=msgspec.Struct)
Upgrade = Callable[[dict[str, Any]], dict[str, Any]]
#: About so many bytes of a journal are decoded at once.
_BATCH = 1 << 20
_sync = getattr(os, "fdatasync", os.fsync)
_REFUSED = re.compile(r'[<>:"/\\|?*\x00-\x1f]|[ .]$|^(con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³])(\.|$)', re.IGNORECASE)


def fingerprint(thing: Any) -> str:
    """A short hash of anything that can be written as JSON; the order of keys does not matter.

    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(msgspec.json.encode(thing, order="deterministic")).hexdigest()[:16]


def name_everywhere(name: str) -> bool:
    """Whether every system takes this as the name of a file; Windows refuses more than others.

    >>> [name for name in ("openai gpt-4o", "openai:gpt-4o", "who?", "end.", "aux", "nul.txt") if name_everywhere(name)]
    ['openai gpt-4o']
    """
    return bool(name) and not _REFUSED.search(name)


def write_atomic(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Write `path` whole or not at all: a temporary file beside it, synced, then renamed."""
    with replacing(path, mode) as beside:
        beside.write_bytes(data)


@contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """An empty file beside `path`, to be filled; at the end it is synced and takes its place, after an error it goes.

    Until then nobody else can read it; then who may is what `mode` and the mask of the process leave.  Where the folder
    cannot be written to, this is said at once, before anything was worked out.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        yield Path(name)
        with Path(name).open("r+b") as file:  # Windows syncs only what may be written
            _sync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(mode & ~umask)
        _take_place(Path(name), path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _take_place(beside: Path, path: Path) -> None:
    try:
        beside.replace(path)
    except PermissionError as error:
        remedy = "close the program that has it open, such as a spreadsheet, or give the file another name"
        raise InputError(f"{path}: cannot be replaced ({error.strerror}); {remedy}") from error


def _opened(path: Path) -> FileIO:
    """Open a file to read it and to write at its end, byte by byte as given; it is made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return FileIO(path, "a+", opener=lambda name, flags: os.open(name, flags, 0o644))


class Lock:
    """One writer of a folder at a time; the system frees it when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ".lock"
        self._file: FileIO | None = None

    def __enter__(self) -> Self:
        file = _opened(self._path)
        try:
            if not lock_descriptor(file.fileno(), blocking=False):
                file.seek(1)  # Windows lets nobody else read the first byte, which is the one that is locked
                owner = file.read(64).decode(errors="replace").strip() or "unknown"
                raise RunError(
                    f"{self._path.parent}: another process (pid {owner}) is writing to this run; "
                    "wait until it has finished, or choose another folder"
                )
            file.truncate(0)
            file.write(f"\n{os.getpid()}".encode())
        except BaseException:
            file.close()
            raise
        self._file = file
        return self

    def move_folder(self, to: Path) -> None:
        """Rename the folder, and with it the lock; where no file in it may be open, as on Windows, free it first."""
        try:
            self._path.parent.rename(to)
        except PermissionError:
            self.__exit__()
            self._path.parent.rename(to)

    def __exit__(self, *raised: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class Journal(Generic[R]):
    """An append-only file of records, one JSON object a line.

    Parameters
    ----------
    path
        The file; it need not exist.
    kind
        The record's type.
    version
        Today's version of its schema, written as `v` into each line.
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
        """Open for writing; a last line that was torn by a crash is cut off."""
        self._file = _opened(self.path)
        size = self._file.seek(0, os.SEEK_END)
        whole = _whole_lines(self._file, size)
        if whole < size:
            self._file.seek(whole)
            if self._is_whole(self._file.read(size - whole)):
                self._file.write(b"\n")
            else:
                self._file.truncate(whole)
            _sync(self._file.fileno())
        return self

    def _is_whole(self, line: bytes) -> bool:
        """Whether a last line lacks nothing but its newline, as where a person added it with an editor."""
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
        _sync(self._file.fileno())

    def __iter__(self) -> Iterator[R]:
        """All records in the order written; a torn last line is passed over, a broken one is an `InputError`."""
        if not self.path.exists():
            return
        number = 0
        with self.path.open("rb") as file:
            while lines := file.readlines(_BATCH):
                records = self._batch(lines, self._decoder)
                yield from self._one_by_one(lines, number) if records is None else records
                number += len(lines)

    def places(self, kind: type[K]) -> Iterator[tuple[int, K | R]]:
        """The byte at which each line begins, with what a smaller `kind` has of its record; errors are as of `iter`.

        What `kind` leaves out is not looked at, so that it may still prove broken when it is read.
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
        """The records of the lines that begin at these bytes, which alone are read; a broken one is an `InputError`."""
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
        """Read whole lines of today's version at once; None where one of them is not."""
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
    """The length of the file up to and with its last newline."""
    end = size
    while end > 0:
        start = max(0, end - 65536)
        file.seek(start)
        cut = file.read(end - start).rfind(b"\n")
        if cut >= 0:
            return start + cut + 1
        end = start
    return 0
