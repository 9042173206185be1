"""Places in a question: districts, landmarks and complexes by name, also when misspelt."""

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
    """The place asked for, the complex, and landmarks to be near to besides."""

    place: Place | None
    complex: str | None
    nearby: tuple[str, ...]


def find_places(text: Text) -> Places:
    """Take the places out of a text; the first district is the place, a landmark only if there is no district."""
    places = _named(text) or _misspelt(text)
    complexes = [entry["name"] for kind, entry in places if kind == "complexes"]
    districts = [entry for kind, entry in places if kind == "districts"]
    landmarks = [entry for kind, entry in places if kind == "landmarks"]
    where = next(iter(districts or landmarks), None)
    place = None
    if where:
        place = Place(where["name"], where["lat"], where["lng"], where["radius_km"], district=bool(districts))
    nearby = tuple(entry["name"] for entry in landmarks if entry is not where)
    return Places(place, complexes[0] if complexes else None, nearby)


@cache
def _aliases() -> dict[str, list[tuple[str, Entry]]]:
    """Give what each name stands for; "Citraland Bagya City" is both a district and a complex."""
    names: dict[str, list[tuple[str, Entry]]] = {}
    for kind, entries in PLACES.items():
        for entry in entries:
            for alias in entry["aliases"]:
                names.setdefault(alias, []).append((kind, entry))
    return names


@cache
def _known_words() -> frozenset[str]:
    """Give the words that mean something else and so are no misspelt place."""
    groups = [words for words in WORDS.values() if isinstance(words, dict)]
    lists = [phrases for group in groups for phrases in group.values() if isinstance(phrases, list)]
    lists += [words for words in WORDS.values() if isinstance(words, list)]
    phrases = [phrase for phrases in lists for phrase in phrases] + [word for group in groups for word in group]
    return frozenset(word for phrase in phrases for word in phrase.split())


def _named(text: Text) -> list[tuple[str, Entry]]:
    names = _aliases()
    found = []
    while match := text.take(rf"(?<!\w)(?:{any_of(names)})(?!\w)"):
        found.append((match.start(), names[" ".join(match[0].split())]))
    return [meaning for _, meanings in sorted(found, key=lambda pair: pair[0]) for meaning in meanings]


def _misspelt(text: Text) -> list[tuple[str, Entry]]:
    """Find the one place whose name is nearest to up to three words on end that mean nothing else."""
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
