"""Repeat an attempt that failed, after a wait that grows with each failure."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from neraca.errors import TargetError

T = TypeVar("T")
#: Most doublings of a wait.  More would exceed the largest float.
_MOST_DOUBLINGS = 60


def backoff(
    failures: int,
    after: float | None = None,
    *,
    first: float = 0.5,
    longest: float = 300.0,
    draw: Callable[[], float] = random.random,
) -> float:
    """Return the seconds to wait before the next attempt.

    The wait is `after` if the server asked for it.  Otherwise it doubles with each failure, from `first`, and its
    second half is random, so that many clients do not come back at once.  It is never above `longest`.

    Parameters
    ----------
    failures
        Number of failed attempts so far, at least 1.
    after
        Seconds that the server asked to wait (Retry-After); None: it did not ask.
    first, longest
        Seconds to wait after the first failure, and the longest wait.
    draw
        Returns a random number from 0 to 1.

    Examples
    --------
    >>> [backoff(failures, draw=lambda: 1.0) for failures in (1, 2, 3)], backoff(1, 900.0)
    ([0.5, 1.0, 2.0], 300.0)
    """
    if after is None:
        after = first * 2.0 ** min(failures - 1, _MOST_DOUBLINGS) * (0.5 + draw() / 2)
    return min(after, longest)


async def retry(
    attempt: Callable[[], Awaitable[T]],
    retries: int,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> T:
    """Make an attempt; repeat it while it raises a `TargetError` that another attempt may avoid.  Raise the last error.

    Parameters
    ----------
    attempt
        Makes one attempt.
    retries
        Largest number of repetitions.
    sleep
        Waits a number of seconds.
    """
    failures = 0
    while True:
        try:
            return await attempt()
        except TargetError as error:
            failures += 1
            if not error.again or failures > retries:
                raise
            after = error.after
        await sleep(backoff(failures, after))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the wait in seconds of the header Retry-After, a number or a date (RFC 9110, section 10.2.3).

    Return None if the header is missing or malformed.
    """
    value = headers.get("Retry-After", "").strip()
    with suppress(ValueError):
        return max(0.0, float(value)) if re.fullmatch(r"\d+(\.\d+)?", value) else _seconds_until(value)
    return None


def _seconds_until(date: str) -> float:
    time = parsedate_to_datetime(date)
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    return max(0.0, (time - datetime.now(UTC)).total_seconds())
