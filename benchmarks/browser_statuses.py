"""Whether a wrong answer of a chat page is ever called complete, on the pages of `tests/pages/doubtful.py`.

    .venv/bin/python benchmarks/browser_statuses.py [KILLS] [SEED]

Each page is asked four questions in one conversation, left alone once, and KILLS times (2) with its server killed at a
random moment, by a reset or by an end of its connections.  An answer is exact when it is what the page's bot says.
`beyond` counts suspect answers where another status is right, in talks that nobody disturbed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from pages.doubtful import PAGES
from targets.browser.doubt import Outcome, talk

from neraca.targets.browser.launch import find_browser, start

IN_PARALLEL = 6


async def main(kills: int, seed: int) -> None:
    logging.disable()  # of servers that are killed
    started, free = await start(find_browser()), asyncio.Semaphore(IN_PARALLEL)
    chance = random.Random(seed)
    moments = [(path, None, False) for path in PAGES]
    moments += [(path, chance.uniform(0.3, 12.0), chance.random() < 0.5) for path in PAGES for _ in range(kills)]

    async def one(path: str, kill: float | None, hard: bool) -> tuple[float | None, list[Outcome]]:
        async with free:
            return kill, await talk(started, path, kill, hard)

    print(f"load of the machine: {os.getloadavg()[0]:.1f}; seed {seed}")
    begun = time.monotonic()
    talks = await asyncio.gather(*(one(*moment) for moment in moments))
    await started.end()
    for name, group in (("left alone", [t for k, t in talks if k is None]), ("killed", [t for k, t in talks if k])):
        said = [one for outcomes in group for one in outcomes]
        wrong = [one for one in said if one.status == "complete" and not one.exact]
        answers = [one for one in said if one.right in ("complete", "suspect")]
        beyond = [one for one in said if one.status == "suspect" and one.right != "suspect"]
        waits = [one.seconds for one in said if one.status == "complete" and one.number]
        exact = f"exact {sum(one.exact for one in answers)} of {len(answers)}"
        print(f"{name}: {len(said)} questions; wrong but complete {len(wrong)}; {exact}; beyond {len(beyond)}")
        print(
            f"  seconds after the last change, but for first questions: {statistics.median(waits or [0]):.2f} (median)"
        )
        for one in wrong + (beyond if name == "left alone" else []):
            print(f"  {one.path} {one.number}: {one.status}, {one.why}: {one.text[:60]!r}")
    print(f"{time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    asyncio.run(main(*(given + [2, 15][len(given) :])))
