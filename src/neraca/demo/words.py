"""Bring a question into one spelling, and take phrases out of it piece by piece."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

WORDS: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
UNITS: dict[str, int] = WORDS["units"]


_PATTERNS: dict[str, str] = tomllib.loads(Path(__file__).with_name("patterns.toml").read_text(encoding="utf-8"))


def any_of(phrases: Iterable[str]) -> str:
    """Return a pattern that matches any of the phrases, the longest first."""
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in sorted(phrases, key=len, reverse=True))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of `patterns.toml`."""
    return re.compile(_filled(_PATTERNS[name], ""))


def _filled(text: str, suffix: str) -> str:
    """Put patterns, phrases and the suffix of the names of groups into a pattern."""

    def fill(match: re.Match[str]) -> str:
        name, own_suffix = match.groups()
        group, _, part = name.partition(".")
        if group not in WORDS:
            return suffix if name == "#" else _filled(_PATTERNS[name], own_suffix)
        phrases = WORDS[group][part] if part else WORDS[group]
        if isinstance(phrases, dict) and group != "units":
            phrases = [phrase for names in phrases.values() for phrase in names]
        return any_of(phrases)

    return re.sub(r"\{\{([\w.#]+):?(\w*)\}\}", fill, text)


class Text:
    """A text from which matches are taken out; `remaining` is the remaining text."""

    def __init__(self, text: str) -> None:
        self.remaining = text

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take out and return the first match, if there is one; a bar in its place separates its neighbours."""
        match = pattern.search(self.remaining)
        if match:
            self.remaining = f"{self.remaining[: match.start()]} | {self.remaining[match.end() :]}"
        return match

    def take_words(self, words: dict[str, list[str]]) -> list[str]:
        """Take out every phrase of a word list, and return the names that they stand for, in order of the text."""
        names = {phrase: name for name, phrases in words.items() for phrase in phrases}
        taken_names = []
        phrase_of = re.compile(rf"(?<!\w)(?:{any_of(names)})(?!\w)")
        while match := self.take(phrase_of):
            taken_names.append(names[" ".join(match[0].split())])
        return list(dict.fromkeys(taken_names))


def _total(match: re.Match[str]) -> str:
    """Return the value of number words such as "2 ratus 5 puluh" (250)."""
    worth = {"hundreds": 100, "tens": 10, "ones": 1}
    return str(sum(worth[name] * int(digits) for name, digits in match.groupdict(default="0").items()))


def normalise(message: str) -> str:
    """Fold case and accents, spell out slang, and turn number words into digits.

    >>> normalise("Nyari RMH tiga kmr, dkt USU!")
    'nyari rumah 3 kamar, dekat usu'
    """
    text = unicodedata.normalize("NFKD", message.replace("m²", "m2").casefold())
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    text = re.sub(r"[?!;\"'()\[\]]+", " ", text)
    text = re.sub(r"\b(?!(?:lain|berikut|selanjut)nya\b)([a-z]{3,})nya\b", r"\1", text)
    text = re.sub(r"[a-z]+", lambda word: WORDS["spelling"].get(word[0], word[0]), text)
    text = re.sub(r"(\d+)\s+setengah\b", r"\1.5", text)
    text = re.sub(r"\bsetengah(?=\s+(?:m|miliar|juta)\b)", "0.5", text)
    return " ".join(pattern("tens").sub(_total, pattern("hundreds").sub(_total, text)).split()).strip(" .,")
