"""The interface of clients of chat models: their calls, replies and refusals."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from neraca.errors import ModelError
from neraca.models.model_session import Misconfigured
from neraca.models.prompt import Prompt


class Declined(Misconfigured):
    """The endpoint did not accept the request; another mode of demanding the form of the reply may work."""


class ParameterDeclined(ModelError):
    """The endpoint did not accept the parameter `parameter` of the request; the request may work without it."""

    def __init__(self, message: str, parameter: str) -> None:
        super().__init__(message)
        self.parameter = parameter


@dataclass(frozen=True, kw_only=True)
class RawReply:
    """The reply of a model before it is checked.

    Attributes
    ----------
    text
        The text, which should be JSON.
    stopped
        Why the reply ended early: `length` or `content_filter`; "" if it did not.
    input_tokens, output_tokens
        Number of tokens, as counted by the provider.
    usage
        These numbers and others that matter for the price, under the names that genai-prices reads.
    ended
        Why the client ended the reply, which is then counted as paid for; None if it did not.
    """

    text: str
    stopped: str
    input_tokens: int
    output_tokens: int
    usage: Any
    ended: ModelError | None = None


class Client(Protocol):
    """A module with these three functions.  Its models and reply modes are opaque to callers."""

    def connect(self, model: str, url: str, key: str) -> AsyncGenerator[Any]:
        """Yield a connected model once, and close its connections when the generator is closed.

        `model` is `PROVIDER:NAME`.  `url` and `key` are the address and the key; "" means the provider's default from
        the environment.  Raise `SpecError` for invalid settings, such as a missing key, and `MissingExtra` if a package
        is not installed.
        """

    def reply_modes(self, kind: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return mode, one of `compatibility.MODES` → how it demands a reply that fits this schema."""

    async def complete(
        self,
        model: Any,
        prompt: Prompt[Any],
        mode: Any,
        settings: Mapping[str, Any],
        dropped: Collection[str],
        key: str,
        heard: Callable[[], None] | None = None,
    ) -> RawReply:
        """Make one call, without the parameters in `dropped`.

        With `heard`, ask for a streamed reply if possible, and call `heard` whenever a part of it arrives.

        Raises
        ------
        ParameterDeclined
            The endpoint does not accept one parameter of the request.
        Declined
            The endpoint does not accept the request, perhaps because of the mode.
        ModelError, TimeoutError
            There is no usable reply.
        BudgetReached
            The provider says that the account has no money left.
        """
