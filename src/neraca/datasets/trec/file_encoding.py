"""The encoding of those of TREC's files that are not UTF-8, for all files that are read together."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, cast

from neraca.datasets.compressed import opened
from neraca.datasets.text_encoding import SAVE, text_encoding
from neraca.errors import InputError

_DECLARED: ContextVar[str | None] = ContextVar("encoding of TREC's files", default=None)
#: Bytes that are decoded at a time.
_BLOCK = 1 << 17


@contextmanager
def files_in(encoding: str | None) -> Iterator[None]:
    """Read the files that are opened inside in this encoding; None: in that of their byte order mark, else UTF-8.

    Files that are UTF-8 are read as UTF-8 in any case, so that ids of qrels in one encoding match a run in another.
    """
    token = _DECLARED.set(encoding)
    try:
        yield
    finally:
        _DECLARED.reset(token)


def declared_encoding() -> str | None:
    """Return the encoding of `files_in`; None if none was named."""
    return _DECLARED.get()


def table_encoding(path: Path) -> str | None:
    """Return the encoding of `files_in` for a table that is not UTF-8; None for one that is, and without any named."""
    encoding = declared_encoding()
    if encoding is None or not path.is_file():
        return encoding
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with opened(path) as file:
            while block := file.read(_BLOCK):
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return encoding
    return None


def as_utf8(path: Path, file: IO[bytes]) -> IO[bytes]:
    """Return the open file as a stream of UTF-8; raise `InputError` for an unknown encoding.

    The stream raises `InputError` if the file does not have the encoding that was named, or that its byte order mark
    names.
    """
    encoding = text_encoding(path, declared_encoding())
    return file if encoding == "utf-8-sig" else cast("IO[bytes]", io.BufferedReader(_Recoded(path, file, encoding)))


class _Recoded(io.RawIOBase):
    """A file as a stream of UTF-8; it has the encoding from the first block on that is not UTF-8."""

    def __init__(self, path: Path, file: IO[bytes], encoding: str) -> None:
        self._path, self._file, self._encoding = path, file, encoding
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")()
        self._decoder: codecs.IncrementalDecoder | None = None
        self._is_ascii = True
        self._rest = b""

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer with UTF-8 as far as there is text; return the number of bytes, 0 at the end."""
        while not self._rest:
            block = self._file.read(_BLOCK)
            try:
                self._rest = self._decoded(block).encode()
            except UnicodeError as error:
                raise InputError(
                    f"{self._path}: cannot be read as {self._encoding}: {error.args[-1]}; {SAVE}",
                    {"encoding": "pass another --encoding"},
                ) from error
            if not block:
                break
        return self._given_out(buffer)

    def _decoded(self, block: bytes) -> str:
        """Decode the next block, or the end; raise `UnicodeError` if it has neither encoding."""
        if self._decoder is not None:
            return self._decoder.decode(block, final=not block)
        begun, _ = self._utf8.getstate()
        try:
            if b"\0" in block:
                raise UnicodeError("a zero byte")
            text = self._utf8.decode(block, final=not block)
        except UnicodeError:
            if not self._is_ascii:
                raise UnicodeError("it begins as UTF-8 and goes on in another encoding") from None
            self._decoder = codecs.getincrementaldecoder(self._encoding)()
            return self._decoder.decode(begun + block, final=not block)
        self._is_ascii = self._is_ascii and text.isascii()
        return text

    def _given_out(self, buffer: memoryview) -> int:
        n = min(len(buffer), len(self._rest))
        buffer[:n], self._rest = self._rest[:n], self._rest[n:]
        return n
