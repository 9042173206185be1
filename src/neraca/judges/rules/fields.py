"""Read the fields of a hit, plain or nested."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from neraca.records import Hit

Reader = Callable[[Hit], Any]


def reader(field: str) -> Reader:
    """Return a function that reads one field of a hit, and returns None if the hit has no such data.

    `text` and `id` are attributes of the hit.  `facilities.name` reads nested tables, and in lists the name of each
    member; a field with exactly this name takes precedence.  None, NaN and blank text count as no data; an empty list
    is data.

    >>> reader("rooms.kind")(Hit(id="7", fields={"rooms": [{"kind": "bed"}, {"kind": "bath"}]}))
    ['bed', 'bath']
    >>> reader("price")(Hit(id="7", fields={"price": " "})) is None
    True
    """
    if field in ("text", "id"):
        return lambda hit: _data(getattr(hit, field))
    if "." not in field:
        return lambda hit: _data(hit.fields.get(field))
    path = field.split(".")

    def nested(hit: Hit) -> Any:
        value = hit.fields.get(field)
        return _data(_walk(hit.fields, path) if value is None else value)

    return nested


def _data(value: Any) -> Any:
    if isinstance(value, str):
        return None if not value or value.isspace() else value
    return None if isinstance(value, float) and math.isnan(value) else value


def _walk(value: Any, path: list[str]) -> Any:
    for depth, name in enumerate(path):
        if isinstance(value, list | tuple):
            inner = [part for member in value if (part := _walk(member, path[depth:])) is not None]
            return inner if inner or not value else None
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def plain(value: Any) -> Iterator[Any]:
    """Yield the values of a field without tables: the value itself, or the members of a list.

    >>> list(plain(["rumah", "villa"])), list(plain(3)), list(plain({"id": 3}))
    (['rumah', 'villa'], [3], [])
    """
    if isinstance(value, list | tuple):
        for member in value:
            yield from plain(member)
    elif not isinstance(value, Mapping) and _data(value) is not None:
        yield value


def has_table(value: Any) -> bool:
    """Return whether a field is a table, or a list with a table in it."""
    return isinstance(value, Mapping) or (isinstance(value, list | tuple) and any(map(has_table, value)))


def words_in(value: Any) -> Iterator[str]:
    """Yield all text in a field, also in its lists and tables, and the names of true values in its tables.

    >>> list(words_in({"pool": True, "ac": False, "near": ["school", 2]}))
    ['pool', 'school', '2']
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if inner is True:
                yield str(name)
            yield from words_in(inner)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from words_in(member)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
