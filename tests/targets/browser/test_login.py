"""Logging in once: what is kept, who can read it, and that a run begins with it."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from targets.browser.chat_page import Bot, browsers

from neraca.errors import InputError, SpecError, TargetError
from neraca.records import Item
from neraca.targets.browser import BrowserTarget, launch, login
from neraca.targets.browser.settings import BrowserSettings
from neraca.targets.target import Conversation

FORM = """<!doctype html><title>Log in</title><script>
document.cookie = "key=open; max-age=3600"; localStorage.setItem("name", "ana"); fetch("done");
</script><input type="password">"""


class Site:
    """A form that logs in whoever sees it; the bot is behind it."""

    def __init__(self) -> None:
        self.bot = Bot()
        self.logged_in = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.path == "/done":
            self.logged_in.set()
            return web.Response()
        if request.cookies.get("key") == "open":
            return await self.bot.answer(request)
        return web.Response(text=FORM, content_type="text/html")


@pytest.fixture
async def site(serve: Any) -> tuple[Site, str]:
    made = Site()
    return made, await serve(made.answer) + "/"


def settings(url: str, chromium: str, **more: str) -> BrowserSettings:
    return BrowserSettings(kind="browser", url=url, browser=chromium, **more)


async def test_what_a_login_leaves_is_kept_for_its_owner_and_a_run_begins_with_it(
    site: tuple[Site, str], chromium: str, tmp_path: Path
) -> None:
    served, url = site
    file = tmp_path / "state.json"
    file.write_text("an older one")
    file.chmod(0o644)
    pressed = served.logged_in.wait()
    assert await login.login(settings(url, chromium), file, pressed, headed=False) == 2
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    state = json.loads(file.read_text())
    assert [(cookie["name"], cookie["value"]) for cookie in state["cookies"]] == [("key", "open")]
    assert state["origins"][0]["localStorage"] == [{"name": "name", "value": "ana"}]
    assert list(tmp_path.iterdir()) == [file]
    assert browsers() == []
    target = BrowserTarget({"kind": "browser", "url": url, "browser": chromium, "storage_state": str(file)})
    try:
        answer = await target.ask(Item(id="1", query="hello"), Conversation("c"))
    finally:
        await target.close()
    assert answer.text == "Number 1: you said hello"


async def test_closing_the_window_is_enough(
    site: tuple[Site, str], chromium: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served, url = site
    opened: list[launch.Started] = []

    async def watched(*given: Any, **options: Any) -> launch.Started:
        opened.append(await launch.start(*given, **options))
        return opened[0]

    monkeypatch.setattr(login, "start", watched)
    saving = asyncio.create_task(login.login(settings(url, chromium), tmp_path / "state.json", headed=False))
    await asyncio.wait_for(served.logged_in.wait(), 60)
    await opened[0].browser.contexts[0].pages[0].close()
    assert await asyncio.wait_for(saving, 60) >= 1
    assert json.loads((tmp_path / "state.json").read_text())["cookies"]


async def test_a_browser_that_is_ended_before_its_state_was_taken_is_said(
    site: tuple[Site, str], chromium: str, tmp_path: Path
) -> None:
    served, url = site
    saving = asyncio.create_task(login.login(settings(url, chromium), tmp_path / "state.json", headed=False))
    await asyncio.wait_for(served.logged_in.wait(), 60)
    for pid in browsers():
        os.kill(pid, 9)
    with pytest.raises(TargetError, match="the browser ended before its state was saved"):
        await asyncio.wait_for(saving, 60)
    assert list(tmp_path.iterdir()) == []


async def test_a_page_that_does_not_open_ends_the_login(chromium: str, tmp_path: Path, unused_tcp_port: int) -> None:
    url = f"http://ana:hush@127.0.0.1:{unused_tcp_port}/"
    with pytest.raises(TargetError, match="ERR_CONNECTION_REFUSED") as caught:
        await login.login(settings(url, chromium), tmp_path / "state.json", headed=False)
    assert "hush" not in str(caught.value)


async def test_a_login_checks_file_and_display_before_anybody_types(
    chromium: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = settings("http://127.0.0.1/", chromium)
    for file in (tmp_path, tmp_path / "no/such/folder/state.json"):
        with pytest.raises(InputError, match="cannot be written"):
            await login.login(page, file, headed=False)
    monkeypatch.setattr(launch.sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(SpecError, match="there is no display"):
        await login.login(page, tmp_path / "state.json")
