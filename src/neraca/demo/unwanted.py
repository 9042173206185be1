"""Find what a question excludes ("tanpa kolam renang", no pool) or leaves open ("lokasi bebas", any place)."""

from __future__ import annotations

import re

from neraca.demo.prices import CUES, WORDS, any_of

ASPECTS = {
    "lokasi": ("place", "complex", "nearby"),
    "harga": ("price_min", "price_max"),
    "tipe": ("property_types",),
    "kamar": ("bedrooms", "bedrooms_max"),
    "lantai": ("floors_min", "floors_max"),
    "luas": ("land_min", "land_max", "building_min", "building_max"),
    "fasilitas": ("facilities",),
}

_NEGATION, _FREE = WORDS["negation"], WORDS["free"]
_LEAD = rf"(?:(?:{any_of(_NEGATION['lead'])})\s+)*"
_KINDS = [phrase for group in ("types", "listing_types") for phrases in WORDS[group].values() for phrase in phrases]
_WORD = r"(?:[^\s,.|]|[.,](?=\d))+"
_JOIN = r"(?:dan|atau|maupun|and|or|/)"
# A negation ends where the next number, type or clause begins.
_END = rf"(?:{any_of([*_NEGATION['end'], *_KINDS, *WORDS['ask']])}|{CUES}|{_JOIN})(?!\w)|\d"
_ITEM = rf"{_WORD}(?:\s+(?!{_END}){_WORD})*"
NEGATION = re.compile(
    rf"(?<!\w)(?!(?:{CUES})(?!\w))(?!selain\b.*\bjuga\b)(?:{any_of(_NEGATION['not'])})\s+"
    rf"(?!{_LEAD}(?:{any_of(_NEGATION['unless'])})(?!\w))(?P<denied>{_LEAD}{_ITEM}"
    rf"(?:\s+(?:(?:atau|maupun|or)\s+{_LEAD}|(?:dan|and)\s+(?!{_END})){_ITEM})*)"
)

_NAMES = any_of(name for aspect in ASPECTS for name in _FREE[aspect])
# In "lokasi bebas banjir" (free of floods) the place does matter: after "bebas" the clause must end.
_OVER = rf"(?=\s*(?:$|[,.|]|(?:{any_of(_FREE['next'])})(?!\w)))"
FREE = re.compile(
    rf"(?<!\w)(?P<before>(?:{_NAMES})(?:(?:\s*,\s*|\s+{_JOIN}\s+)(?:{_NAMES}))*)\s+(?:{any_of(_FREE['words'])}){_OVER}"
    rf"|(?<!\w)(?:bebas|any)\s+(?P<after>{_NAMES})(?!\w)"
)


def without_denied(text: str) -> tuple[str, str]:
    """Return a normalised text without the phrases that it negates, and these phrases.

    Examples
    --------
    >>> without_denied("rumah tanpa kolam renang di johor")
    ('rumah | di johor', 'kolam renang')
    """
    denied = [match["denied"] for match in NEGATION.finditer(text)]
    return NEGATION.sub("|", text), " | ".join(denied)


def without_free(text: str) -> tuple[str, frozenset[str]]:
    """Return a normalised text without the phrases for "does not matter", and the names of their criteria.

    Examples
    --------
    >>> without_free("harga bebas, 3 kamar")[0]
    '|, 3 kamar'
    """
    phrases = [match["before"] or match["after"] for match in FREE.finditer(text)]
    free_aspects = [
        aspect
        for aspect in ASPECTS
        if any(re.search(rf"(?<!\w)(?:{any_of(_FREE[aspect])})(?!\w)", phrase) for phrase in phrases)
    ]
    return FREE.sub("|", text), frozenset(name for aspect in free_aspects for name in ASPECTS[aspect])
