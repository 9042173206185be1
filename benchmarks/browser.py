"""What asking a chat page costs beside the browser: CPU of this process and of Playwright's driver, per question.

    .venv/bin/python benchmarks/browser.py [QUESTIONS]

Each front end of `tests/pages` is served by a process of its own and asked at the pace of life, with no selectors
given, by `BrowserTarget` in one conversation.  CPU is user and system time from the first question to the last answer,
after one question that is not counted; that of other processes is read from /proc, so this needs Linux.

    .venv/bin/python benchmarks/browser.py pace [QUESTIONS] [WATCH]

What a run takes beyond the answers' own time, without watching: seconds from the turn of a question until its answer
is taken, less `seconds` of the answer.  A page of `tests/pages/widgets.py` is asked QUESTIONS (20) in one conversation,
and QUESTIONS on pages of their own, one at a time.  The first answers, which try the sign of an end, are not counted.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from pages.bot import QUESTIONS, answers_to
from pages.serve import serve
from pages.widgets import answer_to, handle, question
from targets.browser.chat_page import descendants
from targets.serving import serving

from neraca.datasets.dataset import Dataset
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions, ask_all
from neraca.targets.browser import BrowserTarget
from neraca.targets.browser.steadiness import FIRST_CHECKS
from neraca.targets.target import Conversation

FIRST = FIRST_CHECKS + 1
FRONTS = ("gradio", "streamlit", "nicegui")
TICK = os.sysconf("SC_CLK_TCK")


def cpu_of(pid: int) -> float:
    """Seconds that a process has worked, with those of its children that have ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:  # it has ended meanwhile
        return 0.0
    return sum(map(int, stat.rpartition(")")[2].split()[11:15])) / TICK


def cpu(before: set[int]) -> tuple[float, float, float]:
    """Seconds of this process, of the driver, and of the browser; `before`: what ran before they were started."""
    started = {pid: command for pid, command in descendants(os.getpid()).items() if pid not in before}
    drivers = {pid for pid, command in started.items() if "playwright" in command and "run-driver" in command}
    browser = sum(cpu_of(pid) for pid in started.keys() - drivers)
    return time.process_time(), sum(map(cpu_of, drivers)), browser


async def asked(url: str, count: int) -> tuple[int, list[float], float]:
    """How many answers were exact, CPU seconds of the three, and seconds in all."""
    target = BrowserTarget({"kind": "browser", "url": url})
    before = set(descendants(os.getpid()))
    questions = ["Is anybody there?", *QUESTIONS[:count]]
    try:
        texts = []
        for number, question in enumerate(questions):
            if number == 1:
                first, begun = cpu(before), time.monotonic()
            texts.append((await target.ask(Item(id=str(number), query=question), Conversation("c"))).text)
        spent = [end - start for start, end in zip(first, cpu(before), strict=True)]
        wall = time.monotonic() - begun
    finally:
        await target.close()
    return sum(map(str.__eq__, texts[1:], answers_to(questions)[1:])), spent, wall


class Timed(BrowserTarget):
    """A target that keeps, for each answer, the seconds that it took beyond those of the answer."""

    def __init__(self, url: str, watch: float) -> None:
        super().__init__({"kind": "browser", "url": url, "watch": watch})
        self.beyond: list[float] = []
        self._begun = 0.0

    async def prepare(self, item: Item, conversation: Conversation, timeout: float) -> Answer | None:
        self._begun = time.monotonic()
        return await super().prepare(item, conversation, timeout)

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        answer = await super().ask(item, conversation)
        self.beyond.append(time.monotonic() - self._begun - (answer.seconds or 0.0))
        return answer


async def pace(count: int, watch: float) -> None:
    print(f"load of the machine: {os.getloadavg()[0]:.1f}; watched for {watch:g} s")
    for name, session in (("one conversation", "s"), ("a page for each", "")):
        items = tuple(Item(id=str(n), query=question(n), session=session or None) for n in range(count))
        async with serving(handle) as url:
            with tempfile.TemporaryDirectory() as folder:
                target = Timed(f"{url}/w/librechat", watch)
                run = Run.create(Path(folder) / "run", Dataset(items), {"kind": "browser"})
                with run.writing():
                    await ask_all(run, target, AskOptions(1, 60.0, 0))
                answers = [run.answers()[item.id, 0] for item in items]
        exact = sum(answer.text == answer_to(n) for n, answer in enumerate(answers))
        reloaded = sum(answer.usage.get("reloaded_pages", 0) for answer in answers)
        beyond = sorted(target.beyond[FIRST:])
        numbers = f"{statistics.median(beyond):.2f} (median), {beyond[-1]:.2f} (longest)"
        print(f"{name}: exact {exact} of {count}, {reloaded:.0f} on reloaded pages; s beyond the answer: {numbers}")


def main(count: int) -> None:
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    print("front end    exact  wall s  CPU ms per question: ours  driver  browser")
    for name in FRONTS:
        with serve(name) as site:
            exact, spent, wall = asyncio.run(asked(site.url, count))
        ours, driver, browser = (1000 * seconds / count for seconds in spent)
        share = f"{wall / count:6.1f}  {ours:25.0f}  {driver:6.0f}  {browser:7.0f}"
        print(f"{name:10}  {exact:2} of {count:2} {share}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["pace"]:
        questions, seconds = (sys.argv[2:] + ["20", "10"][len(sys.argv[2:]) :])[:2]
        asyncio.run(pace(int(questions), float(seconds)))
        sys.exit()
    main(int(sys.argv[1]) if len(sys.argv) > 1 else len(QUESTIONS))
