"""The browser as a target: real Chromium, real pages on loopback."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error
from targets.browser.chat_page import Bot, browsers, descendants, parents, until

from neraca.datasets.dataset import Dataset
from neraca.errors import SpecError, TargetError
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions, ask_all
from neraca.targets.browser import BrowserTarget, context
from neraca.targets.browser.reply import PageError, Reply, Source
from neraca.targets.target import Conversation, KeepsConversation, Turn, make_target, partial_of

Made = Callable[..., BrowserTarget]
PNG = b"\x89PNG"
HALF = "The first half of"


@pytest.fixture
def bot() -> Bot:
    return Bot()


@pytest.fixture
async def make(serve: Any, bot: Bot, chromium: str) -> AsyncIterator[Made]:
    """`make(path="/", **settings)`: a target of the bot's page; closed at the end, when nothing may be left."""
    url = await serve(bot.answer)
    made: list[BrowserTarget] = []

    def target(path: str = "/", **settings: Any) -> BrowserTarget:
        found = make_target({"kind": "browser", "url": url + path, "browser": chromium, **settings})
        assert isinstance(found, BrowserTarget)
        made.append(found)
        return found

    before = set(descendants(os.getpid()))
    yield target
    for one in made:
        await one.close()
    await until(lambda: set(descendants(os.getpid())) <= before)


def question(text: str, name: str = "q") -> Item:
    return Item(id=name, query=text)


async def stopped(asking: asyncio.Task[Answer]) -> Answer:
    """What is left of an answer whose asking is cancelled, as a time limit would."""
    asking.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await asking
    answer = partial_of(caught.value)
    assert answer is not None
    return answer


async def frozen(target: BrowserTarget, bot: Bot, item: Item, conversation: Conversation) -> Answer:
    """Ask what the bot never finishes, and stop when its first half is there."""
    asking = asyncio.create_task(target.ask(item, conversation))
    await until(lambda: item.query in bot.questions and target._tabs[conversation.id].partial == HALF)
    return await stopped(asking)


async def test_questions_of_a_session_share_a_page_and_each_other_one_gets_its_own(
    make: Made, bot: Bot, tmp_path: Path
) -> None:
    items = [
        Item(id="a", query="alpha"),
        Item(id="b", query="beta", session="s"),
        Item(id="c", query="gamma", session="s"),
        Item(id="d", query="delta"),
    ]
    target = make()
    run = Run.create(tmp_path / "run", Dataset(tuple(items)), {"kind": "browser"})
    with run.writing():
        assert await ask_all(run, target, AskOptions(concurrency=4, timeout=120, retries=0)) == 0
    assert {name: answer.text for (name, _), answer in run.answers().items()} == {
        "a": "Number 1: you said alpha",
        "b": "Number 1: you said beta",
        "c": "Number 2: you said gamma",
        "d": "Number 1: you said delta",
    }
    assert {answer.status for answer in run.answers().values()} == {"complete"}
    visitor = {text: who for text, _, who in bot.asked}
    assert visitor["beta"] == visitor["gamma"]
    assert len(set(visitor.values())) == 3
    assert browsers() == [], "the run has closed what it started"
    assert not (run.path / "evidence").exists()


async def test_parallel_first_questions_start_one_browser(make: Made, bot: Bot) -> None:
    target = make()
    words = ["north", "south", "east", "west"]
    bot.held |= set(words)
    asking = [asyncio.create_task(target.ask(question(word), Conversation(word))) for word in words]
    await until(lambda: len(bot.asked) == 4, 120)
    assert len(browsers()) == 1
    bot.held.clear()
    answers = await asyncio.gather(*asking)
    assert [answer.text for answer in answers] == [f"Number 1: you said {word}" for word in words]


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


async def test_a_page_that_stands_still_does_not_hold_up_the_run(make: Made, bot: Bot, tmp_path: Path) -> None:
    target = make()
    asking = asyncio.create_task(target.ask(question("stand still"), Conversation("c", folder=tmp_path)))
    await until(lambda: "c" in target._tabs and target._tabs["c"].partial == HALF, 120)
    await bot.stuck.wait()
    async with asyncio.timeout(120):
        answer = await stopped(asking)
    assert (answer.status, answer.text, answer.note) == ("timeout", HALF, "")
    assert (await target.ask(question("next"), Conversation("d"))).text == "Number 1: you said next"


async def test_a_browser_that_dies_costs_its_questions_and_is_started_again(make: Made, bot: Bot) -> None:
    target = make()
    first = await target.ask(question("one"), Conversation("old"))
    old = Conversation("old", turns=(Turn("one", first.text),))
    bot.held |= {"two", "three"}
    asking = [
        asyncio.create_task(target.ask(question("two"), old)),
        asyncio.create_task(target.ask(question("three"), Conversation("new"))),
    ]
    await until(lambda: len(bot.asked) == 3, 120)
    [chromium] = browsers()
    os.kill(chromium, signal.SIGKILL)
    for lost in await asyncio.gather(*asking, return_exceptions=True):
        assert isinstance(lost, TargetError)
        assert lost.again
        assert "the page was closed before the answer was whole" in str(lost)
    bot.held.clear()
    assert (await target.ask(question("two"), old)).text == "Number 2: you said two"
    assert (await target.ask(question("three"), Conversation("new"))).text == "Number 1: you said three"
    assert len(browsers()) == 1


