"""Split texts into sentences: at the ends of lines, and at full stops that do not end an abbreviation."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: The start of an item of a list: a bullet, or a number or letter with a full stop or bracket.
_BULLET = re.compile(r"\A\s*(?:[-*+•‣▪–—#>]+|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
#: The end of a sentence with closing quotes and brackets; some scripts have no space after it.
_END = re.compile(r"[.!?…؟۔।॥]+[\"'”’»)\]*_]*\s+|[。！？｡]+[」』”’）]*\s*")
_LAST_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*\Z")
#: Abbreviations that rarely end a sentence.
_ABBREVIATION = re.compile(
    r"dra?|drs|ir|mrs?|ms|prof|jln?|hj|st|sdr|sra?|ust|syekh|vs|cf|bzw|e\.g|i\.e|a\.n|z\.b", re.IGNORECASE
)
#: Abbreviations that do not end a sentence before a number.
_ABBREVIATION_BEFORE_NUMBER = re.compile("nos?|nr|n[uú]m|rp|hal|pp?|art|fig|bab|te?lp?", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, without the bullets of lists and without empty sentences.

    A full stop does not end a sentence after a single capital or an abbreviation such as Dr. or Jl., or before a small
    letter.

    >>> sentences("Jl. Sudirman has 3.5 m. It is wide!")
    ['Jl. Sudirman has 3.5 m.', 'It is wide!']
    >>> sentences("1. 東京。大阪。")
    ['東京。', '大阪。']
    """
    lines = (_BULLET.sub("", line, count=1) for line in text.splitlines())
    return [sentence for line in lines for sentence in _sentences_of_line(line) if sentence]


def _sentences_of_line(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        if not (
            end[0].startswith(".") and _sentence_continues(line[start : end.start()], line[end.end() : end.end() + 1])
        ):
            yield line[start : end.end()].strip()
            start = end.end()
    yield line[start:].strip()


def _sentence_continues(before: str, after: str) -> bool:
    """Return whether a full stop between these two texts does not end the sentence."""
    match = _LAST_WORD.search(before)
    last_word = match[0] if match else ""
    is_initial = len(last_word) == 1 and last_word.isupper()
    is_numbered = after.isdigit() and _ABBREVIATION_BEFORE_NUMBER.fullmatch(last_word)
    return bool(after.islower() or is_initial or is_numbered or _ABBREVIATION.fullmatch(last_word))
