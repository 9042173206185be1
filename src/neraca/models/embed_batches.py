"""Embed texts in batches: embed each distinct text once, together with others, and cache its vector."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neraca.errors import BudgetReached, InputError, ModelError, NeracaError, SpecError
from neraca.models.adaptive_concurrency import AdaptiveLimit
from neraca.models.cache import key_of
from neraca.models.cost import Spent
from neraca.models.model_session import ModelSession
from neraca.models.ray_actors import Load

_FLOATS = np.dtype("<f4")
_WORD = "house"
_Vectors = dict[str, bytes | NeracaError]


class TextRefused(ModelError):
    """The endpoint did not accept a call, because of one text or its total length; fewer texts may be accepted."""


class Source(Protocol):
    """A source of vectors.

    Attributes
    ----------
    key
        Everything that affects a vector, except the text.
    most
        Most texts in a batch.
    paid
        Whether the source calls an endpoint, whose calls are counted.
    """

    @property
    def key(self) -> Mapping[str, str]:
        """See above."""

    @property
    def most(self) -> int:
        """See above."""

    @property
    def paid(self) -> bool:
        """See above."""

    async def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of distinct texts; raise `TextRefused` if fewer texts may be accepted."""

    def estimate(self, texts: Sequence[str]) -> None:
        """Count the estimated cost of `vectors`."""


def unit(vectors: ArrayLike, count: int) -> NDArray[np.float32]:
    """Return the vectors scaled to length 1.

    Raise `ModelError` if they are not `count` vectors of equal dimension, or a vector has only zeros or values that are
    not finite.

    >>> unit([[3, 4], [0, 2]], 2).round(3).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 1.0]]
    """
    try:
        values = np.asarray(vectors, np.float64)
    except ValueError:
        raise ModelError("the vectors differ in dimension", again=True) from None
    if values.ndim != 2 or len(values) != count or not values.size:
        raise ModelError(f"the vectors for {count} texts have the shape {values.shape}", again=True)
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
    if not np.all((lengths > 0) & np.isfinite(lengths)):
        raise ModelError("a vector is zero or not finite", again=True)
    units: NDArray[np.float32] = (values / lengths).astype(np.float32)
    return units


