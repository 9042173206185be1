"""Values of attributes: nested under dotted names, as JSON in a text, or as they are."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from typing import Any

import msgspec

#: Levels of nesting that a value may have; deeper ones are no content that people wrote.
DEEPEST = 64
#: Levels of JSON inside a text that are read; see `decoded`.
MOST_LEVELS = 100


def lookup(attributes: Mapping[str, Any], name: str) -> Any:
    """Return the value of an attribute; None if it is not there or is empty text.

    `name>key` is the key of an object, of its JSON, or the attribute `name.key`.

    >>> lookup({"usage": '{"input": 7}'}, "usage>input"), lookup({"usage.input": 7}, "usage>input")
    (7, 7)
    """
    if ">" not in name:
        value = attributes.get(name)
    else:
        name, _, key = name.partition(">")
        table = decoded(attributes.get(name))
        value = table.get(key) if isinstance(table, Mapping) else attributes.get(f"{name}.{key}")
    return None if isinstance(value, str) and not value.strip() else value


def gathered(attributes: Mapping[str, Any], names: Container[str]) -> Mapping[str, Any]:
    """Return the attributes with values that are spread over `name.0.role`, `name.0.content` … put together.

    >>> gathered({"m.0.role": "user", "m.0.content": "Hi", "m.1.role": "ai", "n": 1}, {"m"})
    {'n': 1, 'm': [{'role': 'user', 'content': 'Hi'}, {'role': 'ai'}]}
    """
    trees: dict[str, dict[str, Any]] = {}
    spread: set[str] = set()
    for attribute, value in attributes.items():
        words = attribute.split(".", DEEPEST)
        for place, word in enumerate(words):
            if word.isdecimal() and (name := ".".join(words[:place])) in names and name not in attributes:
                _put(trees.setdefault(name, {}), words[place:], value)
                spread.add(attribute)
                break
    if not trees:
        return attributes
    plain = {name: value for name, value in attributes.items() if name not in spread}
    return plain | {name: _with_lists(tree) for name, tree in trees.items()}


def _put(tree: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Put a value into a tree of objects; where a value stands in its way, it is left out."""
    for word in path[:-1]:
        inner = tree.setdefault(word, {})
        if not isinstance(inner, dict):
            return
        tree = inner
    tree[path[-1]] = value


def _with_lists(tree: Any) -> Any:
    """Return a tree in which objects with only numbers as keys are lists."""
    if not isinstance(tree, dict):
        return tree
    parts = {key: _with_lists(value) for key, value in tree.items()}
    if parts and all(key.isdecimal() for key in parts):
        return [parts[key] for key in sorted(parts, key=int)]
    return parts


def read_json(data: bytes) -> Any:
    r"""Return the value of JSON; also of what Python and JavaScript write in its place.

    `NaN` becomes None, and half of a character, as where a text was cut off, becomes a question mark.  Raise
    `msgspec.DecodeError`, `ValueError` or `RecursionError` for anything else.

    >>> read_json(b'{"a": NaN, "b": "x \\ud83d"}')
    {'a': None, 'b': 'x ?'}
    """
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        if b"NaN" not in data and b"\\ud" not in data.lower():
            raise
    value = json.loads(data.decode(), parse_constant=lambda _: None)
    return msgspec.json.decode(json.dumps(value, ensure_ascii=False).encode(errors="replace"))


def table(value: Any) -> Mapping[str, Any]:
    """Return an object, also from its JSON; an empty one for anything else."""
    value = decoded(value)
    return value if isinstance(value, Mapping) else {}


def tables(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects in a list, also from its JSON.

    >>> tables('[{"a": 1}, 7]'), tables(None)
    ([{'a': 1}], [])
    """
    value = decoded(value)
    return [part for part in value if isinstance(part, Mapping)] if isinstance(value, list) else []


def decoded(value: Any) -> Any:
    """Return the value that a text is the JSON of, or the value itself.

    >>> decoded('["a"]'), decoded('"a"'), decoded("a [b]"), decoded("7")
    (['a'], 'a', 'a [b]', '7')
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        try:
            inner = read_json(value.encode(errors="replace"))
        except (msgspec.DecodeError, ValueError, RecursionError):  # a text that only looks like JSON
            return value
        return inner if value.count("{") + value.count("[") <= MOST_LEVELS or _is_shallow(inner) else value
    return value


def _is_shallow(value: Any) -> bool:
    """Return whether a value has at most `MOST_LEVELS` levels; a deeper one stays the text that it was."""
    level = [value]
    for _ in range(MOST_LEVELS):
        inside = (part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list))
        level = [inner for parts in inside for inner in parts]
    return not any(isinstance(part, dict | list) for part in level)


def flattened(value: Mapping[str, Any], whole: Container[str] = (), prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """Return nested objects as one, whose keys are joined by dots; lists and attributes with these names stay whole.

    >>> flattened({"llm": {"model_name": "m", "input": {"a": 1}}, "n": 1}, {"llm.input"})
    {'llm.model_name': 'm', 'llm.input': {'a': 1}, 'n': 1}
    """
    flat: dict[str, Any] = {}
    for key, part in value.items():
        name = f"{prefix}{key}"
        if isinstance(part, Mapping) and part and name not in whole and depth < DEEPEST:
            flat |= flattened(part, whole, f"{name}.", depth + 1)
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
