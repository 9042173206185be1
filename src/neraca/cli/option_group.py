"""Option groups: several commands take the same options as one parameter.

A group is a `NamedTuple` whose fields are options.  A command names the group as the type of a keyword-only parameter,
and reads the values as fields.  In `--help` the options of the group stand at the place of that parameter.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints


def option_parameters(command: Callable[..., None]) -> list[inspect.Parameter]:
    """Return the options and arguments of a command in the order of `--help`, including the ones in its groups."""
    parameters: list[inspect.Parameter] = []
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        group = hints[name]
        if not _is_group(group):
            parameters.append(parameter.replace(annotation=group, kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        for field, hint in get_type_hints(group, include_extras=True).items():
            default = group._field_defaults.get(field, inspect.Parameter.empty)
            option = inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
            parameters.append(option)
    return parameters


def expand_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a function with one parameter for each option, which calls the command with its groups filled in."""
    groups = {name: hint for name, hint in get_type_hints(command).items() if _is_group(hint)}
    parameters = option_parameters(command)

    @functools.wraps(command)
    def call(**values: Any) -> None:
        filled = {name: group(*map(values.pop, group._fields)) for name, group in groups.items()}
        command(**values, **filled)

    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__dict__["__signature__"] = inspect.Signature(parameters)
    return call


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")
