"""Read tool calls, in whatever form a system writes them, so that equal calls compare as equal."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from neraca.datasets.dataset import whole_numbers
from neraca.errors import InputError

NAMES = ("name", "tool_name", "tool")
ARGUMENTS = ("arguments", "args", "input", "parameters", "input_parameters")


@dataclass(frozen=True)
class ToolCall:
    """A tool call, independent of the form in which it was written.

    Attributes
    ----------
    name
        The name of the tool; case counts.
    arguments
        Name → value; {} if there are none.  Text that is not JSON is kept as text.
    """

    name: str
    arguments: Any

    @property
    def canonical(self) -> str:
        """The arguments as JSON, equal for equal values in any order of the keys.

        1 and 1.0 are equal; 1, "1" and true differ.  The order of a list counts.  null differs from a missing
        argument.  Numbers are compared exactly.

        >>> ToolCall("f", {"b": 1.0, "a": [True, "1"]}).canonical
        '{"a": [true, "1"], "b": 1}'
        """
        return json.dumps(whole_numbers(self.arguments), sort_keys=True, ensure_ascii=False, default=str)


def read_call(call: Any) -> ToolCall:
    """Read one call.

    The name is under `name` (or `tool_name`, `tool`).  The arguments are under `arguments`, `args`, `input`,
    `parameters` or `input_parameters`, as a table or as its JSON.  Both may be inside `function`, as OpenAI writes
    them.  No arguments, null, "" and {} are the same.

    Raise `InputError` if the call has another form; the message completes a sentence that begins with the call's place.

    >>> read_call({"function": {"name": "search", "arguments": '{"city": "Medan"}'}})
    ToolCall(name='search', arguments={'city': 'Medan'})
    >>> read_call({"name": "search", "args": {"city": "Medan"}}).arguments
    {'city': 'Medan'}
    """
    inner = call.get("function") if isinstance(call, Mapping) else None
    table = inner if isinstance(inner, Mapping) else call
    if not isinstance(table, Mapping):
        raise InputError(f"is not a table with a name and arguments, but {type(call).__name__}")
    name = next((table[key] for key in NAMES if table.get(key) is not None), None)
    if not isinstance(name, str) or not name:
        names = ", ".join(map(str, table)) or "nothing"
        raise InputError(f"has no name; it has {names}, and the name belongs under `name`")
    keys = [key for key in ARGUMENTS if table.get(key) is not None]
    if len(keys) > 1:
        raise InputError(f"({name}) has its arguments twice, under `{keys[0]}` and `{keys[1]}`; keep one")
    arguments = table[keys[0]] if keys else {}
    if isinstance(arguments, str):
        with contextlib.suppress(msgspec.DecodeError, RecursionError):  # text that is not JSON is kept as text
            arguments = msgspec.json.decode(arguments) if arguments.strip() else {}
    return ToolCall(name, {} if arguments is None else arguments)
