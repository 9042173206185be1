"""Pages that behave as well-known widgets do: no wrong answer is complete, and nine in ten are exact."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pages.widgets import PAGES, answer_to, handle, question
from targets.serving import serving

from neraca.runs.ask import ask_async
from neraca.runs.runner import AskOptions

QUESTIONS = 12


async def statuses(url: str, page: str, folder: Path, free: asyncio.Semaphore) -> list[tuple[str, bool, str]]:
    """Return for each answer of a conversation its status, whether it is exact, and the status that is right."""
    rows = [{"id": str(number), "question": question(number), "session": "one"} for number in range(QUESTIONS)]
    async with free:
        settings = {"kind": "browser", "url": f"{url}/w/{page}"}
        run = await ask_async(rows, settings, folder, options=AskOptions(1, 60.0, 0))
    answers = [run.answers()[str(number), 0] for number in range(QUESTIONS)]
    return [
        (answer.status, answer.text == answer_to(number), PAGES[page].status(number))
        for number, answer in enumerate(answers)
    ]


@pytest.mark.soak
async def test_no_wrong_answer_of_a_widget_is_complete(chromium: str, tmp_path: Path) -> None:
    free = asyncio.Semaphore(4)
    async with serving(handle) as url:
        told = await asyncio.gather(*(statuses(url, page, tmp_path / page, free) for page in PAGES))
    wrong = {page: talk for page, talk in zip(PAGES, told, strict=True) if ("complete", False) in {t[:2] for t in talk}}
    assert wrong == {}
    right = [status == best and (exact or best != "complete") for talk in told for status, exact, best in talk]
    assert sum(right) >= 0.9 * len(right)
