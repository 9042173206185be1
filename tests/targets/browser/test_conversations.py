"""Questions and answers of the browser as a target: its pages, what it keeps of them, and what it says of failures.

All tests share one browser, which their targets take for the one that they have started.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from playwright.async_api import Error
from targets.browser.chat_page import HALF, Bot, Made, lend, question, stopped, targets, until
from targets.serving import serving

from neraca.errors import TargetError
from neraca.records import Answer, Item
from neraca.targets.browser import BrowserTarget, context
from neraca.targets.browser.launch import Program, Started, start
from neraca.targets.browser.reply import FailedAnswer, PageError, Reply, Source
from neraca.targets.target import Conversation, KeepsConversation, LooksBack, Turn

pytestmark = pytest.mark.asyncio(loop_scope="module")

PNG = b"\x89PNG"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started(chromium: str) -> AsyncIterator[Started]:
    running = await start(Program(chromium, "the tests"))
    yield running
    await running.end()


@pytest.fixture
def bot() -> Bot:
    return Bot()


@pytest_asyncio.fixture(loop_scope="module")
async def make(started: Started, bot: Bot, chromium: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Made]:
    """`make(path="/", **settings)`: a target of the bot's page, closed at the end."""

    lend(started, monkeypatch)
    async with targets(bot, chromium) as made:
        yield made


async def frozen(target: BrowserTarget, bot: Bot, item: Item, conversation: Conversation) -> Answer:
    """Ask what the bot never finishes, and stop when its first half is there."""
    asking = asyncio.create_task(target.ask(item, conversation))
    await until(lambda: item.query in bot.questions and target._tabs[conversation.id].partial == HALF)
    return await stopped(asking)


async def test_a_page_is_closed_when_its_conversation_is_left(make: Made, bot: Bot) -> None:
    target = make()
    assert isinstance(target, KeepsConversation)
    first = await target.ask(question("one"), Conversation("c"))
    await target.leave("c")
    await target.leave("c")
    second = await target.ask(question("two"), Conversation("c"))
    assert (first.text, second.text) == ("Number 1: you said one", "Number 1: you said two")
    assert len({who for _, _, who in bot.asked}) == 2


async def test_a_stopped_answer_leaves_its_first_half_and_a_screenshot(make: Made, bot: Bot, tmp_path: Path) -> None:
    target = make()
    folder = tmp_path / "run" / "evidence"
    answer = await frozen(target, bot, question("freeze", "a/1"), Conversation("c", trial=2, folder=folder))
    assert (answer.status, answer.text, answer.trial) == ("timeout", HALF, 2)
    [picture] = folder.iterdir()
    assert answer.note == f"screenshot: evidence/{picture.name}"
    assert picture.name.startswith("a_1-")
    assert picture.name.endswith("-2.png")
    assert picture.read_bytes().startswith(PNG)


async def test_after_a_stopped_answer_nothing_of_it_gets_into_the_next_one(make: Made, bot: Bot) -> None:
    target = make()
    await frozen(target, bot, question("freeze"), Conversation("c"))
    answer = await target.ask(question("and now?"), Conversation("c"))
    assert answer.text == "Number 1: you said and now?"


async def test_a_conversation_whose_page_is_gone_is_asked_again_on_a_new_one(make: Made, bot: Bot) -> None:
    """What failed is not asked again, and the answers of the new page know what was said before."""
    target = make()
    first = await target.ask(question("one"), Conversation("c"))
    turns = (Turn("one", first.text),)
    assert target.holds("c")
    await frozen(target, bot, question("freeze"), Conversation("c", turns=turns))
    assert not target.holds("c")
    later = await target.ask(question("two"), Conversation("c", turns=turns))
    assert (later.status, later.text) == ("complete", "Number 2: you said two")
    assert later.note == "on a new page, on which the conversation so far (1) was asked again"
    assert bot.questions == ["one", "freeze", "one", "two"]
    careless = make(stateful=False)
    assert (await careless.ask(question("two"), Conversation("c", turns=turns))).text == "Number 1: you said two"


@pytest.mark.parametrize("end, told", [("close", "the page was closed"), ("crash", "the page crashed")])
async def test_a_page_that_ends_in_mid_answer_can_be_asked_again(make: Made, bot: Bot, end: str, told: str) -> None:
    target = make()
    asking = asyncio.create_task(target.ask(question("freeze"), Conversation("c")))
    await until(lambda: bot.asked and target._tabs["c"].partial == HALF)
    page = target._tabs["c"]._page
    if end == "close":
        await page.close()
    else:
        session = await page.context.new_cdp_session(page)
        crash = asyncio.create_task(session.send("Page.crash"))
    with pytest.raises(TargetError, match=f"{told} before the answer was whole") as caught:
        await asyncio.wait_for(asking, 60)
    assert caught.value.again
    if end == "crash":
        await asyncio.gather(crash, return_exceptions=True)
    assert (await target.ask(question("next"), Conversation("c"))).text == "Number 1: you said next"


