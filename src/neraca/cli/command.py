"""Commands that take texts, paths and defaults without pydantic.

Typer reads the words and then checks each value with pydantic, whose import takes as long as scoring a small run.  A
text, a path or a default needs no check.  Typer checks other values, and values that are missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from typer.core import TyperCommand, TyperGroup

from neraca.cli.examples import EXAMPLES, examples_text


class Command(TyperCommand):
    """A command that imports pydantic only for values that typer must check."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, which take plain values as they are."""
        return _quick(super().get_params(ctx), self.callback)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the text of the docstring with one space between sentences."""
        self.help = single_spaced(self.help or "")
        super().format_help_text(ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write two examples at the end of the help."""
        if self.name in EXAMPLES:
            formatter.write(f"\n{examples_text(self.name)}\n")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words; refuse a second file for an option that takes one, where the first would be ignored."""
        words = list(args)
        rest = super().parse_args(ctx, args)
        _, _, order = self.make_parser(ctx).parse_args(args=words)
        kinds = get_type_hints(self.callback)
        for param in set(order):
            if order.count(param) > 1 and not param.multiple and kinds.get(param.name) in (Path, Path | None):
                ctx.fail(f"{param.opts[0]} is there {order.count(param)} times, and takes one file: write it once")
        return rest


def single_spaced(text: str) -> str:
    """Return a text with one space between sentences; docstrings have two.

    >>> single_spaced("One.  Two.")
    'One. Two.'
    """
    return re.sub(r"(?<=[.!?)]) {2,}(?=\S)", " ", text)


class Group(TyperGroup):
    """Commands under one name, which imports pydantic as rarely as they do."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, which take plain values as they are."""
        return _quick(super().get_params(ctx), self.callback)


def _quick(params: list[Any], callback: Callable[..., Any] | None) -> list[Any]:
    """Return the parameters of a function and `--help`, with a quicker conversion of words to values."""
    if any("process_value" not in vars(param) for param in params):
        kinds = get_type_hints(callback)  # `--help` is not among them: its callback acts
        for param in params:
            process = partial(type(param).process_value, param)
            kind = None if param.callback else kinds.get(param.name)  # typer alone calls a callback
            param.process_value = partial(_value, kind, param.required, process)
    return params


def _value(kind: Any, required: bool, process: Callable[..., Any], context: Any, value: Any) -> Any:
    """Return the value of a parameter of this kind: as it is if it is plain, else converted by typer."""
    if value is None and not required and get_origin(kind) is not list:
        return None
    converted = plain(kind, value)
    return process(context, value) if converted is None or (required and not value) else converted


def plain(kind: Any, value: Any) -> Any:
    """Return a value, or its words, as this kind; None if it needs a check.

    >>> plain(str, "AP"), plain(list[str], ["AP", "RR"]), plain(int, 3), plain(int, "3")
    ('AP', ['AP', 'RR'], 3, None)
    """
    if get_origin(kind) is list and isinstance(value, list | tuple):
        values = [plain(get_args(kind)[0], word) for word in value]
        return None if None in values else values
    if kind is Path and isinstance(value, str):
        return Path(value)
    return value if isinstance(kind, type) and isinstance(value, kind) else None
