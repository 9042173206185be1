"""The session: what all model calls of a process have in common, so that none is paid twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any, Self, TypeVar
from weakref import WeakValueDictionary

from neraca.concurrency import Progress, backoff, silent
from neraca.errors import ModelError, SpecError
from neraca.models.adaptive_concurrency import AdaptiveLimit, CallOutcome
from neraca.models.budget import Budget
from neraca.models.cache import Cache, usual_place
from neraca.models.cost import Spent

__all__ = ["Misconfigured", "ModelSession", "Spent"]

T = TypeVar("T")
_LONGEST_WAIT = 300.0
_alive: list[AsyncGenerator[Any]] = []


class Misconfigured(ModelError):
    """A failure that the settings may be to blame for: key, model, URL; of the very first calls they are."""


class ModelSession:
    """Through which every model call goes: cache, limit of calls in flight, retries, budget, counts.

    Parameters
    ----------
    cache
        The SQLite file that keeps every reply; None: `~/.cache/neraca/models.sqlite` (`$XDG_CACHE_HOME` is heard).
        It is opened when it is first needed.
    budget
        US dollars that this session may spend; None: no limit.
    concurrency
        Most calls in flight to one endpoint; below it the number follows how the endpoint fares.
    dry_run
        No call is made: what is not in the cache is counted and estimated, and a plausible reply made up.
    run
        A name under which the calls are logged.
    wait
        Seconds before a call is made again, at first; then twice as many each time, with a random part.

    One session may serve several `asyncio.run`, one after the other: what it learnt, counted and kept stays, while
    connections belong to an event loop and are closed with it, or by `aclose`.

    Attributes
    ----------
    modes
        How the shape of a reply is demanded where that was found out: (endpoint and model, name of the shape) → mode.
    imagined
        Keys that a dry run has counted once and would then find in the cache.
    """

    def __init__(
        self,
        cache: Path | None = None,
        *,
        budget: float | None = None,
        concurrency: int = 64,
        dry_run: bool = False,
        run: str = "",
        progress: Progress = silent,
        wait: float = 0.5,
    ) -> None:
        if concurrency < 1:
            raise SpecError(f"concurrency is at least 1, not {concurrency}")
        if budget is not None and not budget >= 0:
            raise SpecError(f"a budget is at least 0 US dollars, not {budget}")
        self.dry_run = dry_run
        self.run = run
        self.progress = progress
        self.modes: dict[tuple[str, str], str] = {}
        self.imagined: set[bytes] = set()
        self._place = cache
        self._cache: Cache | None = None
        self._concurrency = concurrency
        self._wait = wait
        self._budget = Budget(budget)
        self._spent = Spent()
        self._limits: dict[str, AdaptiveLimit] = {}
        self._locks: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()
        self._open: dict[asyncio.AbstractEventLoop, dict[str, tuple[Any, AsyncGenerator[Any]]]] = {}

    @property
    def spent(self) -> Spent:
        """What was spent since the session was opened; of a dry run what it would be."""
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
        self._cache = self._cache or Cache(self._place or usual_place())
        return self._cache

    def count(self, spent: Spent) -> None:
        """Add what a call cost."""
        self._spent += spent
        self._budget.spent += spent.cost or 0.0

    def limit(self, endpoint: str) -> AdaptiveLimit:
        """The places for calls in flight to one endpoint, named by its URL."""
        return self._limits.setdefault(endpoint, AdaptiveLimit(self._concurrency))

    def alone(self, key: bytes) -> asyncio.Lock:
        """To hold while one reply is looked up or fetched, so that who asks the same meanwhile finds it kept."""
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
        """Make one call, in its turn, within the budget, and again where that may help.

        Parameters
        ----------
        endpoint
            Its URL: calls to one endpoint share a limit.
        attempt
            The call itself; counts what it cost and raises `ModelError` or `TimeoutError`.
        timeout, retries
            Seconds per attempt; further attempts.  Being one too many is none of these while the endpoint answers
            others of ours: a crowded endpoint takes long, but loses no call.
        estimate
            US dollars that it will cost, about, when its turn comes.

        Raises
        ------
        ModelError
            When the last attempt failed too.
        SpecError
            When nothing was ever answered and key, model or URL look wrong: every further call would fail likewise.
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
        """What `opening` yields first, opened once per event loop and closed with it.

        An event loop that ends as `asyncio.run` ends it finishes every generator that was begun in it, in which
        case the lines after the `yield` close the connections while that is still possible.
        """
        loop = asyncio.get_running_loop()
        if loop not in self._open:
            self._open = {each: held for each, held in self._open.items() if not each.is_closed()}
        held = self._open.setdefault(loop, {})
        if name not in held:
            async with self.alone(name.encode()):  # opening waits, and others come meanwhile
                if name not in held:
                    stream = opening()
                    held[name] = (await anext(stream), stream)
                    _outlive_the_session(stream)
        thing: T = held[name][0]
        return thing

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
    """Keep a generator until its event loop closes it: collected before, nobody would wait for its last lines."""
    _alive[:] = [each for each in _alive if getattr(each, "ag_frame", None)]
    _alive.append(stream)


async def _within(seconds: float, attempt: Callable[[], Awaitable[T]]) -> T:
    try:
        async with asyncio.timeout(seconds):
            return await attempt()
    except TimeoutError:
        raise TooSlow(f"no reply within {seconds:g} seconds", again=True, crowded=True) from None


class TooSlow(ModelError):
    """No reply in time: the endpoint may have too much to do."""


def _outcome_of(error: ModelError) -> CallOutcome:
    return "slow" if isinstance(error, TooSlow) else "refused" if error.crowded else "failed"