async def test_a_driver_that_dies_is_started_again_too(make: Made) -> None:
    target = make()
    before = set(descendants(os.getpid()))
    await target.ask(question("one"), Conversation("a"))
    drivers = [pid for pid, command in descendants(os.getpid()).items() if pid not in before and "node" in command]
    os.kill(drivers[0], signal.SIGKILL)
    with suppress(TargetError):
        await target.ask(question("two"), Conversation("b"))
    assert (await target.ask(question("three"), Conversation("c"))).text == "Number 1: you said three"


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
    chromium: str, monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
) -> None:
    monkeypatch.setenv("NERACA_TEST_KEY", "very-secret")
    url = f"http://ana:pass@127.0.0.1:{unused_tcp_port}/?key=${{NERACA_TEST_KEY}}"
    target = BrowserTarget({"kind": "browser", "url": url, "browser": chromium})
    try:
        with pytest.raises(TargetError, match="does not open") as caught:
            await target.ask(question("one"), Conversation("c"))
    finally:
        await target.close()
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


async def test_a_browser_that_does_not_start_is_said_once_and_not_tried_again(make: Made, tmp_path: Path) -> None:
    program = tmp_path / "browser"
    program.write_text(f"#!/bin/sh\necho started >> {tmp_path}/starts\necho 'FATAL: no screws left' >&2\nexit 1\n")
    program.chmod(0o755)
    target = make(browser=str(program))
    answers = await asyncio.gather(*(target.ask(question("one"), Conversation(str(n))) for n in range(3)))
    assert {answer.status for answer in answers} == {"error"}
    assert "does not start" in str(answers[0].error)
    assert "no screws left" in str(answers[0].error)
    assert (await target.ask(question("two"), Conversation("later"))).status == "error"
    assert (tmp_path / "starts").read_text() == "started\n"


async def test_a_question_that_is_stopped_while_the_browser_starts_leaves_nothing_behind(make: Made) -> None:
    target = make()
    asking = asyncio.create_task(target.ask(question("one"), Conversation("c")))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await target.close()
    assert browsers() == []


async def test_a_target_that_was_closed_begins_anew(make: Made) -> None:
    target = make()
    await target.close()
    await target.ask(question("one"), Conversation("c"))
    await target.close()
    assert (await target.ask(question("two"), Conversation("c"))).text == "Number 1: you said two"


def test_a_target_without_a_browser_is_refused_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NERACA_BROWSER", "no-such-browser")
    with pytest.raises(SpecError, match="NERACA_BROWSER: 'no-such-browser' is not there"):
        make_target({"kind": "browser", "url": "http://127.0.0.1/"})


class Scripted:
    """A chat that says what the test wants, in the place of the one that reads the page."""

    replies: list[Reply | Exception]

    def __init__(self, page: Any, settings: Any) -> None:
        self.partial = "half"

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


async def test_what_playwright_says_of_a_page_is_an_error_of_the_question(
    make: Made, scripted: list[Reply | Exception]
) -> None:
    scripted += [Error("Locator.click: strict mode violation\nCall log: …")]
    answer = await make().ask(question("one"), Conversation("c"))
    assert (answer.status, answer.text) == ("error", "half")
    assert answer.error == "the page does not work: Locator.click: strict mode violation"


async def test_a_page_that_the_browser_does_not_give_is_an_error(make: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context.zoneinfo, "available_timezones", set)
    target = make(timezone="Mars/Olympus")
    with pytest.raises(TargetError, match=r"the browser opens no page: .*Mars/Olympus"):
        await target.ask(question("one"), Conversation("c"))


def test_a_window_that_cannot_be_shown_is_refused_before_anything_is_asked(
    chromium: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(SpecError, match="there is no display"):
        make_target({"kind": "browser", "url": "http://127.0.0.1/", "browser": chromium, "headed": True})


@pytest.mark.slow
async def test_killed_and_started_again_a_run_asks_what_is_missing_and_takes_no_half_answer(
    serve: Any, bot: Bot, chromium: str, tmp_path: Path
) -> None:
    url = await serve(bot.answer)
    (tmp_path / "questions.csv").write_text("question,session\none,\ntwo,s\nthree,s\nfour,\n", encoding="utf-8")
    (tmp_path / "target.toml").write_text(f'kind = "browser"\nurl = "{url}/"\nbrowser = "{chromium}"\n')
    words = ["ask", "questions.csv", "--target", "target.toml", "--out", "run", "--concurrency", "1"]

    async def start() -> asyncio.subprocess.Process:
        code = "from neraca.cli import main; main()"
        return await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, *words, cwd=tmp_path, stdout=asyncio.subprocess.DEVNULL
        )

    bot.held.add("three")
    process = await start()
    await until(lambda: "three" in bot.questions, 120)
    left = descendants(process.pid)
    process.kill()
    await process.wait()
    await until(lambda: not left.keys() & parents().keys())
    bot.held.clear()
    again = await start()
    assert await again.wait() == 0
    assert {name: answer.text for (name, _), answer in Run(tmp_path / "run").answers().items()} == {
        "1": "Number 1: you said one",
        "2": "Number 1: you said two",
        "3": "Number 2: you said three",
        "4": "Number 1: you said four",
    }
    assert bot.questions == ["one", "two", "three", "two", "three", "four"]
