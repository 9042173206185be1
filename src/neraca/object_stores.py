"""Files by address: on this machine (`data/a.parquet`), or in an object store (`s3://bucket/a.parquet`, `gs://…`).

A file is written whole or not at all: on a disk by a name that it takes at the end, in an object store by a single put.
Object stores are reached by fsspec, and each of them finds its keys where its own tools do: the environment, files
of configuration, or the role of the machine.  Neraca neither asks for keys nor keeps them.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from neraca.errors import InputError, MissingExtra
from neraca.files import write_atomic

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

#: What cannot be told apart by its address: files of this machine.
_LOCAL = "file://"


class Stored(NamedTuple):
    """A file that is there: its address and its size in bytes."""

    address: str
    size: int


def is_remote(address: str) -> bool:
    """Whether an address is one of an object store.

    >>> is_remote("s3://bucket/a.parquet"), is_remote("data/a.parquet")
    (True, False)
    """
    return "://" in address and not address.startswith(_LOCAL)


def local_path(address: str) -> Path:
    """The path of a file of this machine."""
    return Path(address.removeprefix(_LOCAL))


def within(folder: str, name: str) -> str:
    """The address of a name in a folder.

    >>> within("s3://bucket/out/", "a.parquet")
    's3://bucket/out/a.parquet'
    """
    return f"{folder.rstrip('/')}/{name}" if is_remote(folder) else str(local_path(folder) / name)


def listed(address: str, suffix: str = "") -> list[Stored]:
    """All files at or below an address whose names end so, by name; of nothing there are none.

    Names that begin with `_` or `.` are passed over, as programs that write Parquet folders mean it.
    """
    with _told(address):
        if is_remote(address):
            system, path = _opened(address)
            found = system.find(path, detail=True)
            protocol = address.partition("://")[0]
            there = [Stored(f"{protocol}://{name}", int(info["size"] or 0)) for name, info in found.items()]
            root = f"{protocol}://{path}"
        else:
            folder = local_path(address)
            files = [folder] if folder.is_file() else sorted(path for path in folder.rglob("*") if path.is_file())
            there = [Stored(str(path), path.stat().st_size) for path in files]
            root = str(folder)
    return sorted(one for one in there if one.address.endswith(suffix) and not _hidden(one.address, root))


def _hidden(address: str, root: str) -> bool:
    inner = address.removeprefix(root).replace("\\", "/").split("/")
    return any(part.startswith(("_", ".")) for part in inner if part)


def exists(address: str) -> bool:
    """Whether there is a file at this address."""
    with _told(address):
        if is_remote(address):
            system, path = _opened(address)
            system.invalidate_cache(path)
            return bool(system.isfile(path))
        return local_path(address).is_file()


def read_bytes(address: str, start: int = 0, end: int | None = None) -> bytes:
    """The bytes of a file from `start` to before `end`, both as of slices; raises `InputError`."""
    with _told(address):
        if is_remote(address):
            system, path = _opened(address)
            data: bytes = system.cat_file(path, start=start or None, end=end)
            return data
        with local_path(address).open("rb") as file:
            size = file.seek(0, 2)
            first, last, _ = slice(start, end).indices(size)
            file.seek(first)
            return file.read(max(0, last - first))


def write_bytes(address: str, data: bytes) -> None:
    """Write a file whole or not at all; raises `InputError`."""
    with _told(address, "written"):
        if is_remote(address):
            system, path = _opened(address)
            system.pipe_file(path, data)
        else:
            write_atomic(local_path(address), data)


def _opened(address: str) -> tuple[AbstractFileSystem, str]:
    """The object store, and the path in it."""
    protocol = address.partition("://")[0]
    try:
        from fsspec.core import url_to_fs

        system, path = url_to_fs(address)
    except ImportError as error:
        raise MissingExtra(
            f"{address}: files in an object store need the extra of its name, s3 or gs: "
            f"pip install 'neraca[{protocol}]' ({error})"
        ) from error
    except ValueError as error:
        raise InputError(f"{address}: no object store is called {protocol}: {error}") from error
    return system, path


@contextmanager
def _told(address: str, what: str = "read") -> Iterator[None]:
    """Say in our words that a file cannot be read or written."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{address}: there is no such file") from error
    except OSError as error:
        full = "; free some space, and start the same command again" if error.errno == errno.ENOSPC else ""
        raise InputError(f"{address}: cannot be {what}: {error.strerror or error}{full}") from error
    except Exception as error:
        if not _of_store(error):
            raise
        raise InputError(
            f"{address}: cannot be {what}: {error}; are the keys where the store's own tools look for them?"
        ) from error


def _of_store(error: Any) -> bool:
    """Whether an error comes from the client of an object store, which has classes of its own."""
    return type(error).__module__.split(".")[0] in ("botocore", "aiobotocore", "gcsfs", "google", "aiohttp", "adlfs")
