"""Draw circles around the places of records, such as "within 3 km of Helvetia"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from neraca.judges.rules.geo import haversine, locator
from neraca.records import Hit, Near

#: Radii of circles, in kilometres; no record lies nearer to the edge of a circle than this share of its radius, because
#: another program may put the middle of a place a little elsewhere.
RADII, EDGE = (1.0, 2.0, 3.0, 5.0, 10.0, 20.0), 0.03
#: The name of the constraint on coordinates.
DISTANCE = "distance"


class Circles:
    """Draws circles around the middles of places.

    Parameters
    ----------
    points
        The coordinates of each record, with the name of its place, "" if no question may name it; None if it has no
        coordinates.
    """

    def __init__(self, points: Sequence[Near | None]) -> None:
        self._distances: dict[str, list[float]] = {}
        self._points = [point for point in points if point is not None]
        self._middles = _middles(self._points)

    def around(self, point: Near, random: Random) -> Near | None:
        """Return a circle around the middle of the place of a point that has the point in it; None if none fits."""
        if not point.name:
            return None
        middle = self._middles[point.name]
        if point.name not in self._distances:
            self._distances[point.name] = [
                haversine(middle.lat, middle.lng, other.lat, other.lng) for other in self._points
            ]
        distances = self._distances[point.name]
        own = haversine(middle.lat, middle.lng, point.lat, point.lng)
        fitting = [
            radius
            for radius in RADII
            if own <= radius and all(abs(distance - radius) >= EDGE * radius for distance in distances)
        ]
        if not fitting:
            return None
        return Near(lat=middle.lat, lng=middle.lng, radius_km=random.choice(fitting[:3]), name=point.name)


def located(hits: Sequence[Hit], places: Sequence[str | None]) -> list[Near | None]:
    """Return the coordinates of each record, None if it has none, with the name of its place, "" if it has none."""
    locate = locator()
    points: list[Near | None] = []
    for hit, name in zip(hits, places, strict=True):
        at = locate(hit)
        points.append(None if at is None else Near(lat=at[0], lng=at[1], radius_km=0.0, name=str(name or "")))
    return points


def _middles(points: Sequence[Near]) -> Mapping[str, Near]:
    """Return for each place the mean coordinates of its records."""
    by_place: dict[str, list[Near]] = {}
    for point in points:
        by_place.setdefault(point.name, []).append(point)
    return {
        name: Near(
            lat=round(sum(point.lat for point in of_place) / len(of_place), 5),
            lng=round(sum(point.lng for point in of_place) / len(of_place), 5),
            radius_km=0.0,
            name=name,
        )
        for name, of_place in by_place.items()
    }
