"""Pages loaded again for another conversation: nothing of the earlier one is left, or the page is a new one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
import pytest_asyncio
from aiohttp import web
from targets.browser.chat_page import Bot, Made, lend, question, stopped, targets, until
from targets.serving import serving

from neraca.targets.browser import BrowserTarget
from neraca.targets.browser.launch import Program, Started, start
from neraca.targets.target import Conversation

pytestmark = pytest.mark.asyncio(loop_scope="module")

MEMORIES = ("cookie", "local", "session", "name", "database", "cache")
PAGE = """<!doctype html><meta charset="utf-8"><title>Bot</title><p>GREETING</p><main id="log"></main>
<form id="form"><input id="question" placeholder="Ask something"><button>Send</button></form>
<script>
const table = () => new Promise((done) => {
  const opening = indexedDB.open("talk");
  opening.onupgradeneeded = () => opening.result.createObjectStore("lines");
  opening.onsuccess = () => done(opening.result.transaction("lines", "readwrite").objectStore("lines"));
});
const read = async () => { const lines = await table(); return new Promise((done) => {
  const getting = lines.get("last"); getting.onsuccess = () => done(getting.result); }); };
const kept = async () => Object.entries({ cookie: document.cookie.includes("last"), local: localStorage.last,
  session: sessionStorage.last, name: window.name, database: await read(), cache: (await caches.keys()).length })
  .filter(([, value]) => value).map(([name]) => name).join(" ") || "nothing";
const add = (kind, text) => { const box = document.createElement("div"); box.className = kind; log.append(box);
  box.textContent = text; };
form.onsubmit = async (event) => {
  event.preventDefault();
  const text = question.value; question.value = ""; add("user", text);
  const memory = await kept(), answer = await (await fetch("ask")).text();
  document.cookie = "last=1; max-age=3600"; localStorage.last = sessionStorage.last = window.name = text;
  (await table()).put(text, "last"); await caches.open("talk");
  add("bot", `This page remembers ${memory}. ${answer}`);
};
</script>"""


class House:
    """Serves the page; its greeting names the number of the load if `counts`."""

    def __init__(self) -> None:
        self.loads = 0
        self.counts = False

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if request.path == "/ask":
            return web.Response(text="It is a good answer.")
        self.loads += request.path == "/"
        greeting = "Hello" + " again" * (self.counts * self.loads)
        return web.Response(text=PAGE.replace("GREETING", greeting), content_type="text/html")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started(chromium: str) -> AsyncIterator[Started]:
    running = await start(Program(chromium, "the tests"))
    yield running
    await running.end()


@pytest_asyncio.fixture(loop_scope="module")
async def house(
    started: Started, chromium: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[House, BrowserTarget]]:
    """The house, and a target of its page."""
    lend(started, monkeypatch)
    served = House()
    async with serving(served.handle) as url:
        target = BrowserTarget(
            {"kind": "browser", "url": f"{url}/", "browser": chromium, "watch": 0, "input": "#question"}
        )
        yield served, target
        await target.close()


async def talk(target: BrowserTarget, *names: str, turns: Sequence[str] = ("one", "two")) -> list[tuple[str, str]]:
    """Ask in each of these conversations; return first answers with the kind of their page, then the others."""
    first, later = [], []
    for name in names:
        for turn in turns:
            answer = await target.ask(question(f"{name} {turn}?"), Conversation(name))
            text = answer.text.partition(".")[0].removeprefix("This page remembers ")
            if turn == turns[0]:
                first.append((text, *answer.usage))
            else:
                later.append((text, ""))
        await target.leave(name)
    return first + later


async def test_a_page_that_is_loaded_again_remembers_nothing_of_the_conversation_before(
    house: tuple[House, BrowserTarget],
) -> None:
    served, target = house
    everything = " ".join(MEMORIES)
    assert await talk(target, "a", "b", "c") == [
        ("nothing", "new_pages"),
        ("nothing", "reloaded_pages"),
        ("nothing", "reloaded_pages"),
        *[(everything, "")] * 3,
    ]
    assert served.loads <= 4  # one for each conversation, and one for the next


async def test_a_page_that_does_not_show_its_first_state_again_is_replaced_by_a_new_one(
    house: tuple[House, BrowserTarget],
) -> None:
    served, target = house
    served.counts = True
    first = await talk(target, "a", "b", "c", "d", turns=["one"])
    assert [kind for _, kind in first] == ["new_pages"] * 4
    assert served.loads == 6, "after two pages that differ, none is loaded again"


async def test_a_page_whose_last_answer_is_not_complete_serves_no_other_conversation(
    started: Started, chromium: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lend(started, monkeypatch)
    bot = Bot()
    async with targets(bot, chromium) as make:
        made: Made = make
        target = made()
        asking = asyncio.create_task(target.ask(question("freeze"), Conversation("a")))
        await until(lambda: "a" in target._tabs and target._tabs["a"].partial)
        await stopped(asking)
        await target.leave("a")
        answer = await target.ask(question("next"), Conversation("b"))
        assert (answer.text, dict(answer.usage)) == ("Number 1: you said next", {"new_pages": 1})


async def test_a_login_is_kept_when_a_page_is_loaded_again(
    started: Started, chromium: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lend(started, monkeypatch)
    served = House()
    async with serving(served.handle) as url:
        file = tmp_path_factory.mktemp("login") / "state.json"
        entry = '{"name": "last", "value": "in"}'
        file.write_text(f'{{"cookies": [], "origins": [{{"origin": "{url}", "localStorage": [{entry}]}}]}}')
        settings = {"kind": "browser", "url": f"{url}/", "browser": chromium, "watch": 0, "storage_state": str(file)}
        target = BrowserTarget(settings)
        assert (await talk(target, "a", "b"))[:2] == [("local", "new_pages"), ("local", "reloaded_pages")]
        await target.close()
