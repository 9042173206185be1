"""A model session: shared by all model calls of a process, so that no reply is paid twice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar
from weakref import WeakValueDictionary

import msgspec

from neraca.backoff import backoff
from neraca.concurrency import Progress, silent
from neraca.errors import ModelError, NeracaError, SpecError
from neraca.models.adaptive_concurrency import AdaptiveLimit, CallOutcome
from neraca.models.budget import Budget
from neraca.models.cache import Cache, CallRecord, default_path
from neraca.models.compatibility import Compatibility
from neraca.models.cost import Spent
from neraca.models.endpoint import public
from neraca.models.failures import Failures
from neraca.models.pace import Pace
from neraca.translation import language, say, written_in

if TYPE_CHECKING:
    from neraca.models.ray_actors import RayActors

T = TypeVar("T")
_LOG = logging.getLogger("neraca.models")
_LONGEST_WAIT = 300.0
_alive: list[AsyncGenerator[Any]] = []


class Misconfigured(ModelError):
    """A failure that key, model or URL may have caused; if no call was answered yet, they probably did."""


class SessionStopped(NeracaError):
    """The judging was cancelled; finished verdicts are kept."""


class TooSlow(ModelError):
    """No reply in time; the endpoint may be overloaded."""


class ModelSession:
    """The cache, limits of calls in flight, retries, budget and counts that all model calls share.

    One session may serve several `asyncio.run`, one after another.  Cache, limits and counts stay; connections belong
    to an event loop and are closed with it, or by `aclose`.

    Parameters
    ----------
    cache
        The SQLite file of replies, opened when first needed; None: `~/.cache/neraca/models.sqlite`, or the same under
        `$XDG_CACHE_HOME`.
    budget
        US dollars that this session may spend; None: no limit.
    concurrency
        Most calls in flight to one endpoint; below that the number adapts to the endpoint.
    dry_run
        Make no calls.  Count and estimate each call that is not in the cache, and return a made-up reply.
    run
        The name under which the calls are logged; `judge` logs those of each run and judge under a name of its own.
    wait
        Seconds before the first retry; doubled before each further one, with a random part.
    tell
        Called once with each note; default: the logger `neraca.models`, which writes to stderr unless configured.

    Attributes
    ----------
    progress
        Called with the progress of the work.
    notes
        Model → notes on its calls, such as "asked without temperature, …".
    served
        (Model, base URL of a server) → the ids of the models that it had behind this name, the newest last; () if it
        does not say.
    estimated_keys
        Keys that a dry run has counted, and that a real run would then find in the cache.
    made_keys
        Keys of the replies made in this session.
    retry_undecided
        Whether judges judge again the answers that they left undecided earlier.
    anew
        Whether to ignore replies of earlier sessions, as when such an answer is judged again.
    stopping
        Whether judges must stop: the task that awaits them was cancelled.  A session serves one judge at a time.
    actors
        Ray actors in which local models embed; None: they embed in this process.
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
            raise SpecError(say("concurrency must be at least 1, not {n}", n=concurrency))
        if budget is not None and not budget >= 0:
            raise SpecError(say("a budget must be at least 0 US dollars, not {budget}", budget=budget))
        self._language = language()  # of messages: verdicts are written in English, in other threads
        self.dry_run = dry_run
        self.run = run
        self.progress: Progress = silent
        self.notes: dict[str, list[str]] = {}
        self.served: dict[tuple[str, str], tuple[str, ...]] = {}
        self.estimated_keys: set[bytes] = set()
        self.made_keys: set[bytes] = set()
        self.retry_undecided = self.anew = self.stopping = False
        self.actors: RayActors | None = None
        self._path = cache
        self._cache: Cache | None = None
        self._concurrency = concurrency
        self._wait = wait
        self._tell = tell
        self._budget = Budget(budget)
        self._spent = Spent()
        self._paces: dict[str, Pace] = {}
        self._failures = Failures(lambda: self.cache)
        self._limits: dict[str, AdaptiveLimit] = {}
        self._compatibilities: dict[bytes, Compatibility] = {}
        self._locks: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()
        self._open: dict[asyncio.AbstractEventLoop, dict[str, tuple[Any, AsyncGenerator[Any]]]] = {}

    @property
    def spent(self) -> Spent:
        """Counts and cost since the session was opened; in a dry run, an estimate."""
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
        """The file of replies, opened if necessary."""
        self._cache = self._cache or Cache(self._path or default_path())
        return self._cache

    def check(self) -> None:
        """Raise `SessionStopped` if judges must stop."""
        if self.stopping:
            raise SessionStopped("the judging was cancelled; call it again to continue")

    def count(self, spent: Spent) -> None:
        """Add the counts and the cost of a call."""
        self._spent += spent
        self._budget.spent += spent.cost or 0.0

    def logged(self, run: str) -> Spent:
        """Return the total of the calls that all processes logged under this name; makes no file of replies."""
        path = self._path or default_path()
        return self.cache.spent(run) if self._cache or path.is_file() else Spent()

    def settle(self, key: bytes, record: CallRecord, failure: ModelError | None) -> None:
        """Count a paid reply and store it; if it is a failure, log it as wasted and raise the failure."""
        record = msgspec.structs.replace(record, run=self.run, why=str(failure or ""))
        self.count(Spent(input_tokens=record.input_tokens, output_tokens=record.output_tokens, cost=record.cost))
        if failure:
            failure.paid = True
            self.count(Spent(wasted=1))
            self.cache.log_wasted(record)
            raise failure
        self.cache.keep_reply(key, record)
        self._failures.note_reply(record.url)
        self.made_keys.add(key)
        self.count(Spent(calls=1))

    def speaking(self) -> AbstractContextManager[None]:
        """Write sentences for people inside the `with` block in the language in which the session was opened."""
        return written_in(self._language)

    def note(self, model: str, text: str) -> None:
        """Record a note on the calls of a model, and pass it to `tell` once; a dry run tells nothing."""
        notes = self.notes.setdefault(model, [])
        if text not in notes:
            notes.append(text)
            if not self.dry_run:
                self._tell(f"{model}: {text}")

    def compatibility(self, key: bytes) -> Compatibility:
        """Return the parameters and modes that an endpoint accepts, stored in the cache under this key."""
        if key not in self._compatibilities:
            stored = self.cache.get([key]).get(key)
            self._compatibilities[key] = Compatibility(stored, lambda record: self.cache.put({key: record}))
        return self._compatibilities[key]

    def limit(self, endpoint: str) -> AdaptiveLimit:
        """Return the limit of calls in flight to one endpoint, named by its URL."""
        return self._limits.setdefault(endpoint, AdaptiveLimit(self._concurrency))

    def pace(self, endpoint: str) -> Pace:
        """Return what was seen of the speed of one endpoint, named by its URL."""
        return self._paces.setdefault(endpoint, Pace())

    def lock(self, key: bytes) -> asyncio.Lock:
        """Return the lock to hold while a reply is looked up or fetched; the next caller then finds it in the cache."""
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
        """Make one call within the limit and the budget, and repeat it if that may help.

        Parameters
        ----------
        endpoint
            URL of the endpoint; calls to one endpoint share a limit.
        attempt
            Makes the call, counts its cost, and raises `ModelError` or `TimeoutError`.
        timeout
            Seconds per attempt; more if the endpoint was seen to be slow (see pace.py).
        retries
            Further attempts.  A refusal for too many calls is no attempt while the endpoint answers other calls.
        estimate
            Returns the estimated cost in US dollars; called when it is the call's turn.

        Raises
        ------
        ModelError
            The last attempt failed too.
        SpecError
            No call was ever answered and key, model or URL look wrong, so further calls would fail too.
        BudgetReached, NothingUsable
            The budget does not allow another call, or none was ever answered and `MOST_FAILURES` failed alike.
        """
        limit, failures = self.limit(endpoint), 0
        while True:
            ticket, answered, alone = await limit.enter(), limit.answered, limit.in_flight == 1
            outcome: CallOutcome = "failed"
            try:
                self._failures.check(endpoint)
                async with self._budget.promise(estimate()):
                    value = await self._within(endpoint, ticket, timeout, attempt)
                outcome = "answered"
                return value
            except ModelError as error:
                failure = error
                outcome = "slow" if isinstance(error, TooSlow) else "refused" if error.crowded else "failed"
                alone = alone and outcome == "slow" and limit.in_flight == 1
                self._spent += Spent(refused=int(not failure.paid))
                if outcome == "refused" and error.after is not None:  # for every call to the endpoint
                    limit.pause(min(error.after, _LONGEST_WAIT))
            finally:
                limit.leave(ticket, outcome, grow=not self.pace(endpoint).queues)
            self._note_failure(endpoint, failure, counts=outcome == "failed" or alone, alone=alone)
            crowded = outcome == "refused" and (limit.in_flight > 0 or limit.answered > answered)
            failures += not crowded
            if not failure.again or failures > retries:
                looks_wrong = isinstance(failure, Misconfigured) and not limit.answered
                raise SpecError(str(failure)) if looks_wrong else failure
            if outcome != "refused" or failure.after is None:
                await asyncio.sleep(backoff(max(failures, 1), failure.after, first=self._wait, longest=_LONGEST_WAIT))

    async def _within(self, endpoint: str, call: int, seconds: float, attempt: Callable[[], Awaitable[T]]) -> T:
        """Make an attempt in its time.  If the endpoint is slow, first make fewer calls at once, and wait longer."""
        pace, limit, now = self.pace(endpoint), self.limit(endpoint), asyncio.get_running_loop().time
        begun = now()
        since, extended = begun, False
        task = asyncio.ensure_future(attempt())
        try:
            while True:
                allowed = pace.allowed(seconds)
                done, _ = await asyncio.wait({task}, timeout=max(0.0, pace.last_sign(call, since) + allowed - now()))
                if done:
                    value = task.result()
                    pace.answered(call, now() - begun, now(), seconds)
                    return value
                if now() < pace.last_sign(call, since) + allowed:
                    continue
                was_slow, decision = pace.slow, pace.overrun(call, limit.in_flight, extended=extended)
                if pace.slow and not was_slow:
                    with written_in(self._language):
                        template = "{endpoint}: no reply within {seconds:g} s; waiting longer, for fewer calls"
                        self._tell(say(template, endpoint=public(endpoint), seconds=allowed))
                if decision == "cancel":
                    raise TimeoutError
                limit.lower_to_one()
                since, extended = now(), True
        except TimeoutError:
            raise TooSlow(f"no reply within {allowed:g} seconds", again=True, crowded=True) from None
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def progress_note(self, finished: int, total: int, seconds: float) -> str:
        """Return a note on costs and, of a slow endpoint, on its speed and the time that is left."""
        with written_in(self._language):
            slow = [endpoint for endpoint, pace in self._paces.items() if pace.slow]
            if not slow or not finished or not seconds > 0:
                return str(self.spent)
            places = min(self.limit(endpoint).places for endpoint in slow)
            minutes = seconds / finished * (total - finished) / 60
            return say(
                "{calls}; {speed:.1f} tokens/s, {places}, {left}",
                calls=str(self.spent),
                speed=self.spent.output_tokens / seconds,
                places=say("one call at a time") if places == 1 else say("{n} calls at a time", n=places),
                left=say("about {n:.0f} minutes left", n=minutes) if minutes >= 1.5 else say("about a minute left"),
            )

    def _note_failure(self, endpoint: str, failure: ModelError, *, counts: bool, alone: bool) -> None:
        """Count a failure before any good reply; raise `NothingUsable` after too many of one kind."""
        if counts and not self.limit(endpoint).answered and not isinstance(failure, Misconfigured):
            with self.speaking():
                self._failures.note(endpoint, public(endpoint), failure, alone=alone)

    async def connection(self, name: str, opening: Callable[[], AsyncGenerator[T]]) -> T:
        """Return the first value that `opening` yields, once per event loop.

        At its end, `asyncio.run` finishes every generator that was started in it.  So the lines after the `yield` close
        the connections while that is still possible.
        """
        loop = asyncio.get_running_loop()
        if loop not in self._open:
            self._open = {
                open_loop: connections for open_loop, connections in self._open.items() if not open_loop.is_closed()
            }
        connections = self._open.setdefault(loop, {})
        if name not in connections:
            async with self.lock(name.encode()):  # while this opens, other callers may arrive
                if name not in connections:
                    stream = opening()
                    connections[name] = (await anext(stream), stream)
                    _outlive_the_session(stream)
        connection: T = connections[name][0]
        return connection

    async def aclose(self) -> None:
        """Close the connections of the running event loop; later calls open new ones."""
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
    """Keep a generator until its event loop closes it; if it were collected earlier, its last lines would not run."""
    _alive[:] = [unfinished for unfinished in _alive if getattr(unfinished, "ag_frame", None)]
    _alive.append(stream)
