"""Splitting of a text into sentences: at the ends of lines, and at full stops that end no abbreviation."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: What stands before an item of a list: a bullet, or a number with a point or bracket.
_BULLET = re.compile(r"\A\s*(?:[-*+•‣▪–—#>]+|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
#: A sign that ends a sentence, with what closes after it; some scripts have no space there.
_END = re.compile(r"[.!?…؟۔।॥]+[\"'”’»)\]*_]*\s+|[。！？｡]+[」』”’）]*\s*")
_LAST_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*\Z")
#: Words that are mostly written with a point and followed by more, and those that are before a number.
_SHORT = re.compile(
    r"dra?|drs|ir|mrs?|ms|prof|jln?|hj|st|sdr|sra?|ust|syekh|vs|cf|bzw|e\.g|i\.e|a\.n|z\.b", re.IGNORECASE
)
_SHORT_BEFORE_NUMBER = re.compile("nos?|nr|n[uú]m|rp|hal|pp?|art|fig|bab|te?lp?", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """The sentences of a text, without bullets of lists and without empty ones.

    A point ends none after a capital alone or a short form such as Dr. and Jl., nor before a small letter.

    >>> sentences("Jl. Sudirman has 3.5 m. It is wide!")
    ['Jl. Sudirman has 3.5 m.', 'It is wide!']
    >>> sentences("1. 東京。大阪。")
    ['東京。', '大阪。']
    """
    return [found for line in text.splitlines() for found in _of_line(_BULLET.sub("", line, count=1)) if found]


def _of_line(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        if not (end[0].startswith(".") and _goes_on(line[start : end.start()], line[end.end() : end.end() + 1])):
            yield line[start : end.end()].strip()
            start = end.end()
    yield line[start:].strip()


def _goes_on(before: str, after: str) -> bool:
    found = _LAST_WORD.search(before)
    last = found[0] if found else ""
    initial = len(last) == 1 and last.isupper()
    numbered = after.isdigit() and _SHORT_BEFORE_NUMBER.fullmatch(last)
    return bool(after.islower() or initial or numbered or _SHORT.fullmatch(last))
