"""Find a browser on this machine and start it."""

from __future__ import annotations

import asyncio
import functools
import importlib.util
import itertools
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neraca.errors import MissingExtra, NotAsked, SpecError
from neraca.translation import say

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright

VARIABLE = "NERACA_BROWSER"
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge", "msedge")
_APPLICATIONS = ("Google Chrome", "Chromium", "Microsoft Edge")
#: Environment variables that name the program folders of Windows.
_PROGRAM_FOLDERS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
_PROGRAMS = (
    "Google/Chrome/Application/chrome.exe",
    "Chromium/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
)
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
#: Files that exist only in containers.
_CONTAINER_FILES = ("/.dockerenv", "/run/.containerenv")
_CLOSING = 10.0


@dataclass(frozen=True, slots=True)
class Program:
    """A browser on this machine: its path, and the place that named it, in words."""

    path: str
    source: str


def find_browser(chosen: str = "") -> Program:
    """Return the browser to use.

    Look at `chosen` (the setting or option `browser`), the environment variable NERACA_BROWSER, the Chromium that
    Playwright installed, and PATH, in this order.  A browser that is named must exist: no other one replaces it.

    Raise `SpecError` if there is none; the message lists the places searched and what to install.  Raise `MissingExtra`
    if Playwright, which drives the browser, is not installed.
    """
    need_playwright()
    if chosen:
        return Program(_runnable(chosen, say("the setting browser")), say("the setting browser"))
    if from_environment := os.environ.get(VARIABLE, "").strip():
        return Program(_runnable(from_environment, VARIABLE), say("the environment variable {name}", name=VARIABLE))
    bundled = playwrights_own()
    if Path(bundled).is_file():
        return Program(bundled, say("installed by Playwright"))
    for place, path in _usual_places():
        if executable := shutil.which(path):
            return Program(executable, place)
    raise SpecError(
        say(
            "no browser was found. Looked at: the setting browser (--browser; not given); the environment variable "
            "{variable} (not set); Playwright's own ({bundled}: not there); PATH (no {names}). "
            "Install one with `playwright install chromium`, `apt-get install chromium`, `dnf install chromium`, "
            "`brew install --cask chromium` or `winget install Google.Chrome`, or name the program of yours with "
            "--browser",
            variable=VARIABLE,
            bundled=bundled or say("unknown"),
            names=", ".join(NAMES),
        )
    )


def need_playwright() -> None:
    """Raise `MissingExtra` if Playwright is not installed."""
    if importlib.util.find_spec("playwright") is None:
        raise MissingExtra(say('a browser as the target needs Playwright: pip install "neraca[browser]"'))


def _runnable(program: str, source: str) -> str:
    executable = shutil.which(str(Path(program).expanduser()))
    if executable is None:
        template = "{source}: {program!r} is not there; give the path of Chromium, Chrome or Edge"
        if Path(program).expanduser().exists():
            template = (
                "{source}: {program!r} is not a program that can be run; give the path of Chromium, Chrome or Edge"
            )
        raise SpecError(say(template, source=source, program=program))
    return executable


def _usual_places() -> Iterator[tuple[str, str]]:
    for name in NAMES:
        yield say("on PATH as {name}", name=name), name
    if sys.platform == "darwin":
        for name in _APPLICATIONS:
            yield say("among the applications"), f"/Applications/{name}.app/Contents/MacOS/{name}"
    folders = [Path(value) for name in _PROGRAM_FOLDERS if (value := os.environ.get(name))]
    for program, folder in itertools.product(_PROGRAMS, folders):
        yield say("among the programs of Windows"), str(folder / program)


@functools.cache
def playwrights_own() -> str:
    """Return the path where Playwright installs its Chromium; run in a thread, since a loop may be running here."""
    from playwright.async_api import async_playwright

    async def path() -> str:
        async with async_playwright() as playwright:
            return playwright.chromium.executable_path

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, path()).result()


def without_sandbox(container_files: Iterable[str] = _CONTAINER_FILES) -> bool:
    """Return whether Chromium cannot use its sandbox here: as root, or in a container, which has one of these files."""
    in_container = any(Path(file).exists() for file in container_files)
    return in_container or "container" in os.environ or (hasattr(os, "geteuid") and os.geteuid() == 0)


def need_display() -> None:
    """Raise `SpecError` if there is no display to show a window on."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise SpecError(
            "the browser's window cannot be shown: there is no display (DISPLAY and WAYLAND_DISPLAY are not set); "
            "leave out headed, or log in on a machine with a screen and copy the file of the state"
        )


@dataclass
class Started:
    """A running browser; made by `start`."""

    playwright: Playwright
    browser: Browser
    _lost: bool = False

    @property
    def alive(self) -> bool:
        """Whether the browser still runs, as far as is known."""
        return not self._lost and self.browser.is_connected()

    async def context(self, options: Mapping[str, Any]) -> BrowserContext:
        """Open a context, with cookies and storage of its own, from Playwright's options; raise `NotAsked`."""
        from playwright.async_api import Error

        try:
            return await self.browser.new_context(**options)
        except Error as error:
            self._lost = type(error).__name__ == "TargetClosedError"  # the only sign that the driver has died
            raise NotAsked(f"the browser opens no page: {first_line(error)}", again=True) from None

    async def end(self, patience: float = _CLOSING) -> None:
        """End the browser and its driver; kill the browser if it does not close within `patience` seconds."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(patience):
                await self.browser.close()
        except (Error, TimeoutError):
            pass  # it has ended by itself or does not respond; stopping its driver kills it
        finally:
            await self.playwright.stop()


async def start(program: Program, *, headed: bool = False) -> Started:
    """Start a browser.

    Raise `SpecError` if its window is to be shown and there is no display.  Raise `NotAsked` if it does not start;
    the message quotes its output.
    """
    from playwright.async_api import Error, async_playwright

    if headed:
        need_display()
    manager = async_playwright()
    playwright = await manager.start()
    _ignore_driver_error(manager)
    try:
        browser = await playwright.chromium.launch(
            executable_path=program.path,
            headless=not headed,
            args=list(FLAGS),
            chromium_sandbox=not without_sandbox(),
            handle_sigint=False,  # the runner is stopped first, and then ends the browser
            handle_sigterm=False,
            handle_sighup=False,
        )
    except BaseException as error:
        await playwright.stop()
        if not isinstance(error, Error):
            raise
        raise NotAsked(f"{program.path} ({program.source}) does not start: {_reason(error)}") from None
    return Started(playwright, browser)


def ignore_error(future: asyncio.Future[Any]) -> None:
    """Retrieve the error of a future that nobody awaits, so that asyncio does not warn of it."""
    if not future.cancelled():
        future.exception()


def _ignore_driver_error(manager: object) -> None:
    """Ignore the error of Playwright's driver, which it keeps in a future that nobody awaits."""
    client = getattr(manager, "_client", None) or getattr(manager, "_connection", None)
    future = getattr(getattr(client, "_transport", None), "on_error_future", None)
    if isinstance(future, asyncio.Future):
        future.add_done_callback(ignore_error)


def first_line(error: Exception) -> str:
    """Return the first line of Playwright's message, without the call log that follows it."""
    return str(error).strip().partition("\n")[0].strip()


def _reason(error: Exception) -> str:
    """Return why a browser did not start, with the browser's own output if Playwright quotes it."""
    lines = [line.partition("[err]")[2].strip() for line in str(error).splitlines()]
    detail = next((line for line in lines if "FATAL" in line or "rror" in line), "") or next(filter(None, lines), "")
    return f"{first_line(error)}{'; it says: ' if detail else ''}{detail[:300]}"
