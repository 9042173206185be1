"""Trying out a page without a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from targets.browser.chat_page import Bot, browsers

from neraca.errors import TargetError
from neraca.targets.browser.launch import Program
from neraca.targets.browser.probe import probe, shows_a_page
from neraca.targets.browser.profile import filled, save
from neraca.targets.browser.settings import BrowserSettings


async def test_a_probe_answers_says_how_and_its_profile_is_taken_by_the_next(
    serve: Any, chromium: str, tmp_path: Path
) -> None:
    bot = Bot()
    settings = BrowserSettings(kind="browser", url=await serve(bot.answer), browser=chromium, watch=1)
    found = await probe(settings, "hello", 60)
    assert found.reply is not None
    assert (found.reply.text, found.reason, found.partial) == ("Number 1: you said hello", "", "")
    assert found.program == Program(chromium, "the setting browser")
    assert found.version[0].isdigit()
    assert found.screenshot.startswith(b"\x89PNG")
    assert found.reply.ways.input
    save(tmp_path / "bot.toml", settings, found.reply.ways)
    with_profile = BrowserSettings(
        kind="browser", url=settings.url, browser=chromium, watch=1, profile=str(tmp_path / "bot.toml")
    )
    assert filled(with_profile).input == found.reply.ways.input
    again = await probe(with_profile, "hello", 60)
    assert again.reply is not None
    assert again.reply.text == "Number 1: you said hello"
    assert browsers() == []


async def test_a_probe_that_gets_no_answer_says_why_and_shows_the_page(serve: Any, chromium: str) -> None:
    bot = Bot()
    url = await serve(bot.answer)
    late = await probe(BrowserSettings(kind="browser", url=url, browser=chromium), "freeze", 11)
    assert late.reply is None
    assert (late.reason, late.partial) == ("no answer within 11 s", "The first half of")
    assert late.screenshot
    missing = await probe(BrowserSettings(kind="browser", url=url + "/missing", browser=chromium), "hello", 60)
    assert "404" in missing.reason
    opened = await probe(BrowserSettings(kind="browser", url=url, browser=chromium), "", 60)
    assert (opened.reply, opened.reason) == (None, "")
    assert bot.questions == ["freeze"]


async def test_a_browser_that_shows_nothing_is_said(chromium: str) -> None:
    program = Program(chromium, "by the test")
    assert (await shows_a_page(program))[0].isdigit()
    with pytest.raises(TargetError, match="shows no page"):
        await shows_a_page(program, "data:text/html,<title>else</title>")
    with pytest.raises(TargetError, match=r"shows no page: .*ERR_FILE_NOT_FOUND"):
        await shows_a_page(program, "file:///no/such/page")
