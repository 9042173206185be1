"""One call to a chat model: what is asked, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)


@dataclass(frozen=True, kw_only=True)
class Prompt(Generic[T]):
    """What is asked, and the shape of the reply.

    Attributes
    ----------
    system, user
        The instructions, and the data on which they work.
    kind
        A struct that forbids unknown fields; its JSON schema goes to the model.
    guess
        A plausible reply, on which a dry run goes on.
    check
        Returns what is wrong with a reply of the right shape, or ""; a wrong reply is never kept.
    """

    system: str
    user: str
    kind: type[T]
    guess: T
    check: Callable[[T], str] = lambda reply: ""


@dataclass(frozen=True, kw_only=True)
class Reply(Generic[T]):
    """What came back.

    Attributes
    ----------
    mode
        How the shape was demanded: see `neraca.models.compatibility.MODES`.
    cached
        It is from an earlier call, so that its time and cost are not counted again.
    earlier
        That call was made before this session was opened.
    """

    value: T
    seconds: float
    cost: float | None
    input_tokens: int
    output_tokens: int
    mode: str = ""
    cached: bool = False
    earlier: bool = False
