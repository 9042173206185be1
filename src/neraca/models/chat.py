"""A chat model: a prompt and the shape of the reply go in, a checked value comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any, Generic, TypeVar

import msgspec

from neraca.errors import ModelError, SpecError
from neraca.models.cache import Made, key_of
from neraca.models.client import Client, Declined, Said
from neraca.models.cost import Price, tokens
from neraca.models.endpoint import filled, hide, place_of, public, url_of
from neraca.models.model_session import ModelSession, Spent
from neraca.models.reply_schema import ReplySchema, Unfit

T = TypeVar("T", bound=msgspec.Struct)
MODES = ("native", "tool", "prompted")
_STOPPED = {
    "length": "the reply was cut off at max_tokens = {}; raise max_tokens",
    "content_filter": "the provider's content filter kept the reply back",
}


class ChatSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which model, where, and how it is asked.

    Attributes
    ----------
    model
        `openai:gpt-4o-mini`; with the extra `judge` also `anthropic:…`, `google:…` and every other provider that
        pydantic-ai knows.
    url
        Base URL of an OpenAI-compatible endpoint (Ollama, vLLM, llama.cpp, LM Studio) for `openai:` models.
    key
        The key, or `${NAME}` of an environment variable; "" is the provider's usual one.
    temperature, max_tokens, timeout, retries
        Degrees of chance (None: the model's own), longest reply, seconds per call, further attempts.
    extra
        Further settings of the model, by pydantic-ai's names, for `openai:` models also by the endpoint's own;
        `${NAME}` is read from the environment.
    price
        US dollars per million tokens, [input, output]; None: as genai-prices knows it.
    """

    model: str = ""
    url: str = ""
    key: str = ""
    temperature: float | None = 0.0
    max_tokens: int = 8000
    timeout: float = 120.0
    retries: int = 4
    extra: dict[str, Any] = {}
    price: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class Prompt(Generic[T]):
    """One call: what is asked, and the shape of the reply.

    Attributes
    ----------
    system, user
        The instructions, and the data on which they work.
    kind
        A struct that forbids unknown fields; its JSON schema goes to the model.
    guess
        A plausible reply, on which a dry run goes on.
    check
        From a reply of the right shape to what is wrong with it, or "": a wrong one is never kept.
    """

    system: str
    user: str
    kind: type[T]
    guess: T
    check: Callable[[T], str] = lambda reply: ""


@dataclass(frozen=True, kw_only=True)
class Reply(Generic[T]):
    """What came back; `cached`: from an earlier call, so that its time and cost are not counted again."""

    value: T
    seconds: float
    cost: float | None
    input_tokens: int
    output_tokens: int
    cached: bool = False


@dataclass(frozen=True, kw_only=True)
class _Call(Generic[T]):
    """What belongs together while one prompt is asked; `request` is all that shapes the reply, and no secret."""

    prompt: Prompt[T]
    shape: ReplySchema[T]
    request: dict[str, Any]
    key: bytes
    estimate: Spent


