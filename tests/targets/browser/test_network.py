"""What a page says over the network while it answers: real requests and sockets in real Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
import pytest_asyncio
from aiohttp import web
from playwright.async_api import Page
from targets.browser.chat_page import until
from targets.serving import serving

from neraca.targets.browser.launch import Program, start
from neraca.targets.browser.network import Network

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass
class Server:
    """`/held` is answered when `free` is set, `/fails` with 503, `/socket` says what is put into `say`."""

    url: str = ""
    free: asyncio.Event = field(default_factory=asyncio.Event)
    say: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.path == "/held":
            await self.free.wait()
        if request.path == "/socket":
            socket = web.WebSocketResponse()
            await socket.prepare(request)
            while word := await self.say.get():
                await socket.send_str(word)
            return socket
        status = 503 if request.path == "/fails" else 200
        return web.Response(
            status=status, text="<p>hello</p>", content_type="text/html", headers={"Access-Control-Allow-Origin": "*"}
        )


@dataclass
class Heard:
    page: Page
    network: Network
    server: Server

    async def fetch(self, address: str, wait: bool = True) -> None:
        """Make a request; without `wait` only begin it."""
        call = f"fetch({address!r}).catch(() => 0)"
        await self.page.evaluate(f"async () => {{ await {call} }}" if wait else f"() => {{ {call} }}")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(chromium: str) -> AsyncIterator[Page]:
    running = await start(Program(chromium, "the tests"))
    yield await (await running.context({})).new_page()
    await running.end()


@pytest_asyncio.fixture(loop_scope="module")
async def heard(page: Page) -> AsyncIterator[Heard]:
    """A page that is listened to, opened from a server of its own."""
    server = Server()
    async with serving(server.answer) as server.url:
        await page.goto(server.url)
        yield Heard(page, Network(page), server)
        server.free.set()
        server.say.put_nowait("")
        await page.goto("about:blank")


async def test_while_a_request_is_open_a_page_is_not_calm(heard: Heard) -> None:
    network = heard.network
    network.listen()
    assert (network.calm, network.answered) == (True, False)
    await heard.fetch("/held", wait=False)
    await until(lambda: not network.calm)
    assert not network.answered
    heard.server.free.set()
    await until(lambda: network.calm)
    assert network.answered
    assert network.failed == ""


async def test_a_request_that_is_broken_off_is_no_longer_open(heard: Heard) -> None:
    heard.network.listen()
    await heard.page.evaluate(
        "() => { window.stop = new AbortController(); fetch('/held', { signal: window.stop.signal }).catch(() => 0) }"
    )
    await until(lambda: not heard.network.calm)
    await heard.page.evaluate("() => window.stop.abort()")
    await until(lambda: heard.network.calm)


async def test_a_picture_that_is_loaded_is_no_answer(heard: Heard) -> None:
    heard.network.listen()
    script = "() => new Promise(done => { const one = new Image(); one.onerror = done; one.src = '/picture' })"
    await heard.page.evaluate(script)
    assert (heard.network.calm, heard.network.answered) == (True, False)


async def test_a_page_that_asks_again_and_again_has_not_answered_by_a_request(heard: Heard) -> None:
    heard.network.listen()
    for _ in range(2):
        await heard.fetch("/more")
    await until(lambda: heard.network.answered)
    await heard.fetch("/more")
    await until(lambda: heard.network.calm)
    assert not heard.network.answered


async def test_requests_before_a_question_and_after_its_answer_do_not_count(heard: Heard) -> None:
    network = heard.network
    await heard.fetch("/fails")
    await heard.fetch("/held", wait=False)
    network.listen()
    assert (network.calm, network.answered, network.failed) == (True, False, "")
    await heard.fetch("/more")
    await until(lambda: network.answered)
    network.forget()
    await heard.fetch("/fails")
    await heard.fetch("/held", wait=False)
    assert (network.calm, network.failed) == (True, "")
    network.listen()
    assert not network.answered


async def test_a_failed_request_of_the_page_itself_is_named(heard: Heard) -> None:
    heard.network.listen()
    await heard.fetch(heard.server.url.replace("127.0.0.1", "localhost") + "/fails?tracking")
    assert heard.network.failed == "", "what goes to another host is another's"
    await heard.fetch("/fails?key=secret")
    await until(lambda: heard.network.failed)
    assert heard.network.failed == "GET /fails 503"
    heard.network.listen()
    assert heard.network.failed == ""


async def test_a_socket_is_calm_again_some_time_after_it_spoke(heard: Heard) -> None:
    network = heard.network
    script = "() => new Promise(done => { window.line = new WebSocket('/socket'); window.line.onopen = done })"
    await heard.page.evaluate(script)
    network.listen()
    heard.server.say.put_nowait("ping")
    await heard.page.evaluate("() => 1")
    assert network.calm, "a sign of life is no word"
    heard.server.say.put_nowait("the first words of an answer")
    await until(lambda: not network.calm)
    await until(lambda: network.calm)
    await heard.fetch("/more")
    assert not network.answered, "the answer comes through the socket"
    network.listen()
    await heard.fetch("/more")
    await until(lambda: network.answered)
