"""Paths into JSON: `choices.0.message.content`, `results[*].doc`, `["odd.key"].x`, `sources?`.

A step is a key, an index in a list (from 0; -1 is the last), or `*` for every member of a list.  `[0]` and `.0`
mean the same.  `$` is the whole value.  A path that ends in `?` may be absent.
Nested lists become one list: `output[*].content[*].text`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from neraca.errors import SpecError, TargetError
from neraca.translation import say

_STEP = re.compile(r"""\[\s*(?:(?P<at>-?\d+|\*)|"(?P<quoted>[^"]*)"|'(?P<single>[^']*)')\s*\]|\.?(?P<key>[^.\[\]]+)""")
_DIGITS = re.compile(r"-?\d+")


class Absent:
    """The type of `ABSENT`, which says that a path leads nowhere; null is a value."""

    def __bool__(self) -> bool:
        return False


ABSENT: Final = Absent()


class JsonPath:
    """A path, parsed once and followed often.

    >>> JsonPath("results[*].doc").get({"results": [{"doc": 1}, {}, {"doc": 2}]})
    [1, 2]
    >>> JsonPath("a.0").need({"b": 1})
    Traceback (most recent call last):
    neraca.errors.TargetError: nothing at a.0: the reply has no 'a' (it has: b)
    """

    __slots__ = ("_steps", "optional", "text")

    def __init__(self, text: str, where: str = "path") -> None:
        self.text = text
        self.optional = text.endswith("?")
        self._steps = tuple(_parse_steps(text.removesuffix("?").strip(), where))

    def get(self, reply: Any) -> Any:
        """Return the value at the path, or `ABSENT`.  Skip members of a `*` that lack the remaining steps."""
        return _follow(reply, self._steps)

    def need(self, reply: Any) -> Any:
        """Return the value at the path; raise `TargetError` that says which step is missing and what is there."""
        value = _follow(reply, self._steps)
        if value is not ABSENT:
            return value
        raise TargetError(f"nothing at {self.text}: {self._explain_absence(reply)}")

    def _explain_absence(self, reply: Any) -> str:
        value, place = reply, "the reply"
        for number, step in enumerate(self._steps):
            inner = _follow(value, (step,))
            if inner is ABSENT:
                return f"{place} has no {'list' if step == '*' else repr(step)} ({outline(value)})"
            if step == "*":
                remaining = ".".join(self._steps[number + 1 :])
                return f"no member of the list at {place} has {remaining!r} ({outline(value[0])})"
            value = inner
            place = step if number == 0 else f"{place}.{step}"
        raise AssertionError("unreachable: the path is there")

    def __repr__(self) -> str:
        return f"JsonPath({self.text!r})"


def _parse_steps(text: str, where: str) -> list[str]:
    steps, at = [], 0
    text = re.sub(r"^\$\.?", "", text)
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            raise SpecError(
                say(
                    "{where}: cannot read the path {text!r}; write it like choices.0.message or results[*].doc",
                    where=where,
                    text=text,
                )
            )
        steps.append(next(part for part in match.groups() if part is not None).strip())
        at = match.end()
    return steps


def _follow(value: Any, steps: tuple[str, ...]) -> Any:
    for number, step in enumerate(steps):
        if isinstance(value, Mapping):
            value = value.get(step, ABSENT)
            if value is ABSENT:
                return ABSENT
        elif isinstance(value, list | tuple):
            if step == "*":
                return _follow_each(value, steps[number + 1 :])
            if not _DIGITS.fullmatch(step) or not -len(value) <= int(step) < len(value):
                return ABSENT
            value = value[int(step)]
        else:
            return ABSENT
    return value


def _follow_each(members: list[Any] | tuple[Any, ...], steps: tuple[str, ...]) -> Any:
    values = [inner for member in members if (inner := _follow(member, steps)) is not ABSENT]
    if members and not values:
        return ABSENT
    return [inner for inners in values for inner in inners] if "*" in steps else values


def outline(value: Any) -> str:
    """Describe a reply in a few words, so that a person can correct a path into it.

    >>> outline({"data": {"answer": "x"}, "took": 3})
    'it has: data (answer), took'
    """
    if isinstance(value, Mapping):
        keys = ", ".join(_describe_key(key, inner) for key, inner in list(value.items())[:20])
        return f"it has: {keys}" if keys else "it is empty"
    if isinstance(value, list | tuple):
        return f"it is a list of {len(value)}"
    return "it is null" if value is None else f"it is {type(value).__name__}"


def _describe_key(key: object, inner: Any) -> str:
    keys = ", ".join(str(name) for name in list(inner)[:8]) if isinstance(inner, Mapping) else ""
    return f"{key} ({keys})" if keys else str(key)
