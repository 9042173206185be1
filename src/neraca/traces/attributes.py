"""Values of attributes: nested under dotted names, as JSON in a text, or as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

#: Levels of nesting that a value may have; deeper ones are no content that people wrote.
DEEPEST = 64


def lookup(attributes: Mapping[str, Any], name: str) -> Any:
    """Return the value of an attribute; None if it is not there or is empty text.

    A value that is spread over `name.0.role`, `name.0.content` … is put together.  `name>key` is the key of an object
    or of its JSON.

    >>> lookup({"m.0.role": "user", "m.0.content": "Hi", "m.1.role": "ai"}, "m")
    [{'role': 'user', 'content': 'Hi'}, {'role': 'ai'}]
    >>> lookup({"usage": '{"input": 7}'}, "usage>input")
    7
    """
    name, _, key = name.partition(">")
    value = attributes.get(name)
    if value is None:
        value = _put_together(attributes, f"{name}.")
    if key and value is not None:
        value = decoded(value)
        value = value.get(key) if isinstance(value, Mapping) else None
    return None if isinstance(value, str) and not value.strip() else value


def _put_together(attributes: Mapping[str, Any], prefix: str) -> Any:
    """Return the object or list whose parts are attributes that begin with this prefix; None if there are none."""
    tree: dict[str, Any] = {}
    for name, value in attributes.items():
        if name.startswith(prefix):
            *path, last = name[len(prefix) :].split(".")[:DEEPEST]
            branch = tree
            for word in path:
                inner = branch.setdefault(word, {})
                if not isinstance(inner, dict):
                    break
                branch = inner
            else:
                branch[last] = value
    return _with_lists(tree) if tree else None


def _with_lists(tree: Any) -> Any:
    """Return a tree in which objects with only numbers as keys are lists."""
    if not isinstance(tree, dict):
        return tree
    parts = {key: _with_lists(value) for key, value in tree.items()}
    if parts and all(key.isdecimal() for key in parts):
        return [parts[key] for key in sorted(parts, key=int)]
    return parts


def decoded(value: Any) -> Any:
    """Return the value that a text is the JSON of, or the value itself.

    >>> decoded('["a"]'), decoded('"a"'), decoded("a [b]"), decoded("7")
    (['a'], 'a', 'a [b]', '7')
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        try:
            return msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):  # a text that only looks like JSON
            return value
    return value


def flattened(value: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """Return nested objects as one, whose keys are joined by dots; lists stay.

    >>> flattened({"llm": {"model_name": "m"}, "n": 1})
    {'llm.model_name': 'm', 'n': 1}
    """
    flat: dict[str, Any] = {}
    for key, part in value.items():
        name = f"{prefix}{key}"
        if isinstance(part, Mapping) and part and depth < DEEPEST:
            flat |= flattened(part, f"{name}.", depth + 1)
        else:
            flat[name] = part
    return flat


def number(value: Any) -> float | None:
    """Return a number, also one written as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        result = float(value)
    except ValueError:
        return None
    return result if result == result and abs(result) != float("inf") else None
