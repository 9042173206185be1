"""The encoding of a text file, and the message where a byte does not fit it."""

from __future__ import annotations

import codecs
from pathlib import Path

from neraca.errors import InputError

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def text_encoding(path: Path, given: str | None) -> str:
    """Return how `path` is encoded: as given, else as its byte order mark says, else UTF-8."""
    if given is not None:
        try:
            "".encode(given)
        except LookupError as error:
            raise InputError(f"{path}: no text encoding is called {given!r}; try utf-8, utf-16 or cp1252") from error
        name = codecs.lookup(given).name
        return "utf-8-sig" if name == "utf-8" else name
    with path.open("rb") as file:
        start = file.read(4)
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8-sig")


def undecodable(path: Path, encoding: str, error: UnicodeError) -> str:
    """Say which byte of `path` cannot be read as `encoding`, and what to do."""
    name = "UTF-8" if encoding == "utf-8-sig" else encoding
    remedy = "save the file as UTF-8, or give the encoding that it has (--encoding cp1252)"
    if not encoding.startswith(("utf-16", "utf-32")):
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    line.decode(encoding)
                except UnicodeDecodeError as place:
                    byte = place.start + 1
                    return f"{path} line {number}: byte {byte} (0x{line[place.start]:02x}) is not {name}; {remedy}"
    return f"{path}: cannot be read as {name}: {error}; {remedy}"
