"""Much slow work at once: a limit on how much, attempts repeated after a wait, progress."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Protocol, TypeVar

from neraca.errors import TargetError

T = TypeVar("T")
J = TypeVar("J")
#: So often work is done again after the process or machine that did it is lost.
TRIES = 3
#: A wait stops to double here, far above every limit and below the largest float.
_MOST_DOUBLINGS = 60


class Progress(Protocol):
    """What is told how far a long piece of work is; the command line draws a bar."""

    def __call__(self, done: int, total: int, note: str) -> None:
        """Take note that `done` of `total` steps are ready; `note` is what else a reader should know, or ""."""


def silent(done: int, total: int, note: str) -> None:
    """Show no progress."""


def await_all(work: Coroutine[Any, Any, T]) -> T:
    """Do asynchronous work to its end; where an event loop is running, as in a notebook, in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def live() -> T:
        task = asyncio.ensure_future(work)
        begun.append((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(asyncio.run, live())
        try:
            return result.result()
        except KeyboardInterrupt:
            for loop, task in begun:
                with suppress(RuntimeError):  # the loop is closed by now
                    loop.call_soon_threadsafe(task.cancel)
            raise


async def each(jobs: Iterable[J], work: Callable[[J], Awaitable[None]], limit: int) -> None:
    """Do all jobs, at most `limit` at a time (at least one).

    A job is drawn from `jobs` when there is a place for it, so that memory stays flat.  The first exception stops the
    other jobs and is raised.
    """
    undone = iter(jobs)

    async def worker() -> None:
        for job in undone:
            await work(job)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, limit)):
                group.create_task(worker())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


def backoff(
    failures: int,
    after: float | None = None,
    *,
    first: float = 0.5,
    longest: float = 300.0,
    draw: Callable[[], float] = random.random,
) -> float:
    """Return the seconds to wait before the next attempt.

    The wait is what the other side asked for, else exponential with jitter: `first * 2 ** (failures - 1)`, of which
    the second half is random, so that many clients do not come back at once.

    Parameters
    ----------
    failures
        Attempts that have failed so far, at least 1.
    after
        Seconds that the other side asked to wait (Retry-After); None: it did not.
    first, longest
        Seconds after the first failure, and the upper limit of every wait.
    draw
        Returns a random number from 0 to 1; a test gives its own.

    Examples
    --------
    >>> [backoff(failures, draw=lambda: 1.0) for failures in (1, 2, 3)], backoff(1, 900.0)
    ([0.5, 1.0, 2.0], 300.0)
    """
    if after is None:
        after = first * 2.0 ** min(failures - 1, _MOST_DOUBLINGS) * (0.5 + draw() / 2)
    return min(after, longest)


async def retry(
    attempt: Callable[[], Awaitable[T]],
    retries: int,
    wait: Callable[[int, float | None], float] = backoff,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> T:
    """Make an attempt, and repeat it where its `TargetError` says that this may help; the last error is raised.

    Parameters
    ----------
    attempt
        Makes one attempt.
    retries
        How often it is repeated at most.
    wait, sleep
        How long to wait after so many failures when the other side asked for so many seconds, and how.
    """
    failures = 0
    while True:
        try:
            return await attempt()
        except TargetError as error:
            failures += 1
            if not error.again or failures > retries:
                raise
            after = error.after
        await sleep(wait(failures, after))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait that the header Retry-After gives, as a number or a date (RFC 9110, section 10.2.3).

    None: there is no such header, or it cannot be read.
    """
    value = headers.get("Retry-After", "").strip()
    with suppress(ValueError):
        return max(0.0, float(value)) if re.fullmatch(r"\d+(\.\d+)?", value) else _seconds_until(value)
    return None


def _seconds_until(date: str) -> float:
    when = parsedate_to_datetime(date)
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
