"""Units of work on the processors of this machine, each in a process that can die without harm."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any, Self

import msgspec

from neraca import errors
from neraca.concurrency import TRIES
from neraca.datasets.work_unit import Unit
from neraca.errors import NeracaError, RunError
from neraca.scores.engine.score_unit import Job, score_unit

#: A unit that is done, or what went wrong with it.
Outcome = tuple[Unit, NeracaError | None]


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_local(job: Job, units: Iterable[Unit], workers: int, done: Callable[[Unit], object]) -> None:
    """Do all units in so many processes (one: in this one), and tell of each one that is done.

    A process that dies (killed, out of memory) is replaced and its unit done again; processes end when this one does,
    however that ends.

    Raises
    ------
    NeracaError
        A unit cannot be done, or its process died `TRIES` times; all that was done before is kept.
    """
    if workers < 2:
        for unit in units:
            score_unit(job, unit)
            done(unit)
        return
    outcomes: SimpleQueue[Outcome | None] = SimpleQueue()
    waiting = _Waiting(units)
    serving = [_Worker(job, waiting, outcomes) for _ in range(workers)]
    try:
        for worker in serving:
            worker.start()
        serving_still = workers
        while serving_still:
            outcome = outcomes.get()
            if outcome is None:
                serving_still -= 1
                continue
            unit, error = outcome
            if error is not None:
                raise error
            done(unit)
        if next(waiting, None) is not None:  # no thread took it: each ended by an error of its own, which was printed
            raise RunError("not all rows are done; start the same command again, and the rest is")
    finally:
        waiting.stop()
        for worker in serving:
            worker.end()


class _Waiting:
    """Units that nobody does yet, for several threads."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self._units, self._turn, self._stopped = iter(units), threading.Lock(), False

    def __iter__(self) -> Iterator[Unit]:
        return self

    def __next__(self) -> Unit:
        with self._turn:
            if self._stopped:
                raise StopIteration
            return next(self._units)

    def stop(self) -> None:
        """Give out no more."""
        with self._turn:
            self._stopped = True


class _Died(Exception):
    """A process ended before its unit was done."""


class _Worker(threading.Thread):
    """A process that does one unit after another, and the thread that waits for it.

    It is a program of its own, so that it neither runs the user's script again nor holds pipes of other processes.
    """

    def __init__(self, job: Job, waiting: _Waiting, outcomes: SimpleQueue[Outcome | None]) -> None:
        super().__init__(daemon=True)
        self._job, self._waiting, self._outcomes = job, waiting, outcomes
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def run(self) -> None:
        """Do what is waiting until nothing is, and put down what came of it."""
        try:
            for unit in self._waiting:
                self._outcomes.put((unit, self._outcome(unit)))
        finally:
            self._outcomes.put(None)

    def _outcome(self, unit: Unit) -> NeracaError | None:
        for _ in range(TRIES):
            if self._ended:
                break
            try:
                return self._done(unit)
            except _Died:
                self._process = None
        return RunError(_given_up(unit))

    def _done(self, unit: Unit) -> NeracaError | None:
        process = self._process or self._begun()
        try:
            _write(process.stdin, unit)
            return _Report.read(process.stdout)
        except (OSError, ValueError, msgspec.DecodeError) as lost:
            _end(process)
            raise _Died from lost

    def _begun(self) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._process = process
        if self._ended:
            process.kill()
        with suppress(OSError):  # one that died at once is found out when it is asked
            _write(process.stdin, self._job)
        return process

    def end(self) -> None:
        """End the process, and what it is doing."""
        self._ended = True
        if (process := self._process) is not None:
            process.kill()
        if self.is_alive():
            self.join(5)  # the thread that reads from it
        if process is not None:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, and leave nothing of it behind."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # what was still to be written has no reader any more
            pipe.close()  # type: ignore[union-attr]
    process.wait()


class _Report(msgspec.Struct, frozen=True):
    """The report of a process on a unit that it did: nothing, or the class and the words of an error."""

    error: str = ""
    words: str = ""

    @classmethod
    def of(cls, job: Job, unit: Unit) -> Self:
        """Do a unit."""
        try:
            score_unit(job, unit)
        except NeracaError as error:
            return cls(type(error).__name__, str(error))
        return cls()

    @classmethod
    def read(cls, pipe: IO[bytes] | None) -> NeracaError | None:
        """The error that a process says it met; raises `msgspec.DecodeError` where it says nothing any more."""
        report = msgspec.json.decode(pipe.readline() if pipe else b"", type=cls)
        return getattr(errors, report.error)(report.words) if report.error else None


def _write(pipe: IO[bytes] | None, thing: Any) -> None:
    """Write a thing as a line."""
    if pipe is not None:
        pipe.write(msgspec.json.encode(thing) + b"\n")
        pipe.flush()


def _given_up(unit: Unit) -> str:
    rows = f"rows {unit.first + 1:,} to {unit.first + unit.rows:,}"
    return (
        f"{unit.source}, {rows}: the process that scores them died {TRIES} times; if memory is short, use fewer "
        "--workers, or write the file with smaller row groups.  All that is done is kept: start the same command again"
    )


def serve() -> None:
    """Do units that come through standard input, until it ends; say what came of each on standard output.

    Whatever else would be printed goes to standard error.
    """
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever began, who ends this process
    os.environ["POLARS_MAX_THREADS"] = "1"  # there are as many processes as processors
    reports = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with suppress(OSError, msgspec.DecodeError):  # whoever began is gone
        job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
        gc.freeze()  # what was imported is never garbage, and need not be looked at after each block
        for line in sys.stdin.buffer:
            _write(reports, _Report.of(job, msgspec.json.decode(line, type=Unit)))
