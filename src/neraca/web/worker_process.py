"""A second process for long computations, so that no page of the server waits for them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import Any, ParamSpec, TypeVar

from neraca.errors import NeracaError

P = ParamSpec("P")
T = TypeVar("T")
#: Niceness of the process, which gives the server precedence, on systems that have it.
_NICE = 5
#: Seconds after which a call usually counts as long.
_LONG = 1.5


class WorkerProcess:
    """Calls functions in a process of its own, one after another; it starts with the first call.

    After a long call a new process replaces it, because the memory of a large computation is not freed otherwise.  It
    ends with `close`, and when the process that made it ends, in whatever way.

    Parameters
    ----------
    long
        Seconds after which a call counts as long.
    """

    def __init__(self, long: float = _LONG) -> None:
        self._long = long
        self._calls = ThreadPoolExecutor(1, "worker")
        self._lock = threading.Lock()
        self._process: Any = None
        self._pipe: Any = None  # a Connection; on Windows one of another class
        self._closed = False
        self._running: set[Future[Any]] = set()

    @property
    def calls(self) -> int:
        """Number of calls that are not done."""
        return len(self._running)

    def submit(self, function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> Future[T]:
        """Call a function in the process after the calls before it; return the future of its result.

        The function must be defined at the top of a module; its arguments and result must be picklable.  The future
        raises the `NeracaError` or `OSError` that the function raises, and a `NeracaError` if the process ends before
        the call is done.
        """
        future: Future[T] = self._calls.submit(self._call, function, arguments, keywords)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def close(self) -> None:
        """End the process and its current call."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.terminate()
        self._calls.shutdown(wait=False, cancel_futures=True)

    def _call(self, function: Callable[..., T], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> T:
        pipe = self._connected()
        try:
            pipe.send((function, arguments, keywords))
            result, error, is_long = pipe.recv()
        except (EOFError, OSError) as lost:
            with self._lock:
                self._pipe = None
            raise NeracaError("the process beside the server ended before it was done; is memory short?") from lost
        if is_long:
            with self._lock:
                self._pipe = None
            pipe.close()
            self._process.join(10)  # let it end, so that it leaves no zombie behind
        if error is not None:
            raise error
        value: T = result
        return value

    def _connected(self) -> Any:
        with self._lock:
            if self._closed:
                raise NeracaError("the server is being closed")
            if self._pipe is None:
                context = get_context("spawn")
                self._pipe, child_pipe = context.Pipe()
                self._process = context.Process(target=_answer_calls, args=(child_pipe, self._long), daemon=True)
                self._process.start()
                child_pipe.close()
            return self._pipe


def _end_with_parent() -> None:
    """End this process, in the middle of a call too, when the process that made it has ended."""
    if (parent := parent_process()) is not None:
        wait([parent.sentinel])
        os._exit(1)


def _answer_calls(pipe: Any, long: float) -> None:
    """Answer calls from the pipe until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    with suppress(EOFError, OSError):  # the server has ended
        while True:
            function, arguments, keywords = pipe.recv()
            began = time.monotonic()
            try:
                result, raised = function(*arguments, **keywords), None
            except (NeracaError, OSError) as error:
                result, raised = None, error
            is_long = time.monotonic() - began > long
            pipe.send((result, raised, is_long))
            if is_long:
                return
