"""The made-up listings of an agency in Medan: real districts and an order of their prices, invented properties."""

from __future__ import annotations

import json
from dataclasses import dataclass

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
    facilities: list[str]
    nearby: list[str]
    description: str

    def text(self) -> str:
        """Return the text of the listing for semantic search, without its numbers."""
        kind = f"{self.property_type} {self.listing_type}"
        parts = [self.title, kind, self.district, self.address, self.complex]
        return ". ".join([*filter(None, parts), ", ".join(self.facilities), ", ".join(self.nearby), self.description])


def load() -> list[Listing]:
    """Read the listings, one JSON object per line."""
    return [Listing(**json.loads(line)) for line in LISTINGS.read_text(encoding="utf-8").splitlines()]
