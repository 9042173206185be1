"""Find places in a question: districts, landmarks and complexes by name, even if misspelt."""

from __future__ import annotations

import difflib
import json
import re
from pathlib import Path
from typing import Any

from neraca.demo.words import WORDS, Text, any_of

_LISTS: dict[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("places.json").read_text(encoding="utf-8")
)
#: Districts and landmarks by name: `kind`, `lat`, `lng` and `radius_km`.
PLACES = {entry["name"]: {"kind": "district", **entry} for kind in ("districts", "landmarks") for entry in _LISTS[kind]}
_ALIASES: dict[str, list[tuple[str, str]]] = {}
for _kind, _entries in _LISTS.items():
    for _entry in _entries:
        for _alias in _entry["aliases"]:
            # "Citraland Bagya City" is both a district and a complex.
            _ALIASES.setdefault(_alias, []).append((_kind, _entry["name"]))
_ALIAS = re.compile(rf"(?<!\w)(?:{any_of(_ALIASES)})(?!\w)")
# Words with other meanings cannot be misspelt places.
_KNOWN_WORDS = frozenset(re.findall("[a-z]+", json.dumps(WORDS).lower()))
_SIMILAR, _SHORTEST = 0.8, 4


def take_places(text: Text) -> dict[str, Any]:
    """Take the places out of a text, and return them as `place`, `complex` and `nearby`.

    The place is the first district or, if there is none, the first landmark.
    """
    matches: list[str] = []
    while match := text.take(_ALIAS):
        matches.append(" ".join(match[0].split()))
    names: dict[str, list[str]] = {kind: [] for kind in _LISTS}
    for alias in matches or _take_misspelt(text):
        for kind, name in _ALIASES[alias]:
            names[kind].append(name)
    place = next(iter(names["districts"] or names["landmarks"]), None)
    nearby = [name for name in names["landmarks"] if name != place]
    return {"place": place, "complex": next(iter(names["complexes"]), None), "nearby": nearby}


def _take_misspelt(text: Text) -> list[str]:
    """Find the place whose name is most similar to one, two or three consecutive words without another meaning."""
    words = re.findall(r"[a-z]+", text.remaining)
    windows = (words[start : start + size] for size in (1, 2, 3) for start in range(len(words) - size + 1))
    best = (_SIMILAR, "", "")
    for phrase in (" ".join(window) for window in windows if _KNOWN_WORDS.isdisjoint(window)):
        for alias in _ALIASES:
            if len(phrase) >= _SHORTEST < len(alias) and alias[0] == phrase[0]:
                best = max(best, (difflib.SequenceMatcher(None, phrase, alias).ratio(), alias, phrase))
    if best[1]:
        text.take(re.compile(r"\W+".join(best[2].split())))
    return [best[1]] if best[1] else []
