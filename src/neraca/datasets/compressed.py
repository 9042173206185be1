"""Files opened for reading, unpacked where they are packed with gzip or Zstandard; streamed, whatever their size.

The first bytes say how a file is packed, and the ending of its name what is inside: `questions.csv.gz` is a CSV file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, cast

from neraca.errors import InputError, MissingExtra

#: The ending of a name → how such files begin, and what they are called.
_PACKED = {".gz": (b"\x1f\x8b", "gzip"), ".zst": (b"\x28\xb5\x2f\xfd", "Zstandard")}
PACKED = tuple(_PACKED)


def suffix_of(path: Path) -> str:
    """The ending of a name in lower case, without that of a packed file.

    >>> suffix_of(Path("questions.CSV.gz")), suffix_of(Path("a.parquet")), suffix_of(Path("a.gz"))
    ('.csv', '.parquet', '')
    """
    return Path(path.stem).suffix.lower() if is_packed(path) else path.suffix.lower()


def is_packed(path: Path) -> bool:
    """Whether the name is one of a packed file."""
    return path.suffix.lower() in PACKED


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes, unpacked; see `opened_with_share`."""
    with opened_with_share(path) as (file, _):
        yield file


@contextmanager
def opened_with_share(path: Path) -> Iterator[tuple[IO[bytes], Callable[[], float]]]:
    """Open a file for reading bytes, unpacked where it is packed, whatever its name; several members follow each other.

    Yields
    ------
    tuple
        The open file, and a function that returns which share of the bytes on disk has been read, from 0 to 1.

    Raises
    ------
    InputError
        It is damaged or not whole, or its name says that it is packed and it is not.
    MissingExtra
        It is packed with Zstandard, and the package that unpacks it is missing.
    OSError
        It cannot be opened.
    """
    with path.open("rb") as raw:
        size = max(1, path.stat().st_size)
        ending = _packing(path, raw)
        if not ending:
            yield raw, lambda: raw.tell() / size
            return
        file, errors = _gzip(raw) if ending == ".gz" else _zstd(raw, path)
        try:
            yield file, lambda: raw.tell() / size
        except errors as error:
            name = _PACKED[ending][1]
            raise InputError(f"{path}: the {name} file is damaged: {error}; copy or pack it anew") from error


def _packing(path: Path, raw: BufferedReader) -> str:
    """The ending that a file should have by its first bytes; "" where it is not packed."""
    start = raw.peek(4)
    for ending, (magic, _) in _PACKED.items():
        if start.startswith(magic):
            return ending
    ending = path.suffix.lower()
    if start and ending in PACKED:
        name = _PACKED[ending][1]
        raise InputError(f"{path}: the name ends in {ending}, but this is no {name} file; give it the ending it needs")
    return ""


def _gzip(raw: IO[bytes]) -> tuple[IO[bytes], tuple[type[Exception], ...]]:
    import gzip
    import zlib

    return cast("IO[bytes]", gzip.GzipFile(fileobj=raw)), (EOFError, gzip.BadGzipFile, zlib.error)


def _zstd(raw: IO[bytes], path: Path) -> tuple[IO[bytes], tuple[type[Exception], ...]]:
    try:
        zstd: Any = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ImportError as error:
        raise MissingExtra(f"{path}: Zstandard files need one more package: pip install 'neraca[zst]'") from error
    return zstd.ZstdFile(raw), (EOFError, zstd.ZstdError)
