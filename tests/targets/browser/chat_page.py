"""A small chat page with a scripted bot, and what the tests of the target watch: questions asked, processes left."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from targets.serving import serving

from neraca.records import Answer, Item
from neraca.targets.browser import BrowserTarget
from neraca.targets.browser.launch import Program, Started
from neraca.targets.target import make_target, partial_of

Made = Callable[..., BrowserTarget]
HALF = "The first half of"

PAGE = """<!doctype html><meta charset="utf-8"><title>Bot</title><h1>Bot</h1><main id="log"></main>
<form id="form"><input id="question" placeholder="Ask something"><button>Send</button></form>
<script>
let turn = 0;
function add(kind, text) {
  const box = document.createElement("div");
  box.className = kind; box.textContent = text; log.append(box);
  return box;
}
form.onsubmit = async event => {
  event.preventDefault();
  const text = question.value; question.value = ""; turn += 1;
  add("user", text);
  if (text.includes("stand still")) {
    add("bot", "The first half of");
    setTimeout(() => {
      const never = new XMLHttpRequest();  // the page waits for it, and answers to nothing meanwhile
      never.open("GET", "never", false); never.send();
    }, 600);
    return;
  }
  const answer = await fetch("ask?" + new URLSearchParams({ text, turn }));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const box = add("bot", "");
  for (let part; !(part = await reader.read()).done;) box.textContent += part.value;
};
</script>"""
LOGIN = '<!doctype html><h1>Please log in</h1><form><input name="user"><input type="password" name="word"></form>'


class Lent(Started):
    """A browser for one target: when it ends, its pages are closed, and the browser stays."""

    async def end(self, patience: float = 20.0) -> None:
        async with asyncio.timeout(patience):
            for one in self.browser.contexts:
                await one.close()


def lend(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all targets use this browser for the one that they start."""

    async def lent(program: Program, *, headed: bool = False) -> Started:
        return Lent(started.playwright, started.browser)

    monkeypatch.setattr("neraca.targets.browser.target.start", lent)


class Bot:
    """Answers with how many questions its page has had; `freeze` in a question stops it in the middle.

    What stands in `held` is answered when it is taken out.  `stuck` is set when a page has stopped to answer anything.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.visitors = 0
        self.held: set[str] = set()
        self.stuck = asyncio.Event()

    @property
    def questions(self) -> list[str]:
        """What was asked, in the order in which it came."""
        return [text for text, _, _ in self.asked]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.path == "/login":
            return web.Response(text=LOGIN, content_type="text/html")
        if request.path == "/never":
            self.stuck.set()
            await asyncio.Event().wait()
        if request.path == "/missing":
            return web.Response(status=404, text="nothing here")
        if request.path != "/ask":
            self.visitors += 1
            self.headers.append(dict(request.headers))
            page = web.Response(text=PAGE, content_type="text/html")
            if request.path == "/" and "visitor" not in request.cookies:
                page.set_cookie("visitor", str(self.visitors))
            return page
        text, turn = request.query["text"], request.query["turn"]
        self.asked.append((text, turn, request.cookies.get("visitor", "")))
        answer = web.StreamResponse(headers={"Content-Type": "text/plain; charset=utf-8"})
        await answer.prepare(request)
        if "freeze" in text:
            await answer.write(b"The first half of")
            await asyncio.Event().wait()
        while text in self.held:
            await asyncio.sleep(0.02)
        await answer.write(f"Number {turn}: ".encode())
        await answer.write(f"you said {text}".encode())
        await answer.write_eof()
        return answer


@asynccontextmanager
async def targets(bot: Bot, chromium: str) -> AsyncIterator[Made]:
    """`made(path="/", **settings)`: a target of the bot's page, closed at the end."""
    made: list[BrowserTarget] = []
    async with serving(bot.answer) as url:

        def target(path: str = "/", **settings: Any) -> BrowserTarget:
            found = make_target({"kind": "browser", "url": url + path, "browser": chromium, "watch": 0, **settings})
            assert isinstance(found, BrowserTarget)
            made.append(found)
            return found

        yield target
        for one in made:
            await one.close()


def question(text: str, name: str = "q") -> Item:
    return Item(id=name, query=text)


async def stopped(asking: asyncio.Task[Answer]) -> Answer:
    """What is left of an answer whose asking is cancelled, as a time limit would."""
    asking.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await asking
    answer = partial_of(caught.value)
    assert answer is not None
    return answer


async def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait for something to become true; `TimeoutError` when it does not."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.05)


def parents() -> dict[int, int]:
    """Each process that still runs → the one that started it; what has ended and waits to be counted does not run."""
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := _read(entry / "stat")):
            state, parent = stat.rpartition(")")[2].split()[:2]
            if state != "Z":
                found[int(entry.name)] = int(parent)
    return found


def descendants(pid: int) -> dict[int, str]:
    """All processes below this one that still run, each with its command line."""
    parent_of = parents()
    found: dict[int, str] = {}
    front = {pid}
    while front := {child for child, parent in parent_of.items() if parent in front and child not in found}:
        found |= {child: _read(Path(f"/proc/{child}/cmdline")).replace("\0", " ") for child in front}
    return found


def browsers(pid: int = 0) -> list[int]:
    """The browsers below this process: those processes of Chromium that are not a part of another one.

    A part has a `--type=`; for a moment after its birth it still has the command line of its parent, the browser.
    """
    whole = {
        child
        for child, command in descendants(pid or os.getpid()).items()
        if "--remote-debugging-pipe" in command and "--type=" not in command
    }
    parent_of = parents()
    return [child for child in sorted(whole) if child in parent_of and parent_of[child] not in whole]


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:  # it has ended meanwhile
        return ""
