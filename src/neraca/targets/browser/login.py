"""Logging in by hand once, so that a run can begin logged in."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable
from pathlib import Path

from neraca.errors import InputError, TargetError
from neraca.files import write_atomic
from neraca.targets.browser.context import prepare
from neraca.targets.browser.launch import find_browser, first_line, need_display, start
from neraca.targets.browser.settings import BrowserSettings


async def login(
    settings: BrowserSettings, file: Path, enough: Awaitable[object] | None = None, *, headed: bool = True
) -> int:
    """Open the page in a window, wait until somebody has logged in, and keep cookies and local storage.

    Parameters
    ----------
    settings
        As of a target; a `storage_state` that they name is what the window begins with.
    file
        Where the state goes, readable by nobody else; an older one is replaced, whole or not at all.
    enough
        When this is done, such as by a key pressed in the terminal, the state is taken; so it is when the page's
        window is closed.
    headed
        Whether the window is shown.

    Returns
    -------
    int
        How many cookies and origins with local storage were kept; 0: nobody logged in, or the page keeps it elsewhere.

    Raises
    ------
    SpecError, MissingExtra
        When the settings are wrong, or there is no browser, or no display.
    TargetError
        When the browser or the page does not open, or the whole browser was ended before its state was taken.
    InputError
        When the file cannot be written.
    """
    from playwright.async_api import Error

    if headed:
        need_display()
    _check_writable(file)
    prepared = prepare(settings)
    started = await start(find_browser(prepared.settings.browser), headed=headed)
    try:
        context = await started.context(prepared.options)
        page = await context.new_page()
        closed = asyncio.Event()
        page.on("close", lambda _: closed.set())
        await page.goto(prepared.settings.url, wait_until="commit")
        await _first_of(closed.wait(), *(() if enough is None else (enough,)))
        state = await context.storage_state()
    except Error as error:
        if not started.alive:
            raise TargetError(
                "the browser was ended before its state could be taken: close only the window, or press Enter here"
            ) from None
        raise TargetError(prepared.hide(first_line(error))) from None
    finally:
        await started.end()
    write_atomic(file, json.dumps(state, indent=1).encode(), mode=0o600)
    return len(state.get("cookies", [])) + len(state.get("origins", []))


async def _first_of(*waiting: Awaitable[object]) -> None:
    """Return when one of these is done, and stop the others."""
    tasks = [asyncio.ensure_future(one) for one in waiting]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _check_writable(file: Path) -> None:
    """Said before anybody logs in, and not after."""
    if file.is_dir() or not os.access(file.parent, os.W_OK):
        raise InputError(f"{file}: cannot be written; name a file in a folder that exists")
