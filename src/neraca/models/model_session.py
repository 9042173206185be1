"""A model session: what all model calls of a process have in common, so that none is paid twice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar
from weakref import WeakValueDictionary

import msgspec

from neraca.concurrency import Progress, backoff, silent
from neraca.errors import ModelError, SpecError
from neraca.models.adaptive_concurrency import AdaptiveLimit, CallOutcome
from neraca.models.budget import Budget
from neraca.models.cache import Cache, CallRecord, default_path
from neraca.models.compatibility import Compatibility
from neraca.models.cost import Spent

if TYPE_CHECKING:
    from neraca.models.ray_actors import RayActors

T = TypeVar("T")
_LOG = logging.getLogger("neraca.models")
_LONGEST_WAIT = 300.0
_alive: list[AsyncGenerator[Any]] = []


class Misconfigured(ModelError):
    """A failure that key, model or URL may have caused; where no call was answered yet, they did."""


class TooSlow(ModelError):
    """No reply in time: the endpoint may have too much to do."""


class ModelSession:
    """What every model call goes through: cache, limit of calls in flight, retries, budget, counts.

    One session may serve several `asyncio.run`, one after the other.  What it learnt, counted and kept stays;
    connections belong to an event loop and are closed with it, or by `aclose`.

    Parameters
    ----------
    cache
        The SQLite file that keeps every reply; None: `~/.cache/neraca/models.sqlite`, or under `$XDG_CACHE_HOME`.
        It is opened when it is first needed.
    budget
        US dollars that this session may spend; None: no limit.
    concurrency
        Most calls in flight to one endpoint; below it the number follows what the endpoint bears.
    dry_run
        No call is made: what is not in the cache is counted and estimated, and a plausible reply made up.
    run
        A name under which the calls are logged.
    wait
        Seconds before a call is made again, at first; then twice as many each time, with a random part.
    tell
        Gets each note once, at once; default: the logger `neraca.models`, which writes to stderr if nobody has set it.

    Attributes
    ----------
    progress
        Who wants to know how far the work is.
    notes
        Model → what a reader must know of how it was asked, such as "asked without temperature, …".
    estimated, made
        Keys that a dry run has counted once and would then find in the cache; keys of the replies of this session.
    retry_undecided
        Whether judges ask anew all about the answers that they left undecided earlier.
    anew
        Whether replies of earlier sessions are left alone, as while such an answer is judged.
    actors
        Where models that are loaded, and not asked over a network, embed; None: in this process.
    """

    def __init__(
        self,
        cache: Path | None = None,
        *,
        budget: float | None = None,
        concurrency: int = 64,
        dry_run: bool = False,
        run: str = "",
        wait: float = 0.5,
        tell: Callable[[str], None] = _LOG.warning,
    ) -> None:
        if concurrency < 1:
            raise SpecError(f"concurrency is at least 1, not {concurrency}")
        if budget is not None and not budget >= 0:
            raise SpecError(f"a budget is at least 0 US dollars, not {budget}")
        self.dry_run = dry_run
        self.run = run
        self.progress: Progress = silent
        self.notes: dict[str, list[str]] = {}
        self.estimated: set[bytes] = set()
        self.made: set[bytes] = set()
        self.retry_undecided = self.anew = False
        self.actors: RayActors | None = None
        self._path = cache
        self._cache: Cache | None = None
        self._concurrency = concurrency
        self._wait = wait
        self._tell = tell
        self._budget = Budget(budget)
        self._spent = Spent()
        self._limits: dict[str, AdaptiveLimit] = {}
        self._compatibilities: dict[bytes, Compatibility] = {}
        self._locks: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()
        self._open: dict[asyncio.AbstractEventLoop, dict[str, tuple[Any, AsyncGenerator[Any]]]] = {}

    @property
    def spent(self) -> Spent:
        """What was spent since the session was opened; in a dry run, what would be."""
        return self._spent

    @property
    def budget(self) -> float | None:
        """US dollars that may be spent; None: no limit."""
        return self._budget.allowed

    @property
    def concurrency(self) -> int:
        """Most calls in flight to one endpoint."""
        return self._concurrency

    @property
    def cache(self) -> Cache:
        """The open file of replies."""
        self._cache = self._cache or Cache(self._path or default_path())
        return self._cache

    def count(self, spent: Spent) -> None:
        """Add what a call cost."""
        self._spent += spent
        self._budget.spent += spent.cost or 0.0

    def settle(self, key: bytes, record: CallRecord, failure: ModelError | None) -> None:
        """Count a reply that was paid for, and keep it; a reply of no use is logged, and the failure raised."""
        record = msgspec.structs.replace(record, run=self.run, why=str(failure or ""))
        self.count(Spent(input_tokens=record.input_tokens, output_tokens=record.output_tokens, cost=record.cost))
        if failure:
            self.cache.log_wasted(record)
            raise failure
        self.cache.keep_reply(key, record)
        self.made.add(key)
        self.count(Spent(calls=1))

    def note(self, model: str, text: str) -> None:
        """Tell once what a reader must know of how a model is asked; nothing is told of a dry run."""
        notes = self.notes.setdefault(model, [])
        if text not in notes:
            notes.append(text)
            if not self.dry_run:
                self._tell(f"{model}: {text}")

    def compatibility(self, key: bytes) -> Compatibility:
        """Return what is known of how an endpoint must be asked; it is kept in the cache under this key."""
        if key not in self._compatibilities:
            stored = self.cache.get([key]).get(key)
            self._compatibilities[key] = Compatibility(stored, lambda record: self.cache.put({key: record}))
        return self._compatibilities[key]

    def limit(self, endpoint: str) -> AdaptiveLimit:
        """Return the limit of calls in flight to one endpoint, named by its URL."""
        return self._limits.setdefault(endpoint, AdaptiveLimit(self._concurrency))

    def lock(self, key: bytes) -> asyncio.Lock:
        """Return the lock to hold while one reply is looked up or fetched: who asks the same next finds it kept."""
        return self._locks.setdefault(key, asyncio.Lock())

    async def call(
        self,
        endpoint: str,
        attempt: Callable[[], Awaitable[T]],
        *,
        timeout: float = 120.0,
        retries: int = 4,
        estimate: Callable[[], float] = float,
    ) -> T:
        """Make one call, in its turn and within the budget, and repeat it where that may help.

        Parameters
        ----------
        endpoint
            Its URL: calls to one endpoint share a limit.
        attempt
            The call itself; counts what it cost and raises `ModelError` or `TimeoutError`.
        timeout, retries
            Seconds per attempt; further attempts.  A refusal for too many calls in flight does not count as an attempt
            while the endpoint answers others of ours: a crowded endpoint takes long, but loses no call.
        estimate
            US dollars that it will cost, about, when its turn comes.

        Raises
        ------
        ModelError
            When the last attempt failed too.
        SpecError
            When no call was ever answered and key, model or URL look wrong: further calls would fail likewise.
        BudgetReached
            When the budget does not allow another call.
        """
        limit = self.limit(endpoint)
        failures = 0
        while True:
            number, answered = await limit.enter(), limit.answered
            outcome: CallOutcome = "failed"
            try:
                async with self._budget.promise(estimate()):
                    value = await _within(timeout, attempt)
                outcome = "answered"
                return value
            except ModelError as error:
                failure, outcome = error, _outcome_of(error)
                self._spent += Spent(wasted=1)
                if outcome == "refused" and error.after is not None:  # it holds for every call to the endpoint
                    limit.pause(min(error.after, _LONGEST_WAIT))
            finally:
                limit.leave(number, outcome)
            crowded = outcome == "refused" and (limit.in_flight > 0 or limit.answered > answered)
            failures += not crowded
            if not failure.again or failures > retries:
                if isinstance(failure, Misconfigured) and not limit.answered:
                    raise SpecError(str(failure)) from None
                raise failure
            if outcome != "refused" or failure.after is None:
                await asyncio.sleep(backoff(max(failures, 1), failure.after, first=self._wait, longest=_LONGEST_WAIT))

    async def connection(self, name: str, opening: Callable[[], AsyncGenerator[T]]) -> T:
        """Return what `opening` yields first, opened once per event loop and closed with it.

        `asyncio.run` finishes at its end every generator that was begun in it.  So the lines after the `yield` close
        the connections while that is still possible.
        """
        loop = asyncio.get_running_loop()
        if loop not in self._open:
            self._open = {other: connections for other, connections in self._open.items() if not other.is_closed()}
        connections = self._open.setdefault(loop, {})
        if name not in connections:
            async with self.lock(name.encode()):  # opening waits, and others come meanwhile
                if name not in connections:
                    stream = opening()
                    connections[name] = (await anext(stream), stream)
                    _outlive_the_session(stream)
        connection: T = connections[name][0]
        return connection

    async def aclose(self) -> None:
        """Close the connections of the running event loop; calls made afterwards open new ones."""
        for _, stream in self._open.pop(asyncio.get_running_loop(), {}).values():
            await stream.aclose()

    def close(self) -> None:
        """Close the file of replies; a later call opens it again."""
        cache, self._cache = self._cache, None
        if cache is not None:
            cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def _outlive_the_session(stream: AsyncGenerator[Any]) -> None:
    """Keep a generator until its event loop closes it; if it were collected before, nobody awaited its last lines."""
    _alive[:] = [other for other in _alive if getattr(other, "ag_frame", None)]
    _alive.append(stream)


async def _within(seconds: float, attempt: Callable[[], Awaitable[T]]) -> T:
    try:
        async with asyncio.timeout(seconds):
            return await attempt()
    except TimeoutError:
        raise TooSlow(f"no reply within {seconds:g} seconds", again=True, crowded=True) from None


def _outcome_of(error: ModelError) -> CallOutcome:
    return "slow" if isinstance(error, TooSlow) else "refused" if error.crowded else "failed"
