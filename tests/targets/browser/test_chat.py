"""One chat on a page: opened, asked, read; pages made for one difficulty each, from a server on loopback."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from targets.browser.chat_page import until
from targets.serving import serving

from neraca.targets.browser.chat import Chat
from neraca.targets.browser.launch import Program, Started, start
from neraca.targets.browser.reply import LoginNeeded, PageError, Source, Ways
from neraca.targets.browser.settings import BrowserSettings

pytestmark = pytest.mark.asyncio(loop_scope="module")

Opened = Callable[..., Awaitable[Chat]]
QUESTION = "Is it far from the sea?"
ANSWER = "It is nine kilometres from the sea."

COMPOSER = '<form id="form"><input id="box" placeholder="Ask something"><button id="go">Send</button></form>'
SCRIPT = (
    f"const ANSWER = {ANSWER!r};"
    + """
const add = (kind, html) => {
  log.insertAdjacentHTML('beforeend', `<div class="${kind}">${html}</div>`);
  return log.lastElementChild;
};
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
/** Count a question, and empty the input. */
const take = () => {
  const question = box.value;
  navigator.sendBeacon('/asked', question);
  box.value = '';
  return question;
};
/** What Enter and the button do. */
const sent = (act) => { document.onsubmit = (event) => { event.preventDefault(); act(); } };
"""
)
PAGES = {
    "/": "sent(async () => { add('me', take()); add('bot', await (await fetch('/answer')).text()); })",
    "/rich": """sent(async () => {
        add('me', take());
        await fetch('/answer');
        add('bot', 'See <a href="/x">this</a>. <small class=by>By nobody</small>');
        add('source', '<a href="/s">Listing 17</a>');
    })""",
    "/late-echo": "sent(async () => { const q = take(); await wait(1500); add('me', q); add('bot', ANSWER); })",
    "/deaf": "sent(() => {})",
    "/keys": """sent(() => {});
        go.hidden = true;
        box.onkeyup = () => { go.hidden = box.value.length < 3; };
        go.onclick = () => { add('me', take()); add('bot', ANSWER); }""",
    "/button": """go.type = 'button';
        entered = 0;
        sent(() => {});
        box.onkeydown = (event) => { entered += event.key === 'Enter'; };
        go.onclick = async () => { add('me', take()); await fetch('/answer'); add('bot', ANSWER); }""",
    "/remade": """sent(async () => {
        add('me', take());
        const old = form.outerHTML;
        form.remove();
        await fetch('/answer');
        add('bot', ANSWER);
        document.body.insertAdjacentHTML('beforeend', old);
    })""",
    "/half": """sent(async () => {
        go.disabled = true;
        add('me', take());
        fetch('/never');
        const said = add('bot', '');
        for (const word of ANSWER.split(' ').slice(0, 4)) { said.textContent += word + ' '; await wait(300); }
    })""",
    "/fails": "sent(async () => { add('me', take()); await fetch('/status/500'); add('bot', ANSWER); })",
    "/half-fails": """sent(async () => {
        add('me', take());
        const text = await (await fetch('/answer')).text();
        await fetch('/status/500');
        add('bot', text);
    })""",
    "/sorry": """sent(async () => {
        add('me', take());
        await fetch('/answer');
        add('bot', 'Lo siento, ha ocurrido un error. Inténtalo de nuevo.');
    })""",
    "/redrawn": """sent(async () => {
        add('me', take());
        const said = fetch('/slow').then((reply) => reply.text());
        let text = '', timer = setInterval(() => { log.innerHTML = log.innerHTML; }, 1);
        said.then(async (whole) => { add('bot', whole); await wait(1500); clearInterval(timer); });
    })""",
    "/restless": """if (location.search) location.reload();
        sent(() => { location.href = '/restless?q=1'; })""",
}


class Server:
    """Serves `PAGES`; `/status/N` answers N, `/never` nothing.  `asked`: what pages were asked, where they tell."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[str] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.path in PAGES:
            body = f'<main id="log"></main>{COMPOSER}<script>{SCRIPT}{PAGES[request.path]}</script>'
            return web.Response(text=f"<!doctype html><meta charset=utf-8><body>{body}", content_type="text/html")
        if request.path == "/framed":
            return web.Response(text='<h1>Welcome</h1><iframe src="/"></iframe>', content_type="text/html")
        if request.path == "/asked":
            self.asked.append(await request.text())
        if request.path == "/slow":
            await asyncio.sleep(1)
        if request.path == "/never":
            await asyncio.Event().wait()
        status = int(request.path.removeprefix("/status/")) if request.path.startswith("/status/") else 200
        return web.Response(text=ANSWER, status=status)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started(chromium: str) -> AsyncIterator[Started]:
    running = await start(Program(chromium, "the tests"))
    yield running
    await running.end()


