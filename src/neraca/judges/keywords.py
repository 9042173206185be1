"""Make the settings of a judge keywords of its class, so that editors and type checkers know them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, ParamSpec

P = ParamSpec("P")


def settings_as_keywords(
    settings_type: Callable[P, object],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, P], None]]:
    """Let an `__init__` that takes a table of settings take them as keywords, too.

    `ClaimsJudge(model="openai:gpt-4o-mini")` is then `ClaimsJudge({"model": "openai:gpt-4o-mini"})`, the form that a
    study and the command line use.  Type checkers see the fields of the struct `settings_type` as keywords.  The judge
    raises `SpecError` for a setting that is unknown, wrong or missing.  Its further keywords `chat` and `embedder` make
    the model and the embedder of a session.
    """

    def decorate(init: Callable[..., None]) -> Callable[Concatenate[Any, P], None]:
        receiver, *parameters = inspect.signature(init).parameters.values()
        keyword_only = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]

        def with_keywords(self: Any, settings: Mapping[str, Any] | None = None, /, **keywords: Any) -> None:
            own_keywords = {name: keywords.pop(name) for name in keyword_only if name in keywords}
            init(self, {**(settings or {}), **keywords}, **own_keywords)

        wrapped: Any = functools.update_wrapper(with_keywords, init)
        wrapped.__signature__ = inspect.Signature([receiver, *inspect.signature(settings_type).parameters.values()])
        typed: Callable[Concatenate[Any, P], None] = wrapped
        return typed

    return decorate
