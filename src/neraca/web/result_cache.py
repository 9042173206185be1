"""A cache of results that other processes compute."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class ResultCache(Generic[T]):
    """A cache of the `most` last used results of another process; failed results are not kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._futures: dict[Hashable, Future[T]] = {}

    def get(self, key: Hashable, begin: Callable[[], Future[T]] | None = None) -> Future[T] | None:
        """Return the future of a key; if there is none or it failed, call `begin` for a new one."""
        with self._lock:
            future = self._futures.pop(key, None)
            if (future is None or (future.done() and future.exception() is not None)) and begin is not None:
                future = begin()
            if future is not None:
                self._futures[key] = future
            for oldest in list(self._futures)[: -self._most]:
                del self._futures[oldest]
            return future

    def drop(self, key: Hashable) -> None:
        """Forget the result of a key."""
        with self._lock:
            self._futures.pop(key, None)
