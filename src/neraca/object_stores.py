"""Files by address: on this machine (`data/a.parquet`), or in an object store (`s3://bucket/a.parquet`, `gs://…`).

A file is written whole or not at all: on a disk under a temporary name, which is changed at the end; in an object store
by a single put.  fsspec reaches the object stores.  Each store finds its keys where its own tools do: in the
environment, in files of configuration, or in the role of the machine.  Neraca does not ask for keys or store them.
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

#: Optional start of the address of a file on this machine.
_LOCAL = "file://"
#: Object stores that an extra of the same name reads.
EXTRAS = ("s3", "gs")


class StoredFile(NamedTuple):
    """An existing file: its address and its size in bytes."""

    address: str
    size: int


def is_remote(address: str) -> bool:
    """Return whether an address is in an object store.

    >>> is_remote("s3://bucket/a.parquet"), is_remote("data/a.parquet")
    (True, False)
    """
    return "://" in address and not address.startswith(_LOCAL)


def local_path(address: str) -> Path:
    """Return the path of a file on this machine."""
    return Path(address.removeprefix(_LOCAL))


def join_address(folder: str, name: str) -> str:
    """Return the address of a name in a folder.

    >>> join_address("s3://bucket/out/", "a.parquet")
    's3://bucket/out/a.parquet'
    """
    return f"{folder.rstrip('/')}/{name}" if is_remote(folder) else str(local_path(folder) / name)


def list_files(address: str, suffix: str = "") -> list[StoredFile]:
    """Return the files at or below an address whose names end in `suffix`, sorted; [] if the address does not exist.

    Skip names that begin with `_` or `.`: in folders of Parquet files they mark files without data.
    """
    with _readable_errors(address):
        if is_remote(address):
            system, path = _store_and_path(address)
            protocol = address.partition("://")[0]
            infos = system.find(path, detail=True).items()
            files = [StoredFile(f"{protocol}://{name}", int(info["size"] or 0)) for name, info in infos]
            root = f"{protocol}://{path}"
        else:
            folder = local_path(address)
            paths = [folder] if folder.is_file() else [path for path in folder.rglob("*") if path.is_file()]
            files = [StoredFile(str(path), path.stat().st_size) for path in paths]
            root = str(folder)
    return sorted(file for file in files if file.address.endswith(suffix) and not _is_hidden(file.address, root))


def _is_hidden(address: str, root: str) -> bool:
    names = address.removeprefix(root).replace("\\", "/").split("/")
    return any(name.startswith(("_", ".")) for name in names)


def exists(address: str) -> bool:
    """Return whether there is a file at this address."""
    with _readable_errors(address):
        if is_remote(address):
            system, path = _store_and_path(address)
            system.invalidate_cache(path)
            return bool(system.isfile(path))
        return local_path(address).is_file()


def read_bytes(address: str, start: int = 0, end: int | None = None) -> bytes:
    """Return the bytes `start:end` of a file, as in a slice; raise `InputError`."""
    with _readable_errors(address):
        if is_remote(address):
            system, path = _store_and_path(address)
            data: bytes = system.cat_file(path, start=start or None, end=end)
            return data
        with local_path(address).open("rb") as file:
            size = file.seek(0, 2)
            first, last, _ = slice(start, end).indices(size)
            file.seek(first)
            return file.read(max(0, last - first))


def write_bytes(address: str, data: bytes) -> None:
    """Write a file whole or not at all; raise `InputError`."""
    with _readable_errors(address, "written"):
        if is_remote(address):
            system, path = _store_and_path(address)
            system.pipe_file(path, data)
        else:
            write_atomic(local_path(address), data)


def _store_and_path(address: str) -> tuple[AbstractFileSystem, str]:
    """Return the object store of an address, and the path in it."""
    protocol = address.partition("://")[0]
    try:
        from fsspec.core import url_to_fs

        system, path = url_to_fs(address)
    except ImportError as error:
        if protocol in EXTRAS:
            remedy = f"files in this object store need an extra: pip install 'neraca[{protocol}]' ({error})"
        else:
            remedy = f"there is no extra for {protocol}, only for {' and '.join(EXTRAS)}; fsspec says: {error}"
        raise MissingExtra(f"{address}: {remedy}") from error
    except ValueError as error:
        raise InputError(f"{address}: no object store is called {protocol}: {error}") from error
    return system, path


@contextmanager
def _readable_errors(address: str, action: str = "read") -> Iterator[None]:
    """Raise `InputError` with the address and a remedy if a file cannot be read or written."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{address}: there is no such file") from error
    except OSError as error:
        full = "; free some space, and start the same command again" if error.errno == errno.ENOSPC else ""
        raise InputError(f"{address}: cannot be {action}: {error.strerror or error}{full}") from error
    except Exception as error:
        if not _is_store_error(error):
            raise
        raise InputError(
            f"{address}: cannot be {action}: {error}; are the keys where the store's own tools look for them?"
        ) from error


def _is_store_error(error: Any) -> bool:
    """Return whether an error comes from the client of an object store, by the module of its class."""
    return type(error).__module__.split(".")[0] in ("botocore", "aiobotocore", "gcsfs", "google", "aiohttp", "adlfs")
