"""Judge many answers at once, in one event loop; verdicts come as answers finish, and finished ones are never lost."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, Generic, TypeVar

from neraca.errors import BudgetReached
from neraca.models.model_session import ModelSession

J = TypeVar("J")
V = TypeVar("V")
#: Answers in work for each call that may be in flight.  With 1, places for calls would stay free while an answer waits
#: for its reference.  With many, all answers would be half judged before the first is finished.
ANSWERS_PER_CALL = 2
#: Most seconds between two checks for Ctrl-C.
_LONGEST_WAIT = 0.5
#: Most seconds to wait for the end of the event loop.
_LONGEST_END = 30.0


def concurrently(jobs: Sequence[J], work: Callable[[J], Awaitable[Sequence[V]]], session: ModelSession) -> Iterator[V]:
    """Yield the verdicts (or other results) of all jobs, job by job, in the order in which jobs are finished.

    When the budget is reached, no new job begins, the jobs in work go on as far as they can, and `BudgetReached` is
    raised after the last verdict.  Ctrl-C, or any other error of a job, cancels the unfinished jobs and is raised after
    the finished verdicts.  This works inside a running event loop too, as in a notebook.

    Parameters
    ----------
    jobs
        The answers to judge, in any form.
    work
        Returns the verdicts of a job.  All jobs are awaited in one event loop, in a thread of its own.
    session
        The session that shows the progress; its connections are closed at the end.
    """
    workers = _Workers(jobs, work, session)
    try:
        workers.start()
        yield from workers.verdicts()
    except KeyboardInterrupt:
        workers.stop()
        yield from workers.verdicts()
        raise
    finally:
        workers.stop()
        workers.join()
    if workers.error:
        raise workers.error


class _Workers(Generic[J, V]):
    """An event loop in its own thread; workers in it do the jobs.

    Ctrl-C may interrupt the caller between any two steps, but never the loop.  So the two threads share no lock of
    Python code: an interrupt could leave it locked, and the loop would wait for it for ever.

    Attributes
    ----------
    error
        Why the work ended early; None: it did not.
    """

    def __init__(self, jobs: Sequence[J], work: Callable[[J], Awaitable[Sequence[V]]], session: ModelSession) -> None:
        self.error: BaseException | None = None
        self._jobs = iter(jobs)
        self._total, self._finished = len(jobs), 0
        self._work = work
        self._session = session
        self._verdicts: deque[V] = deque()
        self._news: SimpleQueue[None] = SimpleQueue()
        self._ended = self._stopped = False
        self._started = monotonic()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._thread = Thread(target=self._run_loop, name="judges", daemon=True)

    def start(self) -> None:
        """Begin the work."""
        self._thread.start()

    def verdicts(self) -> Iterator[V]:
        """Yield verdicts until the work has ended; after an interrupt, call it again for the remaining ones."""
        while True:
            ended = self._ended  # read first: verdicts finished before the end are then in the queue
            while self._verdicts:
                yield self._verdicts[0]  # removed when the caller has it, so that an interrupt loses none
                self._verdicts.popleft()
            if ended:
                return
            if self._session.stopping:
                self.stop()
            with suppress(Empty):  # short waits, because an interrupt just before a wait does not end it
                self._news.get(timeout=_LONGEST_WAIT)

    def stop(self) -> None:
        """Cancel all work; finished verdicts can still be fetched."""
        self._stopped = True
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed by now
                self._loop.call_soon_threadsafe(self._cancel)

    def join(self) -> None:
        """Wait for the end of the loop, unless this process is ending and its other threads no longer run."""
        if self._thread.ident is not None and not sys.is_finalizing():
            self._thread.join(_LONGEST_END)

    def _run_loop(self) -> None:
        try:
            asyncio.run(self._judge_all())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            self._fail(error)
        finally:
            self._end()

    async def _judge_all(self) -> None:
        self._loop = asyncio.get_running_loop()
        count = ANSWERS_PER_CALL * self._session.concurrency
        self._tasks = [asyncio.create_task(self._worker()) for _ in range(min(count, self._total))]
        if self._stopped:
            self._cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._end()
        await self._session.aclose()

    async def _worker(self) -> None:
        try:
            for job in self._jobs:
                self._verdicts.extend(await self._work(job))
                self._news.put(None)
                self._finished += 1
                note = self._session.progress_note(self._finished, self._total, monotonic() - self._started)
                self._session.progress(self._finished, self._total, note)
                if self.error:
                    break
        except Exception as error:  # noqa: BLE001 - raised again after the finished verdicts
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        if self.error is None or isinstance(self.error, BudgetReached):
            self.error = error

    def _cancel(self) -> None:
        for task in self._tasks:
            if not task.cancelling():  # a second time would also cancel a task's clean-up
                task.cancel()

    def _end(self) -> None:
        self._ended = True
        self._news.put(None)


async def together(*jobs: Awaitable[Any]) -> list[Any]:
    """Return the results of all jobs; if one fails, finish the others first, because their calls are paid for."""
    results = await asyncio.gather(*jobs, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
