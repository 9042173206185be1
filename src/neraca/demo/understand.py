"""From a question in free Indonesian (and some English) to `Criteria`, by rules and word lists.

Each step finds one thing and takes it out of the text, so that no later step reads it again:
"rumah sakit" must be gone before anybody looks for "rumah".
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from neraca.demo.criteria import Criteria
from neraca.demo.places import find_places
from neraca.demo.prices import ABOUT, WORDS, any_of, cue_before, find_prices
from neraca.demo.text import Text, normalise

Bounds = tuple[int | None, int | None]

BEDROOMS = re.compile(
    r"(\d{1,2})(?:\s*(?:\+|-|sampai|atau|or|to)\s*\d)?\s*-?(?:kamar(?:\s+tidur)?(?!\s*mandi)|kt|bedrooms?|beds?|br)\b"
)
BEDROOMS_AFTER = re.compile(
    r"\b(?:kamar\s+tidur|kamar(?!\s*mandi)|kt)[\s:]+(?:minimal\s+)?(\d{1,2})(?![\d.,]|\s*(?:jt|juta|m\b|m2))"
)
# "2 km" is bathrooms only where a clause ends, as in the agents' "3KT 2KM"; elsewhere it is a distance.
BATHROOMS = re.compile(r"(\d{1,2})\s*-?(?:kamar\s+mandi|bathrooms?|baths?|km(?=\W*(?:$|[,|])))\b")
RADIUS = re.compile(r"(?:radius|dalam|within|jarak)\s+(?:maksimal\s+)?(\d+(?:[.,]\d+)?)\s*km\b")

# "lt" is both floors (lantai) and land size (luas tanah); floors are few, squares of land are not.
FLOORS = re.compile(
    r"(?<![\d.,])([1-9])\s*-?(?:lantai|lt|tingkat|storeys?|storied|story|stories|floors?)\b"
    r"|\b(?:lantai|tingkat|lt)\s+([1-9])\b(?![.,]?\d)"
)
STOREYED = re.compile(r"\b(?:bertingkat|multi[- ]?storey)\b")

CUES = any_of(cue for cues in WORDS["cues"].values() for cue in cues)
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

TYPE = any_of(word for words in WORDS["types"].values() for word in words)
JOINED_TYPES = re.compile(rf"\b(?:{TYPE})\s+(?:atau|or|dan|and|/)\s+(?:\w+\s+)?(?:{TYPE})\b")
THREE_PHASE = {"listrik 3 phase": WORDS["facilities"]["listrik 3 phase"]}


def understand(message: str) -> Criteria:
    """Read what a question asks for.

    Examples
    --------
    >>> understand("rumah dijual di Johor dibawah 800 juta").given()["price_max"]
    800000000
    """
    text = Text(normalise(message))
    # Read on the side: the "per tahun" of a price tells it too, and the price step takes it out.
    listing_types = Text(text.left).take_words(WORDS["listing_types"])
    sizes, bare = _sizes(text)
    rooms = _rooms(text)
    radius = text.take(RADIUS)
    three_phase = text.take_words(THREE_PHASE)
    floors = _floors(text)
    prices = find_prices(text.left)
    text.left = prices.rest
    places = find_places(text)
    nearby = tuple(text.take_words(WORDS["nearby"]))
    facilities = three_phase + text.take_words(WORDS["facilities"])
    types = _types(text)
    if bare:
        sizes |= _pair("building" if set(types) & {"apartemen", "gudang"} else "land", bare)
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
    """Give the sizes of land and building, and one of which the text does not say what it is."""
    sizes: dict[str, int | None] = {}
    for name, pattern in (("land", LAND), ("building", BUILDING)):
        before = text.left
        if found := text.take(pattern):
            number = found.lastindex or 1
            sizes |= _pair(name, _bounds(before, found.start(number), int(found[number])))
            # "tanah 200 m2" may be all that says which type is wanted.
            text.left += " tanah" if number > 1 and not found[0].startswith(("luas", "bangunan")) else ""
    before = text.left
    found = text.take(BARE_SIZE)
    return sizes, _bounds(before, found.start(1), int(found[1])) if found else None


def _bounds(text: str, position: int, number: int) -> Bounds:
    cue = cue_before(text, position)
    if cue == "about":
        return int(number * (1 - ABOUT)), int(number * (1 + ABOUT))
    return (None, number) if cue == "max" else (number, None)


def _pair(name: str, bounds: Bounds) -> dict[str, int | None]:
    return {f"{name}_min": bounds[0], f"{name}_max": bounds[1]}


def _rooms(text: Text) -> dict[str, Any]:
    bedrooms = text.take(BEDROOMS) or text.take(BEDROOMS_AFTER)
    bathrooms = text.take(BATHROOMS)
    return {"bedrooms": bedrooms and int(bedrooms[1]), "bathrooms": bathrooms and int(bathrooms[1])}


def _floors(text: Text) -> dict[str, int | None]:
    before = text.left
    if found := text.take(FLOORS):
        number = int(found[1] or found[2])
        cue = cue_before(before, found.start())
        return _pair("floors", (None if cue == "max" else number, None if cue == "min" else number))
    return _pair("floors", (2 if text.take(STOREYED) else None, None))


def _types(text: Text) -> tuple[str, ...]:
    """Give the first type, and those joined to it: "tanah untuk bangun rumah" asks for land."""
    joined = JOINED_TYPES.search(text.left)
    types = text.take_words(WORDS["types"])
    return tuple(types if joined else types[:1])
