"""Read tables of settings, of a study or a target, into structs; every error says what was probably meant."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar, get_args

import msgspec

from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.translation import say

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")
_BY_KEYWORD = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_PLACE = re.compile(r" - at `(?:key in )?\$\.?(.*)`$")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_MISSING = re.compile(r"Object missing required field `(.*)`")


def read_settings(kind: type[S], table: Mapping[str, Any], who: str) -> S:
    """Read a table of settings.

    Parameters
    ----------
    kind
        A struct that forbids unknown fields.
    table
        The table, as read from TOML or JSON.
    who
        The owner of the settings, for messages: "target 'api'", "study.toml".

    Raises
    ------
    SpecError
        If a setting is unknown, missing or of the wrong kind; names it, and what was probably meant.
    """
    try:
        return msgspec.convert(dict(table), kind)
    except msgspec.ValidationError as error:
        raise SpecError(f"{who}: {_explain(kind, str(error))}") from None


def construct(
    make: Callable[..., T], settings: Mapping[str, Any], who: str, needs: Sequence[str], besides: Collection[str] = ()
) -> T:
    """Make a judge or a target from a table of settings.

    A class that declares its `settings_type`, or has a parameter `settings`, gets the table.  Any other class gets each
    setting as a keyword, so that a class without settings needs no `__init__`.

    Parameters
    ----------
    make
        The class, or a function that returns an object.
    settings
        The table, as read from TOML or JSON.
    who
        The owner of the settings, for messages: "judge polite".
    needs
        Names of the attributes that the object must have.
    besides
        Names of settings that are not passed as keywords.

    Raises
    ------
    SpecError
        If a setting is unknown or missing, or an attribute is missing.
    """
    parameters = inspect.signature(make).parameters
    if hasattr(make, "settings_type") or "settings" in parameters:
        instance = make(settings)
    else:
        keywords = {name: value for name, value in settings.items() if name not in besides}
        _check_keywords(parameters, keywords, who)
        instance = make(**keywords)
    if lacking := [name for name in needs if name not in dir(instance)]:
        raise SpecError(
            say(
                "{who}: {kind} has no {name!r}; it needs {needs}",
                who=who,
                kind=type(instance).__name__,
                name=lacking[0],
                needs=", ".join(needs),
            )
        )
    return instance


def _check_keywords(parameters: Mapping[str, inspect.Parameter], settings: Mapping[str, Any], who: str) -> None:
    """Raise `SpecError` for a setting that is no parameter, and for a parameter without a setting or default."""
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    keywords = [name for name, parameter in parameters.items() if parameter.kind in _BY_KEYWORD]
    for name in settings:
        if name not in keywords and not takes_any:
            raise SpecError(
                say(
                    "{who}: no setting {name!r}; {advice}",
                    who=who,
                    name=name,
                    advice=nearest(name, keywords) if keywords else say("it takes none"),
                )
            )
    for name in keywords:
        if parameters[name].default is inspect.Parameter.empty and name not in settings:
            raise SpecError(say("{who}: the setting {name!r} is missing", who=who, name=name))


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with changes applied, table by table.

    >>> merge({"kind": "http", "body": {"a": 1}}, {"body": {"b": 2}})
    {'kind': 'http', 'body': {'a': 1, 'b': 2}}
    """
    merged = copy.deepcopy(dict(base))
    for key, value in changes.items():
        are_tables = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if are_tables else copy.deepcopy(value)
    return merged


def _explain(kind: type[msgspec.Struct], error: str) -> str:
    """Return an error of msgspec in the words of a user."""
    place_match = _PLACE.search(error)
    place = place_match.group(1) if place_match else ""
    problem = error[: place_match.start()] if place_match else error
    inside = say(" in {place}", place=place) if place else ""
    if unknown := _UNKNOWN.fullmatch(problem):
        return say(
            "no setting {name!r}{inside}; {advice}",
            name=unknown.group(1),
            inside=inside,
            advice=nearest(unknown.group(1), _setting_names(kind, place)),
        )
    if missing := _MISSING.fullmatch(problem):
        return say("the setting {name!r}{inside} is missing", name=missing.group(1), inside=inside)
    return f"{place or say('settings')}: {problem[:1].lower()}{problem[1:]}"


def _setting_names(kind: Any, place: str) -> list[str]:
    """Return the names of the settings in the table at `place`, such as `response.hit` or `phase[0]`."""
    for part in re.findall(r"\w+|\[", place):
        if part == "[":  # a member of a list or of a table of tables
            kind = get_args(kind)[-1]
        elif not part.isdigit():
            kind = next(field.type for field in msgspec.structs.fields(kind) if field.name == part)
    return [field.name for field in msgspec.structs.fields(kind)]
