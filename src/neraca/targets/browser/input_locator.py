"""Where on a page a question is typed: the best place in any of its frames."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from neraca.targets.browser.reply import LoginNeeded, PageError
from neraca.targets.browser.script import Error, call

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, Frame, Page

    from neraca.targets.browser.settings import BrowserSettings

#: Seconds after which a place must still be there: pages throw their first inputs away while they build themselves.
_MOMENT = 0.4
#: Looks without an input after which a page is known to ask for a password, or to be one that no script can read.
_ENOUGH = 5
_LOG_IN = "log in once with `neraca browser --login URL --storage-state FILE`, then give --storage-state FILE"
#: A place with this score calls itself one for questions: no button in the corner is tried before it.
_SURE = 4.0


@dataclass(frozen=True, slots=True)
class Place:
    """An element that takes text, and the frame that it is in."""

    frame: Frame
    element: ElementHandle

    async def same(self, other: Place) -> bool:
        """Whether both are one element, and it is still on the page."""
        with suppress(Error):
            return bool(await self.element.evaluate("(one, other) => one === other && one.isConnected", other.element))
        return False


class Search:
    """The search for a place to type; click what must be clicked first, wait until the page is built.

    Parameters
    ----------
    page, settings
        Where, and with which selectors.
    """

    def __init__(self, page: Page, settings: BrowserSettings) -> None:
        self._page = page
        self._settings = settings
        self._passwords = 0
        self._dialog = ""
        self._off = self._drawn = self._launched = False

    async def place(self) -> Place:
        """The best place; raises `LoginNeeded` or `PageError` where there is none within `open_timeout`."""
        end = time.monotonic() + self._settings.open_timeout
        clicks, looks, since = list(self._settings.click), 0, 0
        place: Place | None = None
        while time.monotonic() < end:
            clicks = [selector for selector in clicks if not await self._click(selector)]
            before, (place, score) = place, await self._best()
            sure = score >= _SURE or bool(self._settings.input)
            looks += 1
            if not sure and not self._launched and looks >= 2 and await self._launch():
                since = looks
            opening = self._launched and looks - since < _ENOUGH and not sure
            if place and before and not opening and await before.same(place) and await place.element.is_enabled():
                if not sure and (elsewhere := self._elsewhere()):
                    raise LoginNeeded(f"the page sent the browser to {elsewhere}: {_LOG_IN}")
                return place
            self._off = place is not None
            if not place and looks >= _ENOUGH and (self._passwords or self._drawn):
                break
            await asyncio.sleep(_MOMENT)
        raise self._nothing()

    def _elsewhere(self) -> str:
        """The host that the page was not asked for and is on, "" where it is the same."""
        asked, there = (urlsplit(url).hostname or "" for url in (self._settings.url, self._page.url))
        return there if there and there.removeprefix("www.") != asked.removeprefix("www.") else ""

    def _nothing(self) -> PageError:
        if self._passwords:
            return LoginNeeded(f"the page asks for a password: {_LOG_IN}")
        if elsewhere := self._elsewhere():
            return LoginNeeded(f"the page sent the browser to {elsewhere}, where there is no place to type: {_LOG_IN}")
        if self._drawn:
            remedy = 'ask the system itself, with kind = "http" or "python"'
            return PageError(f"the page is drawn on a canvas, and holds no text that can be read: {remedy}")
        within = f"within {self._settings.open_timeout:g} s"
        if self._off:
            return PageError(f"the place to type takes no text {within}: it is disabled")
        lacking = f"nothing matches {self._settings.input!r}" if self._settings.input else "no place to type was found"
        over = f"; {self._dialog!r} lies over the page: name its button with click" if self._dialog else ""
        return PageError(f"{lacking} {within}{over}")

    async def _best(self) -> tuple[Place | None, float]:
        best: Place | None = None
        most = float("-inf")
        self._passwords, self._dialog, self._drawn = 0, "", False
        for frame in self._page.frames:
            with suppress(Error):  # a frame that is loading, or has gone
                if self._settings.input:
                    one = frame.locator(self._settings.input).last
                    if await one.count() and await one.is_visible():
                        return Place(frame, await one.element_handle(timeout=2000)), most
                seen = await call(frame, "inputs")
                self._passwords += seen["passwords"]
                self._dialog = self._dialog or seen["dialog"]
                self._drawn = self._drawn or seen["drawn"]
                for candidate in () if self._settings.input else seen["found"]:
                    if candidate["score"] > most:
                        handle = await frame.evaluate_handle("i => __neraca.state.inputs[i]", candidate["index"])
                        if (element := handle.as_element()) is not None:
                            best, most = Place(frame, element), candidate["score"]
        return best, most

    async def _click(self, selector: str) -> bool:
        """Click the first match in any frame; false where there is none yet."""
        for frame in self._page.frames:
            with suppress(Error):
                one = frame.locator(selector).first
                if await one.is_visible():
                    await one.click(timeout=2000)
                    return True
        return False

    async def _launch(self) -> bool:
        """Open a chat that hides behind a button in the corner; false where there is none."""
        for frame in self._page.frames:
            with suppress(Error):
                button = (await frame.evaluate_handle("() => __neraca.launcher()")).as_element()
                if button is not None:
                    for one in self._page.frames:
                        await call(one, "launched")
                    await button.click(timeout=2000)
                    self._launched = True
                    return True
        return False
