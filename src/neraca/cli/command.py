"""Commands whose plain values are taken as they are.

Typer reads the words.  It then checks each value with pydantic, whose import takes as long as scoring a small run.  A
text or a path needs no check, nor does a default; other values, and what is missing, are left to typer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command that imports pydantic only for values that typer must check."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, which take plain values as they are."""
        return _quick(super().get_params(ctx), self.callback)


class Group(TyperGroup):
    """Commands under one name, which imports pydantic as rarely as they do."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, which take plain values as they are."""
        return _quick(super().get_params(ctx), self.callback)


def _quick(params: list[Any], callback: Callable[..., Any] | None) -> list[Any]:
    """The parameters of a function and `--help`, each with a quicker way from words to its value."""
    if any("process_value" not in vars(param) for param in params):
        kinds = get_type_hints(callback)  # not that of `--help`, which does something when it is given
        for param in params:
            process = partial(type(param).process_value, param)
            kind = None if param.callback else kinds.get(param.name)  # a callback is called by typer alone
            param.process_value = partial(_value, kind, param.required, process)
    return params


def _value(kind: Any, required: bool, process: Callable[..., Any], context: Any, value: Any) -> Any:
    """The value of a parameter of this kind: as it is where it is plain, else what typer makes of it."""
    if value is None and not required and get_origin(kind) is not list:
        return None
    made = plain(kind, value)
    return process(context, value) if made is None or (required and not value) else made


def plain(kind: Any, value: Any) -> Any:
    """A value, or the words of it, as this kind; None where it needs a check.

    >>> plain(str, "AP"), plain(list[str], ["AP", "RR"]), plain(int, 3), plain(int, "3")
    ('AP', ['AP', 'RR'], 3, None)
    """
    if get_origin(kind) is list and isinstance(value, list | tuple):
        values = [plain(get_args(kind)[0], one) for one in value]
        return None if None in values else values
    if kind is Path and isinstance(value, str):
        return Path(value)
    return value if isinstance(kind, type) and isinstance(value, kind) else None
