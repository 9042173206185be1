"""The three ways to search: `api` (filters only), `vector` (meaning only), `hybrid` (both, softly)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from neraca.demo.criteria import Criteria
from neraca.demo.embed import Embedding, LocalEmbedding
from neraca.demo.index import open_index
from neraca.demo.listings import Filters, Listing, Table, distance_km, load

MOST = 10
SEMANTIC_SHARE = 0.6
# A place this many radii away counts for nothing any more; a number this share beyond its bound neither.
FAR = 2.0
BEYOND = 0.5


@dataclass(frozen=True)
class Found:
    """The best listings, at most ten, and how many there are in all."""

    listings: tuple[Listing, ...]
    total: int


class Search:
    """The listings behind all three methods.

    Parameters
    ----------
    folder
        Where the vector index is kept.
    listings
        What to search in; default the package's own.
    embedding
        Default the offline one.
    """

    def __init__(
        self, folder: Path, listings: Iterable[Listing] | None = None, embedding: Embedding | None = None
    ) -> None:
        self.listings = load() if listings is None else list(listings)
        self.table = Table(self.listings)
        self.index = open_index(self.listings, embedding or LocalEmbedding(), folder)

    def find(self, method: str, criteria: Criteria, text: str, without: frozenset[str] = frozenset()) -> Found:
        """Search by one method.

        Parameters
        ----------
        method
            One of `neraca.demo.METHODS`.
        criteria
            What was understood; `vector` does not look at it.
        text
            The question as asked; `api` does not look at it.
        without
            Ids that must not be given again.
        """
        methods: dict[str, Callable[[Criteria, str], list[Listing]]] = {
            "api": self._by_filters,
            "vector": self._by_meaning,
            "hybrid": self._by_both,
        }
        ranked = [listing for listing in methods[method](criteria, text) if listing.id not in without]
        return Found(tuple(ranked[:MOST]), len(ranked))

    def close(self) -> None:
        """Close table and index."""
        self.table.close()
        self.index.close()

    def _by_filters(self, criteria: Criteria, _text: str) -> list[Listing]:
        return self.table.find(filters_of(criteria))

    def _by_meaning(self, _criteria: Criteria, text: str) -> list[Listing]:
        similar = self.index.similarities(text)
        return sorted(self.listings, key=lambda listing: (-similar[listing.id], listing.id))

    def _by_both(self, criteria: Criteria, text: str) -> list[Listing]:
        """Keep to the types asked for; everything else is only a matter of score."""
        kinds = Filters(property_type=criteria.property_types, listing_type=criteria.listing_type)
        listings = self.table.find(kinds)
        similar = self.index.similarities(text)
        known = [similar[listing.id] for listing in listings]
        low, spread = min(known, default=0.0), max(known, default=0.0) - min(known, default=0.0) or 1.0

        def score(listing: Listing) -> float:
            semantic = (similar[listing.id] - low) / spread
            return SEMANTIC_SHARE * semantic + (1 - SEMANTIC_SHARE) * match(criteria, listing)

        return sorted(listings, key=lambda listing: (-score(listing), listing.id))


def filters_of(criteria: Criteria) -> Filters:
    """Give the filters that express the criteria; what the interface cannot filter by is lost."""
    place = criteria.place
    circle = place if place and not place.district else None
    exact = criteria.floors_min if criteria.floors_min == criteria.floors_max else None
    return Filters(
        property_type=criteria.property_types,
        listing_type=criteria.listing_type,
        min_price=criteria.price_min,
        max_price=criteria.price_max,
        bedrooms=criteria.bedrooms,
        max_bedrooms=criteria.bedrooms_max,
        bathrooms=criteria.bathrooms,
        floors=exact,
        min_floors=None if exact else criteria.floors_min,
        max_floors=None if exact else criteria.floors_max,
        min_land=criteria.land_min,
        max_land=criteria.land_max,
        min_building=criteria.building_min,
        max_building=criteria.building_max,
        district=place.name if place and place.district else None,
        lat=circle.lat if circle else None,
        lng=circle.lng if circle else None,
        radius_km=circle.radius_km if circle else None,
    )


def match(criteria: Criteria, listing: Listing) -> float:
    """Say how well a listing meets the criteria, from 0 to 1: the mean over what was asked."""
    parts = [
        _between(listing.price, criteria.price_min, criteria.price_max),
        _between(listing.bedrooms, criteria.bedrooms, criteria.bedrooms_max),
        _between(listing.bathrooms, criteria.bathrooms, None),
        _between(listing.floors, criteria.floors_min, criteria.floors_max),
        _between(listing.land_size, criteria.land_min, criteria.land_max),
        _between(listing.building_size, criteria.building_min, criteria.building_max),
        _share(criteria.facilities, listing.facilities),
        _share(criteria.nearby, listing.nearby),
    ]
    if place := criteria.place:
        radii = distance_km(listing.lat, listing.lng, place.lat, place.lng) / place.radius_km
        parts.append(1.0 if listing.district == place.name else max(0.0, min(1.0, (FAR - radii) / (FAR - 1))))
    if criteria.complex:
        parts.append(float(listing.complex == criteria.complex))
    asked = [part for part in parts if part is not None]
    return sum(asked) / len(asked) if asked else 0.0


def _between(value: int | None, low: int | None, high: int | None) -> float | None:
    if low is None and high is None:
        return None
    if value is None:
        return 0.0
    if low is not None and value < low:
        return max(0.0, 1 - (low - value) / (low * BEYOND))
    if high is not None and value > high:
        return max(0.0, 1 - (value - high) / (high * BEYOND))
    return 1.0


def _share(asked: tuple[str, ...], offered: tuple[str, ...]) -> float | None:
    if not asked:
        return None
    text = ", ".join(offered).casefold()
    return sum(word.casefold() in text for word in asked) / len(asked)
