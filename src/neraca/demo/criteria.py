"""The search criteria of a question."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

PAIRS = (
    ("price_min", "price_max"),
    ("bedrooms", "bedrooms_max"),
    ("floors_min", "floors_max"),
    ("land_min", "land_max"),
    ("building_min", "building_max"),
)
ROOMS = ("bedrooms", "bedrooms_max", "bathrooms", "floors_min", "floors_max", "building_min", "building_max")


@dataclass(frozen=True)
class Place:
    """A named circle on the map; `district` is true if it is a district, which listings name."""

    name: str
    lat: float
    lng: float
    radius_km: float
    district: bool = False


@dataclass(frozen=True, kw_only=True)
class Criteria:
    """Search criteria; None and empty mean no restriction.

    `bedrooms` and `bathrooms` are minimum numbers; `nearby` holds kinds ("mall") and names ("Sun Plaza") of places.
    """

    property_types: tuple[str, ...] = ()
    listing_type: str | None = None
    place: Place | None = None
    complex: str | None = None
    nearby: tuple[str, ...] = ()
    price_min: int | None = None
    price_max: int | None = None
    bedrooms: int | None = None
    bedrooms_max: int | None = None
    bathrooms: int | None = None
    floors_min: int | None = None
    floors_max: int | None = None
    land_min: int | None = None
    land_max: int | None = None
    building_min: int | None = None
    building_max: int | None = None
    facilities: tuple[str, ...] = ()

    def given(self) -> dict[str, Any]:
        """Return the criteria that are set, by name."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: value for name, value in fields.items() if value is not None and value != ()}

    def as_dict(self) -> dict[str, Any]:
        """Return the criteria that are set as JSON values."""
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in self.given().items()}
        return plain | ({"place": dataclasses.asdict(self.place)} if self.place else {})

    def without(self, unwanted: Criteria, free: Iterable[str] = ()) -> Criteria:
        """Return the criteria without the values in `unwanted` and without those named in `free`.

        Examples
        --------
        >>> criteria = Criteria(bedrooms=3, facilities=("gym", "lift"))
        >>> criteria.without(Criteria(facilities=("gym",)), ["bedrooms"]).given()
        {'facilities': ('lift',)}
        """
        empty = Criteria()
        changes: dict[str, Any] = {name: getattr(empty, name) for name in free}
        for name, value in unwanted.given().items():
            current = getattr(self, name)
            if isinstance(value, tuple):
                changes[name] = tuple(entry for entry in current if entry not in value)
            elif current == value:
                changes[name] = None
        return dataclasses.replace(self, **changes)

    def changed_by(self, other: Criteria) -> Criteria:
        """Return the criteria with the values set in `other` replaced; facilities of both are combined.

        Examples
        --------
        >>> Criteria(price_min=1, price_max=2, bedrooms=3).changed_by(Criteria(price_max=9)).given()
        {'price_max': 9, 'bedrooms': 3}
        """
        changes = other.given()
        for pair in PAIRS:
            if any(name in changes for name in pair):
                changes |= {name: getattr(other, name) for name in pair}
        # A complex is a place too: a new place or complex replaces both old ones.
        if other.place or other.complex:
            changes |= {"place": other.place, "complex": other.complex}
        changes["facilities"] = tuple(dict.fromkeys(self.facilities + other.facilities))
        if other.property_types == ("tanah",):
            changes |= {name: None for name in ROOMS if getattr(other, name) is None}
        return dataclasses.replace(self, **changes)
