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
# A place at least this many radii away scores 0; so does a number beyond its bound by at least this share.
FAR = 2.0
BEYOND = 0.5


@dataclass(frozen=True)
class Found:
    """The best listings, at most ten, and the number of all listings found."""

    listings: tuple[Listing, ...]
    total: int


class Search:
    """Searches the listings with all three methods.

    Parameters
    ----------
    folder
        Folder of the vector index.
    listings
        The listings to search; default the package's own.
    embedding
        The embedding; default the offline one.
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
            The criteria of the question; `vector` ignores them.
        text
            The words of the question; `api` ignores them.
        without
            Ids of listings to leave out.
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
        """Filter by the types asked for, and rank by meaning and by all other criteria."""
        kinds = Filters(property_type=criteria.property_types, listing_type=criteria.listing_type)
        listings = self.table.find(kinds)
        similar = self.index.similarities(text)
        values = [similar[listing.id] for listing in listings]
        low, spread = min(values, default=0.0), max(values, default=0.0) - min(values, default=0.0) or 1.0

        def score(listing: Listing) -> float:
            semantic = (similar[listing.id] - low) / spread
            return SEMANTIC_SHARE * semantic + (1 - SEMANTIC_SHARE) * match(criteria, listing)

        return sorted(listings, key=lambda listing: (-score(listing), listing.id))


def filters_of(criteria: Criteria) -> Filters:
    """Return the filters for the criteria; criteria that the interface cannot filter by are dropped."""
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
    """Return how well a listing meets the criteria, from 0 to 1: the mean over the criteria that are set."""
    score_by_part = [
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
        score_by_part.append(1.0 if listing.district == place.name else max(0.0, min(1.0, (FAR - radii) / (FAR - 1))))
    if criteria.complex:
        score_by_part.append(float(listing.complex == criteria.complex))
    scores = [part for part in score_by_part if part is not None]
    return sum(scores) / len(scores) if scores else 0.0


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


def _share(words: tuple[str, ...], offered: tuple[str, ...]) -> float | None:
    if not words:
        return None
    text = ", ".join(offered).casefold()
    return sum(word.casefold() in text for word in words) / len(words)
