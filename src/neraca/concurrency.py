"""Run slow work concurrently: asynchronous work from ordinary code, work in threads, and many jobs with a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
J = TypeVar("J")
#: Most repetitions of work after the loss of the process or machine that did it.
TRIES = 3


class Progress(Protocol):
    """A function that shows the progress of long work; the command line draws a bar."""

    def __call__(self, done: int, total: int, note: str) -> None:
        """Show that `done` of `total` steps are finished; `note` is a further message, or ""."""


def silent(done: int, total: int, note: str) -> None:
    """Show no progress."""


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run asynchronous work to its end; if an event loop is running, as in a notebook, use a separate thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def run() -> T:
        task = asyncio.ensure_future(work)
        running.append((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(asyncio.run, run())
        try:
            return result.result()
        except KeyboardInterrupt:
            for loop, task in running:
                with suppress(RuntimeError):  # the loop may be closed already
                    loop.call_soon_threadsafe(task.cancel)
            raise


async def in_thread(work: Callable[[], T], stop: Callable[[], object]) -> T:
    """Run work in a thread; if the task is cancelled, call `stop` and wait until the work has ended."""
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop()
        await asyncio.gather(running, return_exceptions=True)
        raise


async def run_jobs(jobs: Iterable[J], work: Callable[[J], Awaitable[None]], limit: int) -> None:
    """Call `work` on each job, at most `limit` at a time (at least one).

    A job is taken from `jobs` only when it can begin, so that memory stays flat.  The first exception stops the other
    jobs and is raised.
    """
    pending = iter(jobs)

    async def worker() -> None:
        for job in pending:
            await work(job)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, limit)):
                group.create_task(worker())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
