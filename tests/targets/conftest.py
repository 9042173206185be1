"""Real servers on loopback and the two things that every question needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from targets.loopback import read_by_now

from neraca.records import Item
from neraca.targets.target import Conversation, Turn

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Serve = Callable[[Handler], Awaitable[str]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Starts a server whose every path is answered by one handler, and gives its address."""
    runners: list[web.AppRunner] = []

    async def start(handler: Handler) -> str:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", handler)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        runners.append(runner)
        return f"http://127.0.0.1:{runner.addresses[0][1]}"

    yield start
    for runner in runners:
        await runner.cleanup()


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
