"""Find the encoding of a text file, and describe a byte that does not fit it."""

from __future__ import annotations

import codecs
import io
import re
import unicodedata
from pathlib import Path

from neraca.datasets.compressed import opened
from neraca.errors import InputError
from neraca.translation import say

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

SAVE = "save the file as UTF-8"
#: Encodings of Windows with one byte for a letter, and the script of their letters; the first is the commonest.
_SINGLE_BYTE = {"cp1252": "LATIN", "cp1256": "ARABIC", "cp1251": "CYRILLIC", "cp1253": "GREEK", "cp1255": "HEBREW"}
#: The bytes of a file from which its encoding is guessed.
_SAMPLE = 2**18


def remedies_for(path: Path) -> dict[str, str]:
    """Return advice on a byte that does not fit, see `InputError`; that for `replay` is given for recorded answers.

    It names the encodings that `likely_encodings` finds.
    """
    with opened(path) as file:
        names = likely_encodings(file.read(_SAMPLE))
    choice = say(", whichever shows your letters") if len(names) > 1 else ""
    named, quoted = say(" or ").join(names), say(" or ").join(f'"{name}"' for name in names)
    return {
        "encoding": say("pass --encoding {names}{choice}", names=named, choice=choice),
        "study": say("write encoding = {names} where the study names the file{choice}", names=quoted, choice=choice),
        "replay": say("write encoding = {names} in the table of the target{choice}", names=quoted, choice=choice),
    }


def likely_encodings(sample: bytes) -> list[str]:
    """Return the single-byte encodings of Windows in which most words of the bytes have letters of one script.

    Capitals stand only at the start of a word or throughout it, and Latin words are not made of accented letters alone.
    cp1252 alone is returned if no other encoding fits better.

    >>> likely_encodings("café".encode("cp1252")), likely_encodings("السعر مرتفع".encode("cp1256"))
    (['cp1252'], ['cp1256'])
    """
    fits = {name: _fitting_letters(sample.decode(name, "replace"), script) for name, script in _SINGLE_BYTE.items()}
    most = max(fits.values())
    return ["cp1252"] if fits["cp1252"] == most else [name for name, letters in fits.items() if letters == most]


def _fitting_letters(text: str, script: str) -> int:
    """Return the number of signs beyond ASCII in words that look like words of the script, less that of all others."""
    words = re.findall(r"[^\W\d_]+", text)
    fitting = sum(not letter.isascii() for word in words if _fits(word, script) for letter in word)
    return 2 * fitting - sum(not sign.isascii() for sign in text)


def _fits(word: str, script: str) -> bool:
    if not all(unicodedata.name(letter, "").startswith(script) for letter in word):
        return False
    if script == "LATIN" and len(word) > 2 and 2 * sum(map(str.isascii, word)) < len(word):
        return False
    return word[1:] == word[1:].lower() or word == word.upper()


def text_encoding(path: Path, encoding: str | None) -> str:
    """Return the encoding of `path`: the argument, else that of its byte order mark, else UTF-8."""
    if encoding is not None:
        try:
            "".encode(encoding)
        except LookupError as error:
            raise InputError(
                say(
                    "{file}: no text encoding is called {encoding!r}; try utf-8, utf-16 or cp1252",
                    file=path,
                    encoding=encoding,
                )
            ) from error
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
                    return f"{path} {say('line {number}', number=number)}: {bad_byte(place, name)}; {say(remedy)}"
    return say(
        "{file}: cannot be read as {name}: {error}; {remedy}", file=path, name=name, error=error, remedy=say(remedy)
    )


def bad_byte(error: UnicodeDecodeError, name: str = "UTF-8") -> str:
    r"""Return a message that says which byte of its line is not valid in the encoding.

    >>> try:
    ...     b"one\ncaf\xe9".decode()
    ... except UnicodeDecodeError as error:
    ...     bad_byte(error)
    'byte 4 (0xe9) is not UTF-8'
    """
    line_start = error.object.rfind(b"\n", 0, error.start) + 1
    return say(
        "byte {n} (0x{byte:02x}) is not {name}",
        n=error.start - line_start + 1,
        byte=error.object[error.start],
        name=name,
    )


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
        raise InputError(say("{file}: cannot be read: {reason}", file=path, reason=error.strerror or error)) from error
