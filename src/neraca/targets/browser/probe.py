"""Try out a page without a run: open it and ask one question."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from neraca.errors import TargetError
from neraca.targets.browser.context import prepare
from neraca.targets.browser.launch import Program, find_browser, first_line, start
from neraca.targets.browser.reply import Reply
from neraca.targets.browser.settings import BrowserSettings
from neraca.targets.browser.tab import Tab
from neraca.translation import say

_PAGE = "data:text/html,<title>Neraca</title>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """The result of trying out a page.

    Attributes
    ----------
    program, version
        The browser with its path and how it was found, and its version.
    reply
        The answer; None if nothing was asked, or there is no answer.
    reason
        The reason of a failure, "" if nothing failed.
    partial
        The part of a failed answer that had arrived.
    screenshot
        The page at the end, as PNG; b"" if no picture could be taken.
    """

    program: Program
    version: str
    reply: Reply | None = None
    reason: str = ""
    partial: str = ""
    screenshot: bytes = b""


async def probe(settings: BrowserSettings, question: str, timeout: float) -> Probed:
    """Open the page, ask one question, and return the result.

    Parameters
    ----------
    settings
        The settings of a target; they are filled in from the profile here.
    question
        The question; "": only open the page and find the input for questions.
    timeout
        Seconds for the answer.  It is then watched for the seconds that the settings say.

    Raises
    ------
    SpecError, MissingExtra
        If the settings are wrong, or there is no browser.
    TargetError
        If the browser does not start.
    """
    prepared = prepare(settings)
    program = find_browser(prepared.settings.browser)
    started = await start(program, headed=prepared.settings.headed)
    try:
        version = started.browser.version
        tab = await Tab.of(started, prepared)
        reply, reason = None, ""
        try:
            await tab.open()
            if question:
                async with asyncio.timeout(timeout):
                    reply = await tab.ask(question)
                if prepared.settings.watch:
                    reply = await tab.watch(prepared.settings.watch)
        except TimeoutError:
            reason = say("no answer within {seconds:g} s", seconds=timeout)
        except TargetError as error:
            reason = prepared.hide(str(error))
        partial = tab.partial if reply is None else ""
        return Probed(
            program=program,
            version=version,
            reply=reply,
            reason=reason,
            partial=partial,
            screenshot=await tab.picture(),
        )
    finally:
        await started.end()


async def shows_a_page(program: Program, page_url: str = _PAGE) -> str:
    """Start a browser, show a page whose title is "Neraca", end the browser, and return its version.

    Raise `TargetError` if it does not start or does not show the page.
    """
    from playwright.async_api import Error

    started = await start(program)
    try:
        context = await started.context({})
        page = await context.new_page()
        await page.goto(page_url)
        if await page.title() != "Neraca":
            raise TargetError(f"{program.path} starts, but shows no page")
        return started.browser.version
    except Error as error:
        raise TargetError(f"{program.path} starts, but shows no page: {first_line(error)}") from None
    finally:
        await started.end()
