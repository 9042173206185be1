"""Settings: a table of a study or of a target becomes a struct, with a word of help for every mistake."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any, TypeVar, get_args

import msgspec

from neraca.errors import SpecError, nearest

S = TypeVar("S", bound=msgspec.Struct)
_PLACE = re.compile(r" - at `(?:key in )?\$\.?(.*)`$")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_MISSING = re.compile(r"Object missing required field `(.*)`")


def read_settings(kind: type[S], given: Mapping[str, Any], who: str) -> S:
    """Read a table of settings.

    Parameters
    ----------
    kind
        A struct that forbids unknown fields.
    given
        The table, as TOML or JSON has it.
    who
        Whose settings these are, for messages: "target 'api'", "study.toml".

    Raises
    ------
    SpecError
        For a setting that is unknown, missing or of the wrong kind: names it, and what was probably meant.
    """
    try:
        return msgspec.convert(dict(given), kind)
    except msgspec.ValidationError as error:
        raise SpecError(f"{who}: {_explain(kind, str(error))}") from None


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with changes laid over them, table by table.

    >>> merge({"kind": "http", "body": {"a": 1}}, {"body": {"b": 2}})
    {'kind': 'http', 'body': {'a': 1, 'b': 2}}
    """
    merged = copy.deepcopy(dict(base))
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if both else copy.deepcopy(value)
    return merged


def _explain(kind: type[msgspec.Struct], error: str) -> str:
    at = _PLACE.search(error)
    place = at.group(1) if at else ""
    what = error[: at.start()] if at else error
    inside = f" in {place}" if place else ""
    if unknown := _UNKNOWN.fullmatch(what):
        return f"no setting {unknown.group(1)!r}{inside}; {nearest(unknown.group(1), _known(kind, place))}"
    if missing := _MISSING.fullmatch(what):
        return f"the setting {missing.group(1)!r}{inside} is missing"
    return f"{place or 'settings'}: {what[:1].lower()}{what[1:]}"


def _known(kind: Any, place: str) -> list[str]:
    """The settings of the table that stands at `place`, such as `response.hit` or `phase[0]`."""
    for part in re.findall(r"\w+|\[", place):
        if part == "[":  # a member of a list or of a table of tables
            kind = get_args(kind)[-1]
        elif not part.isdigit():
            kind = next(field.type for field in msgspec.structs.fields(kind) if field.name == part)
    return [field.name for field in msgspec.structs.fields(kind)]
