"""Files that survive a kill: atomic writes, one writer at a time, fingerprints."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any, Self

import msgspec
from filelock import lock_descriptor

from neraca.errors import InputError, RunError

#: Write a file's data from memory to disk.
sync = getattr(os, "fdatasync", os.fsync)
_NOT_PORTABLE = re.compile(
    r'[<>:"/\\|?*\x00-\x1f]|[ .]$|^(con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³])(\.|$)', re.IGNORECASE
)


def fingerprint(value: Any) -> str:
    """Return a short hash of anything that can be written as JSON; the order of keys does not matter.

    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:16]


def is_portable_name(name: str) -> bool:
    """Return whether every operating system accepts this as the name of a file; Windows refuses most.

    >>> [name for name in ("openai gpt-4o", "openai:gpt-4o", "who?", "end.", "nul.txt") if is_portable_name(name)]
    ['openai gpt-4o']
    """
    return bool(name) and not _NOT_PORTABLE.search(name)


def write_atomic(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Write `path` whole or not at all: a temporary file beside it, synced, then renamed."""
    with replacing(path, mode) as temporary:
        temporary.write_bytes(data)


@contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """Yield an empty file beside `path` to fill.  At the end it is synced and replaces `path`; an error removes it.

    Until then only this user can read it; afterwards it has `mode` without the umask of the process.  If the folder is
    not writable, this raises at once, before the content is computed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("r+b") as file:  # Windows syncs only files that are open for writing
            sync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(mode & ~umask)
        _rename(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _rename(temporary: Path, path: Path) -> None:
    try:
        temporary.replace(path)
    except PermissionError as error:
        remedy = "close the program that has it open, such as a spreadsheet, or give the file another name"
        raise InputError(f"{path}: cannot be replaced ({error.strerror}); {remedy}") from error


def open_to_append(path: Path) -> FileIO:
    """Open a file for reading and for appending bytes; create it if it does not exist."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return FileIO(path, "a+", opener=lambda name, flags: os.open(name, flags, 0o644))


def sync_folder(folder: Path) -> None:
    """Write the entries of a folder to disk, so that a new file in it is there after a power failure.

    On Windows, where a folder cannot be opened, this does nothing.
    """
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Lock:
    """A lock that gives a folder one writer at a time; the system frees it when the process ends, even by a kill."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ".lock"
        self._file: FileIO | None = None

    def __enter__(self) -> Self:
        file = open_to_append(self._path)
        try:
            if not lock_descriptor(file.fileno(), blocking=False):
                file.seek(1)  # Windows lets nobody else read the first byte, which is locked
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

    def move_folder(self, new_folder: Path) -> None:
        """Rename the folder, and the lock in it; on Windows free the lock first, because an open file prevents it."""
        try:
            self._path.parent.rename(new_folder)
        except PermissionError:
            self.__exit__()
            self._path.parent.rename(new_folder)

    def __exit__(self, *raised: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
