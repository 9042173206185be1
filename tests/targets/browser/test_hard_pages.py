"""Pages laid out as chats out there are: what stands around an answer, how it comes, how a question is sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pages.hard import EXPECTED, PAGES, POOL, ROOMS, WAY, handle
from targets.serving import serving

from neraca.targets.browser.chat import Chat
from neraca.targets.browser.launch import Program, start
from neraca.targets.browser.reply import PageError, Reply
from neraca.targets.browser.settings import BrowserSettings

pytestmark = pytest.mark.asyncio(loop_scope="module")

TALK = [ROOMS, WAY, POOL, ROOMS]

Ask = Callable[..., Awaitable[list[Reply]]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ask(chromium: str) -> AsyncIterator[Ask]:
    """`ask(path, questions)`: the replies of one page to questions in one conversation."""
    async with serving(handle) as url:
        started = await start(Program(chromium, "the tests"))

        async def asked(path: str, questions: list[str], **settings: Any) -> list[Reply]:
            context = await started.context({"viewport": {"width": 1280, "height": 900}})
            chat = Chat(await context.new_page(), BrowserSettings(url=url + path, **settings))
            try:
                async with asyncio.timeout(180):
                    await chat.open()
                    return [await chat.ask(question) for question in questions]
            finally:
                await context.close()

        yield asked
        await started.end()


async def check(ask: Ask, *paths: str, questions: list[str] = TALK, **settings: Any) -> None:
    """Every question has exactly its answer, on every page."""
    wanted = [("complete", EXPECTED[question]) for question in questions]
    replies = await asyncio.gather(*(ask(path, questions, **settings) for path in paths))
    found = {path: [(one.status, one.text) for one in page] for path, page in zip(paths, replies, strict=True)}
    assert found == dict.fromkeys(paths, wanted)


async def test_the_whole_answer_is_taken_beside_a_sidebar_and_in_several_bubbles(ask: Ask) -> None:
    await check(ask, "/sidebar", "/bubbles", "/list")


async def test_names_notices_sources_and_questions_to_ask_next_stay_out_of_an_answer(ask: Ask) -> None:
    await check(ask, "/named", "/around", "/shadow-parts", "/listed")


async def test_steps_and_thoughts_before_an_answer_are_no_part_of_it(ask: Ask) -> None:
    await check(ask, "/thinks", questions=[ROOMS, POOL])


async def test_a_small_time_in_the_line_of_an_answer_is_no_part_of_it(ask: Ask) -> None:
    await check(ask, "/time-inside", questions=[WAY, POOL])


async def test_the_same_answer_again_is_new_in_a_short_log_and_in_one_place(ask: Ask) -> None:
    await asyncio.gather(
        check(ask, "/window", questions=[ROOMS, WAY, ROOMS, WAY], still=4.0),
        check(ask, "/in-place", questions=[WAY, POOL, POOL]),
    )


async def test_an_answer_that_pauses_without_a_sign_of_work_is_awaited(ask: Ask) -> None:
    await asyncio.gather(
        check(ask, "/typewriter", "/polling", questions=[ROOMS, WAY]),
        check(ask, "/stall", questions=[ROOMS, WAY], still=5.0),
    )


async def test_a_question_is_sent_once_where_nothing_tells_that_it_was_taken(ask: Ask) -> None:
    await check(ask, "/slow-to-take", questions=[WAY, POOL])


async def test_a_question_is_sent_by_control_enter_where_nothing_else_does_it(ask: Ask) -> None:
    await check(ask, "/control-enter", questions=[WAY, POOL])


async def test_an_input_is_found_behind_a_launcher_beside_a_system_prompt_and_once_it_takes_text(ask: Ask) -> None:
    await check(ask, "/corner", "/system-prompt", "/not-yet", questions=[WAY, POOL])


async def test_a_launcher_is_opened_where_the_named_input_is_not_there_yet(ask: Ask) -> None:
    await check(ask, "/corner", questions=[WAY, POOL], input=".composer textarea")


async def test_an_input_that_stays_off_is_told(ask: Ask) -> None:
    with pytest.raises(PageError, match="it is disabled"):
        await ask("/never", [WAY], open_timeout=3)


async def test_a_question_that_the_input_cuts_off_is_not_sent(ask: Ask) -> None:
    with pytest.raises(PageError, match="only 10 of the question's 31 characters"):
        await ask("/short", ["Which beds does it have at all?"])


async def test_an_alert_in_the_place_of_an_answer_is_suspect(ask: Ask) -> None:
    (reply,) = await ask("/alert", [WAY])
    assert (reply.status, "alert" in reply.why) == ("suspect", True)


async def test_rows_that_show_another_message_after_each_question_are_read_as_they_stand(ask: Ask) -> None:
    await check(ask, "/recycled", questions=[ROOMS, WAY, ROOMS])


async def test_every_page_that_is_hard_is_asked() -> None:
    tests = Path(__file__).read_text(encoding="utf-8")
    assert [path for path in PAGES if f'"{path}"' not in tests] == []
