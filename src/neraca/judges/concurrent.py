"""Many answers judged at once: one event loop, verdicts as answers finish, and nothing lost that is finished."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

from neraca.errors import BudgetReached
from neraca.models.model_session import ModelSession
from neraca.records import Verdict

J = TypeVar("J")
#: Answers begun for each call that may be in flight: with one, calls would wait for answers that wait for a reference;
#: with many, every answer would be half judged before one is finished.
ANSWERS_PER_CALL = 2
#: Seconds after which it is looked whether somebody pressed Ctrl-C.
_LONGEST_WAIT = 0.5
#: Seconds that the end of the loop may take before it is left to itself.
_LONGEST_END = 30.0


def concurrently(
    jobs: Sequence[J], work: Callable[[J], Awaitable[Sequence[Verdict]]], session: ModelSession
) -> Iterator[Verdict]:
    """Yield the verdicts of all jobs, those of one job together, in the order in which jobs are finished.

    When the budget is reached, no new job begins, the jobs in work go on as far as they can, and `BudgetReached` is
    raised after the last verdict.  Ctrl-C yields what is finished and cancels the rest.  Any other error of a job does
    the same.  This works inside a running event loop too, as in a notebook.

    Parameters
    ----------
    jobs
        What there is to judge.
    work
        From a job to its verdicts; all jobs are awaited in one event loop, in a thread of its own.
    session
        Gets the progress; its connections are closed at the end.
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


class _Workers(Generic[J]):
    """An event loop in a thread of its own, in which workers do the jobs.

    Ctrl-C interrupts the caller between any two steps, and never the loop.  So the two threads share no lock that
    Python code holds: an interrupt would leave it locked, and the loop would wait for it for ever.

    Attributes
    ----------
    error
        Why the work ended early; None: it did not.
    """

    def __init__(
        self, jobs: Sequence[J], work: Callable[[J], Awaitable[Sequence[Verdict]]], session: ModelSession
    ) -> None:
        self.error: BaseException | None = None
        self._jobs = iter(jobs)
        self._total, self._done = len(jobs), 0
        self._work = work
        self._session = session
        self._verdicts: deque[Verdict] = deque()
        self._news: SimpleQueue[None] = SimpleQueue()
        self._ended = self._stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._thread = Thread(target=self._live, name="judges", daemon=True)

    def start(self) -> None:
        """Begin the work."""
        self._thread.start()

    def verdicts(self) -> Iterator[Verdict]:
        """Yield verdicts until the work has ended; may be called again where it was interrupted."""
        while True:
            ended = self._ended  # looked at first, since what was finished before the end is there by now
            while self._verdicts:
                yield self._verdicts[0]  # taken out when the caller has it: an interrupt loses none
                self._verdicts.popleft()
            if ended:
                return
            if self._session.stopping:
                self.stop()
            with suppress(Empty):  # an interrupt in the moment before a wait does not end it: no wait is long
                self._news.get(timeout=_LONGEST_WAIT)

    def stop(self) -> None:
        """Cancel all work; what is finished can still be fetched."""
        self._stopped = True
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed by now
                self._loop.call_soon_threadsafe(self._cancel)

    def join(self) -> None:
        """Wait for the end of the loop; not in a process that is ending, in which no other thread runs any more."""
        if self._thread.ident is not None and not sys.is_finalizing():
            self._thread.join(_LONGEST_END)

    def _live(self) -> None:
        try:
            asyncio.run(self._judge_all())
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is raised in the caller's thread
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
                self._done += 1
                self._session.progress(self._done, self._total, str(self._session.spent))
                if self.error:
                    break
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised after the verdicts that are finished
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        if self.error is None or isinstance(self.error, BudgetReached):
            self.error = error

    def _cancel(self) -> None:
        for task in self._tasks:
            if not task.cancelling():  # a second time would cancel what a task does at its end
                task.cancel()

    def _end(self) -> None:
        self._ended = True
        self._news.put(None)


async def together(*jobs: Awaitable[Any]) -> list[Any]:
    """Return the results of all jobs; where one fails, the others still come to their end: they are paid for."""
    results = await asyncio.gather(*jobs, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
