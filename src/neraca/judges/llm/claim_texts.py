"""The texts of claims and reasons: without repeats, and none that a model wrote in place of one."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: What models write in a list that should be empty, without punctuation and in small letters.
_NOTHING = {
    *("", "none", "null", "nil", "na", "n a", "empty", "empty list", "nothing", "no claim", "no claims", "no fact"),
    *("no facts", "not applicable", "undefined", "string", "claim", "claims", "fact"),
    *("ninguno", "ninguna", "nada", "ningún hecho", "sin hechos", "vacío"),
    *("tidak ada", "kosong", "tidak ada fakta", "tidak ada klaim", "لا شيء", "لا يوجد", "لا حقيقة", "فارغ"),
}
#: A text of at least so many words that stands in the instructions is an echo of them.
_ECHO_WORDS = 4
NO_CLAIM = 'an entry is no sentence of its own (such as "[]", "none" or words of these instructions); nothing: []'


def distinct_claims(claims: Iterable[str]) -> list[str]:
    """Return the claims without empty and repeated ones, which a model writes despite its instructions."""
    return list(dict.fromkeys(text for claim in claims if (text := " ".join(claim.split()))))


def estimated_claims(text: str) -> list[str]:
    """Cut a text into pieces of twelve words, about as many as it may have claims; used for estimates.

    >>> estimated_claims("one two")
    ['one two']
    """
    words = text.split()
    return [" ".join(words[at : at + 12]) for at in range(0, len(words), 12)]


def is_claim(text: str, instructions: str, source: str) -> bool:
    """Return whether a text may be a claim about the source: it says something, and is no echo of the instructions.

    >>> [is_claim(text, "Add and correct nothing.", "Red.") for text in ("Red.", "[]", "add and correct nothing")]
    [True, False, False]
    """
    words = _words(text)
    if words in _NOTHING:
        return False
    return not is_echo(text, instructions) or f" {words} " in f" {_words(source)} "


def is_echo(text: str, instructions: str) -> bool:
    """Return whether a model wrote words of its instructions in place of a text.

    >>> [is_echo(text, "Write at most 15 words.") for text in ("at most 15 words", "at most 15 euros")]
    [True, False]
    """
    words = _words(text)
    return len(words.split()) >= _ECHO_WORDS and f" {words} " in f" {_words(instructions)} "


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
