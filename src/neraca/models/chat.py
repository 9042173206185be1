"""Ask a chat model: send a prompt with the schema of the reply, and return a checked value."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any, Generic, TypeVar

import msgspec

from neraca.errors import ModelError, SpecError
from neraca.models.cache import CallRecord, key_of, logged_request
from neraca.models.client import Client, Declined, ParameterDeclined, RawReply
from neraca.models.compatibility import Compatibility
from neraca.models.cost import Price, Spent, tokens
from neraca.models.endpoint import base_url, endpoint_name, fill_variables, hide, public
from neraca.models.model_session import ModelSession
from neraca.models.prompt import Prompt, Reply
from neraca.models.reply_schema import ReplySchema, Unfit, reply_schema
from neraca.models.schema_probe import PROBE
from neraca.models.served_model import note_served_model
from neraca.models.streamed_reply import STREAMING, Endless
from neraca.translation import say

T = TypeVar("T", bound=msgspec.Struct)
#: Told to the model with the next call.
_REFUSED = "Your last reply was refused: {}. Reply again, in the form of the schema."
_NO_REASON = " Leave `reason` out."
_STOPPED = {
    "length": "the reply was cut off at max_tokens = {}; raise max_tokens",
    "content_filter": "the provider's content filter withheld the reply",
}


class ChatSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a chat model.

    Attributes
    ----------
    model
        The model, such as `openai:gpt-4o-mini`; with the extra `judge` also `anthropic:…`, `google:…` and every other
        provider of pydantic-ai.
    url
        Base URL of an OpenAI-compatible endpoint (Ollama, vLLM, llama.cpp, LM Studio), for `openai:` models.
    key
        The key, or `${NAME}` of an environment variable; "": the provider's usual environment variable.
    temperature
        Randomness of replies; None: the model's default.
    max_tokens
        Longest reply, in tokens.
    timeout
        Seconds per attempt.
    retries
        Further attempts after a failure.
    extra
        Further settings of the model under pydantic-ai's names, for `openai:` models also under the endpoint's names.
        `${NAME}` is read from the environment.
    price
        US dollars per million tokens, [input, output]; None: from genai-prices.
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
class _Call(Generic[T]):
    """A call in progress; `request` holds everything that affects the reply, and no secret."""

    prompt: Prompt[T]
    repeat: int
    schema: ReplySchema[T]
    request: dict[str, Any]
    estimate: Spent

    @cached_property
    def key(self) -> bytes:
        """Key of the reply in the cache."""
        return key_of(self.request)


class Chat:
    """A chat model, called through a session.

    Connections are opened when first needed, and closed with the event loop.  So synchronous code may call
    `asyncio.run` for each piece of work, and need not close anything.

    Parameters
    ----------
    settings
        See `ChatSettings`; invalid settings raise `SpecError`.
    session
        The session with the cache, limit, budget and counts to use.

    Attributes
    ----------
    before_paying
        A check that must pass before money is spent.  It is awaited once, before the first call that is not in the
        cache.  If it fails, the model is not called, and every caller gets the error of the check.
    """

    def __init__(self, settings: ChatSettings, session: ModelSession) -> None:
        model = settings.model
        _check_settings(settings)
        self._settings = settings
        self._session = session
        self._key: str = fill_variables(settings.key, model)
        self._url = base_url(model, settings.url)
        self._endpoint = endpoint_name(model, self._url)
        self._price = Price(model, self._url, settings.price)
        parameters = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
        self._parameters: dict[str, Any] = {name: value for name, value in parameters.items() if value is not None}
        self._parameters |= fill_variables(settings.extra, model)
        self.before_paying: Callable[[], Coroutine[Any, Any, None]] | None = None
        self._checked: asyncio.Task[None] | None = None
        self._worst = 1.0  # largest ratio of a call's cost to its estimate

    @property
    def name(self) -> str:
        """Name in verdicts after `llm:`, such as `openai:gpt-4o-mini`."""
        return self._settings.model

    async def ask(self, prompt: Prompt[T], repeat: int = 0) -> Reply[T]:
        """Return the model's reply to a prompt, from the cache or by a call.

        The key in the cache covers everything that affects the reply, and the number of the repeat.  If several callers
        ask the same at once, one makes the call.  A parameter that the endpoint refuses is left out from then on, and
        replies without it have another key.  The mode of demanding the form of the reply depends on the endpoint and is
        not part of the key.

        Raises
        ------
        ModelError
            The last attempt failed too; its reply is not kept.
        SpecError
            The endpoint never answered and key, model or URL look wrong; or there is a budget and the price of the
            model is unknown.
        BudgetReached
            The budget does not allow another call, or the provider says that its account is empty.
        """
        await note_served_model(self._session, self.name, self._url, self._key)
        try:
            async with self._session.lock(key_of(self._request(prompt, repeat, []))):
                return self._look_up(self._call(prompt, repeat)) or await self._fetch(prompt, repeat)
        finally:
            with self._session.speaking():
                for text in self._compatibility.notes:
                    self._session.note(self.name, text)

    async def _fetch(self, prompt: Prompt[T], repeat: int) -> Reply[T]:
        if self.before_paying:
            self._checked = self._checked or asyncio.create_task(self.before_paying())
            await asyncio.shield(self._checked)
        call = self._call(prompt, repeat)
        session, price = self._session, call.estimate.cost
        if session.dry_run:
            return self._estimated(call)
        if session.budget is not None and price is None:
            with session.speaking():
                raise SpecError(
                    say(
                        "{model}: with a budget its price must be known; set price = [input, output], in US dollars "
                        "per million tokens (neraca[judge] has the prices of many models)",
                        model=self.name,
                    )
                )
        model = await session.connection(
            f"{self.name} {self._endpoint} {self._key}",
            lambda: self._client.connect(self.name, self._url, self._key),
        )
        corrected, unfit = prompt, 0

        async def attempt() -> Reply[T]:
            """Make one attempt; after a useless reply, the next one tells the model what was wrong with it."""
            nonlocal corrected, unfit
            try:
                modes = self._compatibility.modes(call.schema.name)
                return await self._attempt(model, self._call(corrected, repeat), modes)
            except Unfit as error:
                unfit += 1
                if not isinstance(error, Endless):
                    await self._probe_schema(model)
                simplest = corrected.simplest or unfit >= prompt.retries or isinstance(error, Endless)
                words = _REFUSED.format(error.remedy) + (_NO_REASON if simplest else "")
                corrected = replace(prompt, correction=f"{prompt.correction}\n{words}", simplest=simplest)
                error.again = unfit <= prompt.retries
                raise

        try:
            return await session.call(
                self._endpoint,
                attempt,
                timeout=self._settings.timeout,
                retries=self._settings.retries,
                estimate=lambda: (price or 0.0) * self._worst,
            )
        except SpecError as error:
            raise SpecError(f"{self.name}: {error}") from None

    def _call(self, prompt: Prompt[T], repeat: int) -> _Call[T]:
        schema = reply_schema(prompt.kind, simplest=prompt.simplest)
        input_tokens = tokens(prompt.system) + tokens(prompt.user) + schema.tokens
        output_tokens = tokens(msgspec.json.encode(prompt.guess).decode())
        return _Call(
            prompt=prompt,
            repeat=repeat,
            schema=schema,
            request=self._request(prompt, repeat, self._compatibility.dropped),
            estimate=Spent(
                calls=1,
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                cost=self._price.of(input_tokens, output_tokens),
            ),
        )

    def _request(self, prompt: Prompt[T], repeat: int, dropped: Sequence[str]) -> dict[str, Any]:
        settings = self._settings
        request = {
            "model": settings.model,
            "url": self._endpoint,
            "temperature": settings.temperature,
            "max_tokens": settings.max_tokens,
            "extra": settings.extra,
            "schema": reply_schema(prompt.kind).schema,
            "system": prompt.system,
            "user": prompt.user,
            "repeat": repeat,
        }
        dropped = [name for name in dropped if name not in STREAMING]
        return {**request, "dropped": dropped} if dropped else request

    def _look_up(self, call: _Call[T]) -> Reply[T] | None:
        """Return the cached reply if it still passes the check; in a dry run also a reply that was estimated before."""
        session, earlier = self._session, call.key not in self._session.made_keys
        record = None if earlier and session.anew else session.cache.reply(call.key)
        if record is None:
            if call.key not in session.estimated_keys:
                return None
            earlier = False
            record = CallRecord(reply=msgspec.json.encode(call.prompt.guess))
        try:
            value = call.schema.read(record.reply, call.prompt.check)
        except Unfit:
            return None
        session.count(Spent(cached=1))
        return replace(_make_reply(value, record), cached=True, earlier=earlier)

    def _estimated(self, call: _Call[T]) -> Reply[T]:
        """Return the made-up reply of a dry run; from now on it counts as cached."""
        estimate = call.estimate
        self._session.estimated_keys.add(call.key)
        self._session.count(estimate)
        return _make_reply(call.prompt.guess, estimate)

    @cached_property
    def _compatibility(self) -> Compatibility:
        settings = self._settings
        return self._session.compatibility(key_of(["compatibility", settings.model, self._endpoint, settings.extra]))

    @cached_property
    def _client(self) -> Client:
        """The client: our own for OpenAI-compatible endpoints, pydantic-ai for others; imported when first needed."""
        if self.name.startswith(("openai:", "openai-chat:")):
            from neraca.models import openai_chat

            return openai_chat
        from neraca.models import provider

        return provider

    async def _attempt(self, model: Any, call: _Call[T], modes: Sequence[str], *, declined: bool = False) -> Reply[T]:
        """Make one attempt in the first of these modes; if it is declined, try the next."""
        mode, *next_modes = modes
        name, compatibility = call.schema.name, self._compatibility
        prompt = call.prompt
        if prompt.correction:
            prompt = replace(prompt, system=f"{prompt.system}\n{prompt.correction}")
        reply_mode = self._client.reply_modes(name, call.schema.schema)[mode]
        started = perf_counter()
        try:
            raw = await self._client.complete(
                model, prompt, reply_mode, self._parameters, compatibility.dropped, self._key, self._heard()
            )
            reply = self._settle(call, raw, mode, perf_counter() - started)
        except ParameterDeclined as error:
            self._session.count(Spent(refused=1))
            compatibility.drop(error.parameter)
            return await self._attempt(model, self._call(call.prompt, call.repeat), modes, declined=declined)
        except Declined:
            if not next_modes:
                raise
            self._session.count(Spent(refused=1))
            return await self._attempt(model, call, next_modes, declined=True)
        except Endless:
            raise
        except Unfit:
            compatibility.fail(name, mode)
            raise
        compatibility.use(name, mode, declined=declined)
        return reply

    def _heard(self) -> Callable[[], None] | None:
        """Return what to call when a part of a streamed reply arrives; None: do not stream.

        Replies of the user's own endpoint are always streamed.  It may have one slot, which a reply without an end
        would hold, and only a streamed reply can be ended.
        """
        pace = self._session.pace(self._endpoint)
        now = asyncio.get_running_loop().time
        return (lambda: pace.heard(now())) if self._url or pace.streams(self._settings.timeout) else None

    async def _probe_schema(self, model: Any) -> None:
        """Find out by one call whether the endpoint ignores schemas; then demand the form in words from now on.

        Other calls wait for that.
        """
        async with self._session.lock(f"probe {self.name} {self._endpoint}".encode()):
            if not self._compatibility.unproven:
                return
            self._compatibility.probed = True
            call = self._call(PROBE, 0)
            reply_mode = self._client.reply_modes(call.schema.name, call.schema.schema)["native"]
            started = perf_counter()
            try:
                raw = await self._client.complete(
                    model, PROBE, reply_mode, self._parameters, self._compatibility.dropped, self._key, self._heard()
                )
                self._settle(call, raw, "native", perf_counter() - started)
            except Endless:
                return
            except Unfit:
                self._compatibility.use(call.schema.name, "prompted", declined=True)
            except ModelError:
                return  # the next attempts tell

    def _settle(self, call: _Call[T], raw: RawReply, mode: str, seconds: float) -> Reply[T]:
        """Count the cost of a reply, and store it if it is good; else log it as wasted and raise `ModelError`."""
        cost = self._price.of(raw.input_tokens, raw.output_tokens, raw.usage)
        value = call.prompt.guess
        failure: ModelError | None = None
        try:
            if raw.ended:
                raise raw.ended
            if raw.stopped:
                raise ModelError(_STOPPED[raw.stopped].format(self._settings.max_tokens))
            value = call.schema.read(raw.text, call.prompt.check, call.prompt.texts)
        except Unfit as error:
            failure = type(error)(hide(str(error), self._key), remedy=error.remedy)
        except ModelError as error:
            failure = ModelError(hide(str(error), self._key), again=error.again)
        record = CallRecord(
            model=self.name,
            url=public(self._endpoint),
            mode=mode,
            request=msgspec.json.encode(logged_request(call.request, call.prompt.correction)),
            reply=b"" if failure else msgspec.json.encode(value),
            seconds=seconds,
            input_tokens=raw.input_tokens,
            output_tokens=raw.output_tokens,
            cost=cost,
        )
        if cost and call.estimate.cost:
            self._worst = max(self._worst, cost / call.estimate.cost)
        self._session.settle(call.key, record, failure)
        return _make_reply(value, record)


def _make_reply(value: T, record: CallRecord | Spent) -> Reply[T]:
    return Reply(
        value=value,
        seconds=record.seconds if isinstance(record, CallRecord) else 0.0,
        cost=record.cost,
        input_tokens=record.input_tokens,
        output_tokens=record.output_tokens,
        mode=record.mode if isinstance(record, CallRecord) else "",
    )


def _check_settings(settings: ChatSettings) -> None:
    model = settings.model
    provider, colon, name = model.partition(":")
    if not (provider and colon and name):
        raise SpecError(say("model = {model!r}: write PROVIDER:NAME, such as openai:gpt-4o-mini", model=model))
    if not settings.timeout > 0 or settings.retries < 0 or settings.max_tokens < 1:
        raise SpecError(f"{model}: timeout must be above 0 seconds, retries at least 0, max_tokens at least 1")
    if settings.price and not min(settings.price) >= 0:
        raise SpecError(f"{model}: prices must be US dollars per million tokens, at least 0")
