"""An independent check of a listing against the constraints of a question, for the tests of the demo alone."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from neraca.records import Constraint, Near


def satisfies(listing: Mapping[str, Any], constraints: Mapping[str, Constraint]) -> bool:
    return all(holds(listing, name, constraint) for name, constraint in constraints.items())


def holds(listing: Mapping[str, Any], name: str, constraint: Constraint) -> bool:
    values = [value for field in constraint.fields or [name] for value in flat(listing.get(field))]
    if constraint.equals is not None:
        wanted = constraint.equals if isinstance(constraint.equals, list) else [constraint.equals]
        known = {fold(word) for word in [*wanted, *constraint.synonyms]}
        if not any(fold(value) in known for value in values):
            return False
    if (constraint.contains_any or constraint.near) and not any(
        [
            any(fold(word) in fold(value) for word in constraint.contains_any for value in values),
            constraint.near is not None and within(listing, constraint.near),
        ]
    ):
        return False
    bounds = (constraint.min, constraint.max, constraint.exact, constraint.about)
    return all(bound is None for bound in bounds) or any(fits(value, constraint) for value in values)


def fits(value: Any, constraint: Constraint) -> bool:
    slack = constraint.tolerance or 0
    if constraint.min is not None and value < constraint.min * (1 - slack):
        return False
    if constraint.max is not None and value > constraint.max * (1 + slack):
        return False
    if constraint.exact is not None and abs(value - constraint.exact) > slack * constraint.exact:
        return False
    return constraint.about is None or abs(value - constraint.about) <= (slack or 0.1) * constraint.about


def within(listing: Mapping[str, Any], near: Near) -> bool:
    north = (listing["lat"] - near.lat) * 111.2
    east = (listing["lng"] - near.lng) * 111.2 * math.cos(math.radians(near.lat))
    return math.hypot(north, east) <= near.radius_km


def fold(value: Any) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", str(value).casefold()) if not unicodedata.combining(c))


def flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        yield from value
    elif value is not None:
        yield value
