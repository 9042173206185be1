"""Whether a wrong answer of a widget's page is called complete, on the pages of `tests/pages/widgets.py`.

    .venv/bin/python benchmarks/browser_widgets.py [QUESTIONS] [OWN] [PAGE…]

Each page is asked QUESTIONS (30) in one conversation and OWN (14) on pages of their own, by a run as users make it.
Without selectors.  An answer is exact when it is what the page's bot says.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from pages.widgets import PAGES, answer_to, handle, question
from targets.serving import serving

from neraca.errors import NothingUsable
from neraca.records import Answer
from neraca.runs.ask import ask_async
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions

IN_PARALLEL = 6


async def talk(url: str, page: str, count: int, session: str) -> list[Answer]:
    """Return the answers of a page to its first questions, as many as were asked before five failed alike."""
    rows = [{"id": str(n), "question": question(n)} | ({"session": session} if session else {}) for n in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        settings = {"kind": "browser", "url": f"{url}/w/{page}", "name": page}
        with suppress(NothingUsable):
            await ask_async(rows, settings, f"{folder}/run", options=AskOptions(2, 60.0, 0))
        answers = Run(f"{folder}/run").answers()
        return [answers[str(n), 0] for n in range(count) if (str(n), 0) in answers]


async def main(questions: int, own: int, pages: list[str]) -> None:
    logging.disable()
    free, begun = asyncio.Semaphore(IN_PARALLEL), time.monotonic()
    wrong = right = total = 0

    async def one(url: str, page: str, count: int, session: str) -> None:
        nonlocal wrong, right, total
        async with free:
            started = time.monotonic()
            answers = await talk(url, page, count, session)
        exact = [answer.text == answer_to(n) for n, answer in enumerate(answers)]
        status = PAGES[page].status
        expected = [status(n if session else 0) for n in range(len(answers))]
        bad = [n for n, answer in enumerate(answers) if answer.status == "complete" and not exact[n]]
        good = sum(a.status == e and (x or e != "complete") for a, e, x in zip(answers, expected, exact, strict=True))
        wrong, right, total = wrong + len(bad), right + good, total + len(answers)
        watched = sum(answer.usage.get("watched_seconds", 0) for answer in answers)
        kind = "conversation" if session else "own pages"
        seconds = time.monotonic() - started
        print(f"{page}, {kind}: right {good} of {len(answers)}; wrong but complete {len(bad)}", end="; ")
        print(f"watched {watched:.0f} s; {seconds:.0f} s")
        others = [n for n, answer in enumerate(answers) if answer.status != expected[n] or n in bad]
        for n in others[:3]:
            why = answers[n].error or answers[n].note
            print(f"  {n} {answers[n].status} for {expected[n]}: {answers[n].text[:90]!r} {str(why)[:160]}", flush=True)

    async with serving(handle) as url:
        await asyncio.gather(*(one(url, page, n, s) for page in pages for n, s in ((questions, "s"), (own, "")) if n))
    load = os.getloadavg()[0]
    print(f"right {right} of {total}; wrong but complete {wrong}; {time.monotonic() - begun:.0f} s; load {load:.1f}")


if __name__ == "__main__":
    given = sys.argv[1:]
    asyncio.run(main(int(given[0]) if given else 30, int(given[1]) if len(given) > 1 else 14, given[2:] or list(PAGES)))
