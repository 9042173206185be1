"""Pages from which wrong answers were once called complete, asked as a run asks them; all runs share a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pages.misleading import QUESTIONS, Shop, answer_to, shop
from targets.browser.chat_page import lend

from neraca.datasets.dataset import Dataset
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions, ask_all
from neraca.targets.browser.launch import Program, Started, start
from neraca.targets.target import make_target

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


async def ask(shop: Shop, path: str, folder: Path, count: int, *, session: str = "", **settings: Any) -> list[Answer]:
    """Ask the first questions, each on a page of its own unless they share a session."""
    items = [Item(id=str(n), query=QUESTIONS[n], session=session or None) for n in range(count)]
    run = Run.create(folder, Dataset(tuple(items), "lamps"), {"kind": "browser", "path": path})
    target = make_target({"kind": "browser", "url": shop.url + path, "watch": 2.0, **settings})
    with run.writing():
        await ask_all(run, target, AskOptions(concurrency=2, timeout=60, retries=0))
    answers = run.answers()
    return [answers[item.id, 0] for item in items]


def right(answers: list[Answer]) -> list[bool]:
    """Return for each answer whether it is what the bot said at last."""
    return [answer.text == answer_to(question) for answer, question in zip(answers, QUESTIONS, strict=False)]


@pytest.mark.parametrize("session", ["", "one"])
async def test_an_answer_that_replaces_a_draft_late_is_the_one_that_is_taken(
    served: Shop, tmp_path: Path, session: str
) -> None:
    answers = await ask(served, "/drafts?late=1", tmp_path / "run", 3, session=session)
    assert (right(answers), {answer.status for answer in answers}) == ([True] * 3, {"complete"})
    assert all(answer.note.startswith("the page changed it 1.") for answer in answers)
    assert sum(answer.usage["watched_seconds"] for answer in answers) > 1