@pytest_asyncio.fixture(loop_scope="module")
async def server() -> AsyncIterator[Server]:
    made = Server()
    async with serving(made.answer) as made.url:
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def opened(started: Started, server: Server) -> AsyncIterator[Opened]:
    """`await opened(path, **settings)`: a chat on this page, ready to be asked."""
    context = await started.context({"viewport": {"width": 1280, "height": 900}})

    async def chat(path: str = "/", most_loads: int = 50, **settings: Any) -> Chat:
        given = BrowserSettings(url=server.url + path, **settings)
        made = Chat(await context.new_page(), given, most_loads=most_loads)
        await made.open()
        return made

    yield chat
    await context.close()


async def test_what_was_asked_and_how_is_told_with_the_answer(opened: Opened) -> None:
    chat = await opened("/")
    assert chat.partial == ""
    begun = time.monotonic()
    reply = await chat.ask(QUESTION)
    elapsed = time.monotonic() - begun
    assert (reply.text, reply.status, reply.why) == (ANSWER, "complete", "its request ended")
    assert reply.ways == Ways(input="#box", submit="", response="#log div.bot", ends="open")
    assert reply.first_token_seconds is not None
    assert 0 < reply.first_token_seconds <= reply.seconds <= elapsed


async def test_a_chat_in_a_frame_tells_its_address(opened: Opened, server: Server) -> None:
    reply = await (await opened("/framed")).ask(QUESTION)
    assert (reply.text, reply.ways.frame) == (ANSWER, f"{server.url}/")


async def test_selectors_say_where_to_type_what_to_click_and_what_to_read(opened: Opened) -> None:
    settings = {"ignore": ".by", "links": False, "sources": ".source", "response": ".bot"}
    reply = await (await opened("/rich", input="#box", submit="#go", **settings)).ask(QUESTION)
    assert reply.text == "See this."
    assert reply.ways == Ways(input="#box", submit="#go", response=".bot", ends="open")
    [source] = reply.sources
    assert (source.text, source.url.rpartition("/")[2]) == ("Listing 17", "s")
    assert isinstance(source, Source)


async def test_a_page_that_takes_its_time_to_show_the_question_is_asked_once(opened: Opened, server: Server) -> None:
    assert (await (await opened("/late-echo")).ask(QUESTION)).text == ANSWER
    assert server.asked == [QUESTION]


@pytest.mark.slow
async def test_where_enter_does_nothing_the_button_is_clicked_and_remembered(opened: Opened, server: Server) -> None:
    chat = await opened("/button")
    first, second = await chat.ask(QUESTION), await chat.ask("And now?")
    assert (first.text, second.text, first.ways.submit) == (ANSWER, ANSWER, "#go")
    assert server.asked == [QUESTION, "And now?"]
    assert await chat._page.evaluate("entered") == 1, "Enter was not tried again"


@pytest.mark.slow
async def test_where_a_page_listens_to_keys_the_question_is_typed_key_by_key(opened: Opened, server: Server) -> None:
    reply = await (await opened("/keys")).ask(QUESTION)
    assert (reply.text, server.asked) == (ANSWER, [QUESTION])


