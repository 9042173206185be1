"""Units of work on the processors of this machine, each in a process that can die without harm."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing import connection, get_context
from typing import Any

from neraca.errors import NeracaError, RunError
from neraca.scores.engine.score_unit import Job, score_unit
from neraca.scores.engine.unit import Unit

#: A unit whose process dies so often is given up.
TRIES = 3


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_local(job: Job, units: Iterable[Unit], workers: int, done: Callable[[Unit], object]) -> None:
    """Do all units in so many processes, and tell of each one that is done.

    A process that dies (killed, out of memory) is replaced and its unit done again; processes end when this one does,
    however that ends.

    Raises
    ------
    NeracaError
        A unit cannot be done, or its process died `TRIES` times; all that was done before is kept.
    """
    pool = _Pool(job)
    waiting, tries = iter(units), dict[Unit, int]()
    try:
        for unit in (unit for _, unit in zip(range(workers), waiting, strict=False)):
            pool.start(unit)
        while pool.busy:
            for unit, error in pool.results():
                if isinstance(error, _Died):
                    tries[unit] = tries.get(unit, 0) + 1
                    if tries[unit] == TRIES:
                        raise RunError(_given_up(unit))
                    pool.start(unit)
                    continue
                if error is not None:
                    raise error
                done(unit)
                if (following := next(waiting, None)) is not None:
                    pool.start(following)
    finally:
        pool.close()


def _given_up(unit: Unit) -> str:
    rows = f"rows {unit.first + 1:,} to {unit.first + unit.rows:,}"
    return (
        f"{unit.source}, {rows}: the process that scores them died {TRIES} times; if memory is short, use fewer "
        "--workers, or write the file with smaller row groups.  All that is done is kept: start the same command again"
    )


class _Died(Exception):
    """A process ended before its unit was done."""


class _Pool:
    """Processes that each do one unit after another."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._idle: list[tuple[Any, Any]] = []
        self.busy: dict[connection.Connection, tuple[Any, Unit]] = {}

    def start(self, unit: Unit) -> None:
        """Give a unit to an idle process, or to a new one."""
        pipe, process = self._idle.pop() if self._idle else self._made()
        with suppress(OSError):  # a process that died meanwhile is found out when its result is waited for
            pipe.send(unit)
        self.busy[pipe] = (process, unit)

    def _made(self) -> tuple[Any, Any]:
        context = get_context("spawn")
        pipe, other = context.Pipe()
        process = context.Process(target=_work, args=(other, self._job), daemon=True)
        process.start()
        other.close()
        return pipe, process

    def results(self) -> list[tuple[Unit, Exception | None]]:
        """Wait until units are done, or their processes have died."""
        found: list[tuple[Unit, Exception | None]] = []
        ready = connection.wait(list(self.busy))
        for pipe in [pipe for pipe in self.busy if pipe in ready]:
            process, unit = self.busy.pop(pipe)
            try:
                error = pipe.recv()
            except (EOFError, OSError):
                process.join()
                found.append((unit, _Died()))
                continue
            self._idle.append((pipe, process))
            found.append((unit, error))
        return found

    def close(self) -> None:
        """End all processes, and what they are doing."""
        for pipe, process in [*self._idle, *((pipe, process) for pipe, (process, _) in self.busy.items())]:
            pipe.close()
            process.terminate()
            process.join()


def _work(pipe: Any, job: Job) -> None:
    """Do what comes through the pipe until nobody is at its other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever began, who ends this process
    os.environ["POLARS_MAX_THREADS"] = "1"  # there are as many processes as processors
    with suppress(EOFError, OSError):
        while True:
            unit = pipe.recv()
            try:
                score_unit(job, unit)
                pipe.send(None)
            except NeracaError as error:
                pipe.send(error)
