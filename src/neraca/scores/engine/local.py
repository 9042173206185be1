"""Units of work on the processors of this machine, in processes that may die without loss."""

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

#: A unit, and the error that stopped it; None if it is done.
Outcome = tuple[Unit, NeracaError | None]


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_local(job: Job, units: Iterable[Unit], workers: int, report_done: Callable[[Unit], object]) -> None:
    """Score all units in several processes (with one worker, in this process); call `report_done` after each unit.

    A process that dies (killed, out of memory) is replaced, and its unit is done again.  The processes end when this
    process ends, in whatever way.

    Raise `NeracaError` if a unit cannot be done, or its process died `TRIES` times; all that was done before is kept.
    """
    if workers < 2:
        for unit in units:
            score_unit(job, unit)
            report_done(unit)
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
            report_done(unit)
        if next(waiting, None) is not None:  # all threads ended by errors, which were printed
            raise RunError("not all rows are done; start the same command again, and the rest is")
    finally:
        waiting.stop()
        for worker in serving:
            worker.end()


class _Waiting:
    """The waiting units, from which several threads take the next one."""

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
        """Give out no more units."""
        with self._turn:
            self._stopped = True


class _Died(Exception):
    """A process ended before its unit was done."""


class _Worker(threading.Thread):
    """A process that does one unit after another, and the thread that waits for it.

    The process is a new program, so that it does not run the user's script again and holds no pipes of other processes.
    """

    def __init__(self, job: Job, waiting: _Waiting, outcomes: SimpleQueue[Outcome | None]) -> None:
        super().__init__(daemon=True)
        self._job, self._waiting, self._outcomes = job, waiting, outcomes
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def run(self) -> None:
        """Do the waiting units one after another, and put their outcomes into the queue."""
        try:
            for unit in self._waiting:
                self._outcomes.put((unit, self._try_unit(unit)))
        finally:
            self._outcomes.put(None)

    def _try_unit(self, unit: Unit) -> NeracaError | None:
        for _ in range(TRIES):
            if self._ended:
                break
            try:
                return self._send(unit)
            except _Died:
                self._process = None
        return RunError(_message_of_failure(unit))

    def _send(self, unit: Unit) -> NeracaError | None:
        process = self._process or self._start_process()
        try:
            _write(process.stdin, unit)
            return _Report.read(process.stdout)
        except (OSError, ValueError, msgspec.DecodeError) as lost:
            _end(process)
            raise _Died from lost

    def _start_process(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._process = process
        if self._ended:
            process.kill()
        with suppress(OSError):  # a process that died at once is noticed when a unit is sent
            _write(process.stdin, self._job)
        return process

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._ended = True
        if (process := self._process) is not None:
            process.kill()
        if self.is_alive():
            self.join(5)  # the thread that reads from it
        if process is not None:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, close its pipes and wait for its end."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # unwritten data has no reader any more
            pipe.close()  # type: ignore[union-attr]
    process.wait()


class _Report(msgspec.Struct, frozen=True):
    """The report of a process on a unit: empty, or the class and the message of an error."""

    error: str = ""
    words: str = ""

    @classmethod
    def of(cls, job: Job, unit: Unit) -> Self:
        """Do a unit, and report on it."""
        try:
            score_unit(job, unit)
        except NeracaError as error:
            return cls(type(error).__name__, str(error))
        return cls()

    @classmethod
    def read(cls, pipe: IO[bytes] | None) -> NeracaError | None:
        """Return the error that a process reports, or None; raise `msgspec.DecodeError` if the process is gone."""
        report = msgspec.json.decode(pipe.readline() if pipe else b"", type=cls)
        return getattr(errors, report.error)(report.words) if report.error else None


def _write(pipe: IO[bytes] | None, message: Any) -> None:
    """Write a message as a line of JSON."""
    if pipe is not None:
        pipe.write(msgspec.json.encode(message) + b"\n")
        pipe.flush()


def _message_of_failure(unit: Unit) -> str:
    rows = f"rows {unit.first + 1:,} to {unit.first + unit.rows:,}"
    return (
        f"{unit.source}, {rows}: the process that scores them died {TRIES} times; if memory is short, use fewer "
        "--workers, or write the file with smaller row groups. All that is done is kept: start the same command again"
    )


def serve() -> None:
    """Do the units from standard input, until it ends; report each on standard output.

    Everything else that is printed goes to standard error.
    """
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends this process
    os.environ["POLARS_MAX_THREADS"] = "1"  # there are as many processes as processors
    reports = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with suppress(OSError, msgspec.DecodeError):  # the parent is gone
        job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
        gc.freeze()  # imported modules are never garbage, and need no check after each block
        for line in sys.stdin.buffer:
            _write(reports, _Report.of(job, msgspec.json.decode(line, type=Unit)))
