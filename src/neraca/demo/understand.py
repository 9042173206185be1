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
from neraca.demo.prices import ABOUT, Bounds, cue_of, only_prices, take_prices
from neraca.demo.words import WORDS, Text, normalise, pattern


@dataclass(frozen=True)
class Request:
    """The criteria that a question asks for, excludes, and declares irrelevant (by name)."""

    criteria: Criteria
    denied: Criteria
    free: frozenset[str]


def understand(message: str) -> Request:
    """Return what a question asks for.

    >>> request = understand("rumah dijual tanpa gym dibawah 800 juta, lokasi bebas")
    >>> request.criteria.set_values()
    {'property_types': ('rumah',), 'listing_type': 'dijual', 'price_max': 800000000}
    >>> request.denied.set_values(), sorted(request.free)
    ({'facilities': ('gym',)}, ['complex', 'nearby', 'place', 'radius_km'])
    """
    text = Text(normalise(message))
    free: set[str] = set()
    while match := text.take(pattern("free")):
        for names in Text(match[0]).take_words(WORDS["aspects"]):
            free |= set(names.split())
    denied = [match["denied"] for match in pattern("negation").finditer(text.remaining)]
    return Request(
        _read_criteria(pattern("negation").sub("|", text.remaining)),
        _read_criteria(" | ".join(denied)),
        frozenset(free),
    )


def _read_criteria(normalised: str) -> Criteria:
    text = Text(pattern("size_range").sub(r"minimal \1 m2 maksimal \2", normalised))
    numbers = {name: _take_bounds(text, name, "size") for name in ("land", "building")}
    bare = _take_bounds(text, "bare_size", "size")
    numbers |= {name: _take_bounds(text, name, "count") for name in ("bedrooms", "bathrooms")}
    radius = text.take(pattern("radius"))
    numbers["floors"] = _take_bounds(text, "floors", "exact") or (2 if text.take(pattern("storeyed")) else None, None)
    text.remaining = only_prices(text.remaining)
    # Use a copy of the text: the price step also needs "per tahun" (per year), which marks a rent.
    listing_types = Text(text.remaining).take_words(WORDS["listing_types"])
    numbers["price"] = take_prices(text)
    places = take_places(text)
    nearby = places["nearby"] + text.take_words(WORDS["nearby"])
    facilities = text.take_words(WORDS["facilities"])
    # "Tanah untuk bangun rumah" (land to build a house) is land.
    is_joined = pattern("joined_types").search(text.remaining)
    types = text.take_words(WORDS["types"])[: None if is_joined else 1]
    if bare:
        # A size without a name is the open end of a size named before; else flats and warehouses mean the building.
        name = next((name for name in ("land", "building") if _join(numbers[name] or bare, bare)), "")
        default = "building" if set(types) & {"apartemen", "gudang"} else "land"
        numbers[name or default] = _join(numbers[name] or bare, bare) if name else bare
    fields: dict[str, Any] = {"property_types": types, "facilities": facilities, **places, "nearby": nearby}
    for name, bounds in numbers.items():
        fields |= zip((f"{name}_min", f"{name}_max"), bounds or (), strict=False)
    fields["listing_type"] = next(iter(listing_types), None)
    fields["radius_km"] = radius[1].replace(",", ".") if radius and places["place"] else None
    return Criteria.model_validate(fields)


def _take_bounds(text: Text, name: str, kind: str) -> Bounds | None:
    """Take out a number, and a second one if it is the opposite bound."""
    before = text.remaining
    match = text.take(pattern(name))
    if not match:
        return None
    if kind == "size" and match.lastindex == 2 and match[0].startswith(("tanah", "lahan", "land")):
        # In "tanah 200 m2" the word "tanah" may also be the only one that names the type.
        text.remaining += " tanah"
    bounds = _bounds(before, match, kind)
    second = pattern(name).search(text.remaining)
    if second and (joined := _join(bounds, _bounds(text.remaining, second, kind))):
        text.take(pattern(name))
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
