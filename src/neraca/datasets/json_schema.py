"""Check a value against a JSON schema: the parts that describe the shape of an answer.

Known are type, enum, const, the bounds of numbers, texts and lists, pattern, items, prefixItems, uniqueItems,
properties, required, additionalProperties, anyOf, allOf, oneOf, not, and `$ref` within the schema (`#/$defs/NAME`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from neraca.datasets.cells import shown
from neraca.errors import InputError

#: Returns whether a text matches a regular expression somewhere.
Matches = Callable[[str, str], bool]
_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
#: Keywords that say nothing about the value.
_REMARKS = frozenset(
    ("$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly")
) | {"format", "$defs", "definitions"}
_NUMBERS = frozenset(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"])
_LENGTHS = frozenset(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"])
_SCHEMAS = frozenset(["items", "not", "additionalProperties"])
_LISTS = frozenset(["anyOf", "allOf", "oneOf", "prefixItems"])
_NAMED = frozenset(("properties", "$defs", "definitions"))
_WITH_PARTS = _SCHEMAS | _LISTS | _NAMED
_OTHERS = frozenset(["type", "enum", "const", "pattern", "uniqueItems", "properties", "required", "$ref"])
#: The deepest nesting of schemas, through `$ref` too.
DEEPEST = 100


def check_schema(schema: Any, check_pattern: Callable[[str], object], place: str = "#") -> None:
    """Raise `InputError` for a schema that cannot be used, with the place in it."""
    _check(schema, schema, check_pattern, place, 0)
    _check_cycle(schema, schema, ())


def _check_cycle(schema: Any, root: Any, path: tuple[int, ...]) -> None:
    """Raise `InputError` if a schema refers to itself without a step into the value: it could never be decided."""
    if not isinstance(schema, Mapping):
        return
    if id(schema) in path:
        raise InputError("the schema refers to itself by $ref without a step into properties or items")
    in_place = [part for name in ("anyOf", "allOf", "oneOf") for part in schema.get(name, ())]
    in_place += [schema["not"]] if "not" in schema else []
    in_place += [_target(root, schema["$ref"])] if "$ref" in schema else []
    inner = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    for part in in_place:
        _check_cycle(part, root, (*path, id(schema)))
    for part in inner if len(path) == 0 else ():
        if isinstance(part, Mapping) and part is not schema:
            _check_cycle(part, root, ())


def _check(schema: Any, root: Any, check_pattern: Callable[[str], object], place: str, depth: int) -> None:
    if depth > DEEPEST:
        raise InputError(f"the schema is nested more than {DEEPEST} times at {place[:60]}")
    if isinstance(schema, bool):
        return
    if not isinstance(schema, Mapping):
        raise InputError(f"schema, {place}: must be an object, true or false, found {shown(schema)}")
    for keyword, value in schema.items():
        for name, part in _parts(keyword, value, place).items():
            _check(part, root, check_pattern, f"{place}/{keyword}{name}", depth + 1)
        if keyword not in _WITH_PARTS and (problem := _problem(keyword, value, root, check_pattern)):
            raise InputError(f"schema, {place}/{keyword}: {problem}")


def _parts(keyword: str, value: Any, place: str) -> dict[str, Any]:
    """Return the schemas inside the value of a keyword, by the rest of their place; {} for other keywords."""
    if keyword in _SCHEMAS:
        return {"": value}
    if keyword in _NAMED:
        if not isinstance(value, Mapping):
            raise InputError(f"schema, {place}/{keyword}: must be an object, found {shown(value)}")
        return {f"/{name}": part for name, part in value.items()}
    if keyword in _LISTS:
        if not isinstance(value, list) or not value:
            raise InputError(f"schema, {place}/{keyword}: must be a list of schemas, found {shown(value)}")
        return {f"/{number}": part for number, part in enumerate(value)}
    return {}


def _problem(keyword: str, value: Any, root: Any, check_pattern: Callable[[str], object]) -> str:
    """Return what is wrong with the value of a keyword; "" if nothing is."""
    if keyword in _NUMBERS or keyword in _LENGTHS:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return "" if is_number else f"must be a number, found {shown(value)}"
    if keyword == "type":
        types = value if isinstance(value, list) else [value]
        unknown = [name for name in types if name not in _TYPES]
        return (
            f"{shown(unknown[0] if unknown else value)} is no type; known: {', '.join(_TYPES)}"
            if unknown or not types
            else ""
        )
    if keyword in ("enum", "required"):
        return "" if isinstance(value, list) else f"must be a list, found {shown(value)}"
    if keyword == "pattern":
        if not isinstance(value, str):
            return f"must be a text, found {shown(value)}"
        check_pattern(value)
        return ""
    if keyword == "$ref":
        return "" if isinstance(value, str) and _target(root, value) is not None else f"nothing is at {shown(value)}"
    if keyword in _OTHERS or keyword in _REMARKS:
        return ""
    keywords = sorted(_OTHERS | _NUMBERS | _LENGTHS | _SCHEMAS | _LISTS)
    return f"this keyword is not known here; leave it out (known: {', '.join(keywords)})"


def _target(root: Any, reference: str) -> Any:
    """Return the schema at a reference such as `#/$defs/place`; None if there is none."""
    if not reference.startswith("#"):
        return None
    target = root
    for raw in filter(None, reference[1:].split("/")):
        name = raw.replace("~1", "/").replace("~0", "~")
        if not isinstance(target, Mapping) or name not in target:
            return None
        target = target[name]
    return target


def violation(value: Any, schema: Any, matches: Matches) -> str:
    """Return the first way in which a value does not fit a checked schema, with its place; "" if it fits.

    >>> violation({"n": 3}, {"properties": {"n": {"maximum": 2}}}, lambda pattern, text: True)
    '$.n is 3, more than 2'
    """
    return next(_violations(value, schema, schema, matches, "$", 0), "")


def _violations(value: Any, schema: Any, root: Any, matches: Matches, place: str, depth: int) -> Iterator[str]:
    if schema is True:
        return
    if schema is False or depth > DEEPEST:
        yield f"{place} is not allowed" if schema is False else f"{place} is nested too deeply"
        return

    def inside(part: Any, part_schema: Any, part_place: str) -> Iterator[str]:
        return _violations(part, part_schema, root, matches, part_place, depth + 1)

    if "$ref" in schema:
        yield from inside(value, _target(root, schema["$ref"]), place)
    yield from _of_another_kind(value, schema, place)
    yield from _outside_bounds(value, schema, matches, place)
    yield from _in_object(value, schema, place, inside)
    yield from _in_list(value, schema, place, inside)
    fitting = {name: [not any(inside(value, part, place)) for part in schema.get(name, ())] for name in _LISTS}
    for number, part in enumerate(schema.get("allOf", ())):
        if not fitting["allOf"][number]:
            yield from inside(value, part, place)
    if "anyOf" in schema and not any(fitting["anyOf"]):
        yield f"{place} fits none of anyOf"
    if "oneOf" in schema and sum(fitting["oneOf"]) != 1:
        yield f"{place} fits {sum(fitting['oneOf'])} of oneOf, not one"
    if "not" in schema and not any(inside(value, schema["not"], place)):
        yield f"{place} fits what it must not"


def _of_another_kind(value: Any, schema: Mapping[str, Any], place: str) -> Iterator[str]:
    types = schema.get("type", ())
    types = types if isinstance(types, list | tuple) else [types]
    if types and not any(_is(value, name) for name in types):
        yield f"{place} is {shown(value)}, not of type {' or '.join(types)}"
    if "enum" in schema and not any(_same(value, allowed) for allowed in schema["enum"]):
        yield f"{place} is {shown(value)}, not one of {shown(schema['enum'])}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{place} is {shown(value)}, not {shown(schema['const'])}"


def _is(value: Any, name: str) -> bool:
    if name in ("number", "integer"):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and (name == "number" or float(value).is_integer())
    kinds: Mapping[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    return isinstance(value, kinds[name])


def _same(value: Any, other: Any) -> bool:
    """Return whether two values of JSON are equal: true is not 1."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_same, value, other))
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(_same(value[name], other[name]) for name in value)
    return bool(value == other)


