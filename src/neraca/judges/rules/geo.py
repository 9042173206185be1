"""Coordinates of a hit, and distances on the map."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

from neraca.judges.rules.fields import reader
from neraca.records import Hit

RADIUS_KM = 6371.0
LATITUDES = ("lat", "latitude")
LONGITUDES = ("lng", "lon", "long", "longitude")
CONTAINERS = ("", "location.", "geo.", "coordinates.")

Place = tuple[float, float]


def haversine(lat: float, lng: float, to_lat: float, to_lng: float) -> float:
    """Return the great-circle distance in kilometres between two places given in degrees.

    2 R asin √(sin²(Δφ/2) + cos φ₁ cos φ₂ sin²(Δλ/2)) with R = 6371 km, φ latitude, λ longitude (Sinnott 1984).

    >>> round(haversine(0, 0, 0, 90), 3)  # a quarter of the equator: π/2 · 6371
    10007.543
    """
    north, to_north = math.radians(lat), math.radians(to_lat)
    across = math.sin(math.radians(to_lng - lng) / 2)
    haversine_of_angle = math.sin((to_north - north) / 2) ** 2 + math.cos(north) * math.cos(to_north) * across**2
    # For opposite places, rounding may carry the haversine past 1, where asin has no value.
    return 2 * RADIUS_KM * math.asin(min(1.0, math.sqrt(haversine_of_angle)))


def locator(lat: str = "", lng: str = "") -> Callable[[Hit], Place | None]:
    """Return a function that reads the coordinates of a hit in degrees, or returns None if it has no valid ones.

    Parameters
    ----------
    lat, lng
        Names or dotted paths of the fields; both or neither.  Neither: `lat` or `latitude` with `lng`, `lon`,
        `long` or `longitude`, in the hit itself, then in its `location`, `geo` or `coordinates`.  A bare list of
        two numbers is not read, because its order is unknown.
    """
    names = (
        [(lat, lng)]
        if lat
        else [(container + a, container + b) for container in CONTAINERS for a, b in product(LATITUDES, LONGITUDES)]
    )
    pairs = [(reader(north), reader(east)) for north, east in names]

    def locate(hit: Hit) -> Place | None:
        for north, east in pairs:
            latitude, longitude = _degrees(north(hit), 90), _degrees(east(hit), 180)
            if latitude is not None and longitude is not None:
                return latitude, longitude
        return None

    return locate


def _degrees(value: object, limit: int) -> float | None:
    # Not `read_number`: 98.672 is a longitude here and never 98,672.
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        degrees = float(value)
    except (ValueError, OverflowError):
        return None
    return degrees if abs(degrees) <= limit else None
