"""Open files for reading as streams; decompress gzip and Zstandard.

The first bytes of a file show whether it is packed.  The rest of its name tells its format: `questions.csv.gz` is CSV.
A small file that unfolds to gigabytes is refused before they fill the memory.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

from neraca.errors import InputError, MissingExtra
from neraca.translation import say

#: Ending of a name → the first bytes of such files, and the name of their format.
_PACKED = {".gz": (b"\x1f\x8b", "gzip"), ".zst": (b"\x28\xb5\x2f\xfd", "Zstandard")}
PACKED = tuple(_PACKED)
#: A packed file may unfold to so many bytes, or to so many times its size if that is more.
FREE_BYTES, MOST_TIMES = 64 << 20, 200
#: Bytes that are unfolded at a time.
_BLOCK = 1 << 17


def suffix_of(path: Path) -> str:
    """Return the ending of a name in lower case, without an ending of packed files.

    >>> suffix_of(Path("questions.CSV.gz")), suffix_of(Path("a.parquet")), suffix_of(Path("a.gz"))
    ('.csv', '.parquet', '')
    """
    return Path(path.stem).suffix.lower() if is_packed(path) else path.suffix.lower()


def is_packed(path: Path) -> bool:
    """Return whether the name has the ending of a packed file."""
    return path.suffix.lower() in PACKED


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes, decompressed; see `opened_with_share`."""
    with opened_with_share(path) as (file, _):
        yield file


@contextmanager
def opened_with_share(path: Path) -> Iterator[tuple[IO[bytes], Callable[[], float]]]:
    """Open a file for reading bytes, decompressed if its bytes are packed; several gzip members are joined.

    Yields
    ------
    tuple
        The open file, and a function that returns the share of the bytes on disk that has been read, from 0 to 1.

    Raises
    ------
    InputError
        If it is damaged or incomplete, unfolds to more than `check_unfolded` allows, or has the ending of a packed file
        but is not packed.
    MissingExtra
        If it is packed with Zstandard, and the package for it is missing.
    OSError
        If it cannot be opened.
    """
    with path.open("rb") as raw:
        size = max(1, path.stat().st_size)
        ending = _packing(path, raw)
        if not ending:
            yield raw, lambda: raw.tell() / size
            return
        file, errors = _gzip(raw) if ending == ".gz" else _zstd(raw, path)
        try:
            with io.BufferedReader(_Unfolding(path, file, raw), _BLOCK) as unfolded:
                yield unfolded, lambda: raw.tell() / size
        except errors as error:
            name = _PACKED[ending][1]
            raise InputError(
                say(
                    "{file}: the {name} file is damaged: {error}; copy or pack it anew",
                    file=path,
                    name=name,
                    error=error,
                )
            ) from error


def check_unfolded(path: Path, unfolded: int, packed: int, remedy: str = "") -> None:
    """Raise `InputError` if `packed` bytes of a file unfold to far more bytes than data do.

    >>> check_unfolded(Path("log.csv.gz"), 60 << 20, 1000)  # small enough for any machine
    >>> check_unfolded(Path("log.csv.gz"), 100 << 20, 1 << 20)
    """
    if unfolded > FREE_BYTES and unfolded > MOST_TIMES * packed:
        raise InputError(
            say(
                "{file}: unfolds to over {n:,} MiB, more than {most} times its size; if you trust it, "
                "{remedy} and pass that file",
                file=path,
                n=unfolded >> 20,
                most=MOST_TIMES,
                remedy=remedy or say("unpack it yourself"),
            )
        )


class _Unfolding(io.RawIOBase):
    """The unfolded bytes of a packed file, which stop at its limit."""

    def __init__(self, path: Path, file: IO[bytes], raw: IO[bytes]) -> None:
        self._path, self._file, self._raw = path, file, raw

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        block = self._file.read(len(buffer))
        buffer[: len(block)] = block
        check_unfolded(self._path, self._file.tell(), self._raw.tell())
        return len(block)


def _packing(path: Path, raw: io.BufferedReader) -> str:
    """Return the ending that belongs to the first bytes of a file; "" if it is not packed."""
    start = raw.peek(4)
    for ending, (magic, _) in _PACKED.items():
        if start.startswith(magic):
            return ending
    ending = path.suffix.lower()
    if start and ending in PACKED:
        name = _PACKED[ending][1]
        raise InputError(
            say(
                "{file}: the name ends in {ending}, but this is not a {name} file; correct the ending",
                file=path,
                ending=ending,
                name=name,
            )
        )
    return ""


def _gzip(raw: IO[bytes]) -> tuple[IO[bytes], tuple[type[Exception], ...]]:
    import gzip
    import zlib

    return cast("IO[bytes]", gzip.GzipFile(fileobj=raw)), (EOFError, gzip.BadGzipFile, zlib.error)


def _zstd(raw: IO[bytes], path: Path) -> tuple[IO[bytes], tuple[type[Exception], ...]]:
    try:
        zstd: Any = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ImportError as error:
        raise MissingExtra(
            say("{file}: Zstandard files need one more package: pip install 'neraca[zst]'", file=path)
        ) from error
    return zstd.ZstdFile(raw), (EOFError, zstd.ZstdError)
