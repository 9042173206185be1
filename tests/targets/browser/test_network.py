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
from neraca.targets.browser.network import Network, texts_in

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
        if request.path == "/words":
            return web.json_response({"answer": "Four rooms.", "id": "17"})
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
    assert (network.calm, network.ended) == (True, None)
    await heard.fetch("/held", wait=False)
    await until(lambda: not network.calm)
    assert network.ended is None
    heard.server.free.set()
    await until(lambda: network.calm)
    assert network.ended is not None
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
    assert (heard.network.calm, heard.network.ended) == (True, None)


async def test_a_page_that_asks_again_and_again_is_at_work_until_it_asks_no_more(heard: Heard) -> None:
    network = heard.network
    network.listen()
    await heard.fetch("/more/17")
    assert not network.asking
    await heard.fetch("/more/18")
    assert network.asking, "numbers in an address are of one job or another"
    await until(lambda: not network.asking)


async def test_what_a_page_asks_for_before_any_question_is_no_work(heard: Heard) -> None:
    for _ in range(2):
        await heard.fetch("/news")
    heard.network.listen()
    for _ in range(2):
        await heard.fetch("/news")
    assert (heard.network.asking, heard.network.ended) == (False, None)


async def test_how_much_is_shown_of_what_a_request_brought_is_known(heard: Heard) -> None:
    network = heard.network
    network.listen()
    assert network.shows("hello") == ""
    await heard.fetch("/words")
    await until(lambda: network.ended and not network.waits)
    assert [network.shows(text) for text in ("Four", "Four rooms.", "**Four** rooms", "rooms", "")] == [
        "part",
        "whole",
        "whole",
        "",
        "",
    ]


async def test_requests_before_a_question_and_after_its_answer_do_not_count(heard: Heard) -> None:
    network = heard.network
    await heard.fetch("/fails")
    await heard.fetch("/held", wait=False)
    network.listen()
    assert (network.calm, network.ended, network.failed) == (True, None, "")
    await heard.fetch("/more")
    await until(lambda: network.ended)
    network.forget()
    await heard.fetch("/fails")
    await heard.fetch("/held", wait=False)
    assert (network.calm, network.failed) == (True, "")
    network.listen()
    assert network.ended is None


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


async def test_a_socket_that_says_that_an_answer_is_over_ends_it_unless_it_says_so_between_answers(
    heard: Heard,
) -> None:
    network = heard.network
    script = "() => new Promise(done => { window.line = new WebSocket('/socket'); window.line.onopen = done })"
    await heard.page.evaluate(script)
    network.listen()
    heard.server.say.put_nowait('{"text": "the first words of an answer"}')
    await until(lambda: not network.calm)
    assert network.over is None
    heard.server.say.put_nowait('{"type": "done"}')
    await until(lambda: network.over)
    network.listen()
    assert network.over is None
    network.forget()
    heard.server.say.put_nowait("null")
    await until(lambda: network._last_over)
    assert network.over is None, "what is said without a question says nothing of an answer"


async def test_a_text_whose_reply_held_another_answer_is_not_known_to_be_whole(heard: Heard) -> None:
    network, draft, answer = heard.network, "It costs about 30 euros.", "It costs 42 euros, with the shade."
    network._received_texts = [[draft, answer, "What does it cost then?"]]
    assert [network.shows(text) for text in (draft, answer)] == ["", ""]
    network._received_texts = [["What does it cost then?", answer, answer[:12], "id-7"]]
    assert network.shows(answer, "What does it cost then?") == "whole"


@pytest.mark.parametrize(
    "body, texts",
    [
        ("Four rooms.", ["Four rooms."]),
        ('{"answer": "Four", "more": [{"text": "rooms"}]}', ["Four", "rooms"]),
        ('data: {"t": "Fo"}\n\ndata: {"t": "ur"}\n\ndata: [DONE]\n', ["Four"]),
        ('{"t": "Fo", "n": 1}\n{"t": "ur", "n": 2}\n', ["Four"]),
        ("{broken", ["{broken"]),
    ],
)
async def test_the_texts_of_a_body_are_found_in_json_and_in_events(body: str, texts: list[str]) -> None:
    assert texts_in(body) == texts
