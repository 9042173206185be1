"""The three ways to search: `api` (filters only), `vector` (meaning only), `hybrid` (both, softly)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

from neraca.demo import LISTINGS
from neraca.demo.criteria import NUMBERS, Criteria
from neraca.demo.index import Index, Listing
from neraca.demo.places import PLACES

#: Most listings that are shown.
MOST = 10
SEMANTIC_SHARE = 0.6
# A place at least this many radii away scores 0; so does a number beyond its bound by at least this share.
FAR = 2.0
BEYOND = 0.5


class Search:
    """Searches the listings with all three methods; `folder` holds the vector index."""

    def __init__(self, folder: Path) -> None:
        self.listings: list[Listing] = list(map(json.loads, LISTINGS.read_text(encoding="utf-8").splitlines()))
        self.index = Index(self.listings, folder)

    def find(self, method: str, criteria: Criteria, text: str, without: frozenset[str] = frozenset()) -> list[Listing]:
        """Return the listings that one of `METHODS` finds, best first, except those whose ids are in `without`.

        `vector` ignores the criteria of the question, and `api` its text.
        """
        listings = self.listings
        if method != "vector":
            listings = [listing for listing in listings if _has_type(criteria, listing)]
        if method == "api":
            listings = [listing for listing in listings if _passes(criteria, listing)]
            scores = {listing["id"]: -listing["price"] for listing in listings}
        else:
            similar = self.index.similarities(text)
            scores = {listing["id"]: similar[listing["id"]] for listing in listings}
        if method == "hybrid":
            low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
            for listing in listings:
                semantic = (scores[listing["id"]] - low) / (high - low or 1.0)
                scores[listing["id"]] = SEMANTIC_SHARE * semantic + (1 - SEMANTIC_SHARE) * match(criteria, listing)
        ranked = sorted(listings, key=lambda listing: (-scores[listing["id"]], listing["id"]))
        return [listing for listing in ranked if listing["id"] not in without]


def match(criteria: Criteria, listing: Listing) -> float:
    """Return how well a listing meets the criteria, from 0 to 1: the mean over the criteria that are set."""
    scores = list(_bounds_met(criteria, listing))
    for names, offered in ((criteria.facilities, listing["facilities"]), (criteria.nearby, listing["nearby"])):
        if names:
            text = ", ".join(offered).casefold()
            scores.append(sum(name.casefold() in text for name in names) / len(names))
    if criteria.place:
        nearness = (FAR - _radii(criteria, listing)) / (FAR - 1)
        scores.append(1.0 if listing["district"] == criteria.place else min(1.0, max(0.0, nearness)))
    if criteria.complex:
        scores.append(float(listing["complex"] == criteria.complex))
    return sum(scores) / len(scores) if scores else 0.0


def _has_type(criteria: Criteria, listing: Listing) -> bool:
    property_type, listing_type = listing["property_type"], listing["listing_type"]
    is_asked = not criteria.property_types or property_type in criteria.property_types
    return is_asked and criteria.listing_type in (None, listing_type)


def _passes(criteria: Criteria, listing: Listing) -> bool:
    """Return whether a listing meets all criteria that can be filtered by: its numbers, and its place."""
    if criteria.place and is_district(criteria):
        in_place = listing["district"] == criteria.place
    else:
        in_place = not criteria.place or _radii(criteria, listing) <= 1
    return in_place and all(score == 1 for score in _bounds_met(criteria, listing))


def is_district(criteria: Criteria) -> bool:
    """Return whether the place is a district, which listings name, and not a circle on the map."""
    return bool(criteria.place) and PLACES[criteria.place]["kind"] == "district" and criteria.radius_km is None


def _radii(criteria: Criteria, listing: Listing) -> float:
    """Return the distance of a listing to the place, as a multiple of the radius."""
    place = PLACES[criteria.place or ""]
    distance = distance_km(listing["lat"], listing["lng"], place["lat"], place["lng"])
    return distance / (criteria.radius_km or float(place["radius_km"]))


def distance_km(lat: float, lng: float, other_lat: float, other_lng: float) -> float:
    """Return the great-circle distance of two points in kilometres; coordinates are in degrees.

    >>> round(distance_km(3.5672, 98.6566, 3.5833, 98.6717), 1)
    2.5
    """
    phi, other_phi = math.radians(lat), math.radians(other_lat)
    half = math.sin((other_phi - phi) / 2) ** 2
    half += math.cos(phi) * math.cos(other_phi) * math.sin(math.radians(other_lng - lng) / 2) ** 2
    return 2 * 6371.0 * math.asin(math.sqrt(half))


def _bounds_met(criteria: Criteria, listing: Listing) -> Iterator[float]:
    """Yield how well each number with a bound keeps to it, from 0 to 1; 0 if the listing does not state it."""
    for name, field in NUMBERS.items():
        low, high, value = getattr(criteria, f"{name}_min"), getattr(criteria, f"{name}_max"), listing[field]
        if low is None and high is None:
            continue
        if value is None:
            yield 0.0
        elif low is not None and value < low:
            yield max(0.0, 1 - (low - value) / (low * BEYOND))
        elif high is not None and value > high:
            yield max(0.0, 1 - (value - high) / ((high or 1) * BEYOND))
        else:
            yield 1.0
