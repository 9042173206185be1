"""What a client of chat models does: how it is asked, what it returns, what it declines."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from neraca.errors import ModelError
from neraca.models.model_session import Misconfigured
from neraca.models.prompt import Prompt


class Declined(Misconfigured):
    """The endpoint did not accept the request as it stands; another way of demanding the shape may do."""


class ParameterDeclined(ModelError):
    """The endpoint did not accept one parameter of the request, named by `parameter`; it may do without."""

    def __init__(self, message: str, parameter: str) -> None:
        super().__init__(message)
        self.parameter = parameter


@dataclass(frozen=True, kw_only=True)
class RawReply:
    """What a model wrote.

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
    """A module with these three functions; only it knows what its models and reply modes are."""

    def connect(self, model: str, url: str, key: str) -> AsyncGenerator[Any]:
        """Yield the model once, ready to be asked, and close its connections when the generator is closed.

        `model` is `PROVIDER:NAME`; `url` and `key` say where and with what, "" is what the provider usually takes,
        from the environment.  Raises `SpecError` for what it cannot work with, such as a missing key, and
        `MissingExtra` when a package is not installed.
        """

    def reply_modes(self, kind: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return mode → how a reply of this shape is demanded; the modes are those of `compatibility.MODES`."""

    async def complete(
        self,
        model: Any,
        prompt: Prompt[Any],
        mode: Any,
        settings: Mapping[str, Any],
        dropped: Collection[str],
        key: str,
    ) -> RawReply:
        """Ask once, without the parameters that are dropped.

        Raises
        ------
        ParameterDeclined
            When one parameter of the request is not accepted.
        Declined
            When the request as it stands is not accepted, perhaps for the way in which the shape was demanded.
        ModelError, TimeoutError
            When there is no reply that can be used.
        BudgetReached
            When the provider says that its account has no money left.
        """
