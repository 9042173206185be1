"""The search criteria of a question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

#: The field of a listing that each pair of bounds, such as `price_min` and `price_max`, is about.
NUMBERS = {
    "price": "price",
    "bedrooms": "bedrooms",
    "bathrooms": "bathrooms",
    "floors": "floors",
    "land": "land_size",
    "building": "building_size",
}
_PAIRS = {name: (f"{name}_min", f"{name}_max") for name in NUMBERS}
Price = Annotated[int | None, Field(ge=0, description="Rupiah; per year for rent.")]
Count = Annotated[int | None, Field(ge=0)]
Size = Annotated[int | None, Field(ge=0, description="Square metres.")]


class Criteria(BaseModel, frozen=True):
    """Search criteria; None and empty mean no restriction."""

    property_types: tuple[Literal["rumah", "apartemen", "ruko", "tanah", "gudang"], ...] = ()
    listing_type: Literal["dijual", "disewa"] | None = None
    place: str | None = Field(default=None, description="District, complex or landmark, as the customer wrote it.")
    radius_km: float | None = Field(default=None, gt=0, description="Largest distance to the place.")
    complex: str | None = Field(default=None, description="Housing complex.")
    nearby: tuple[str, ...] = Field(default=(), description="What must be near: mall, kampus, sekolah, rumah sakit.")
    price_min: Price = None
    price_max: Price = None
    bedrooms_min: Count = None
    bedrooms_max: Count = None
    bathrooms_min: Count = None
    bathrooms_max: Count = None
    floors_min: Count = None
    floors_max: Count = None
    land_min: Size = None
    land_max: Size = None
    building_min: Size = None
    building_max: Size = None
    facilities: tuple[str, ...] = ()

    def set_values(self) -> dict[str, Any]:
        """Return the criteria that are set: name → value."""
        return self.model_dump(exclude_defaults=True)

    def without(self, unwanted: Criteria, free: Iterable[str] = ()) -> Criteria:
        """Return the criteria without the values in `unwanted` and without those named in `free`.

        >>> criteria = Criteria(bedrooms_min=3, facilities=("gym", "lift"))
        >>> criteria.without(Criteria(facilities=("gym",)), ["bedrooms_min"]).set_values()
        {'facilities': ('lift',)}
        """
        values = {name: value for name, value in self.set_values().items() if name not in free}
        for name, denied in unwanted.set_values().items():
            if isinstance(denied, tuple):
                values[name] = tuple(entry for entry in values.get(name, ()) if entry not in denied)
            elif values.get(name) == denied:
                del values[name]
        return Criteria(**values)

    def changed_by(self, changing: Criteria) -> Criteria:
        """Return the criteria with the values set in `changing` replaced; facilities of both are combined.

        >>> Criteria(price_min=1, price_max=2, bedrooms_min=3).changed_by(Criteria(price_max=9)).set_values()
        {'price_max': 9, 'bedrooms_min': 3}
        """
        changes = changing.set_values()
        # A complex is a place too: a new place or complex replaces both old ones.
        for group in (("place", "radius_km", "complex"), *_PAIRS.values()):
            if any(name in changes for name in group):
                changes |= {name: getattr(changing, name) for name in group}
        changes["facilities"] = tuple(dict.fromkeys(self.facilities + changing.facilities))
        if changing.property_types == ("tanah",):
            rooms = [bound for name, pair in _PAIRS.items() if name not in ("price", "land") for bound in pair]
            changes |= {name: getattr(changing, name) for name in rooms}
        return self.model_copy(update=changes)
