"""Understand a question in free Indonesian (and some English) as `Criteria`, by rules and word lists.

Each step takes its matches out of the text, so that no later step reads them again: "rumah sakit" (hospital) must be
gone before a step looks for "rumah" (house).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

from neraca.demo.criteria import Criteria
from neraca.demo.places import find_places
from neraca.demo.prices import (
    ABOUT,
    CUE_AFTER,
    CUES,
    TO,
    WORDS,
    any_of,
    cue_before,
    find_prices,
    is_strict,
    only_prices,
)
from neraca.demo.text import Text, normalise
from neraca.demo.unwanted import without_denied, without_free

Bounds = tuple[int | None, int | None]

BEDROOMS = re.compile(
    r"(\d{1,2})(?:\s*(?:\+|-|sampai|atau|or|to)\s*\d)?\s*-?(?:kamar(?:\s+tidur)?(?!\s*mandi)|kt|bedrooms?|beds?|br)\b"
)
BEDROOMS_AFTER = re.compile(
    r"\b(?:kamar\s+tidur|kamar(?!\s*mandi)|kt)[\s:]+(?:"
    rf"(?:{CUES})\s+)?(\d{{1,2}})(?![\d.,]|\s*(?:jt|juta|m\b|m2))"
)
# "2 km" means bathrooms only at the end of a clause, as in agents' "3KT 2KM"; elsewhere it is a distance.
BATHROOMS = re.compile(r"(\d{1,2})\s*-?(?:kamar\s+mandi|bathrooms?|baths?|km(?=\W*(?:$|[,|])))\b")
RADIUS = re.compile(r"(?:radius|dalam|within|jarak)\s+(?:maksimal\s+)?(\d+(?:[.,]\d+)?)\s*km\b")

# "lt" means floors (lantai) with a small number, and land size (luas tanah) with a large one.
FLOORS = re.compile(
    r"(?<![\d.,])([1-9])\s*-?(?:lantai|lt|tingkat|storeys?|storied|story|stories|floors?)\b"
    r"|\b(?:lantai|tingkat|lt)\s+([1-9])\b(?![.,]?\d)"
)
STOREYED = re.compile(r"\b(?:bertingkat|multi[- ]?storey)\b")

SIZE = rf"[\s.:]*(?:(?:{CUES}|of)\s+)?(\d{{2,5}})"
SQUARE = r"\s*(?:m2|meter persegi|meter|metre|sqm|square met(?:re|er)s?|m(?=\s|$))"
LAND = re.compile(
    rf"\b(?:luas\s+tanah|lt|land\s+(?:size|area))\b{SIZE}(?:{SQUARE})?"
    rf"|\b(?:tanah|lahan|land|luas)\s+(?:luas\s+)?{SIZE}{SQUARE}"
)
BUILDING = re.compile(
    rf"\b(?:luas\s+bangunan|lb|building\s+(?:size|area))\b{SIZE}(?:{SQUARE})?|\bbangunan\b{SIZE}{SQUARE}"
)
BARE_SIZE = re.compile(r"(?<![\d.,])(\d{2,5})\s*(?:m2|meter persegi|sqm|square met(?:re|er)s?)")

SIZE_RANGE = re.compile(rf"(?<![\d.,])(\d{{2,5}})(?:\s*m2)?{TO}(\d{{2,5}})(?=\s*(?:m2|meter persegi|sqm)\b)")

TYPE = any_of(word for words in WORDS["types"].values() for word in words)
JOINED_TYPES = re.compile(rf"\b(?:{TYPE})\s+(?:atau|or|dan|and|/)\s+(?:\w+\s+)?(?:{TYPE})\b")
THREE_PHASE = {"listrik 3 phase": WORDS["facilities"]["listrik 3 phase"]}


def understand(message: str) -> Criteria:
    """Return the criteria of a question.

    Examples
    --------
    >>> understand("rumah dijual di Johor dibawah 800 juta").given()["price_max"]
    800000000
    """
    return _read(without_denied(without_free(normalise(message))[0])[0])


def unwanted(message: str) -> tuple[Criteria, frozenset[str]]:
    """Return the criteria that a question excludes, and the names of the criteria that it says do not matter."""
    without_free_words, free = without_free(normalise(message))
    return _read(without_denied(without_free_words)[1]), free


def _read(normalised: str) -> Criteria:
    text = Text(normalised)
    sizes, bare = _sizes(text)
    rooms = _rooms(text)
    radius = text.take(RADIUS)
    three_phase = text.take_words(THREE_PHASE)
    floors = _floors(text)
    text.left = only_prices(text.left)
    # Use a copy of the text: the price step also needs "per tahun" (per year), which marks a rent.
    listing_types = Text(text.left).take_words(WORDS["listing_types"])
    prices = find_prices(text.left)
    text.left = prices.rest
    places = find_places(text)
    nearby = tuple(text.take_words(WORDS["nearby"]))
    facilities = three_phase + text.take_words(WORDS["facilities"])
    types = _types(text)
    if bare:
        sizes |= _assign_bare_size(sizes, bare, "building" if set(types) & {"apartemen", "gudang"} else "land")
    place = places.place
    if radius and place:
        place = dataclasses.replace(place, radius_km=float(radius[1].replace(",", ".")), district=False)
    return Criteria(
        property_types=types,
        listing_type=listing_types[0] if listing_types else None,
        place=place,
        complex=places.complex,
        nearby=places.nearby + nearby,
        price_min=prices.low,
        price_max=prices.high,
        facilities=tuple(facilities),
        **rooms,
        **floors,
        **sizes,
    )


def _sizes(text: Text) -> tuple[dict[str, int | None], Bounds | None]:
    """Return the sizes of land and building, and the bounds of a size that the text does not name."""
    text.left = SIZE_RANGE.sub(r"minimal \1 m2 maksimal \2", text.left)
    sizes: dict[str, int | None] = {}
    for name, pattern in (("land", LAND), ("building", BUILDING)):
        if result := _take_bounds(text, pattern, _about_or_bound):
            bounds, match = result
            sizes |= _pair(name, bounds)
            # In "tanah 200 m2" the word "tanah" may also be the only one that names the type.
            names_size = match.lastindex == 1 or match[0].startswith(("luas", "bangunan"))
            text.left += "" if names_size else " tanah"
    bare = _take_bounds(text, BARE_SIZE, _about_or_bound)
    return sizes, bare and bare[0]


def _assign_bare_size(sizes: dict[str, int | None], bare: Bounds, default: str) -> dict[str, int | None]:
    """Assign a size without a name: to the open end of a size named before, else to `default`."""
    for name in ("land", "building"):
        if bounds := _join_bounds((sizes.get(f"{name}_min"), sizes.get(f"{name}_max")), bare):
            return _pair(name, bounds)
    return _pair(default, bare)


def _rooms(text: Text) -> dict[str, int | None]:
    bedrooms = _take_bounds(text, BEDROOMS, _at_least) or _take_bounds(text, BEDROOMS_AFTER, _at_least)
    bathrooms = _take_bounds(text, BATHROOMS, _at_least)
    low, high = bedrooms[0] if bedrooms else (None, None)
    return {"bedrooms": low, "bedrooms_max": high, "bathrooms": bathrooms[0][0] if bathrooms else None}


def _floors(text: Text) -> dict[str, int | None]:
    if result := _take_bounds(text, FLOORS, _exactly):
        return _pair("floors", result[0])
    return _pair("floors", (2 if text.take(STOREYED) else None, None))


def _pair(name: str, bounds: Bounds) -> dict[str, int | None]:
    return {f"{name}_min": bounds[0], f"{name}_max": bounds[1]}


def _take_bounds(
    text: Text, pattern: re.Pattern[str], bounds: Callable[[str, re.Match[str]], Bounds]
) -> tuple[Bounds, re.Match[str]] | None:
    """Take out a number, and a second one if it is the opposite bound; return the bounds and the first match."""
    before = text.left
    match = text.take(pattern)
    if not match:
        return None
    first = bounds(before, match)
    after = text.left
    second = pattern.search(after)
    if second and (joined := _join_bounds(first, bounds(after, second))):
        text.take(pattern)
        return joined, match
    return first, match


def _join_bounds(first: Bounds, second: Bounds) -> Bounds | None:
    """Return the range of a lower and an upper bound in either order; None if they are not such a pair."""
    for (low, no_high), (no_low, high) in ((first, second), (second, first)):
        if low is not None and high is not None and no_high is None and no_low is None and low <= high:
            return low, high
    return None


def _number(match: re.Match[str]) -> tuple[int, int]:
    """Return the number in a match, and its position."""
    group = match.lastindex or 1
    return int(match[group]), match.start(group)


def _about_or_bound(text: str, match: re.Match[str]) -> Bounds:
    number, position = _number(match)
    cue = cue_before(text, position)
    if cue == "about":
        return int(number * (1 - ABOUT)), int(number * (1 + ABOUT))
    return (None, number) if cue == "max" else (number, None)


def _read_count(text: str, match: re.Match[str]) -> tuple[str | None, int]:
    """Return the cue of a count and its bound: "lebih dari 3" (more than 3) is at least 4."""
    number, position = _number(match)
    after = CUE_AFTER.match(text, match.end())
    if after:
        return after.lastgroup, number
    cue = cue_before(text, position) or cue_before(text, match.start())
    step = {"max": -1, "min": 1}.get(cue or "", 0)
    strict = is_strict(text, position) or is_strict(text, match.start())
    return cue, max(1, number + step * strict)


def _at_least(text: str, match: re.Match[str]) -> Bounds:
    cue, number = _read_count(text, match)
    return (None, number) if cue == "max" else (number, None)


def _exactly(text: str, match: re.Match[str]) -> Bounds:
    cue, number = _read_count(text, match)
    return None if cue == "max" else number, None if cue == "min" else number


def _types(text: Text) -> tuple[str, ...]:
    """Return the first type and those joined to it: "tanah untuk bangun rumah" (land to build a house) is land."""
    joined = JOINED_TYPES.search(text.left)
    types = text.take_words(WORDS["types"])
    return tuple(types if joined else types[:1])
