"""The text of a question: folded to one spelling, and taken apart piece by piece."""

from __future__ import annotations

import re
import unicodedata

from neraca.demo.prices import UNIT, WORDS, any_of

ONES = rf"(?:\s+(?P<ones>\d{{1,2}})(?=\s+(?:{UNIT})(?:an)?\b))?"
HUNDREDS = re.compile(rf"\b(?P<hundreds>\d)\s+ratus\b(?:\s+(?P<tens>\d)\s+puluh\b)?{ONES}")
TENS = re.compile(rf"\b(?P<tens>\d)\s+puluh\b{ONES}")


class Text:
    """A text from which what was understood is taken out."""

    def __init__(self, text: str) -> None:
        self.left = text

    def take(self, pattern: re.Pattern[str] | str) -> re.Match[str] | None:
        """Take the first match out, if there is one, and leave a bar so that its neighbours stay apart."""
        found = re.search(pattern, self.left)
        if found:
            self.left = self.left[: found.start()] + " | " + self.left[found.end() :]
        return found

    def take_words(self, words: dict[str, list[str]]) -> list[str]:
        """Take every phrase of a word list out and give the names they stand for, as the text orders them."""
        names = {re.sub(r"\s+", " ", phrase): name for name, phrases in words.items() for phrase in phrases}
        found = []
        while match := self.take(rf"(?<!\w)(?:{any_of(names)})(?!\w)"):
            found.append((match.start(), names[re.sub(r"\s+", " ", match[0])]))
        return list(dict.fromkeys(name for _, name in sorted(found)))


def _total(match: re.Match[str]) -> str:
    """Add up "2 ratus 5 puluh"."""
    worth = {"hundreds": 100, "tens": 10, "ones": 1}
    return str(sum(worth[name] * int(digits) for name, digits in match.groupdict(default="0").items()))


def normalise(message: str) -> str:
    """Fold case and accents, spell slang out and turn number words into digits.

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
