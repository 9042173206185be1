"""The browser as a target: real Chromium, real pages on loopback, started and ended by the target itself."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from targets.browser.chat_page import (
    HALF,
    Bot,
    Made,
    browsers,
    descendants,
    parents,
    question,
    stopped,
    targets,
    until,
)

from neraca.datasets.dataset import Dataset
from neraca.errors import SpecError, TargetError
from neraca.records import Item
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions, ask_all
from neraca.targets.target import Conversation, Turn, make_target


@pytest.fixture
def bot() -> Bot:
    return Bot()


@pytest.fixture
async def make(bot: Bot, chromium: str) -> AsyncIterator[Made]:
    """`make(path="/", **settings)`: a target of the bot's page; closed at the end, when nothing may be left."""
    before = set(descendants(os.getpid()))
    async with targets(bot, chromium) as made:
        yield made
    await until(lambda: set(descendants(os.getpid())) <= before)


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


async def test_a_browser_that_does_not_start_is_said_once_and_not_tried_again(make: Made, tmp_path: Path) -> None:
    program = tmp_path / "browser"
    program.write_text(f"#!/bin/sh\necho started >> {tmp_path}/starts\necho 'FATAL: no screws left' >&2\nexit 1\n")
    program.chmod(0o755)
    target = make(browser=str(program))
    answers = await asyncio.gather(*(target.ask(question("one"), Conversation(str(n))) for n in range(3)))
    assert {answer.status for answer in answers} == {"not_asked"}
    assert "does not start" in str(answers[0].error)
    assert "no screws left" in str(answers[0].error)
    assert (await target.ask(question("two"), Conversation("later"))).status == "not_asked"
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
    (tmp_path / "target.toml").write_text(f'kind = "browser"\nurl = "{url}/"\nbrowser = "{chromium}"\nwatch = 0\n')
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