class LocalModel:
    """A model on this machine, loaded when first needed; it works in a thread, on one batch at a time.

    Parameters
    ----------
    key
        See `Source`.
    load
        See `Load`.
    """

    most = 64
    paid = False

    def __init__(self, key: Mapping[str, str], load: Load) -> None:
        self.key = key
        self._load = load
        self._turn = AdaptiveLimit(1)  # unlike an asyncio lock, it may serve one event loop after another

    @cached_property
    def _encode(self) -> Callable[[Sequence[str]], ArrayLike]:
        return self._load()

    async def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of texts; see `Source.vectors`."""
        number = await self._turn.enter()
        try:
            return await asyncio.to_thread(lambda: unit(self._encode(texts), len(texts)))
        finally:
            self._turn.leave(number, "answered")

    def estimate(self, texts: Sequence[str]) -> None:
        """Count nothing, because a model on this machine costs nothing."""


class BatchingEmbedder:
    """An embedder that batches texts and caches their vectors.

    Texts from all callers in the same turn of the event loop share batches.  If a text is already being embedded, wait
    for its vector.  If it was embedded before, take the vector from the cache.

    Parameters
    ----------
    name, languages
        See `neraca.models.embed.Embedder`.
    source
        The source of vectors.
    session
        The session with the cache.
    """

    def __init__(
        self, name: str, source: Source, session: ModelSession, languages: frozenset[str] = frozenset()
    ) -> None:
        self.name, self.languages = name, languages
        self._source = source
        self._session = session
        self._batch: list[str] = []
        self._task: asyncio.Task[_Vectors] | None = None
        self._tasks: dict[str, asyncio.Task[_Vectors]] = {}

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors, shape (n, d), in the order of the texts.

        In a dry run the vectors are made up, with d = 1, unless all of them are in the cache.

        Raises
        ------
        ModelError
            A text could not be embedded; a blank text never can.
        SpecError, BudgetReached
            No further text can be embedded.
        InputError
            The cache cannot be used, or holds vectors of another model with the same name and URL.
        """
        if not all(text.strip() for text in texts):
            raise ModelError("an empty text has no embedding")
        vectors = self._cached(texts)
        tasks = {text: self._join(text) for text in dict.fromkeys(texts) if text not in vectors}
        if tasks:
            await asyncio.wait(set(tasks.values()))  # if the caller is cancelled, the tasks go on
        elif texts and self._source.paid:
            self._session.count(Spent(cached=1))
        return self._stack([vectors[text] if text in vectors else tasks[text].result()[text] for text in texts])

    async def try_out(self) -> None:
        """Embed one word as a test, once per session, if the source is an endpoint, to find mistakes early.

        Raise `SpecError` if the endpoint returns no vector.  Raise `BudgetReached` if the budget does not allow the
        call.
        """
        key, session = self._key(_WORD), self._session
        if not self._source.paid or key in session.made_keys | session.estimated_keys:
            return
        if session.dry_run:
            session.estimated_keys.add(key)
            self._source.estimate([_WORD])
            return
        try:
            await self._source.vectors([_WORD])
        except (ModelError, SpecError) as error:
            why = str(error).removeprefix(f"{self.name}: ")
            raise SpecError(
                f"{self.name}: a test of the embeddings failed, before any other call: {why}; choose other embeddings "
                "or give their address: embed = {model = …, url = …}; embed = 'none' works without embeddings"
            ) from None
        session.made_keys.add(key)

    def _stack(self, vectors: Sequence[bytes | NeracaError]) -> NDArray[np.float32]:
        if self._session.dry_run and not all(vectors):  # some are estimated
            return np.ones((len(vectors), 1), np.float32)
        rows: list[bytes] = []
        for vector in vectors:
            if isinstance(vector, NeracaError):
                raise vector.with_traceback(None)
            rows.append(vector)
        if len(sizes := {len(row) // _FLOATS.itemsize for row in rows}) > 1:
            raise InputError(
                f"{self.name}: vectors with {min(sizes)} and {max(sizes)} dimensions under one name and URL, so the "
                f"model there has changed; use another name, or delete {self._session.cache.path}"
            )
        return np.frombuffer(b"".join(rows), _FLOATS).reshape(len(rows), -1 if rows else 0)

    def _key(self, text: str) -> bytes:
        return key_of({"embedding": self._source.key, "text": text})

    def _cached(self, texts: Sequence[str]) -> _Vectors:
        keys = {self._key(text): text for text in texts}
        vectors: _Vectors = {keys[key]: vector for key, vector in self._session.cache.get(keys).items()}
        return vectors | {text: b"" for key, text in keys.items() if key in self._session.estimated_keys}

    def _join(self, text: str) -> asyncio.Task[_Vectors]:
        """Return the task that embeds this text: a running one, the next one if its batch has room, or a new one."""
        if text not in self._tasks:
            if self._task is None or len(self._batch) == self._source.most:
                batch: list[str] = []
                self._batch = batch
                self._task = asyncio.create_task(self._begin(batch))
                self._task.add_done_callback(lambda task: self._end(batch, task))
            self._batch.append(text)
            self._tasks[text] = self._task
        return self._tasks[text]

    async def _begin(self, texts: list[str]) -> _Vectors:
        """Embed a batch, after all callers in this turn of the event loop have joined it."""
        if texts is self._batch:
            self._task = None
        return await self._embed(sorted(texts, key=len))

    def _end(self, texts: list[str], task: asyncio.Task[_Vectors]) -> None:
        for text in texts:
            del self._tasks[text]
        if self._task is task:  # cancelled before it began
            self._task = None

    async def _embed(self, texts: Sequence[str]) -> _Vectors:
        """Return the vector or the error of each text.  If a batch is refused, halve it until one text is left."""
        if self._session.dry_run:
            self._source.estimate(texts)
            self._session.estimated_keys.update(map(self._key, texts))
            return dict.fromkeys(texts, b"")
        try:
            rows = await self._source.vectors(texts)
            vectors = {text: row.astype(_FLOATS).tobytes() for text, row in zip(texts, rows, strict=True)}
            self._session.cache.put({self._key(text): vector for text, vector in vectors.items()})
        except TextRefused as error:
            if len(texts) == 1:
                return {texts[0]: error}
            half = len(texts) // 2
            first = await self._embed(texts[:half])
            final = next((error for error in first.values() if isinstance(error, SpecError | BudgetReached)), None)
            return dict.fromkeys(texts, final) if final else first | await self._embed(texts[half:])
        except NeracaError as error:
            return dict.fromkeys(texts, error)
        return dict[str, bytes | NeracaError](vectors)
