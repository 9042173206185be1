"""Where on a page a question is typed: the best place in any of its frames."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neraca.targets.browser.reply import LoginNeeded, PageError
from neraca.targets.browser.script import Error, call

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, Frame, Page

    from neraca.targets.browser.settings import BrowserSettings

#: Seconds after which a place must still be there: pages throw their first inputs away while they build themselves.
_MOMENT = 0.4
#: Looks without an input after which a page that asks for a password is a login page, and after which a chat may hide
#: behind a button in the corner.
_ENOUGH, _MANY = 5, 8


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
        self._off = False

    async def place(self) -> Place:
        """The best place; raises `LoginNeeded` or `PageError` where there is none within `open_timeout`."""
        end = time.monotonic() + self._settings.open_timeout
        clicks, looks = list(self._settings.click), 0
        place: Place | None = None
        while time.monotonic() < end:
            clicks = [selector for selector in clicks if not await self._click(selector)]
            before, place = place, await self._best()
            if place and before and await before.same(place) and await place.element.is_enabled():
                return place
            self._off = place is not None
            looks += 1
            if self._passwords and not place and looks >= _ENOUGH:
                break
            if not place and looks % _MANY == 0:
                await self._launch()
            await asyncio.sleep(_MOMENT)
        raise self._nothing()

    def _nothing(self) -> PageError:
        if self._passwords:
            return LoginNeeded(
                "the page asks for a password: log in once with `neraca browser --login URL --storage-state FILE`, "
                "then give --storage-state FILE"
            )
        if self._off:
            return PageError(
                f"the place to type takes no text within {self._settings.open_timeout:g} s: it is disabled"
            )
        lacking = f"nothing matches {self._settings.input!r}" if self._settings.input else "no place to type was found"
        over = f"; {self._dialog!r} lies over the page: name its button with click" if self._dialog else ""
        return PageError(f"{lacking} within {self._settings.open_timeout:g} s{over}")

    async def _best(self) -> Place | None:
        best: Place | None = None
        most = float("-inf")
        self._passwords, self._dialog = 0, ""
        for frame in self._page.frames:
            with suppress(Error):  # a frame that is loading, or has gone
                if self._settings.input:
                    one = frame.locator(self._settings.input).last
                    if await one.count() and await one.is_visible():
                        return Place(frame, await one.element_handle(timeout=2000))
                seen = await call(frame, "inputs")
                self._passwords += seen["passwords"]
                self._dialog = self._dialog or seen["dialog"]
                for candidate in () if self._settings.input else seen["found"]:
                    if candidate["score"] > most:
                        handle = await frame.evaluate_handle("i => __neraca.state.inputs[i]", candidate["index"])
                        if (element := handle.as_element()) is not None:
                            best, most = Place(frame, element), candidate["score"]
        return best

    async def _click(self, selector: str) -> bool:
        """Click the first match in any frame; false where there is none yet."""
        for frame in self._page.frames:
            with suppress(Error):
                one = frame.locator(selector).first
                if await one.is_visible():
                    await one.click(timeout=2000)
                    return True
        return False

    async def _launch(self) -> None:
        """Open a chat that hides behind a button in the corner."""
        for frame in self._page.frames:
            with suppress(Error):
                button = (await frame.evaluate_handle("() => __neraca.launcher()")).as_element()
                if button is not None:
                    await button.click(timeout=2000)
                    return