class Chat:
    """A model behind a session.

    Connections live with the session: they are opened when first needed and closed with the event loop, so that a
    sync face may call `asyncio.run` for each piece of work, and nothing needs closing by hand.

    Parameters
    ----------
    settings
        See `ChatSettings`; what is wrong with them raises `SpecError`.
    session
        Whose cache, limit, budget and counts are used.
    """

    def __init__(self, settings: ChatSettings, session: ModelSession) -> None:
        model = settings.model
        _check(settings)
        self._settings = settings
        self._session = session
        self._key: str = filled(settings.key, model)
        self._url = url_of(model, settings.url)
        self._place = place_of(model, self._url)
        self._price = Price(model, self._url, settings.price)
        asked = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
        self._asked: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
        self._asked |= filled(settings.extra, model)
        self._shapes: dict[type[msgspec.Struct], ReplySchema[Any]] = {}
        self._ways: dict[str, Any] = {}
        self._worst = 1.0  # how far a call's cost was above its estimate, at most

    @property
    def name(self) -> str:
        """As it stands in verdicts after `llm:`, such as `openai:gpt-4o-mini`."""
        return self._settings.model

    async def ask(self, prompt: Prompt[T], repeat: int = 0) -> Reply[T]:
        """The model's reply to a prompt, kept under everything that shapes it and the number of the repeat.

        Of several that ask the same at once, one makes the call.  How the shape was demanded (by the endpoint's own
        schema, a tool's, or in words) follows from the endpoint and is not part of the key.

        Raises
        ------
        ModelError
            When the last attempt failed too; nothing is kept of it.
        SpecError
            When the endpoint never answered and key, model or URL look wrong; when there is a budget and the
            model's price is not known.
        BudgetReached
            When the budget does not allow another call, or the provider says that its account is empty.
        """
        call = self._call(prompt, repeat)
        session = self._session
        async with session.alone(call.key):
            if (known := self._known(call)) is not None:
                return known
            if session.dry_run:
                return self._imagined(call)
            expected = call.estimate.cost
            if session.budget is not None and expected is None:
                raise SpecError(
                    f"{self.name}: with a budget its price must be known; set price = [input, output], in US dollars "
                    "per million tokens (those of known models come with neraca[judge])"
                )
            model = await self._model()
            try:
                return await session.call(
                    self._place,
                    lambda: self._attempt(model, call, self._modes(call.shape.name)),
                    timeout=self._settings.timeout,
                    retries=self._settings.retries,
                    estimate=lambda: (expected or 0.0) * self._worst,
                )
            except SpecError as error:
                raise SpecError(f"{self.name}: {error}") from None

    def _call(self, prompt: Prompt[T], repeat: int) -> _Call[T]:
        if prompt.kind not in self._shapes:
            self._shapes[prompt.kind] = ReplySchema(prompt.kind)
        shape: ReplySchema[T] = self._shapes[prompt.kind]
        settings = self._settings
        request = {
            "model": settings.model,
            "url": self._place,
            "temperature": settings.temperature,
            "max_tokens": settings.max_tokens,
            "extra": settings.extra,
            "schema": shape.schema,
            "system": prompt.system,
            "user": prompt.user,
            "repeat": repeat,
        }
        read = tokens(prompt.system) + tokens(prompt.user) + shape.tokens
        written = tokens(msgspec.json.encode(prompt.guess).decode())
        estimate = Spent(calls=1, input_tokens=read, output_tokens=written, cost=self._price.of(read, written))
        return _Call(prompt=prompt, shape=shape, request=request, key=key_of(request), estimate=estimate)

    def _known(self, call: _Call[T]) -> Reply[T] | None:
        """The kept reply, if there is one that still passes the check; in a dry run also what was counted before."""
        made = self._session.cache.reply(call.key)
        if made is None:
            if call.key not in self._session.imagined:
                return None
            made = Made(reply=msgspec.json.encode(call.prompt.guess))
        try:
            value = call.shape.read(made.reply, call.prompt.check)
        except Unfit:
            return None
        self._session.count(Spent(cached=1))
        return Reply(
            value=value,
            seconds=made.seconds,
            cost=made.cost,
            input_tokens=made.input_tokens,
            output_tokens=made.output_tokens,
            cached=True,
        )

    def _imagined(self, call: _Call[T]) -> Reply[T]:
        """A dry run's reply; from now on it counts as kept."""
        estimate = call.estimate
        self._session.imagined.add(call.key)
        self._session.count(estimate)
        return Reply(
            value=call.prompt.guess,
            seconds=0.0,
            cost=estimate.cost,
            input_tokens=estimate.input_tokens,
            output_tokens=estimate.output_tokens,
        )

    def _modes(self, kind: str) -> tuple[str, ...]:
        """The way that worked here for this kind of reply; else from the one on that worked for any."""
        known = self._session.modes
        if found := known.get((self._here, kind)):
            return (found,)
        return MODES[MODES.index(known.get((self._here, ""), MODES[0])) :]

    @property
    def _here(self) -> str:
        return f"{self._settings.model} {self._place}"

    @cached_property
    def _client(self) -> Client:
        """Our own for what speaks as OpenAI does, pydantic-ai for everybody else; imported when somebody is asked."""
        if self._settings.model.startswith(("openai:", "openai-chat:")):
            from neraca.models import openai_chat

            return openai_chat
        from neraca.models import provider

        return provider

    async def _model(self) -> Any:
        return await self._session.connection(
            f"{self._here} {self._key}", lambda: self._client.opened(self._settings.model, self._url, self._key)
        )

    async def _attempt(self, model: Any, call: _Call[T], modes: Sequence[str]) -> Reply[T]:
        """One attempt, in the first of these ways; where no reply has come in it yet, in the next."""
        mode, *rest = modes
        name = call.shape.name
        if name not in self._ways:
            self._ways[name] = self._client.ways(name, call.shape.schema)
        started = perf_counter()
        try:
            said = await self._client.said(model, call.prompt, self._ways[name][mode], self._asked, self._key)
            reply = self._taken(call, said, mode, perf_counter() - started)
        except (Declined, Unfit):
            if not rest:
                raise
            self._session.count(Spent(wasted=1))
            return await self._attempt(model, call, rest)
        self._session.modes.setdefault((self._here, name), mode)
        self._session.modes.setdefault((self._here, ""), mode)
        return reply

    def _taken(self, call: _Call[T], said: Said, mode: str, seconds: float) -> Reply[T]:
        """A reply that came: paid in any case; kept if it is what was asked for, else noted and raised."""
        cost = self._price.of(said.input_tokens, said.output_tokens, said.usage)
        value: T | None = None
        why: ModelError | None = None
        try:
            if said.stopped:
                raise ModelError(_STOPPED[said.stopped].format(self._settings.max_tokens))
            value = call.shape.read(said.text, call.prompt.check)
        except ModelError as error:
            why = type(error)(hide(str(error), self._key), again=error.again)
        made = Made(
            run=self._session.run,
            model=self._settings.model,
            url=public(self._place),
            mode=mode,
            request=msgspec.json.encode(_logged(call.request)),
            reply=b"" if value is None else msgspec.json.encode(value),
            why=str(why or ""),
            seconds=seconds,
            input_tokens=said.input_tokens,
            output_tokens=said.output_tokens,
            cost=cost,
        )
        spent = Spent(input_tokens=said.input_tokens, output_tokens=said.output_tokens, cost=cost)
        self._session.count(spent)
        if cost and call.estimate.cost:
            self._worst = max(self._worst, cost / call.estimate.cost)
        if value is None:
            self._session.cache.note(made)
            raise why or ModelError("no reply")
        self._session.cache.keep(call.key, made)
        self._session.count(Spent(calls=1))
        return Reply(
            value=value,
            seconds=seconds,
            cost=cost,
            input_tokens=said.input_tokens,
            output_tokens=said.output_tokens,
        )


def _logged(request: dict[str, Any]) -> dict[str, Any]:
    """A request as it is written down: headers and the query of a URL may hold keys that stand there as text."""
    extra = {name: value for name, value in request["extra"].items() if name != "extra_headers"}
    return {**request, "extra": extra, "url": public(request["url"])}


def _check(settings: ChatSettings) -> None:
    model = settings.model
    provider, colon, name = model.partition(":")
    if not (provider and colon and name):
        raise SpecError(f"model = {model!r}: write PROVIDER:NAME, such as openai:gpt-4o-mini")
    if not settings.timeout > 0 or settings.retries < 0 or settings.max_tokens < 1:
        raise SpecError(f"{model}: timeout is above 0 seconds, retries at least 0, max_tokens at least 1")
    if settings.price and not min(settings.price) >= 0:
        raise SpecError(f"{model}: prices are US dollars per million tokens, at least 0")
