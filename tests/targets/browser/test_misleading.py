"""Pages from which wrong answers were once called complete, asked as a run asks them; all runs share a browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pages.misleading import QUESTIONS, Shop, answer_to, shop
from targets.browser.chat_page import lend, until

from neraca.datasets.dataset import Dataset
from neraca.errors import StopAsking
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions, ask_all
from neraca.targets.browser import BrowserTarget
from neraca.targets.browser.launch import Program, Started, start
from neraca.targets.browser.probe import probe
from neraca.targets.browser.settings import BrowserSettings
from neraca.targets.target import Conversation, Turn, make_target

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started(chromium: str) -> AsyncIterator[Started]:
    running = await start(Program(chromium, "the tests"))
    yield running
    await running.end()


@pytest_asyncio.fixture(loop_scope="module")
async def served(started: Started, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Shop]:
    lend(started, monkeypatch)
    async with shop() as made:
        yield made


async def ask(
    shop: Shop, path: str, folder: Path, count: int, *, session: str = "", retry_failed: bool = False, **settings: Any
) -> list[Answer]:
    """Ask the first questions, each on a page of its own unless they share a session."""
    items = [Item(id=str(n), query=QUESTIONS[n], session=session or None) for n in range(count)]
    made = (Dataset(tuple(items), "lamps"), {"kind": "browser", "path": path})
    run = Run(folder) if folder.exists() else Run.create(folder, *made)
    target = make_target({"kind": "browser", "url": shop.url + path, "watch": 2.0, **settings})
    with run.writing():
        await ask_all(run, target, AskOptions(concurrency=2, timeout=60, retries=0, retry_failed=retry_failed))
    answers = run.answers()
    return [answers[item.id, 0] for item in items]


def right(answers: list[Answer]) -> list[bool]:
    """Return for each answer whether it is what the bot said at last."""
    return [answer.text == answer_to(question) for answer, question in zip(answers, QUESTIONS, strict=False)]


@pytest.mark.parametrize("session", ["", "one"])
async def test_an_answer_that_replaces_a_draft_late_is_the_one_that_is_taken(
    served: Shop, tmp_path: Path, session: str
) -> None:
    answers = await ask(served, "/drafts?late=2.5", tmp_path / "run", 3, session=session, watch=4.0)
    assert (right(answers), {answer.status for answer in answers}) == ([True] * 3, {"complete"})
    assert all(answer.note.startswith("the page changed it ") for answer in answers)
    assert all("watched_seconds" in answer.usage for answer in answers)


async def test_a_correction_that_comes_while_the_next_answer_is_watched_is_seen(served: Shop, tmp_path: Path) -> None:
    """The sixth answer is not watched, because five before it were steady; the last one is."""
    answers = await ask(served, "/drafts?late=4&only=5", tmp_path / "run", 7, session="one", watch=4.5)
    assert [answer.status for answer in answers[:6]] == ["complete"] * 5 + ["suspect"]
    assert "watched_seconds" not in answers[5].usage
    assert right(answers) == [True] * 5 + [False, True]


async def test_a_page_that_was_seen_to_correct_itself_is_watched_at_each_answer_of_a_later_start(
    served: Shop, tmp_path: Path
) -> None:
    """The draft of the sixth answer is taken at first; when it is asked again, its correction is."""
    path, options = "/drafts?late=1.5&only=5", {"session": "one", "watch": 3.0}
    await ask(served, path, tmp_path / "run", 7, **options)
    again = await ask(served, path, tmp_path / "run", 7, **options, retry_failed=True)
    assert (right(again), {answer.status for answer in again}) == ([True] * 7, {"complete"})


@pytest.mark.parametrize("path", ["/feedback", "/bubbles", "/drafts?late=1"])
async def test_the_selector_that_a_probe_found_reads_what_the_probe_read(
    served: Shop, chromium: str, tmp_path: Path, path: str
) -> None:
    options: dict[str, Any] = {"watch": 2.0, "browser": chromium}
    found = await probe(BrowserSettings(kind="browser", url=served.url + path, **options), QUESTIONS[0], 60)
    assert found.reply is not None
    selector = found.reply.ways.response
    plain = await ask(served, path, tmp_path / "plain", 2, session="one")
    named = await ask(
        served, path, tmp_path / "named", 2, session="one", **({"response": selector} if selector else {})
    )
    assert found.reply.text == plain[0].text
    assert [answer.text for answer in named] == [answer.text for answer in plain], selector


async def test_each_bubble_that_a_selector_matches_is_a_part_of_the_answer(served: Shop, tmp_path: Path) -> None:
    for number, selector in enumerate(("", ".bot", "#log .bot")):
        named = {"response": selector} if selector else {}
        answers = await ask(served, "/bubbles", tmp_path / f"{number}", 2, session="one", **named)
        below = 'The question was "{}", and its words are understood.'
        texts = [f"{answer_to(question)}\n{below.format(question.upper())}" for question in QUESTIONS[:2]]
        assert [(answer.text, answer.status) for answer in answers] == [(text, "complete") for text in texts], selector


@pytest.mark.parametrize("session", ["", "one"])
async def test_what_is_asked_about_an_answer_in_its_bubble_is_not_the_answer(
    served: Shop, tmp_path: Path, session: str
) -> None:
    """The page types its answer after its request: on a busy machine so late that only the time of rest can end it."""
    answers = await ask(served, "/feedback", tmp_path / "run", 3, session=session, still=4.0)
    assert [(answer.text, answer.status) for answer in answers] == [(f"{n} euros", "complete") for n in (40, 41, 42)]


async def test_an_answer_that_a_killed_server_cut_is_not_complete(served: Shop, tmp_path: Path) -> None:
    (whole,) = await ask(served, "/cut", tmp_path / "whole", 1)
    assert (whole.status, right([whole])) == ("complete", [True])
    served.hold = 40
    asking = asyncio.create_task(ask(served, "/cut", tmp_path / "cut", 1))
    await until(lambda: len(served.asked) == 2)
    await asyncio.sleep(0.7)
    await served.kill()
    (cut,) = await asking
    assert (cut.status, answer_to(QUESTIONS[0]).startswith(cut.text)) == ("suspect", True)
    assert "no longer answers" in cut.note


async def test_a_cut_in_mid_sentence_is_suspect_although_the_server_lives(served: Shop, tmp_path: Path) -> None:
    served.stop = 40
    (cut,) = await ask(served, "/cut", tmp_path / "cut", 1)
    assert (cut.status, cut.text) == ("suspect", answer_to(QUESTIONS[0])[:40])
    assert cut.note.startswith("it ends in mid-sentence, its reply came without a length")


async def test_the_chat_of_a_shop_is_found_behind_its_banner_beside_its_search(served: Shop, tmp_path: Path) -> None:
    answers = await ask(served, "/shop", tmp_path / "run", 3, session="one")
    assert ([answer.status for answer in answers], right(answers)) == (["complete"] * 3, [True] * 3)


async def test_a_run_stops_when_a_question_leads_to_another_page(served: Shop, tmp_path: Path) -> None:
    with pytest.raises(StopAsking, match=r"led to another page, .*/results\?q=") as caught:
        await ask(served, "/search", tmp_path / "run", 2, session="one")
    assert "was taken for the field of the chat; name the right field with --input-selector CSS" in str(caught.value)
    assert "screenshot: evidence/0-0.png" in str(caught.value)


async def test_a_run_stops_when_the_first_answers_are_all_the_same(served: Shop, tmp_path: Path) -> None:
    with pytest.raises(StopAsking, match=r"first 3 answers are the same, 'Nothing was found\.'") as caught:
        await ask(served, "/same", tmp_path / "run", 5, session="one", watch=0)
    assert "'#box' was taken for the field of the chat, and '#log div.bot' for its answers" in str(caught.value)
    assert {answer.status for answer in Run(tmp_path / "run").answers().values()} == {"suspect"}
    answers = await ask(served, "/same", tmp_path / "named", 4, session="one", watch=0, input="#box")
    assert [answer.status for answer in answers] == ["complete"] * 4


async def test_a_page_that_changes_an_answer_during_the_next_question_counts_as_one_that_corrects_itself(
    served: Shop,
) -> None:
    target = BrowserTarget({"kind": "browser", "url": f"{served.url}/drafts?late=2"})
    target._learned.trusted.add("open")
    item = [Item(id=str(n), query=QUESTIONS[n]) for n in range(2)]
    draft = await target.ask(item[0], Conversation("c"))
    assert (draft.status, draft.text == answer_to(QUESTIONS[0])) == ("complete", False)
    await asyncio.sleep(2)
    await target.ask(item[1], Conversation("c", turns=(Turn(QUESTIONS[0], draft.text),)))
    assert target._learned.steadiness.longest_delay > 1
    assert target.revised("c") is not None
    await target.close()
