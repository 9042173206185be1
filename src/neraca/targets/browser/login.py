"""Log in by hand once, so that later runs begin logged in."""

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
        The settings of a target.  If they name a `storage_state`, the window begins with it.
    file
        File for the state, readable by its owner alone.  An older file is replaced, whole or not at all.
    enough
        The state is saved when this is done, for example after a key press in the terminal, or when the page's window
        is closed.
    headed
        Whether the window is shown.

    Returns
    -------
    int
        Number of saved cookies and origins with local storage; 0: nobody logged in, or the page keeps logins elsewhere.

    Raises
    ------
    SpecError, MissingExtra
        If the settings are wrong, or there is no browser or no display.
    TargetError
        If the browser or the page does not open, or the browser ended before its state was saved.
    InputError
        If the file cannot be written.
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
                "the browser ended before its state was saved: close only the window, or press Enter here"
            ) from None
        raise TargetError(prepared.hide(first_line(error))) from None
    finally:
        await started.end()
    write_atomic(file, json.dumps(state, indent=1).encode(), mode=0o600)
    return len(state.get("cookies", [])) + len(state.get("origins", []))


async def _first_of(*waiting: Awaitable[object]) -> None:
    """Wait until one of these is done, and cancel the others."""
    tasks = [asyncio.ensure_future(awaitable) for awaitable in waiting]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _check_writable(file: Path) -> None:
    """Raise `InputError` if the file cannot be written, before anybody logs in."""
    if file.is_dir() or not os.access(file.parent, os.W_OK):
        raise InputError(f"{file}: cannot be written; name a file in a folder that exists")