async def test_a_question_that_is_not_taken_says_so(opened: Opened) -> None:
    chat = await opened("/deaf", submit="#go")
    with pytest.raises(PageError, match=r"did not accept the question by a click on '#go': '#box' kept it") as caught:
        await chat.ask(QUESTION)
    assert not caught.value.again


async def test_an_input_that_is_made_anew_after_each_answer_is_found_again(opened: Opened, server: Server) -> None:
    chat = await opened("/remade")
    assert [(await chat.ask(question)).text for question in (QUESTION, "And now?")] == [ANSWER, ANSWER]
    assert server.asked == [QUESTION, "And now?"]


async def test_what_a_page_says_after_nothing_but_an_http_error_is_no_answer(opened: Opened) -> None:
    with pytest.raises(
        PageError, match=r"the page's request failed: GET /status/500 500; the page says 'It is nine"
    ) as caught:
        await (await opened("/fails")).ask(QUESTION)
    assert (caught.value.partial, caught.value.status) == (ANSWER, "error")


async def test_a_bubble_that_reports_a_failure_is_no_answer(opened: Opened) -> None:
    with pytest.raises(PageError, match="the page says 'Lo siento, ha ocurrido un error") as caught:
        await (await opened("/sorry")).ask(QUESTION)
    assert caught.value.status == "error"


async def test_an_answer_that_is_replaced_again_and_again_while_it_is_read_is_read(opened: Opened) -> None:
    assert (await (await opened("/redrawn")).ask(QUESTION)).text == ANSWER


async def test_an_answer_after_a_failed_request_is_suspect(opened: Opened) -> None:
    reply = await (await opened("/half-fails")).ask(QUESTION)
    assert (reply.text, reply.status) == (ANSWER, "suspect")
    assert reply.why == "the page's request failed: GET /status/500 500"


async def test_a_page_that_is_closed_in_mid_answer_keeps_what_had_come(opened: Opened) -> None:
    chat = await opened("/half")
    asking = asyncio.create_task(chat.ask(QUESTION))
    await until(lambda: chat.partial == "It is nine kilometres")
    await chat._page.close()
    with pytest.raises(PageError, match="the page is gone") as caught:
        await asking
    assert caught.value.partial == "It is nine kilometres"


async def test_who_stops_waiting_has_what_had_come(opened: Opened) -> None:
    chat = await opened("/half")
    asking = asyncio.create_task(chat.ask(QUESTION))
    await until(lambda: chat.partial == "It is nine kilometres")
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert chat.partial == "It is nine kilometres"


@pytest.mark.slow
async def test_a_page_that_is_loaded_for_ever_is_given_up(opened: Opened) -> None:
    chat = await opened("/restless", most_loads=10)
    with pytest.raises(PageError, match=r"the page reloads again and again|the page is gone"):
        async with asyncio.timeout(120):
            await chat.ask(QUESTION)


async def test_a_page_that_wants_to_know_who_asks_needs_a_login(opened: Opened) -> None:
    with pytest.raises(LoginNeeded, match="the page answers 401: give basic_auth"):
        await opened("/status/401")


@pytest.mark.parametrize("status, again", [(404, False), (503, True)])
async def test_a_page_that_is_not_there_says_its_status(opened: Opened, status: int, again: bool) -> None:
    with pytest.raises(PageError, match=f"the page answers {status} ") as caught:
        await opened(f"/status/{status}")
    assert caught.value.again is again


async def test_a_page_that_nobody_serves_does_not_open(started: Started, unused_tcp_port: int) -> None:
    context = await started.context({})
    chat = Chat(await context.new_page(), BrowserSettings(url=f"http://127.0.0.1:{unused_tcp_port}/"))
    with pytest.raises(PageError, match=r"the page does not open: .*REFUSED") as caught:
        await chat.open()
    assert caught.value.again
    await context.close()