def _outside_bounds(value: Any, schema: Mapping[str, Any], matches: Matches, place: str) -> Iterator[str]:
    if _is(value, "number"):
        shown_value = f"{place} is {shown(value)}"
        if "minimum" in schema and value < schema["minimum"]:
            yield f"{shown_value}, less than {shown(schema['minimum'])}"
        if "maximum" in schema and value > schema["maximum"]:
            yield f"{shown_value}, more than {shown(schema['maximum'])}"
        if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
            yield f"{shown_value}, not more than {shown(schema['exclusiveMinimum'])}"
        if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]:
            yield f"{shown_value}, not less than {shown(schema['exclusiveMaximum'])}"
        if (step := schema.get("multipleOf")) and abs(value / step - round(value / step)) > 1e-9:
            yield f"{shown_value}, no multiple of {shown(step)}"
    for kind, least, most in ((str, "minLength", "maxLength"), (list, "minItems", "maxItems")):
        if isinstance(value, kind) and not schema.get(least, 0) <= len(value) <= schema.get(most, len(value)):
            yield f"{place} has length {len(value)}"
    if isinstance(value, dict) and not schema.get("minProperties", 0) <= len(value) <= schema.get(
        "maxProperties", len(value)
    ):
        yield f"{place} has {len(value)} fields"
    if isinstance(value, str) and "pattern" in schema and not matches(schema["pattern"], value):
        yield f"{place} is {shown(value)}, which does not match {schema['pattern']}"


def _in_object(
    value: Any, schema: Mapping[str, Any], place: str, inside: Callable[[Any, Any, str], Iterator[str]]
) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place} has no field {name}"
    for name, part in value.items():
        if name in properties:
            yield from inside(part, properties[name], f"{place}.{name}")
        elif "additionalProperties" in schema:
            yield from inside(part, schema["additionalProperties"], f"{place}.{name}")


def _in_list(
    value: Any, schema: Mapping[str, Any], place: str, inside: Callable[[Any, Any, str], Iterator[str]]
) -> Iterator[str]:
    if not isinstance(value, list):
        return
    first: Sequence[Any] = schema.get("prefixItems", ())
    for number, part in enumerate(value):
        part_schema = first[number] if number < len(first) else schema.get("items", True)
        yield from inside(part, part_schema, f"{place}[{number}]")
    if schema.get("uniqueItems") and any(_same(a, b) for n, a in enumerate(value[:1000]) for b in value[:n]):
        yield f"{place} holds a value twice"
