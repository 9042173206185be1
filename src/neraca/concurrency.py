"""Many slow things, safely: a limit on how many at once, retries that respect the other side, progress."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Protocol, TypeVar

from neraca.errors import TargetError

T = TypeVar("T")
J = TypeVar("J")


class Progress(Protocol):
    """Whoever wants to know how far a long piece of work is; the command line draws a bar."""

    def __call__(self, done: int, total: int, note: str) -> None:
        """`done` of `total` steps are ready; `note` says what else is worth knowing, or ""."""


def silent(done: int, total: int, note: str) -> None:
    """Progress for nobody."""


async def each(jobs: Iterable[J], work: Callable[[J], Awaitable[None]], limit: int) -> None:
    """Do all jobs, at most `limit` at a time; jobs are drawn when there is a place for them, so memory stays flat.

    The first exception stops the rest and is raised.
    """
    waiting = iter(jobs)

    async def worker() -> None:
        for job in waiting:
            await work(job)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, limit)):
                group.create_task(worker())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


async def retry(
    attempt: Callable[[], Awaitable[T]],
    retries: int,
    *,
    first_wait: float = 0.5,
    longest_wait: float = 300.0,
    seed: int | None = None,
) -> T:
    """Try, and try again where the error says that this may help.

    Waits as long as the other side asked (Retry-After), else 0.5, 1, 2, … seconds with a random part so that
    many clients do not come back at once; never longer than `longest_wait`.  The last error is raised.
    """
    chance = random.Random(seed)
    for turn in range(retries + 1):
        try:
            return await attempt()
        except TargetError as error:
            if not error.again or turn == retries:
                raise
            wait = first_wait * 2**turn * (0.5 + chance.random() / 2) if error.after is None else error.after
        await asyncio.sleep(min(wait, longest_wait))
    raise AssertionError("unreachable")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from a number or a date (RFC 9110, section 10.2.3); None where it cannot be read."""
    value = headers.get("Retry-After", "").strip()
    with suppress(ValueError):
        return max(0.0, float(value)) if re.fullmatch(r"\d+(\.\d+)?", value) else _seconds_until(value)
    return None


def _seconds_until(date: str) -> float:
    when = parsedate_to_datetime(date)
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
