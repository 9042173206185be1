"""Read constraints from a cell, as JSON text or nested values, and check that each can be met."""

from __future__ import annotations

import math
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from neraca.datasets.cells import blank, decoded, shown
from neraca.errors import InputError
from neraca.nearest import nearest
from neraca.records import Constraint, Near
from neraca.translation import say

R = TypeVar("R", Constraint, Near)
KINDS = ("equals", "contains_any", "near", "min", "max", "exact", "about")
_NUMBERS = ("min", "max", "exact", "about", "tolerance")
_MUST: dict[str, str] = {
    "equals": "text, a number, true or false, or a list of these",
    "synonyms": "a list of texts",
    "contains_any": "a list of texts",
    "fields": "a list of texts",
    "near": "an object with lat, lng and radius_km",
    "name": "text",
}
_TYPES: dict[type[Any], dict[str, Any]] = {kind: typing.get_type_hints(kind) for kind in (Constraint, Near)}


def constraints(value: Any) -> dict[str, Constraint]:
    """Return attribute of a hit → its constraint; raise `InputError` if one is malformed.

    >>> constraints('{"price": {"max": 900}}')["price"].max
    900.0
    """
    content = decoded(value)
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        raise InputError(
            say('must be an object such as {{"price": {{"max": 900}}}}, found {value}', value=shown(content))
        )
    by_name = {str(name): _constraint(str(name), body) for name, body in content.items() if body is not None}
    return {name: constraint for name, constraint in by_name.items() if constraint is not None}


def _constraint(name: str, body: Any) -> Constraint | None:
    """Return one constraint; None if all its values are null, with which Parquet pads objects."""
    where = say("constraint {name}", name=name)
    if blank(name):
        raise InputError(say("a constraint has no name; name it after an attribute of a hit, such as price"))
    if not isinstance(body, Mapping):
        raise InputError(
            say(
                '{where}: must be an object such as {{"equals": {value}}}, found {value}',
                where=where,
                value=shown(body),
            )
        )
    fields = _without_nulls(body)
    if body and not fields:
        return None
    constraint: Constraint = _converted(fields, Constraint, where)
    _check(constraint, where)
    return constraint


def _without_nulls(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object without null values, and without inner objects that hold only null values."""
    parts = {key: _without_nulls(part) if isinstance(part, Mapping) else part for key, part in body.items()}
    return {key: part for key, part in parts.items() if part is not None and (part != {} or body[key] == {})}


def _converted(fields: Mapping[str, Any], kind: type[R], where: str) -> R:
    """Return a record of these fields; raise `InputError` that says which field is wrong and what it must be."""
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        problem = error
    types = _TYPES[kind]
    for key, value in fields.items():
        if key not in types:
            raise InputError(
                say('{where}: unknown key "{key}"; {advice}', where=where, key=key, advice=nearest(str(key), types))
            )
        if key == "near" and isinstance(value, Mapping):
            _converted(value, Near, f"{where}: near")
        try:
            msgspec.convert(value, types[key])
        except msgspec.ValidationError as error:
            raise InputError(
                say(
                    "{where}: {key} must be {kind}, found {value}",
                    where=where,
                    key=key,
                    kind=say(_MUST.get(key, "a number")),
                    value=shown(value),
                )
            ) from error
    raise InputError(f"{where}: {problem}") from problem


def _check(constraint: Constraint, where: str) -> None:
    numbers = {key: number for key in _NUMBERS if (number := getattr(constraint, key)) is not None}
    for key, number in numbers.items():
        if not math.isfinite(number):
            raise InputError(
                say("{where}: {key} must be a number, found {number}", where=where, key=key, number=number)
            )
    if not any(getattr(constraint, kind) not in (None, [], "") for kind in KINDS):
        raise InputError(say("{where}: is empty; give one of {kinds}", where=where, kinds=", ".join(KINDS)))
    low, high = numbers.get("min"), numbers.get("max")
    if low is not None and high is not None and low > high:
        raise InputError(say("{where}: min ({low:g}) is greater than max ({high:g})", where=where, low=low, high=high))
    if numbers.get("tolerance", 0) < 0:
        raise InputError(
            say("{where}: tolerance must not be negative, found {number:g}", where=where, number=numbers["tolerance"])
        )
    if constraint.near is not None:
        _check_near(constraint.near, f"{where}: near")


def _check_near(near: Near, where: str) -> None:
    if not abs(near.lat) <= 90:
        raise InputError(
            say(
                "{where}: lat must be between -90 and 90 degrees, found {number:g}; are lat and lng swapped?",
                where=where,
                number=near.lat,
            )
        )
    if not abs(near.lng) <= 180:
        raise InputError(
            say("{where}: lng must be between -180 and 180 degrees, found {number:g}", where=where, number=near.lng)
        )
    if not 0 < near.radius_km < math.inf:
        raise InputError(
            say("{where}: radius_km must be greater than 0, found {number:g}", where=where, number=near.radius_km)
        )
