"""The prompt and the reply of a call of a chat model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)


@dataclass(frozen=True, kw_only=True)
class Prompt(Generic[T]):
    """A prompt, and the form of its reply.

    Attributes
    ----------
    system, user
        The instructions, and the data to which they apply.
    kind
        The struct of the reply, which forbids unknown fields; its JSON schema is sent to the model.
    guess
        A plausible reply, used in a dry run.
    check
        Returns a description of what is wrong with a reply that fits the schema, or "".  A wrong reply is not cached.
        The model is told the description, so it must not have words of the reply.
    texts
        Id → the text that it stands for in the data; a reply may have the text instead of the id.
    retries
        Further calls after a reply that does not fit or is wrong; each tells the model what was wrong.  The last asks
        for the simplest form, and so does each after a reply without an end.
    correction
        What was wrong with an earlier reply, added to the instructions; not part of the key in the cache.
    simplest
        Whether to ask for the simplest form of the reply (see reply_schema.py); not part of the key either.
    """

    system: str
    user: str
    kind: type[T]
    guess: T
    check: Callable[[T], str] = lambda reply: ""
    texts: Mapping[str, str] = field(default_factory=dict)
    retries: int = 2
    correction: str = ""
    simplest: bool = False


@dataclass(frozen=True, kw_only=True)
class Reply(Generic[T]):
    """A checked reply.

    Attributes
    ----------
    value
        The reply, read into the struct of its prompt.
    seconds, cost
        Duration of the call, and its cost in US dollars; None: unknown.
    mode
        The mode in which the form of the reply was demanded, one of `neraca.models.compatibility.MODES`.
    cached
        Whether the reply is from an earlier call, whose time and cost are not counted again.
    earlier
        Whether that call was made before this session was opened.
    """

    value: T
    seconds: float
    cost: float | None
    input_tokens: int
    output_tokens: int
    mode: str = ""
    cached: bool = False
    earlier: bool = False
