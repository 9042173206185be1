"""A process beside the server's own, in which long work is done, so that no page waits for it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from typing import Any, ParamSpec, TypeVar

from neraca.errors import NeracaError

P = ParamSpec("P")
T = TypeVar("T")
#: How far the process steps back where the server wants the processor, where the system knows such a thing.
_NICE = 5
#: A call that takes more seconds is long.
_LONG = 1.5


class WorkerProcess:
    """Calls functions in a process of its own, one after another; it starts with the first call.

    After a long call another one takes its place, since the memory of much work does not come back otherwise.  It ends
    with `close`, and when the process that made it ends, however that ends.
    """

    def __init__(self) -> None:
        self._calls = ThreadPoolExecutor(1, "worker")
        self._turn = threading.Lock()
        self._process: Any = None
        self._pipe: Any = None  # a Connection; on Windows one of another class
        self._closed = False

    def submit(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """Begin a call when those before it are done.

        The function stands in a module; what it takes and gives can be sent between processes.  The future raises the
        `NeracaError` or the `OSError` that the function raises, and a `NeracaError` where the process ends before it
        is done.
        """
        return self._calls.submit(self._call, function, arguments, named)

    def close(self) -> None:
        """End the process, and whatever it is doing."""
        with self._turn:
            self._closed = True
            if self._process is not None:
                self._process.terminate()
        self._calls.shutdown(wait=False, cancel_futures=True)

    def _call(self, function: Callable[..., T], arguments: tuple[Any, ...], named: dict[str, Any]) -> T:
        pipe = self._connected()
        try:
            pipe.send((function, arguments, named))
            result, error, last = pipe.recv()
        except (EOFError, OSError) as lost:
            with self._turn:
                self._pipe = None
            raise NeracaError("the process that computes scores ended before it was done; is memory short?") from lost
        if last:
            with self._turn:
                self._pipe = None
            pipe.close()
            self._process.join(10)  # it is ending, and leaves nothing behind then
        if error is not None:
            raise error
        value: T = result
        return value

    def _connected(self) -> Any:
        with self._turn:
            if self._closed:
                raise NeracaError("the server is being closed")
            if self._pipe is None:
                context = get_context("spawn")
                self._pipe, other = context.Pipe()
                self._process = context.Process(target=_answer_calls, args=(other,), daemon=True)
                self._process.start()
                other.close()
            return self._pipe


def _answer_calls(pipe: Any) -> None:
    """Do what is asked through the pipe until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    if hasattr(os, "nice"):
        os.nice(_NICE)
    with suppress(EOFError, OSError):  # whoever asked is gone
        while True:
            function, arguments, named = pipe.recv()
            began = time.monotonic()
            try:
                result, raised = function(*arguments, **named), None
            except (NeracaError, OSError) as error:
                result, raised = None, error
            long = time.monotonic() - began > _LONG
            pipe.send((result, raised, long))
            if long:
                return
