"""Find places in a question: districts, landmarks and complexes by name, even if misspelt."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from neraca.demo.criteria import Place
from neraca.demo.prices import WORDS, any_of
from neraca.demo.text import Text

Entry = dict[str, Any]
PLACES: dict[str, list[Entry]] = json.loads(Path(__file__).with_name("places.json").read_text(encoding="utf-8"))
FUZZY = 0.8
SHORTEST_FUZZY = 4


@dataclass(frozen=True)
class Places:
    """The place and the complex asked for, and further landmarks to be near to."""

    place: Place | None
    complex: str | None
    nearby: tuple[str, ...]


def find_places(text: Text) -> Places:
    """Take the places out of a text.  The place is the first district or, if there is none, the first landmark."""
    places = _take_named(text) or _take_misspelt(text)
    complexes = [entry["name"] for kind, entry in places if kind == "complexes"]
    districts = [entry for kind, entry in places if kind == "districts"]
    landmarks = [entry for kind, entry in places if kind == "landmarks"]
    main = next(iter(districts or landmarks), None)
    place = None
    if main:
        place = Place(main["name"], main["lat"], main["lng"], main["radius_km"], district=bool(districts))
    nearby = tuple(entry["name"] for entry in landmarks if entry is not main)
    return Places(place, complexes[0] if complexes else None, nearby)


@cache
def _aliases() -> dict[str, list[tuple[str, Entry]]]:
    """Return the entries for each name; "Citraland Bagya City" is both a district and a complex."""
    names: dict[str, list[tuple[str, Entry]]] = {}
    for kind, entries in PLACES.items():
        for entry in entries:
            for alias in entry["aliases"]:
                names.setdefault(alias, []).append((kind, entry))
    return names


@cache
def _known_words() -> frozenset[str]:
    """Return the words with other meanings, which cannot be misspelt places."""
    groups = [words for words in WORDS.values() if isinstance(words, dict)]
    lists = [phrases for group in groups for phrases in group.values() if isinstance(phrases, list)]
    lists += [words for words in WORDS.values() if isinstance(words, list)]
    phrases = [phrase for phrases in lists for phrase in phrases] + [word for group in groups for word in group]
    return frozenset(word for phrase in phrases for word in phrase.split())


def _take_named(text: Text) -> list[tuple[str, Entry]]:
    names = _aliases()
    matches = []
    while match := text.take(rf"(?<!\w)(?:{any_of(names)})(?!\w)"):
        matches.append((match.start(), names[" ".join(match[0].split())]))
    return [meaning for _, meanings in sorted(matches, key=lambda pair: pair[0]) for meaning in meanings]


def _take_misspelt(text: Text) -> list[tuple[str, Entry]]:
    """Find the place whose name is most similar to one, two or three consecutive words without another meaning."""
    names = [alias for alias in _aliases() if len(alias) > SHORTEST_FUZZY]
    words = re.findall(r"[a-z]+", text.left)
    windows = (words[start : start + size] for size in (1, 2, 3) for start in range(len(words) - size + 1))
    best = (FUZZY, "", "")
    for window in windows:
        phrase = " ".join(window)
        if len(phrase) < SHORTEST_FUZZY or not _known_words().isdisjoint(window):
            continue
        for alias in names:
            if alias[0] == phrase[0]:
                best = max(best, (difflib.SequenceMatcher(None, phrase, alias).ratio(), alias, phrase))
    if not best[1]:
        return []
    text.take(re.escape(best[2]).replace(r"\ ", r"\W+"))
    return _aliases()[best[1]]
