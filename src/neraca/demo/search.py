"""The three ways to search: `api` (filters only), `vector` (meaning only), `hybrid` (both, softly)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from neraca.demo.criteria import RANGES, Criteria
from neraca.demo.index import Index
from neraca.demo.listings import Listing, load
from neraca.demo.places import PLACES

MOST = 10
SEMANTIC_SHARE = 0.6
# A place at least this many radii away scores 0; so does a number beyond its bound by at least this share.
FAR = 2.0
BEYOND = 0.5


@dataclass(frozen=True)
class Found:
    """The best listings, at most ten, and the number of all listings found."""

    listings: tuple[Listing, ...]
    total: int


class Search:
    """Searches the listings with all three methods; `folder` is that of the vector index."""

    def __init__(self, folder: Path) -> None:
        self.listings = load()
        self.index = Index(self.listings, folder)

    def find(self, method: str, criteria: Criteria, text: str, without: frozenset[str] = frozenset()) -> Found:
        """Search by one method.

        Parameters
        ----------
        method
            One of `neraca.demo.METHODS`.
        criteria
            The criteria of the question; `vector` ignores them.
        text
            The words of the question; `api` ignores them.
        without
            Ids of listings to leave out.
        """
        listings = self.listings if method == "vector" else [one for one in self.listings if _has_type(criteria, one)]
        if method == "api":
            listings = [listing for listing in listings if _passes(criteria, listing)]
            scores = {listing.id: -float(listing.price) for listing in listings}
        else:
            similar = self.index.similarities(text)
            scores = {listing.id: similar[listing.id] for listing in listings}
        if method == "hybrid":
            low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
            for listing in listings:
                semantic = (similar[listing.id] - low) / (high - low or 1.0)
                scores[listing.id] = SEMANTIC_SHARE * semantic + (1 - SEMANTIC_SHARE) * match(criteria, listing)
        listings = sorted(listings, key=lambda listing: (-scores[listing.id], listing.id))
        listings = [listing for listing in listings if listing.id not in without]
        return Found(tuple(listings[:MOST]), len(listings))


def match(criteria: Criteria, listing: Listing) -> float:
    """Return how well a listing meets the criteria, from 0 to 1: the mean over the criteria that are set."""
    scores = list(_bounds_met(criteria, listing))
    for names, offered in ((criteria.facilities, listing.facilities), (criteria.nearby, listing.nearby)):
        if names:
            text = ", ".join(offered).casefold()
            scores.append(sum(name.casefold() in text for name in names) / len(names))
    if criteria.place:
        scores.append(
            1.0 if listing.district == criteria.place else min(1.0, max(0.0, FAR - _radii(criteria, listing)))
        )
    if criteria.complex:
        scores.append(float(listing.complex == criteria.complex))
    return sum(scores) / len(scores) if scores else 0.0


def _has_type(criteria: Criteria, listing: Listing) -> bool:
    return (not criteria.property_types or listing.property_type in criteria.property_types) and (
        criteria.listing_type in (None, listing.listing_type)
    )


def _passes(criteria: Criteria, listing: Listing) -> bool:
    """Return whether a listing meets all criteria that can be filtered by: its numbers, and its place."""
    if any(score < 1 for score in _bounds_met(criteria, listing)):
        return False
    if not criteria.place:
        return True
    if is_district(criteria):
        return listing.district == criteria.place
    return _radii(criteria, listing) <= 1


def is_district(criteria: Criteria) -> bool:
    """Return whether the place is a district, which listings name, and not a circle on the map."""
    return bool(criteria.place) and PLACES[criteria.place]["kind"] == "district" and criteria.radius_km is None


def _radii(criteria: Criteria, listing: Listing) -> float:
    """Return the distance of a listing to the place, as a multiple of the radius."""
    place = PLACES[criteria.place or ""]
    distance = distance_km(listing.lat, listing.lng, place["lat"], place["lng"])
    return distance / (criteria.radius_km or float(place["radius_km"]))


def distance_km(lat: float, lng: float, other_lat: float, other_lng: float) -> float:
    """Return the great-circle distance of two points in kilometres; coordinates are in degrees.

    Examples
    --------
    >>> round(distance_km(3.5672, 98.6566, 3.5833, 98.6717), 1)
    2.5
    """
    phi, other_phi = math.radians(lat), math.radians(other_lat)
    half = math.sin((other_phi - phi) / 2) ** 2
    half += math.cos(phi) * math.cos(other_phi) * math.sin(math.radians(other_lng - lng) / 2) ** 2
    return 2 * 6371.0 * math.asin(math.sqrt(half))


def _bounds_met(criteria: Criteria, listing: Listing) -> Iterator[float]:
    """Yield how well each number with a bound keeps to it, from 0 to 1; 0 if the listing does not state it."""
    for number, low_name, high_name in RANGES:
        low, high, value = getattr(criteria, low_name), getattr(criteria, high_name), getattr(listing, number)
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
