"""The search criteria of a question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, Field

#: Each number of a listing, and the criteria that are its lower and its upper bound.
RANGES = (
    ("price", "price_min", "price_max"),
    ("bedrooms", "bedrooms", "bedrooms_max"),
    ("bathrooms", "bathrooms", "bathrooms_max"),
    ("floors", "floors_min", "floors_max"),
    ("land_size", "land_min", "land_max"),
    ("building_size", "building_min", "building_max"),
)
_ROOMS = [name for number, *pair in RANGES if number not in ("price", "land_size") for name in pair]


class Criteria(BaseModel, frozen=True):
    """Search criteria; None and empty mean no restriction."""

    property_types: tuple[Literal["rumah", "apartemen", "ruko", "tanah", "gudang"], ...] = ()
    listing_type: Literal["dijual", "disewa"] | None = None
    place: str | None = Field(default=None, description="District, complex or landmark, as the customer wrote it.")
    radius_km: float | None = Field(default=None, gt=0, description="Largest distance to the place.")
    complex: str | None = Field(default=None, description="Housing complex.")
    nearby: tuple[str, ...] = Field(default=(), description="What must be near: mall, kampus, sekolah, rumah sakit.")
    price_min: int | None = Field(default=None, ge=0, description="Rupiah; per year for rent.")
    price_max: int | None = Field(default=None, ge=0, description="Rupiah; per year for rent.")
    bedrooms: int | None = Field(default=None, ge=0, description="At least.")
    bedrooms_max: int | None = Field(default=None, ge=0)
    bathrooms: int | None = Field(default=None, ge=0, description="At least.")
    bathrooms_max: int | None = Field(default=None, ge=0)
    floors_min: int | None = Field(default=None, ge=1)
    floors_max: int | None = Field(default=None, ge=1)
    land_min: int | None = Field(default=None, ge=0, description="Square metres.")
    land_max: int | None = Field(default=None, ge=0, description="Square metres.")
    building_min: int | None = Field(default=None, ge=0, description="Square metres.")
    building_max: int | None = Field(default=None, ge=0, description="Square metres.")
    facilities: tuple[str, ...] = ()

    def given(self) -> dict[str, Any]:
        """Return the criteria that are set, by name."""
        return self.model_dump(exclude_defaults=True)

    def without(self, unwanted: Criteria, free: Iterable[str] = ()) -> Criteria:
        """Return the criteria without the values in `unwanted` and without those named in `free`.

        Examples
        --------
        >>> criteria = Criteria(bedrooms=3, facilities=("gym", "lift"))
        >>> criteria.without(Criteria(facilities=("gym",)), ["bedrooms"]).given()
        {'facilities': ('lift',)}
        """
        values = {name: value for name, value in self.given().items() if name not in free}
        for name, denied in unwanted.given().items():
            if isinstance(denied, tuple):
                values[name] = tuple(entry for entry in values.get(name, ()) if entry not in denied)
            elif values.get(name) == denied:
                del values[name]
        return Criteria(**values)

    def changed_by(self, other: Criteria) -> Criteria:
        """Return the criteria with the values set in `other` replaced; facilities of both are combined.

        Examples
        --------
        >>> Criteria(price_min=1, price_max=2, bedrooms=3).changed_by(Criteria(price_max=9)).given()
        {'price_max': 9, 'bedrooms': 3}
        """
        changes = other.given()
        # A complex is a place too: a new place or complex replaces both old ones.
        for group in (("place", "radius_km", "complex"), *(pair for _, *pair in RANGES)):
            if any(name in changes for name in group):
                changes |= {name: getattr(other, name) for name in group}
        changes["facilities"] = tuple(dict.fromkeys(self.facilities + other.facilities))
        if other.property_types == ("tanah",):
            changes |= {name: getattr(other, name) for name in _ROOMS}
        return self.model_copy(update=changes)
