"""Normalise the text of a question, and take it apart piece by piece."""

from __future__ import annotations

import re
import unicodedata

from neraca.demo.prices import UNIT, WORDS, any_of

ONES = rf"(?:\s+(?P<ones>\d{{1,2}})(?=\s+(?:{UNIT})(?:an)?\b))?"
HUNDREDS = re.compile(rf"\b(?P<hundreds>\d)\s+ratus\b(?:\s+(?P<tens>\d)\s+puluh\b)?{ONES}")
TENS = re.compile(rf"\b(?P<tens>\d)\s+puluh\b{ONES}")


class Text:
    """A text from which matches are taken out; `left` is the remaining text."""

    def __init__(self, text: str) -> None:
        self.left = text

    def take(self, pattern: re.Pattern[str] | str) -> re.Match[str] | None:
        """Take out and return the first match, if there is one; a bar in its place keeps its neighbours apart."""
        match = re.search(pattern, self.left)
        if match:
            self.left = self.left[: match.start()] + " | " + self.left[match.end() :]
        return match

    def take_words(self, words: dict[str, list[str]]) -> list[str]:
        """Take out every phrase of a word list, and return the names that they stand for, in order of the text."""
        names = {re.sub(r"\s+", " ", phrase): name for name, phrases in words.items() for phrase in phrases}
        positions = []
        while match := self.take(rf"(?<!\w)(?:{any_of(names)})(?!\w)"):
            positions.append((match.start(), names[re.sub(r"\s+", " ", match[0])]))
        return list(dict.fromkeys(name for _, name in sorted(positions)))


def _total(match: re.Match[str]) -> str:
    """Return the value of number words such as "2 ratus 5 puluh" (250)."""
    worth = {"hundreds": 100, "tens": 10, "ones": 1}
    return str(sum(worth[name] * int(digits) for name, digits in match.groupdict(default="0").items()))


def normalise(message: str) -> str:
    """Fold case and accents, spell out slang, and turn number words into digits.

    Examples
    --------
    >>> normalise("Nyari RMH tiga kmr, dkt USU!")
    'nyari rumah 3 kamar, dekat usu'
    """
    folded = unicodedata.normalize("NFKD", message.replace("m²", "m2").casefold())
    folded = "".join(letter for letter in folded if not unicodedata.combining(letter))
    folded = re.sub(r"[?!;\"'()\[\]]+", " ", folded)
    folded = re.sub(r"\b(?!(?:lain|berikut|selanjut)nya\b)([a-z]{3,})nya\b", r"\1", folded)
    spelling = WORDS["spelling"] | WORDS["numbers"]
    folded = re.sub(r"[a-z]+", lambda word: spelling.get(word[0], word[0]), folded)
    folded = re.sub(r"(\d+)\s+setengah\b", r"\1.5", folded)
    folded = re.sub(r"\bsetengah(?=\s+(?:m|miliar|juta)\b)", "0.5", folded)
    folded = TENS.sub(_total, HUNDREDS.sub(_total, folded))
    return " ".join(folded.split()).strip(" .,")
