"""Understand a question in free Indonesian (and some English) as `Criteria`, by rules and word lists.

Each step takes its matches out of the text, so that no later step reads them again: "rumah sakit" (hospital) must be
gone before a step looks for "rumah" (house).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from neraca.demo.criteria import Criteria
from neraca.demo.places import take_places
from neraca.demo.prices import ABOUT, CUES, TO, Bounds, cue_of, only_prices, take_prices
from neraca.demo.words import WORDS, Text, any_of, normalise, whole

# "2 km" means bathrooms only at the end of a clause, as in agents' "3KT 2KM"; elsewhere it is a distance.  "lt" means
# floors (lantai) with a small number, and land size (luas tanah) with a large one.
_ROOMS = {
    "bedrooms": re.compile(
        r"(\d{1,2})(?:\s*(?:\+|-|sampai|atau|or|to)\s*\d)?\s*-?"
        r"(?:kamar(?:\s+tidur)?(?!\s*mandi)|kt|bedrooms?|beds?|br)\b"
        rf"|\b(?:kamar\s+tidur|kamar(?!\s*mandi)|kt)[\s:]+(?:(?:{CUES})\s+)?(\d{{1,2}})(?![\d.,]|\s*(?:jt|juta|m\b|m2))"
    ),
    "bathrooms": re.compile(r"(\d{1,2})\s*-?(?:kamar\s+mandi|bathrooms?|baths?|km(?=\W*(?:$|[,|])))\b"),
}
_FLOORS = re.compile(
    r"(?<![\d.,])([1-9])\s*-?(?:lantai|lt|tingkat|storeys?|storied|story|stories|floors?)\b"
    r"|\b(?:lantai|tingkat|lt)\s+([1-9])\b(?![.,]?\d)"
)
_STOREYED = re.compile(r"\b(?:bertingkat|multi[- ]?storey)\b")
_RADIUS = re.compile(r"(?:radius|dalam|within|jarak)\s+(?:maksimal\s+)?(\d+(?:[.,]\d+)?)\s*km\b")
_SIZE = rf"[\s.:]*(?:(?:{CUES}|of)\s+)?(\d{{2,5}})"
_SQUARE = r"\s*(?:m2|meter persegi|meter|metre|sqm|square met(?:re|er)s?|m(?=\s|$))"
_SIZES = {
    "land": re.compile(
        rf"\b(?:luas\s+tanah|lt|land\s+(?:size|area))\b{_SIZE}(?:{_SQUARE})?"
        rf"|\b(?:tanah|lahan|land|luas)\s+(?:luas\s+)?{_SIZE}{_SQUARE}"
    ),
    "building": re.compile(
        rf"\b(?:luas\s+bangunan|lb|building\s+(?:size|area))\b{_SIZE}(?:{_SQUARE})?|\bbangunan\b{_SIZE}{_SQUARE}"
    ),
}
_BARE_SIZE = re.compile(r"(?<![\d.,])(\d{2,5})\s*(?:m2|meter persegi|sqm|square met(?:re|er)s?)")
_SIZE_RANGE = re.compile(rf"(?<![\d.,])(\d{{2,5}})(?:\s*m2)?{TO}(\d{{2,5}})(?=\s*(?:m2|meter persegi|sqm)\b)")

_TYPE = any_of(word for words in WORDS["types"].values() for word in words)
_JOINED_TYPES = re.compile(rf"\b(?:{_TYPE})\s+(?:atau|or|dan|and|/)\s+(?:\w+\s+)?(?:{_TYPE})\b")

_NOT, _FREE = WORDS["negation"], WORDS["free"]
_LEAD = rf"(?:(?:{any_of(_NOT['lead'])})\s+)*"
_KINDS = [phrase for group in ("types", "listing_types") for phrases in WORDS[group].values() for phrase in phrases]
_WORD = r"(?:[^\s,.|]|[.,](?=\d))+"
_JOIN = r"(?:dan|atau|maupun|and|or|/)"
# A negation ends where the next number, type or clause begins.
_END = rf"(?:{any_of([*_NOT['end'], *_KINDS, *WORDS['ask']])}|{CUES}|{_JOIN})(?!\w)|\d"
_ITEM = rf"{_WORD}(?:\s+(?!{_END}){_WORD})*"
_NEGATION = re.compile(
    rf"(?<!\w)(?!(?:{CUES})(?!\w))(?!selain\b.*\bjuga\b)(?:{any_of(_NOT['not'])})\s+"
    rf"(?!{_LEAD}(?:{any_of(_NOT['unless'])})(?!\w))(?P<denied>{_LEAD}{_ITEM}"
    rf"(?:\s+(?:(?:atau|maupun|or)\s+{_LEAD}|(?:dan|and)\s+(?!{_END})){_ITEM})*)"
)
_NAMES = any_of(name for aspect in _FREE["aspects"] for name in aspect["names"])
# In "lokasi bebas banjir" (free of floods) the place does matter: after "bebas" the clause must end.
_OVER = rf"(?=\s*(?:$|[,.|]|(?:{any_of(_FREE['next'])})(?!\w)))"
_DOES_NOT_MATTER = re.compile(
    rf"(?<!\w)(?:{_NAMES})(?:(?:\s*,\s*|\s+{_JOIN}\s+)(?:{_NAMES}))*\s+(?:{any_of(_FREE['words'])}){_OVER}"
    rf"|(?<!\w)(?:bebas|any)\s+(?:{_NAMES})(?!\w)"
)


@dataclass(frozen=True)
class Request:
    """The criteria that a question asks for and excludes, and the names of those that it says do not matter."""

    criteria: Criteria
    denied: Criteria
    free: frozenset[str]


def understand(message: str) -> Request:
    """Return what a question asks for.

    Examples
    --------
    >>> request = understand("rumah dijual tanpa gym dibawah 800 juta, lokasi bebas")
    >>> request.criteria.given()
    {'property_types': ('rumah',), 'listing_type': 'dijual', 'price_max': 800000000}
    >>> request.denied.given(), sorted(request.free)
    ({'facilities': ('gym',)}, ['complex', 'nearby', 'place', 'radius_km'])
    """
    text = Text(normalise(message))
    free: set[str] = set()
    while match := text.take(_DOES_NOT_MATTER):
        for aspect in _FREE["aspects"]:
            if whole(aspect["names"]).search(match[0]):
                free |= set(aspect["criteria"])
    denied = [match["denied"] for match in _NEGATION.finditer(text.left)]
    return Request(_read(_NEGATION.sub("|", text.left)), _read(" | ".join(denied)), frozenset(free))


def _read(normalised: str) -> Criteria:
    text = Text(_SIZE_RANGE.sub(r"minimal \1 m2 maksimal \2", normalised))
    numbers = {name: _take_bounds(text, pattern, "size") for name, pattern in _SIZES.items()}
    bare = _take_bounds(text, _BARE_SIZE, "size")
    numbers |= {name: _take_bounds(text, pattern, "count") for name, pattern in _ROOMS.items()}
    radius = text.take(_RADIUS)
    numbers["floors"] = _take_bounds(text, _FLOORS, "exact") or (2 if text.take(_STOREYED) else None, None)
    text.left = only_prices(text.left)
    # Use a copy of the text: the price step also needs "per tahun" (per year), which marks a rent.
    listing_types = Text(text.left).take_words(WORDS["listing_types"])
    numbers["price"] = take_prices(text)
    places = take_places(text)
    nearby = places["nearby"] + text.take_words(WORDS["nearby"])
    facilities = text.take_words(WORDS["facilities"])
    # "Tanah untuk bangun rumah" (land to build a house) is land.
    is_joined = _JOINED_TYPES.search(text.left)
    types = text.take_words(WORDS["types"])[: None if is_joined else 1]
    if bare:
        # A size without a name is the open end of a size named before, else that which such a property is known by.
        ranges = {name: joined for name in _SIZES if (joined := _join(numbers[name] or (None, None), bare))}
        default = "building" if set(types) & {"apartemen", "gudang"} else "land"
        numbers |= dict(list(ranges.items())[:1]) or {default: bare}
    fields: dict[str, Any] = {"property_types": types, "facilities": facilities, **places, "nearby": nearby}
    for name, bounds in numbers.items():
        fields |= zip((f"{name}_min", f"{name}_max"), bounds or (), strict=False)
    fields["listing_type"] = next(iter(listing_types), None)
    fields["radius_km"] = radius[1].replace(",", ".") if radius and places["place"] else None
    return Criteria.model_validate(fields)


def _take_bounds(text: Text, pattern: re.Pattern[str], kind: str) -> Bounds | None:
    """Take out a number, and a second one if it is the opposite bound."""
    before = text.left
    match = text.take(pattern)
    if not match:
        return None
    if kind == "size" and match.lastindex == 2 and match[0].startswith(("tanah", "lahan", "land")):
        # In "tanah 200 m2" the word "tanah" may also be the only one that names the type.
        text.left += " tanah"
    bounds = _bounds(before, match, kind)
    second = pattern.search(text.left)
    if second and (joined := _join(bounds, _bounds(text.left, second, kind))):
        text.take(pattern)
        return joined
    return bounds


def _join(first: Bounds, second: Bounds) -> Bounds | None:
    """Return the range of a lower and an upper bound in either order; None if they are not such a pair."""
    low, high = (max(ends, key=lambda end: end is not None) for ends in zip(first, second, strict=True))
    opposite = [first, second].count((low, None)) == [first, second].count((None, high)) == 1
    return (low, high) if opposite and low is not None and high is not None and low <= high else None


def _bounds(text: str, match: re.Match[str], kind: str) -> Bounds:
    """Return the bounds that a number means: a `count` is at least this number, and `exact` is just this number."""
    group = match.lastindex or 1
    number = int(match[group])
    starts = [match.start(group)] if kind == "size" else [match.start(group), match.start()]
    cue, strict = cue_of(text, match.end(), *starts)
    if kind == "size" and cue == "about":
        return int(number * (1 - ABOUT)), int(number * (1 + ABOUT))
    if kind != "size" and strict:
        number = max(1, number + (1 if cue == "min" else -1))
    low: Any = None if cue == "max" else number
    return low, number if cue == "max" or (kind == "exact" and cue != "min") else None
