"""What asking a chat page costs beside the browser: CPU of this process and of Playwright's driver, per question.

    .venv/bin/python benchmarks/browser.py [QUESTIONS]

Each front end of `tests/pages` is served by a process of its own and asked at the pace of life, with no selectors
given, by `BrowserTarget` in one conversation.  CPU is user and system time from the first question to the last answer,
after one question that is not counted; that of other processes is read from /proc, so this needs Linux.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from pages.bot import QUESTIONS, answers_to
from pages.serve import serve
from targets.browser.chat_page import descendants

from neraca.records import Item
from neraca.targets.browser import BrowserTarget
from neraca.targets.target import Conversation

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
    main(int(sys.argv[1]) if len(sys.argv) > 1 else len(QUESTIONS))
