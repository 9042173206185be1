"""Reads plain words without the machinery that typer starts, which costs more than scoring a small file.

What a command takes is declared once, for typer.  Here only what leaves no doubt is read: `--name value`, `-n value`,
flags, and arguments.  All else (help, mistakes, `--name=value`, `-qc`) is for typer, which also says what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo

_NUMBER = re.compile(r"\d+(\.\d+)?")


def plain(command: Callable[..., None], words: Sequence[str]) -> dict[str, Any] | None:
    """The parameters of a command that these words give, or None where typer must look at them."""
    options, places, kinds = _declared(command)
    found: dict[str, Any] = {}
    said: dict[str, list[str]] = {}
    loose: list[str] = []
    left = iter(words)
    for word in left:
        name, flag = options.get(word, ("", None))
        if flag is not None:
            found[name] = flag
        elif name:
            said.setdefault(name, []).append(next(left, ""))
        else:
            loose.append(word)
    if len(loose) < len(places) or any(word[:1] in ("", "-") for word in chain(loose, *said.values())):
        return None
    for number, name in enumerate(places):
        said[name] = loose[number : None if name == places[-1] else number + 1]
    for name, values in said.items():
        found[name] = _read(kinds[name], values)
    return None if None in found.values() else found


def _declared(
    command: Callable[..., None],
) -> tuple[dict[str, tuple[str, bool | None]], list[str], dict[str, Any]]:
    """Word → parameter and what a flag makes of it; the arguments; what kind of value each parameter is."""
    options: dict[str, tuple[str, bool | None]] = {}
    places: list[str] = []
    kinds: dict[str, Any] = {}
    for name, hint in get_type_hints(command, include_extras=True).items():
        if name == "return":
            continue
        kinds[name], info = hint.__origin__, hint.__metadata__[0]
        if isinstance(info, ArgumentInfo):
            places.append(name)
            continue
        written = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
        for word in written or ["--" + name.replace("_", "-")]:  # inside Annotated the first one is not a default
            yes, _, no = word.partition("/")
            truth = kinds[name] is bool
            options |= {yes: (name, truth or None), no: (name, False)} if no else {yes: (name, truth or None)}
    return options, places, kinds


def _read(kind: Any, words: Sequence[str]) -> Any:
    """The words as a value of this kind; None where typer knows better."""
    single = (get_args(kind) or (kind,))[0]
    if single not in (str, Path, float) or (single is float and not all(map(_NUMBER.fullmatch, words))):
        return None
    values = list(map(single, words))
    if get_origin(kind) is list:
        return values
    return values[0] if len(values) == 1 else None
