"""Embeddings of any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from time import perf_counter
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from neraca.errors import ModelError, SpecError
from neraca.models.cache import CallRecord, key_of
from neraca.models.cost import Price, Spent, tokens
from neraca.models.embed_pool import TextRefused, unit
from neraca.models.endpoint import base_url, endpoint_name, fill_variables, public
from neraca.models.model_session import Misconfigured, ModelSession
from neraca.models.openai import Connection, Refused, address, secret


class Asked(Protocol):
    """The settings, as far as they matter here."""

    @property
    def model(self) -> str:
        """`openai:NAME`."""

    @property
    def url(self) -> str:
        """Base URL, or ""."""

    @property
    def key(self) -> str:
        """Key, or ""."""

    @property
    def batch(self) -> int:
        """Most texts per call."""

    @property
    def timeout(self) -> float:
        """Seconds per call."""

    @property
    def retries(self) -> int:
        """Further attempts."""

    @property
    def price(self) -> float | None:
        """US dollars per million tokens."""


class _Vector(msgspec.Struct, frozen=True):
    index: int
    embedding: list[float]


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0


class _Reply(msgspec.Struct, frozen=True):
    data: list[_Vector]
    usage: _Usage | None = None


class Endpoint:
    """A source of vectors behind `URL/embeddings`; each call is counted, logged and paid like one to a chat model.

    Parameters
    ----------
    settings
        See `neraca.models.embed.EmbedderSettings`; what is wrong with them raises `SpecError`.
    session
        Whose limit, retries, budget and counts are used.
    """

    paid = True

    def __init__(self, settings: Asked, session: ModelSession) -> None:
        model = settings.model
        if not settings.timeout > 0 or settings.retries < 0 or settings.batch < 1:
            raise SpecError(f"{model}: timeout is above 0 seconds, retries at least 0, batch at least 1")
        if settings.price is not None and not settings.price >= 0:
            raise SpecError(f"{model}: the price is US dollars per million tokens, at least 0")
        url = base_url(model, settings.url)
        self._settings = settings
        self._session = session
        given: str = fill_variables(settings.key, model)
        self._secret = given if session.dry_run else secret(model, url, given)
        self._url = address(url, "embeddings")
        self._endpoint = endpoint_name(model, url)
        self._price = Price(model, url, None if settings.price is None else (settings.price, 0.0))
        self._name = model.partition(":")[2]
        self.key = {"model": model, "url": self._endpoint}
        self.most = settings.batch

    def imagine(self, texts: Sequence[str]) -> None:
        """Count one call with these texts."""
        read = sum(map(tokens, texts))
        self._session.count(Spent(calls=1, input_tokens=read, cost=self._price.of(read, 0)))

    async def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of these texts, by one call.

        Raises
        ------
        TextRefused
            When the endpoint did not accept them: one is too long, or they are too many.
        ModelError
            When the last attempt failed too.
        SpecError
            When the endpoint never answered and key, model or URL look wrong; when there is a budget and the
            price is not known.
        BudgetReached
            When the budget does not allow another call, or the provider says that its account is empty.
        """
        model, session = self._settings.model, self._session
        estimate = self._price.of(sum(map(tokens, texts)), 0)
        if session.budget is not None and estimate is None:
            raise SpecError(
                f"{model}: with a budget its price must be known; set price, in US dollars per million tokens"
            )
        try:
            return await session.call(
                self._endpoint,
                lambda: self._attempt(texts),
                timeout=self._settings.timeout,
                retries=self._settings.retries,
                estimate=lambda: estimate or 0.0,
            )
        except SpecError as error:
            raise SpecError(f"{model}: {error}") from None

    async def _attempt(self, texts: Sequence[str]) -> NDArray[np.float32]:
        connection = await self._session.connection(f"embeddings {self._url} {self._secret}", self._opened)
        request = msgspec.json.encode({"model": self._name, "input": list(texts)})
        started = perf_counter()
        try:
            body = await connection.post(request)
        except Refused as error:
            # Where it refuses one text, and the shortest, before it ever answered, it is not the text.
            to_blame = len(texts) > 1 or self._session.limit(self._endpoint).answered
            raise (TextRefused if to_blame else Misconfigured)(str(error)) from None
        return self._taken(texts, request, body, perf_counter() - started)

    async def _opened(self) -> AsyncGenerator[Connection]:
        async with Connection(self._url, self._secret) as connection:
            yield connection

    def _taken(self, texts: Sequence[str], request: bytes, body: bytes, seconds: float) -> NDArray[np.float32]:
        """A reply that came: paid in any case; its vectors if they are what was asked for, else noted and raised."""
        read, vectors, why = sum(map(tokens, texts)), None, None
        try:
            reply = msgspec.json.decode(body, type=_Reply)
            read = reply.usage.prompt_tokens if reply.usage else read
            if sorted(each.index for each in reply.data) != list(range(len(texts))):
                raise ModelError(f"{len(texts)} texts were sent, and vectors of others came back", again=True)
            vectors = unit([each.embedding for each in sorted(reply.data, key=lambda each: each.index)], len(texts))
        except msgspec.DecodeError as error:
            why = ModelError(f"the reply does not fit ({str(error).rstrip('.')})", again=True)
        except ModelError as error:
            why = error
        cost = self._price.of(read, 0)
        made = CallRecord(
            run=self._session.run,
            model=self._settings.model,
            url=public(self._endpoint),
            mode="embeddings",
            request=request,
            why=str(why or ""),
            seconds=seconds,
            input_tokens=read,
            cost=cost,
        )
        self._session.count(Spent(input_tokens=read, cost=cost))
        if vectors is None:
            self._session.cache.log_wasted(made)
            raise why or ModelError("no reply")
        self._session.cache.keep_reply(key_of([self._endpoint, request.decode()]), made)
        self._session.count(Spent(calls=1))
        return vectors
