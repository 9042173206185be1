"""Find the encoding of a text file, and describe a byte that does not fit it."""

from __future__ import annotations

import codecs
import io
from pathlib import Path

from neraca.datasets.compressed import opened
from neraca.errors import InputError

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

SAVE = "save the file as UTF-8"
#: Advice on a byte that does not fit, see `InputError`; that for `replay` is given for recorded answers.
REMEDIES = {
    "encoding": "pass --encoding cp1252",
    "study": 'write encoding = "cp1252" where the study names the file',
    "replay": 'write encoding = "cp1252" in the table of the target',
}


def text_encoding(path: Path, encoding: str | None) -> str:
    """Return the encoding of `path`: the argument, else that of its byte order mark, else UTF-8."""
    if encoding is not None:
        try:
            "".encode(encoding)
        except LookupError as error:
            raise InputError(f"{path}: no text encoding is called {encoding!r}; try utf-8, utf-16 or cp1252") from error
        name = codecs.lookup(encoding).name
        return "utf-8-sig" if name == "utf-8" else name
    with opened(path) as file:
        start = file.read(4)
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8-sig")


def undecodable(path: Path, encoding: str, error: UnicodeError, remedy: str = SAVE) -> str:
    """Return a message that says which byte of `path` is not valid in `encoding`, and what to do."""
    name = "UTF-8" if encoding == "utf-8-sig" else encoding
    if not encoding.startswith(("utf-16", "utf-32")):
        with opened(path) as file:
            for number, line in enumerate(file, start=1):
                try:
                    line.decode(encoding)
                except UnicodeDecodeError as place:
                    return f"{path} line {number}: {bad_byte(place, name)}; {remedy}"
    return f"{path}: cannot be read as {name}: {error}; {remedy}"


def bad_byte(error: UnicodeDecodeError, name: str = "UTF-8") -> str:
    r"""Return a message that says which byte of its line is not valid in the encoding.

    >>> try:
    ...     b"one\ncaf\xe9".decode()
    ... except UnicodeDecodeError as error:
    ...     bad_byte(error)
    'byte 4 (0xe9) is not UTF-8'
    """
    line_start = error.object.rfind(b"\n", 0, error.start) + 1
    return f"byte {error.start - line_start + 1} (0x{error.object[error.start]:02x}) is not {name}"


def read_text(path: Path, declared: str | None = None, remedy: str = SAVE) -> str:
    r"""Return the text of a whole file, with every line end as `\n`.

    Parameters
    ----------
    path
        The file.
    declared
        Its encoding; None: that of its byte order mark, else UTF-8.
    remedy
        The advice if a byte does not fit.

    Raises
    ------
    InputError
        If the file cannot be opened, or a byte does not fit; names line and byte.
    """
    try:
        encoding = text_encoding(path, declared)
        with opened(path) as file, io.TextIOWrapper(file, encoding) as text:
            return text.read()
    except UnicodeError as error:
        raise InputError(undecodable(path, encoding, error, remedy)) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
