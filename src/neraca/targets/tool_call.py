"""How systems write a tool call: one reading of all of their forms, so that equal calls are equal."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from neraca.errors import InputError

NAMES = ("name", "tool_name", "tool")
ARGUMENTS = ("arguments", "args", "input", "parameters", "input_parameters")


@dataclass(frozen=True)
class ToolCall:
    """A call as it was meant, whatever its form.

    Attributes
    ----------
    name
        Of the tool; case counts.
    arguments
        By name; {} where there are none.  Text that is no JSON stands as it is.
    """

    name: str
    arguments: Any

    @property
    def canonical(self) -> str:
        """The arguments as JSON: equal for equal values, whatever the order of the keys.

        1 and 1.0 are one value; 1, "1" and true are three; the order of a list counts; null is not the same as
        an argument that is not there.  Numbers are compared exactly.

        >>> ToolCall("f", {"b": 1.0, "a": [True, "1"]}).canonical
        '{"a": [true, "1"], "b": 1}'
        """
        return json.dumps(_whole(self.arguments), sort_keys=True, ensure_ascii=False, default=str)


def read_call(call: Any) -> ToolCall:
    """Read one call.

    The name stands under `name` (or `tool_name`, `tool`), the arguments under `arguments`, `args`, `input`,
    `parameters` or `input_parameters`, as a table or as its JSON; both may stand inside `function`, as OpenAI writes
    them.  No arguments, null, "" and {} are the same.

    Raises
    ------
    InputError
        For anything else; says what is wrong with it.

    Examples
    --------
    >>> read_call({"function": {"name": "search", "arguments": '{"city": "Medan"}'}})
    ToolCall(name='search', arguments={'city': 'Medan'})
    >>> read_call({"name": "search", "args": {"city": "Medan"}}).arguments
    {'city': 'Medan'}
    """
    inner = call.get("function") if isinstance(call, Mapping) else None
    table = inner if isinstance(inner, Mapping) else call
    if not isinstance(table, Mapping):
        raise InputError(f"is no table with a name and arguments, but {type(call).__name__}")
    name = next((table[key] for key in NAMES if table.get(key) is not None), None)
    if not isinstance(name, str) or not name:
        names = ", ".join(map(str, table)) or "nothing"
        raise InputError(f"has no name; it has {names}, and the name belongs under `name`")
    given = [key for key in ARGUMENTS if table.get(key) is not None]
    if len(given) > 1:
        raise InputError(f"({name}) has its arguments twice, under `{given[0]}` and `{given[1]}`; keep one")
    arguments = table[given[0]] if given else {}
    if isinstance(arguments, str):
        with contextlib.suppress(msgspec.DecodeError, RecursionError):  # what is no JSON equals nothing but itself
            arguments = msgspec.json.decode(arguments) if arguments.strip() else {}
    return ToolCall(name, {} if arguments is None else arguments)


def _whole(value: Any) -> Any:
    """The value with 1.0 written as 1, and every key as the text that JSON makes of it."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _whole(part) for key, part in value.items()}
    return [_whole(part) for part in value] if isinstance(value, list | tuple) else value
