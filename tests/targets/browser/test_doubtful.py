"""Pages on which something that may be wrong has looked whole: nothing wrong is complete, also where a server dies."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from pages.doubtful import COMPLETE, PAGES
from targets.browser.doubt import talk

from neraca.targets.browser.launch import Program, Started, start
from neraca.targets.browser.watch import Watch

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

IN_PARALLEL = 13
FEW, MORE = 2, 3
"""Questions to a page that is always read well, and to another; `benchmarks/browser_statuses.py` asks all of them."""
STILL = 11.0
"""Seconds: a page of these pauses for 20 with nothing but its request open, which is taken after twice as long."""
KILLED = ("/job", "/socket-pauses", "/types", "/byline", "/restless", "/anew")
SEED = 15


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started(chromium: str) -> AsyncIterator[Started]:
    running = await start(Program(chromium, "the tests"))
    yield running
    await running.end()


async def test_each_answer_has_the_status_that_is_right_and_no_wrong_one_is_complete(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watch, "still", STILL)
    free = asyncio.Semaphore(IN_PARALLEL)

    async def one(path: str) -> list[str]:
        async with free:
            outcomes = await talk(started, path, questions=FEW if PAGES[path].right == COMPLETE else MORE)
        told = [one.status if one.exact or one.status != "complete" else "wrong" for one in outcomes]
        right = [one.right for one in outcomes]
        return [path] + [f"{said} for {best}" for said, best in zip(told, right, strict=True) if said != best]

    found = [one for one in await asyncio.gather(*map(one, PAGES)) if len(one) > 1]
    # Its second request tells the end of the others, once it is known that there are two.
    assert found in ([], [["/two-answers", *["complete for suspect"] * (MORE - 1)]])


async def test_an_answer_whose_server_dies_is_whole_or_not_called_complete(started: Started) -> None:
    chance = random.Random(SEED)
    moments = [(path, chance.uniform(0.3, 6.0), chance.random() < 0.5) for path in KILLED]
    talks = await asyncio.gather(*(talk(started, *moment) for moment in moments))
    for moment, outcomes in zip(moments, talks, strict=True):
        assert [one for one in outcomes if one.status == "complete" and not one.exact] == [], moment
