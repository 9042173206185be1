"""Finding and starting a browser; the places to look in are made by the tests."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from pathlib import Path

import pytest
from targets.browser.chat_page import browsers, descendants, until

from neraca.errors import MissingExtra, SpecError, TargetError
from neraca.targets.browser import launch
from neraca.targets.browser.launch import VARIABLE, Program, find_browser, need_display, playwrights_own, start


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine on which nothing is found: no variable, an empty PATH, no browser of Playwright's."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(launch, "playwrights_own", lambda: str(tmp_path / "own/chrome"))
    monkeypatch.setattr(launch.sys, "platform", "linux")
    for folder in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        monkeypatch.delenv(folder, raising=False)
    return tmp_path


def test_the_setting_goes_before_the_variable_before_playwrights_own_before_path(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edge = program(bare / "bin/microsoft-edge")
    assert find_browser() == Program(edge, "on PATH as microsoft-edge")
    chromium = program(bare / "bin/chromium")
    assert find_browser() == Program(chromium, "on PATH as chromium")
    own = program(bare / "own/chrome")
    assert find_browser() == Program(own, "installed by Playwright")
    named = program(bare / "named")
    monkeypatch.setenv(VARIABLE, named)
    assert find_browser() == Program(named, f"the environment variable {VARIABLE}")
    assert find_browser("chromium") == Program(chromium, "the setting browser")


def test_without_a_browser_the_error_names_all_four_places_and_how_to_get_one(bare: Path) -> None:
    with pytest.raises(SpecError) as caught:
        find_browser()
    for words in ("--browser", VARIABLE, str(bare / "own/chrome"), "PATH", "google-chrome", "playwright install"):
        assert words in str(caught.value)


def test_a_browser_that_is_named_and_not_there_is_not_passed_over(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bare / "bin/chromium")
    with pytest.raises(SpecError, match=r"the setting browser: .* is not there"):
        find_browser(str(bare / "none"))
    (bare / "text").write_text("no program")
    monkeypatch.setenv(VARIABLE, str(bare / "text"))
    with pytest.raises(SpecError, match=rf"{VARIABLE}: .* is not a program that can be run"):
        find_browser()
    with pytest.raises(SpecError, match="is not a program that can be run"):
        find_browser(str(bare))


def test_on_a_mac_the_applications_are_looked_at(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch.sys, "platform", "darwin")
    wanted = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    monkeypatch.setattr(launch.shutil, "which", lambda path: path if path == wanted else None)
    assert find_browser() == Program(wanted, "among the applications")


def test_on_windows_the_folders_of_programs_are_looked_at(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROGRAMFILES", str(bare / "Program Files"))
    monkeypatch.setenv("PROGRAMFILES(X86)", str(bare / "Program Files (x86)"))
    edge = program(bare / "Program Files (x86)/Microsoft/Edge/Application/msedge.exe")
    assert find_browser() == Program(edge, "among the programs of Windows")
    chrome = program(bare / "Program Files/Google/Chrome/Application/chrome.exe")
    assert find_browser() == Program(chrome, "among the programs of Windows")


def test_without_playwright_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r'pip install "neraca\[browser\]"'):
        find_browser()


def test_playwright_says_where_its_own_browser_would_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    playwrights_own.cache_clear()
    assert playwrights_own().startswith(str(tmp_path))
    playwrights_own.cache_clear()


def test_a_window_needs_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch.sys, "platform", "linux")
    monkeypatch.setenv("DISPLAY", ":0")
    need_display()
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(SpecError, match="there is no display"):
        need_display()


async def test_a_headed_start_without_a_display_starts_nothing(monkeypatch: pytest.MonkeyPatch, chromium: str) -> None:
    monkeypatch.setattr(launch.sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(SpecError, match="there is no display"):
        await start(Program(chromium, "by the test"), headed=True)


def test_a_sandbox_is_given_up_only_as_root_or_in_a_container(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    marks = [str(tmp_path / "mark")]
    monkeypatch.delenv("container", raising=False)
    monkeypatch.setattr(launch.os, "geteuid", lambda: 1000)
    assert not launch.without_sandbox(marks)
    monkeypatch.setattr(launch.os, "geteuid", lambda: 0)
    assert launch.without_sandbox(marks)
    monkeypatch.setattr(launch.os, "geteuid", lambda: 1000)
    (tmp_path / "mark").touch()
    assert launch.without_sandbox(marks)


async def test_a_started_browser_has_our_flags_and_leaves_no_process(chromium: str) -> None:
    before = set(descendants(os.getpid()))
    started = await start(Program(chromium, "by the test"))
    try:
        assert started.alive
        [main] = browsers()
        command = descendants(os.getpid())[main]
        assert "--disable-quic" in command
        assert "--headless" in command
    finally:
        await started.end()
    assert not started.alive
    await until(lambda: set(descendants(os.getpid())) <= before)


async def test_a_program_that_is_no_browser_says_what_it_wrote(tmp_path: Path) -> None:
    false = tmp_path / "false"
    false.write_text("#!/bin/sh\necho 'error while loading shared libraries: libnss3.so' >&2\nexit 127\n")
    false.chmod(0o755)
    before = set(descendants(os.getpid()))
    with pytest.raises(TargetError, match=r"\(by the test\) does not start: .*libnss3\.so") as caught:
        await start(Program(str(false), "by the test"))
    assert "\n" not in str(caught.value)
    await until(lambda: set(descendants(os.getpid())) <= before)


async def test_a_context_that_the_browser_refuses_is_an_error_of_the_target(chromium: str) -> None:
    started = await start(Program(chromium, "by the test"))
    try:
        with pytest.raises(TargetError, match=r"the browser opens no page: .*cookies"):
            await started.context({"storage_state": {"cookies": [{"name": "a"}], "origins": []}})
        assert started.alive
    finally:
        await started.end()


async def test_a_browser_that_does_not_close_in_time_is_ended_all_the_same(chromium: str) -> None:
    before = set(descendants(os.getpid()))
    started = await start(Program(chromium, "by the test"))
    await started.end(patience=0)
    await until(lambda: set(descendants(os.getpid())) <= before)


async def test_a_driver_that_dies_is_noticed_and_leaves_nothing_that_asyncio_would_warn_of(chromium: str) -> None:
    before = set(descendants(os.getpid()))
    started = await start(Program(chromium, "by the test"))
    [driver] = [pid for pid, command in descendants(os.getpid()).items() if pid not in before and "node" in command]
    os.kill(driver, signal.SIGKILL)
    with pytest.raises(TargetError, match="the browser opens no page"):
        await started.context({})
    assert not started.alive
    await started.end()
    futures = [thing for thing in gc.get_objects() if isinstance(thing, asyncio.Future)]
    assert [future for future in futures if future._log_traceback] == [], "errors that nobody has seen"
    await until(lambda: set(descendants(os.getpid())) <= before)


async def test_a_start_that_is_stopped_leaves_no_process(chromium: str) -> None:
    before = set(descendants(os.getpid()))
    starting = asyncio.create_task(start(Program(chromium, "by the test")))
    await until(lambda: browsers() or starting.done())
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await until(lambda: set(descendants(os.getpid())) <= before)
