"""What asks a chat model, whichever of the two clients it is: what goes in, what comes out, what is declined."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from neraca.models.model_session import Misconfigured


class Asked(Protocol):
    """A prompt, as far as it matters here."""

    @property
    def system(self) -> str:
        """The instructions."""

    @property
    def user(self) -> str:
        """The data."""


class Declined(Misconfigured):
    """The endpoint did not accept the request as it stands; another way of demanding the shape may do."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a model said.

    Attributes
    ----------
    text
        It should be JSON.
    stopped
        Why it ended early: `length` or `content_filter`; "" if it did not.
    input_tokens, output_tokens
        As the provider counts them.
    usage
        The same and what else matters for the price, under the names that genai-prices reads.
    """

    text: str
    stopped: str
    input_tokens: int
    output_tokens: int
    usage: Any


class Client(Protocol):
    """A module with these three functions; a model and a way are its own affair."""

    def opened(self, model: str, url: str, key: str) -> AsyncGenerator[Any]:
        """A generator that yields the model once, ready to be asked, and closes its connections when it is closed.

        `model` is `PROVIDER:NAME`; `url` and `key` say where and with what, "" is what the provider usually takes,
        from the environment.  Raises `SpecError` for what it cannot work with, such as a missing key, and
        `MissingExtra` when a package is not installed.
        """

    def ways(self, kind: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """How a reply of this shape can be demanded: `native`, `tool` and `prompted`."""

    async def said(self, model: Any, prompt: Asked, way: Any, settings: Mapping[str, Any], key: str) -> Said:
        """Ask once.

        Raises
        ------
        Declined
            When the request as it stands is not accepted, perhaps for the way in which the shape was demanded.
        ModelError, TimeoutError
            When there is no reply that can be used.
        BudgetReached
            When the provider says that the account has no money left.
        """
