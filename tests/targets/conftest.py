"""Real servers on loopback and the two things that every question needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from targets.loopback import read_by_now
from targets.serving import Handler, serving

from neraca.records import Item
from neraca.targets.target import Conversation, Turn

Serve = Callable[[Handler], Awaitable[str]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Starts a server whose every path is answered by one handler, and gives its address."""
    async with AsyncExitStack() as servers:
        yield lambda handler: servers.enter_async_context(serving(handler))


@pytest.fixture
def item() -> Item:
    return Item(id="q1", query='rumah "murah" di Medan?', session="s", tags={"kind": "price"}, extra={"budget": 500})


@pytest.fixture
def talk() -> Conversation:
    return Conversation(id="c-7", trial=2, turns=(Turn("halo", "Halo!"), Turn("2 kamar?", "Ada.")))


@pytest.fixture
def stopped_after():
    """A time limit that runs out a moment after something has happened, however slow the machine is."""

    @asynccontextmanager
    async def limit(happened: asyncio.Event) -> AsyncIterator[None]:
        async def wait(timeout: asyncio.Timeout) -> None:
            await happened.wait()
            await read_by_now()
            timeout.reschedule(asyncio.get_running_loop().time())

        async with asyncio.timeout(30) as timeout:
            watching = asyncio.create_task(wait(timeout))
            try:
                yield
            finally:
                watching.cancel()

    return limit