async def test_a_page_that_asks_for_a_password_is_refused_with_a_screenshot(make: Made, tmp_path: Path) -> None:
    answer = await make("/login").ask(question("one", "3"), Conversation("c", folder=tmp_path / "evidence"))
    assert answer.status == "refused"
    assert "password" in str(answer.error)
    assert answer.note == "screenshot: evidence/3-0.png"
    assert (tmp_path / "evidence/3-0.png").read_bytes().startswith(PNG)


async def test_a_page_that_is_not_there_is_an_error_with_a_screenshot(make: Made, tmp_path: Path) -> None:
    answer = await make("/missing").ask(question("one"), Conversation("c", folder=tmp_path))
    assert answer.status == "error"
    assert "404" in str(answer.error)
    assert answer.note == f"screenshot: {tmp_path.name}/q-0.png"


async def test_evidence_that_cannot_be_written_is_said_and_costs_nothing_else(make: Made, tmp_path: Path) -> None:
    (tmp_path / "evidence").write_text("a file where the folder should be")
    answer = await make("/missing").ask(question("one"), Conversation("c", folder=tmp_path / "evidence"))
    assert "404" in str(answer.error)
    assert answer.note.startswith("no screenshot: ")


async def test_an_address_that_nobody_serves_may_be_asked_again_and_shows_no_secret(
    make: Made, monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
) -> None:
    monkeypatch.setenv("NERACA_TEST_KEY", "very-secret")
    target = make(url=f"http://ana:pass@127.0.0.1:{unused_tcp_port}/?key=${{NERACA_TEST_KEY}}")
    with pytest.raises(TargetError, match="does not open") as caught:
        await target.ask(question("one"), Conversation("c"))
    assert caught.value.again
    assert "very-secret" not in str(caught.value)
    assert "pass" not in str(caught.value)


