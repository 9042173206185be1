"""Files that may be packed with gzip or Zstandard, opened as if they were not; their first bytes say which it is."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from neraca.errors import InputError, MissingExtra

#: First bytes of a packed file → what it is packed with.
_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "Zstandard"}
#: Endings of packed files.
SUFFIXES = (".gz", ".zst")


def suffix_of(path: Path) -> str:
    """The ending of a name in lower case, without that of its packing.

    >>> suffix_of(Path("questions.CSV.gz")), suffix_of(Path("a.jsonl"))
    ('.csv', '.jsonl')
    """
    return (Path(path.stem) if path.suffix.lower() in SUFFIXES else path).suffix.lower()


class Opened:
    """A file that is open for reading bytes.

    Attributes
    ----------
    file
        Its bytes, unpacked.
    """

    def __init__(self, file: IO[bytes], raw: IO[bytes]) -> None:
        self.file, self._raw = file, raw
        self._size = max(1, os.fstat(raw.fileno()).st_size)

    @property
    def share(self) -> float:
        """Which share of what is on disk has been read."""
        return min(1.0, self._raw.tell() / self._size)


@contextmanager
def opened_file(path: Path) -> Iterator[Opened]:
    """Open a file for reading bytes, unpacked.

    Raises
    ------
    InputError
        What it is packed with is damaged, or breaks off.
    MissingExtra
        It is packed with Zstandard, and what unpacks that is not installed.
    """
    with path.open("rb") as raw, ExitStack() as stack:
        start = raw.read(4)
        raw.seek(0)
        kind = next((kind for mark, kind in _PACKED.items() if start.startswith(mark)), "")
        if not kind:
            yield Opened(raw, raw)
            return
        file, damaged = _gzip(raw) if kind == "gzip" else _zstandard(raw, path)
        errors: tuple[type[Exception], ...] = (EOFError, zlib.error, damaged)
        try:
            yield Opened(stack.enter_context(file), raw)
        except errors as error:
            raise InputError(f"{path}: the {kind} file is damaged: {error}; pack it anew") from error


def _gzip(raw: IO[bytes]) -> tuple[Any, type[Exception]]:
    import gzip

    return gzip.GzipFile(fileobj=raw), gzip.BadGzipFile


def _zstandard(raw: IO[bytes], path: Path) -> tuple[Any, type[Exception]]:
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        zstd = import_module(name)
    except ImportError as error:
        raise MissingExtra(
            f"{path}: is packed with Zstandard, which needs the extra `zst`: pip install 'neraca[zst]'; or unpack it"
        ) from error
    return zstd.ZstdFile(raw), zstd.ZstdError
