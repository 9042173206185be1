"""Read replies that mean what the schema asks but are written otherwise; refuse those that may mean several things.

Small models wrap JSON in code fences, add words around it, write a list where an object was asked, "true" for true, or
a text where its id was asked.  All of these are clear.  What is not clear is left out, so that it is asked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_NOT_JSON = re.compile(r"\s*[^\s\"}]")
_WHOLE = re.compile(r"\s*[+-]?\d{1,9}(\.0+)?\s*")
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
#: A value that does not fit, or that contradicts itself.
UNFIT: Any = object()


def json_values(text: str) -> Iterator[Any]:
    """Yield the JSON objects and lists in a text, one after another, without the words around them.

    >>> list(json_values('Here {it} is: {"grade": 4} Anything else?'))
    [{'grade': 4}]
    """
    decoder, at = json.JSONDecoder(object_pairs_hook=_without_contradictions), 0
    while (begin := re.compile(r"[{\[]").search(text, at)) is not None:
        try:
            value, at = decoder.raw_decode(text, begin.start())
            yield value
        except ValueError:
            if begin[0] == "{" and not _NOT_JSON.match(text, begin.end()):
                return  # JSON that breaks off: its inner parts are no reply
            at = begin.end()
        except RecursionError:
            return


def _without_contradictions(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object, in which a name that stands there with two values has none."""
    values: dict[str, Any] = {}
    for name, value in pairs:
        values[name] = value if values.get(name, value) == value else UNFIT
    return values


def fit(value: Any, schema: Mapping[str, Any], texts: Mapping[str, str]) -> Any:
    """Return a value in the form of a schema, as far as it is clear; else `UNFIT`.

    Parameters
    ----------
    value, schema
        A JSON value, and the whole schema of the reply.
    texts
        Id → the text that it stands for.  A model may write the text where the id is asked.

    Examples
    --------
    >>> schema = {"type": "object", "properties": {"x1": {"type": "boolean"}, "x2": {"type": "boolean"}}}
    >>> fit(["x2"], schema, {}), fit({"The lift.": "yes"}, schema, {"x1": "the lift."})
    ({'x1': False, 'x2': True}, {'x1': True})
    """
    return _Fitting(schema.get("$defs", {}), texts).fit(value, schema)


class _Fitting:
    """The definitions of a schema, and the ids of texts."""

    def __init__(self, definitions: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        self._definitions, self._texts = definitions, texts

    def fit(self, value: Any, schema: Mapping[str, Any]) -> Any:
        """Return the value in the form of the schema, or `UNFIT`."""
        schema = self._resolved(schema)
        if value is UNFIT:
            return UNFIT
        if "properties" in schema:
            return self._object(value, schema["properties"])
        if schema.get("type") == "array" and isinstance(value, list):
            entries = [self.fit(entry, schema.get("items", {})) for entry in value]
            return UNFIT if any(entry is UNFIT for entry in entries) else entries
        if schema.get("type") == "boolean":
            word = str(value).strip().casefold() if isinstance(value, str | int) else ""
            return _BOOLEANS.get(word, UNFIT)
        choices = schema.get("enum", ())
        is_whole = schema.get("type") == "integer" or any(isinstance(choice, int) for choice in choices)
        if is_whole and not isinstance(value, bool) and _WHOLE.fullmatch(str(value)):
            return int(float(value))
        if isinstance(value, str) and choices and value not in choices:
            return next((choice for choice in choices if choice == value.strip().casefold()), UNFIT)
        return value

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        reference = str(schema.get("$ref", "")).removeprefix("#/$defs/")
        resolved: Mapping[str, Any] = self._definitions[reference] if reference else schema
        return resolved

    def _object(self, value: Any, properties: Mapping[str, Any]) -> Any:
        """Return an object with those of the properties that are clear; `UNFIT` if none is.

        A `reason` of null is an empty one: no value hangs on it.
        """
        flags = all(self._resolved(schema).get("type") == "boolean" for schema in properties.values())
        if isinstance(value, str) and flags:
            value = [value]
        if isinstance(value, list):
            return self._from_list(value, properties, flags=flags)
        if not isinstance(value, dict):
            return UNFIT
        names = {key: self._name(key, properties) for key in value}
        if flags and any(not names[key] and value[key] not in (False, None) for key in value):
            return UNFIT  # it says yes to an id that was not shown
        if not any(names.values()):
            inner = [part for part in value.values() if isinstance(part, dict | list)]
            return self._object(inner[0], properties) if len(inner) == len(value) == 1 and not flags else UNFIT
        value = {key: "" if names[key] == "reason" and part is None else part for key, part in value.items()}
        pairs = [(names[key], self.fit(part, properties[names[key]])) for key, part in value.items() if names[key]]
        fitted = _without_contradictions(pairs)
        return {name: part for name, part in fitted.items() if part is not UNFIT} or UNFIT

    def _from_list(self, value: list[Any], properties: Mapping[str, Any], *, flags: bool) -> Any:
        """Return an object from a list: of the ids that hold, of entries with an `id`, or of the object alone."""
        if flags and all(isinstance(entry, str) for entry in value):
            named = {self._name(entry, properties) for entry in value}
            return UNFIT if "" in named else {name: name in named for name in properties}
        if not value or not all(isinstance(entry, dict) for entry in value):
            return UNFIT
        if all(isinstance(entry.get("id"), str) for entry in value):
            pairs = [(entry["id"], _without_id(entry)) for entry in value]
            return self._object(_without_contradictions(pairs), properties)
        return self._object(value[0], properties) if len(value) == 1 else UNFIT

    def _name(self, key: str, properties: Mapping[str, Any]) -> str:
        """Return the property that a key names, by its letters or by its text; "" if it names none or several."""
        word = _plain(key)
        if key in properties:
            return key
        candidates = [name for name in properties if word in (name.casefold(), _plain(self._texts.get(name, name)))]
        return candidates[0] if len(candidates) == 1 else ""


def _without_id(entry: Mapping[str, Any]) -> Any:
    """Return an entry without its id; if only a true or false is left, that alone."""
    parts = {name: part for name, part in entry.items() if name != "id"}
    only = next(iter(parts.values()), None)
    return only if len(parts) == 1 and isinstance(only, bool) else parts


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