async def test_headers_and_what_a_visitor_says_of_himself_reach_the_page(
    make: Made, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NERACA_TEST_KEY", "very-secret")
    target = make(
        headers={"X-Key": "${NERACA_TEST_KEY}"}, user_agent="Neraca test", locale="es-MX", timezone="America/Lima"
    )
    await target.ask(question("one"), Conversation("c"))
    assert bot.headers[0]["X-Key"] == "very-secret"
    assert bot.headers[0]["User-Agent"] == "Neraca test"
    assert bot.headers[0]["Accept-Language"].startswith("es-MX")


class Scripted:
    """A chat that says what the test wants, in the place of the one that reads the page."""

    replies: list[Reply | Exception]
    rests = False

    def __init__(self, page: Any, settings: Any, learned: Any = None) -> None:
        self.partial = "half"
        self.address = self.cut_before = ""

    async def open(self) -> None:
        pass

    async def ask(self, query: str) -> Reply:
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> list[Reply | Exception]:
    monkeypatch.setattr("neraca.targets.browser.chat.Chat", Scripted)
    Scripted.replies = []
    return Scripted.replies


async def test_sources_become_hits_and_a_suspect_answer_says_why(
    make: Made, scripted: list[Reply | Exception], tmp_path: Path
) -> None:
    sources = (Source(text="A page", url="https://example.org/a"), Source(text="A note"))
    scripted += [
        Reply(text="yes", status="complete", why="at rest", seconds=2.0, first_token_seconds=0.5, sources=sources),
        Reply(text="no", status="suspect", why="it still moves", seconds=3.0),
    ]
    target = make()
    answer = await target.ask(question("one"), Conversation("c", folder=tmp_path))
    assert [(hit.id.partition(":")[0], hit.text) for hit in answer.hits] == [("https", "A page"), ("text", "A note")]
    assert answer.hits[0].id == "https://example.org/a"
    assert (answer.seconds, answer.first_token_seconds, answer.note) == (2.0, 0.5, "")
    doubtful = await target.ask(question("two"), Conversation("c", folder=tmp_path))
    assert (doubtful.status, doubtful.text) == ("suspect", "no")
    assert doubtful.note == f"it still moves; screenshot: {tmp_path.name}/q-0.png"


async def test_a_failure_that_would_not_help_to_repeat_keeps_its_partial_text(
    make: Made, scripted: list[Reply | Exception]
) -> None:
    scripted += [PageError("the page gave up", partial="so far"), PageError("busy", again=True, partial="so far")]
    target = make()
    answer = await target.ask(question("one"), Conversation("c"))
    assert (answer.status, answer.text, answer.error, answer.note) == ("error", "so far", "the page gave up", "")
    with pytest.raises(TargetError, match="busy"):
        await target.ask(question("two"), Conversation("c"))


async def test_a_page_that_reports_a_failure_keeps_its_conversation(
    make: Made, scripted: list[Reply | Exception], tmp_path: Path
) -> None:
    scripted += [FailedAnswer("the page says 'Oops'", partial="Oops"), PageError("the page is gone")]
    target = make()
    answer = await target.ask(question("one"), Conversation("c", folder=tmp_path))
    assert (answer.status, answer.text, answer.note) == ("error", "Oops", f"screenshot: {tmp_path.name}/q-0.png")
    assert target.holds("c")
    await target.ask(question("two"), Conversation("c"))
    assert not target.holds("c")


async def test_an_answer_that_the_page_has_changed_since_is_told_once(
    make: Made, scripted: list[Reply | Exception]
) -> None:
    scripted += [
        Reply(text="yes", status="complete", why="at rest", seconds=2.0),
        Reply(text="no", status="suspect", why="the one before was changed", seconds=3.0, earlier="otherwise"),
    ]
    target = make()
    assert isinstance(target, LooksBack)
    await target.ask(question("one"), Conversation("c"))
    assert target.revised("c") is None
    await target.ask(question("two"), Conversation("c"))
    revised = target.revised("c")
    assert revised is not None
    assert (revised.text, revised.status) == ("otherwise", "suspect")
    assert revised.note == "the page changed it after it was read as complete"
    assert target.revised("c") is None


TALK = """<!doctype html><main id="log"></main><form id="form"><input id="question" placeholder="Ask"></form><script>
const said = JSON.parse(localStorage.getItem(location.hash) || "[]");
const show = ([asked, answer]) => { for (const text of [asked, answer]) {
  const box = document.createElement("p"); box.textContent = text; log.append(box); } };
said.forEach(show);
form.onsubmit = async event => {
  event.preventDefault();
  const text = question.value; question.value = "";
  if (!location.hash) location.hash = "talk";
  said.push([text, await (await fetch("say?" + text)).text()]);
  localStorage.setItem(location.hash, JSON.stringify(said)); show(said.at(-1));
};
</script>"""


async def test_a_conversation_with_an_address_of_its_own_is_gone_on_with_there(make: Made, tmp_path: Path) -> None:
    asked: list[str] = []

    async def say(request: web.Request) -> web.Response:
        if request.path == "/say":
            asked.append(request.query_string)
        return web.Response(text=f"So {len(asked)}." if request.path == "/say" else TALK, content_type="text/html")

    file = tmp_path / "state.json"
    async with serving(say) as host:
        url = f"{host}/"
        kept = [{"name": "#talk", "value": json.dumps([["one", "So 1."]])}]
        file.write_text(json.dumps({"cookies": [], "origins": [{"origin": url[:-1], "localStorage": kept}]}))
        (tmp_path / "s-0.address").write_text(f"{url}#talk")
        target = make(url=url, storage_state=str(file))
        turns = (Turn("one", "So 1."), Turn("two", "So 2."))
        item = Item(id="3", query="three", session="s")
        answer = await target.ask(item, Conversation("c", turns=turns, folder=tmp_path))
        assert asked == ["two", "three"], "the first is on the page still"
        assert answer.note.startswith("on the page of an earlier start, which showed 1 of its questions")
        assert (tmp_path / "s-0.address").read_text() == f"{url}#talk"
        await make(url=url).ask(item, Conversation("d", turns=turns, folder=tmp_path))
        assert asked[2:] == ["one", "two", "three"], "without a login that lasts nobody can go on there"


async def test_a_failure_of_the_browser_or_of_our_own_code_is_none_of_the_page(
    make: Made, scripted: list[Reply | Exception]
) -> None:
    scripted += [Error("Locator.click: strict mode violation\nCall log: …")]
    answer = await make().ask(question("one"), Conversation("c"))
    assert (answer.status, answer.text) == ("not_asked", "half")
    assert answer.error == "the browser failed: Locator.click: strict mode violation"
    scripted += [ZeroDivisionError("in our own code")]
    answer = await make().ask(question("one"), Conversation("c"))
    assert (answer.status, answer.error) == ("not_asked", "Neraca failed: ZeroDivisionError: in our own code")


async def test_a_text_that_rests_when_its_time_is_over_is_suspect_and_no_failure(
    make: Made, scripted: list[Reply | Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def never(self: Scripted, query: str) -> Reply:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(Scripted, "ask", never)
    for rests, status in ((True, "suspect"), (False, "timeout")):
        monkeypatch.setattr(Scripted, "rests", rests)
        begun.clear()
        asking = asyncio.create_task(make().ask(question("one"), Conversation("c")))
        await begun.wait()
        answer = await stopped(asking)
        assert (answer.status, answer.text) == (status, "half")
        assert ("within the time limit" in answer.note) is rests


async def test_a_page_that_the_browser_does_not_give_is_an_error(make: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context.zoneinfo, "available_timezones", set)
    target = make(timezone="Mars/Olympus")
    with pytest.raises(TargetError, match=r"the browser opens no page: .*Mars/Olympus"):
        await target.ask(question("one"), Conversation("c"))
