"""Many answers judged at once: one event loop, verdicts as answers finish, and nothing lost that is finished."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from threading import Thread
from typing import Any, TypeVar

from neraca.errors import BudgetReached
from neraca.models.model_session import ModelSession, Spent
from neraca.records import Verdict

J = TypeVar("J")
#: Answers begun for each call that may be in flight: with one, calls would wait for answers that wait for a reference;
#: with many, every answer would be half judged before one is finished.
BEGUN = 2


def concurrently(
    jobs: Sequence[J], work: Callable[[J], Awaitable[Sequence[Verdict]]], session: ModelSession
) -> Iterator[Verdict]:
    """Verdicts of all jobs, those of one job together, in the order in which jobs are finished.

    When the budget is reached no new job begins, those begun go on as far as they can, and `BudgetReached` is raised
    after the last verdict.  Ctrl-C gives what is finished and cancels the rest.  Any other error of a job does the
    same.  Works inside a running event loop too, as in a notebook.

    Parameters
    ----------
    jobs
        What there is to judge.
    work
        From a job to its verdicts; all are awaited in one event loop.
    session
        Who is told how far the work is, and whose connections are closed at the end.
    """
    crew = _Workers(jobs, work, session)
    with ExitStack() as stack:
        run = stack.enter_context(_loop())
        stack.callback(lambda: run(session.aclose()))
        stack.callback(lambda: run(crew.stop()))
        try:
            while crew.left:
                run(crew.news())
                yield from crew.finished()
        except KeyboardInterrupt:
            run(crew.stop())
            yield from crew.finished()
            raise
    yield from crew.finished()  # what came while the loop was on its way out
    if crew.error:
        raise crew.error


@contextmanager
def _loop() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """How to run something to its end in a loop that lasts as long as the context.

    The loop has a thread of its own: Ctrl-C interrupts whoever waits for it, and never the loop itself.
    """
    ready: Future[asyncio.AbstractEventLoop] = Future()

    def live() -> None:
        with asyncio.Runner() as runner:
            ready.set_result(runner.get_loop())
            runner.get_loop().run_forever()

    thread = Thread(target=live, name="crowd", daemon=True)
    thread.start()
    loop = ready.result()
    try:
        yield lambda job: asyncio.run_coroutine_threadsafe(job, loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


class _Workers:
    """Workers, and the verdicts that they have finished; `left`: how many still work."""

    def __init__(
        self, jobs: Sequence[Any], work: Callable[[Any], Awaitable[Sequence[Verdict]]], session: ModelSession
    ) -> None:
        self._jobs = iter(jobs)
        self._total, self._ended = len(jobs), 0
        self._work = work
        self._session = session
        self._done: deque[Verdict] = deque()
        self._workers: list[asyncio.Task[None]] = []
        self._news = asyncio.Event()
        self.error: Exception | None = None
        self.left = BEGUN * session.concurrency

    async def news(self) -> None:
        """Wait until something is finished since the last call, or nothing more to come."""
        if not self._workers:
            self._workers = [asyncio.create_task(self._worker()) for _ in range(self.left)]
        await self._news.wait()
        self._news.clear()

    def finished(self) -> Iterator[Verdict]:
        """What waits to be fetched; may be called from another thread than the loop's."""
        while self._done:
            yield self._done.popleft()

    async def stop(self) -> None:
        """Cancel whoever still works."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)

    async def _worker(self) -> None:
        try:
            for job in self._jobs:
                self._done.extend(await self._work(job))
                self._news.set()
                self._ended += 1
                self._session.progress(self._ended, self._total, told(self._session.spent))
                if self.error:
                    break
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised after the verdicts that are finished
            if self.error is None or isinstance(self.error, BudgetReached):
                self.error = error
        finally:
            self.left -= 1
            self._news.set()


def told(spent: Spent) -> str:
    """What was spent, in a few words.

    >>> told(Spent(calls=1200, cached=3, cost=0.5)), told(Spent(calls=1, wasted=2, cost=None))
    ('1,200 calls, 3 from the cache, $0.5000', '1 call, 2 wasted, price not known')
    """
    parts = [f"{spent.calls:,} call{'s' * (spent.calls != 1)}"]
    parts += [f"{spent.cached:,} from the cache"] if spent.cached else []
    parts += [f"{spent.wasted:,} wasted"] if spent.wasted else []
    return ", ".join([*parts, "price not known" if spent.cost is None else f"${spent.cost:.4f}"])


async def together(*jobs: Awaitable[Any]) -> list[Any]:
    """The results of all; where one fails the others still come to their end, because they are paid for."""
    results = await asyncio.gather(*jobs, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
