"""The hand-made pages of `pages.plain`, each asked in real Chromium: what must come of it, also where nothing can."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
import pytest_asyncio
from pages.bot import answers_to, expected, half
from pages.plain import FAILURE, PAGES, SAME
from pages.serve import Site

from neraca.targets.browser.chat import Chat
from neraca.targets.browser.launch import Program, Started, start
from neraca.targets.browser.reply import LoginNeeded, PageError, Reply
from neraca.targets.browser.settings import BrowserSettings

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUESTION = "Apakah rumah ini dekat sekolah?"
PRICE = "What is the price of the villa?"
QUESTIONS = (PRICE, "Which rooms are on the ground floor?", PRICE)
GROUPS = {
    "the chat is hidden": ("/iframe", "/nested", "/inner", "/shadow", "/bubble", "/cookies", "/decoys", "/remount"),
    "sending is hard": ("/plain", "/editable", "/newline", "/classic", "/replaced", "/newest-first", "/same"),
    "the end is hard to see": ("/socket-chat", "/silent", "/animation", "/clock", "/beside", "/slow"),
}
WITHOUT_ANSWER = {"/freezes", "/frozen", "/broken", "/login", "/nothing", "/hangs", "/leaves"}
SETTINGS: dict[str, dict[str, Any]] = {"/silent": {"still": 4.0}}
IN_PARALLEL = 8
FASTER = 5
LIMIT = 60.0
FROZEN = 15.0
"""Seconds until an answer that stands still is given up: longer than it takes to call one suspect."""

Outcome = Reply | Exception


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started(chromium: str) -> AsyncIterator[Started]:
    running = await start(Program(chromium, "the tests"))
    yield running
    await running.end()


async def talk(started: Started, url: str, questions: Sequence[str], limit: float, **settings: Any) -> list[Outcome]:
    """What each question gave; ends with the first that gave an error, which has `partial`."""
    context = await started.context({"viewport": {"width": 1280, "height": 900}})
    chat = Chat(await context.new_page(), BrowserSettings(url=url, **settings))
    outcomes: list[Outcome] = []
    try:
        await chat.open()
        for question in questions:
            async with asyncio.timeout(limit):
                outcomes.append(await chat.ask(question))
    except (PageError, TimeoutError) as error:
        error.partial = chat.partial  # type: ignore[union-attr]
        outcomes.append(error)
    with suppress(TimeoutError):  # a page that hangs may not close by itself
        async with asyncio.timeout(5):
            await context.close()
    return outcomes


async def one(started: Started, url: str, limit: float = LIMIT, **settings: Any) -> Outcome:
    [outcome] = await talk(started, url, [QUESTION], limit, **settings)
    return outcome


def outcome_in_words(outcome: Outcome) -> tuple[str, str]:
    """Text and status; of an error its kind and what it says."""
    if isinstance(outcome, Reply):
        return outcome.text, outcome.status
    return type(outcome).__name__, str(outcome)


async def test_every_hand_made_page_is_tried() -> None:
    assert {page for group in GROUPS.values() for page in group} | WITHOUT_ANSWER == set(PAGES)


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS)
async def test_each_page_gives_exactly_what_its_bot_says(
    started: Started, plain_pages: Site, group: tuple[str, ...]
) -> None:
    free = asyncio.Semaphore(IN_PARALLEL)

    async def replies_of(page: str) -> list[tuple[str, str]]:
        async with free:
            url = f"{plain_pages.url}{page}?speed={FASTER}"
            return [
                outcome_in_words(outcome)
                for outcome in await talk(started, url, QUESTIONS, LIMIT, **SETTINGS.get(page, {}))
            ]

    got = dict(zip(group, await asyncio.gather(*map(replies_of, group)), strict=True))
    wanted = {page: [SAME] * len(QUESTIONS) if page == "/same" else answers_to(QUESTIONS) for page in group}
    assert got == {page: [(text, "complete") for text in texts] for page, texts in wanted.items()}


@pytest.mark.slow
async def test_words_that_ask_for_patience_for_three_seconds_are_not_taken(started: Started, plain_pages: Site) -> None:
    reply = await one(started, f"{plain_pages.url}/slow")
    assert isinstance(reply, Reply)
    assert reply.text == expected(QUESTION)
    assert reply.first_token_seconds is not None
    assert 3 < reply.first_token_seconds < reply.seconds


@pytest.mark.slow
async def test_an_answer_that_is_never_whole_is_never_given(started: Started, plain_pages: Site) -> None:
    freezes, frozen, hangs, leaves = await asyncio.gather(
        one(started, f"{plain_pages.url}/freezes?speed={FASTER}", FROZEN),
        one(started, f"{plain_pages.url}/frozen?speed={FASTER}", FROZEN),
        one(started, f"{plain_pages.url}/hangs", FROZEN),
        one(started, f"{plain_pages.url}/leaves"),
    )
    assert isinstance(freezes, TimeoutError)
    assert freezes.partial == half(QUESTION)  # type: ignore[attr-defined]
    assert isinstance(frozen, TimeoutError)
    assert frozen.partial == ""  # type: ignore[attr-defined]
    assert isinstance(hangs, TimeoutError)
    assert expected(QUESTION).startswith(hangs.partial)  # type: ignore[attr-defined]
    assert len(hangs.partial) < len(expected(QUESTION))  # type: ignore[attr-defined]
    assert isinstance(leaves, PageError)
    assert "the page left for about:blank" in str(leaves)
    assert expected(QUESTION).startswith(leaves.partial)
    assert len(leaves.partial) < len(expected(QUESTION))


@pytest.mark.slow
async def test_a_page_that_cannot_be_asked_says_why_and_what_to_do(started: Started, plain_pages: Site) -> None:
    login, nothing, covered = await asyncio.gather(
        one(started, f"{plain_pages.url}/login"),
        one(started, f"{plain_pages.url}/nothing", open_timeout=6.0),
        one(started, f"{plain_pages.url}/cookies", open_timeout=6.0, click=["#another"]),
    )
    assert isinstance(login, LoginNeeded)
    assert "neraca browser --login URL --storage-state FILE" in str(login)
    assert outcome_in_words(nothing) == ("PageError", "no place to type was found within 6 s")
    assert isinstance(covered, PageError)
    assert "'We value your privacy." in str(covered)
    assert "name its button with click" in str(covered)


async def test_what_a_page_shows_after_a_failed_request_is_no_answer(started: Started, plain_pages: Site) -> None:
    reply = await one(started, f"{plain_pages.url}/broken")
    assert isinstance(reply, PageError)
    assert (reply.partial, reply.status) == (FAILURE, "error")
    assert str(reply).startswith("the page's request failed: POST /ask 500; the page says ")
