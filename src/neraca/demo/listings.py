"""The listings of the agency and their search interface: a table in SQLite with strict filters."""

from __future__ import annotations

import dataclasses
import json
import math
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neraca.demo import LISTINGS


@dataclass(frozen=True, kw_only=True)
class Listing:
    """One property on offer; `price` is in rupiah, per year if it is for rent; None means not stated."""

    id: str
    title: str
    property_type: str
    listing_type: str
    price: int
    bedrooms: int | None
    bathrooms: int | None
    floors: int | None
    land_size: int | None
    building_size: int | None
    district: str
    address: str
    lat: float
    lng: float
    complex: str
    facilities: tuple[str, ...]
    nearby: tuple[str, ...]
    description: str

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Listing:
        """Make a listing of a decoded JSON object."""
        return cls(**{**fields, "facilities": tuple(fields["facilities"]), "nearby": tuple(fields["nearby"])})

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        fields = dataclasses.asdict(self)
        return {**fields, "facilities": list(self.facilities), "nearby": list(self.nearby)}

    def text(self) -> str:
        """Return the text of the listing for semantic search, without its numbers."""
        kind = f"{self.property_type} {self.listing_type}"
        parts = [self.title, kind, self.district, self.address, self.complex]
        return ". ".join([*filter(None, parts), ", ".join(self.facilities), ", ".join(self.nearby), self.description])


@dataclass(frozen=True, kw_only=True)
class Filters:
    """The filters of the search interface; None or empty means no filter."""

    property_type: tuple[str, ...] = ()
    listing_type: str | None = None
    min_price: int | None = None
    max_price: int | None = None
    bedrooms: int | None = None
    max_bedrooms: int | None = None
    bathrooms: int | None = None
    floors: int | None = None
    min_floors: int | None = None
    max_floors: int | None = None
    min_land: int | None = None
    max_land: int | None = None
    min_building: int | None = None
    max_building: int | None = None
    district: str | None = None
    lat: float | None = None
    lng: float | None = None
    radius_km: float | None = None


# A null fails every comparison, so a filter on a number excludes listings that do not state it.
CONDITIONS = {
    "listing_type": "listing_type = :listing_type",
    "min_price": "price >= :min_price",
    "max_price": "price <= :max_price",
    "bedrooms": "bedrooms >= :bedrooms",
    "max_bedrooms": "bedrooms <= :max_bedrooms",
    "bathrooms": "bathrooms >= :bathrooms",
    "floors": "floors = :floors",
    "min_floors": "floors >= :min_floors",
    "max_floors": "floors <= :max_floors",
    "min_land": "land_size >= :min_land",
    "max_land": "land_size <= :max_land",
    "min_building": "building_size >= :min_building",
    "max_building": "building_size <= :max_building",
    "district": "lower(district) = lower(:district)",
    "radius_km": "distance_km(lat, lng, :lat, :lng) <= :radius_km",
}


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


def load(path: Path = LISTINGS) -> list[Listing]:
    """Read a file of listings, one JSON object per line."""
    with path.open(encoding="utf-8") as lines:
        return [Listing.from_dict(json.loads(line)) for line in lines if line.strip()]


class Table:
    """The listings in SQLite, in memory; any thread may query them."""

    def __init__(self, listings: Iterable[Listing]) -> None:
        self.listings = {listing.id: listing for listing in listings}
        self._lock = threading.Lock()
        self._base = sqlite3.connect(":memory:", check_same_thread=False)
        self._base.create_function("distance_km", 4, distance_km, deterministic=True)
        numbers = "price, bedrooms, bathrooms, floors, land_size, building_size, lat, lng"
        words = "id, property_type, listing_type, district"
        self._base.execute(f"CREATE TABLE listings ({words}, {numbers})")
        rows = [dataclasses.asdict(listing) for listing in self.listings.values()]
        values = ", ".join(f":{name}" for name in f"{words}, {numbers}".split(", "))
        self._base.executemany(f"INSERT INTO listings VALUES ({values})", rows)

    def find(self, filters: Filters) -> list[Listing]:
        """Return the listings that pass every filter, cheapest first.

        Raises
        ------
        ValueError
            Only some of `lat`, `lng` and `radius_km` are given.
        """
        values = {name: value for name, value in dataclasses.asdict(filters).items() if value is not None}
        circle = {"lat", "lng", "radius_km"}
        if circle & values.keys() not in (set(), circle):
            raise ValueError("give lat, lng and radius_km together, or none of them")
        types = values.pop("property_type")
        type_values = {f"type{number}": kind for number, kind in enumerate(types)}
        conditions = [CONDITIONS[name] for name in values if name in CONDITIONS]
        if type_values:
            conditions.append(f"property_type IN ({', '.join(f':{name}' for name in type_values)})")
        where = " AND ".join(conditions) or "TRUE"
        with self._lock:
            rows = self._base.execute(f"SELECT id FROM listings WHERE {where} ORDER BY price, id", values | type_values)
            return [self.listings[key] for (key,) in rows.fetchall()]

    def close(self) -> None:
        """Close the table."""
        self._base.close()
