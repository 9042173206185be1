"""Chat front ends that others wrote, and the page of the demo, asked in real Chromium with no profile."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
import urllib.request
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import pytest
import pytest_asyncio
from pages.bot import QUESTIONS, SOURCES, answers_to, expected
from pages.serve import Site, serve
from playwright.async_api import Frame, Page
from targets.browser.chat_page import descendants, until

from neraca import demo
from neraca.targets.browser.chat import Chat
from neraca.targets.browser.launch import Program, Started, start
from neraca.targets.browser.reply import Reply
from neraca.targets.browser.settings import BrowserSettings

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

FRONTS = ("gradio", "streamlit", "nicegui")
FASTER = 2
PARALLEL = 4
FEW = (*QUESTIONS[:6], QUESTIONS[14], QUESTIONS[6])
"""Eight of them, the third twice; `benchmarks/browser.py` asks all twenty."""
LIMIT = 90.0
FROZEN = 15.0
"""Seconds until a frozen answer is given up: longer than it takes to call one suspect."""
LONG = "Tell me everything about the neighbourhood"
ONE_IN = pytest.mark.parametrize("one_in", [3, pytest.param(1, marks=pytest.mark.soak)])
"""Which of the thirty questions of the demo are asked: each third; all of them by `make soak`."""
ITEMS = [json.loads(line) for line in demo.QUESTIONS.read_text(encoding="utf-8").splitlines()]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started(chromium: str) -> AsyncIterator[Started]:
    running = await start(Program(chromium, "the tests"))
    yield running
    await running.end()


@pytest.fixture(scope="module", params=FRONTS)
def front(request: pytest.FixtureRequest) -> Iterator[Site]:
    """Each is up only while its tests run: Gradio is busy all the time, also where nobody asks it."""
    with serve(request.param, speed=FASTER) as site:
        yield site


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> dict[Page, list[float]]:
    """When each page was looked at."""
    times: dict[Page, list[float]] = defaultdict(list)
    evaluate = Frame.evaluate

    async def counted(self: Frame, expression: str, argument: Any = None) -> Any:
        if "__neraca.look()" in expression:
            times[self.page].append(time.monotonic())
        return await evaluate(self, expression, argument)

    monkeypatch.setattr(Frame, "evaluate", counted)
    return times


async def opened(started: Started, url: str, **settings: Any) -> Chat:
    context = await started.context({"viewport": {"width": 1280, "height": 900}})
    chat = Chat(await context.new_page(), BrowserSettings(url=url, **settings))
    await chat.open()
    return chat


async def talk(started: Started, url: str, questions: Sequence[str], **settings: Any) -> list[Reply]:
    """Ask these one after the other on a page of their own."""
    chat = await opened(started, url, open_timeout=90.0, **settings)
    replies = []
    for question in questions:
        async with asyncio.timeout(LIMIT):
            replies.append(await chat.ask(question))
    await chat._page.context.close()
    return replies


@contextmanager
def standing_still(site: Site) -> Iterator[None]:
    """Stop the program that serves this, with all that it started, for a while."""
    port = site.url.rpartition(":")[2]
    [group] = {os.getpgid(pid) for pid, command in descendants(os.getpid()).items() if port in command.split()}
    assert group != os.getpgid(0)
    os.killpg(group, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(group, signal.SIGCONT)


async def test_answers_of_a_front_end_are_exact_without_any_selector(
    started: Started, front: Site, looks: dict[Page, list[float]]
) -> None:
    talks = [FEW[first::PARALLEL] for first in range(PARALLEL)]
    assert any(len(set(questions)) < len(questions) for questions in talks), "one of them asks something twice"
    replies = await asyncio.gather(*(talk(started, front.url, questions) for questions in talks))
    got = [[(reply.text, reply.status) for reply in one] for one in replies]
    why = [reply.why for one in replies for reply in one if reply.status == "suspect"]
    assert got == [[(text, "complete") for text in answers_to(questions)] for questions in talks], why
    times_of_replies = [(reply.first_token_seconds or 0, reply.seconds) for one in replies for reply in one]
    assert all(0 < first <= last for first, last in times_of_replies)
    assert any(first < last for first, last in times_of_replies), "a short answer may come between two looks"
    assert len(looks) == PARALLEL
    for times in looks.values():
        assert min(later - first for first, later in pairwise(times)) > 0
        assert all(later - first > 1 for first, later in zip(times, times[10:], strict=False)), "over ten in a second"


async def test_a_front_end_that_freezes_in_mid_answer_times_out_with_what_had_come(
    started: Started, front: Site
) -> None:
    chat = await opened(started, front.url, open_timeout=90.0)
    asking = asyncio.create_task(chat.ask(LONG))
    await until(lambda: len(chat.partial) > 40 or asking.done(), LIMIT)
    with standing_still(front):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(FROZEN):
                await asking
        partial = chat.partial
    assert 40 < len(partial) < len(expected(LONG))
    assert expected(LONG).startswith(partial)
    await chat._page.context.close()


@pytest.mark.parametrize("front", ["streamlit"], indirect=True)
async def test_a_front_end_that_is_known_tells_its_sources(started: Started, front: Site) -> None:
    first, second = await talk(started, front.url, QUESTIONS[:2])
    assert [(source.text, source.url) for source in second.sources] == list(SOURCES)
    assert len(first.sources) == len(SOURCES)


# the demo


@pytest.fixture(scope="module")
def demo_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with demo.start(data=tmp_path_factory.mktemp("index")) as server:
        yield Site(server.url)


def by_api(site: Site, question: str, session: str) -> str:
    """What the demo says to this; the same as on its page, where lines are kept."""
    body = json.dumps({"message": question, "session_id": session}).encode()
    request = urllib.request.Request(f"{site.url}/chat", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return str(json.load(response)["response"])


@ONE_IN
async def test_answers_of_the_demo_in_one_conversation_are_exact(
    started: Started, demo_page: Site, one_in: int
) -> None:
    questions = [item["query"] for item in ITEMS[::one_in]]
    replies = await talk(started, demo_page.url, questions)
    assert [(reply.text, reply.status) for reply in replies] == [
        (by_api(demo_page, question, "one"), "complete") for question in questions
    ]


@ONE_IN
async def test_answers_of_the_demo_in_fresh_pages_are_exact(started: Started, demo_page: Site, one_in: int) -> None:
    free = asyncio.Semaphore(PARALLEL)
    questions = [item["query"] for item in ITEMS[::one_in]]

    async def fresh(question: str) -> tuple[str, str]:
        async with free:
            [reply] = await talk(started, demo_page.url, [question])
        return reply.text, reply.status

    assert await asyncio.gather(*map(fresh, questions)) == [
        (by_api(demo_page, question, f"fresh {number}"), "complete") for number, question in enumerate(questions)
    ]
