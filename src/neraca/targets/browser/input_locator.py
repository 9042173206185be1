"""Find the input field for questions on a page, in any of its frames."""

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

#: Seconds after which an input must still be there, because pages replace their first inputs while they load.
_LOOK_INTERVAL = 0.4
#: Looks without an input after which a page with a password field, or one drawn on a canvas, is given up.
_ENOUGH_LOOKS = 5
_LOG_IN = "log in once with `neraca browser --login URL --storage-state FILE`, then give --storage-state FILE"
#: Score of an input that is clearly meant for questions; no button in the corner is tried if there is one.
_SURE_SCORE = 4.0
#: Looks after which a search field is taken, if there is no other field and no button that opens a chat.
_SEARCH_LOOKS = 8
#: Most banners that are dismissed.
_MOST_BANNERS = 3


@dataclass(frozen=True, slots=True)
class Place:
    """An element that takes text, the frame that it is in, and whether it belongs to a search of the site."""

    frame: Frame
    element: ElementHandle
    searches: bool = False

    async def is_same(self, place: Place) -> bool:
        """Return whether both are the same element and it is still on the page."""
        with suppress(Error):
            return bool(await self.element.evaluate("(a, b) => a === b && a.isConnected", place.element))
        return False


class InputLocator:
    """Finds the input of a page, after the clicks in the settings, once the page has stopped replacing it.

    Parameters
    ----------
    page, settings
        The page to search, and the settings with the selectors.

    Attributes
    ----------
    dismissed
        The labels of the buttons by which banners were dismissed.
    """

    def __init__(self, page: Page, settings: BrowserSettings) -> None:
        self._page = page
        self._settings = settings
        self._passwords = 0
        self._dialog = ""
        self._disabled = self._has_canvas = self._launched = self._searches = False
        self.dismissed: list[str] = []

    async def locate(self) -> Place:
        """Return the best input; raise `LoginNeeded` or `PageError` if there is none within `open_timeout`."""
        end = time.monotonic() + self._settings.open_timeout
        clicks, looks, launched_at = list(self._settings.click), 0, 0
        place: Place | None = None
        while time.monotonic() < end:
            await self._dismiss()
            clicks = [selector for selector in clicks if not await self._click(selector)]
            previous, (place, score) = place, await self._best()
            sure = (score >= _SURE_SCORE and not self._searches) or bool(self._settings.input and place)
            looks += 1
            if not sure and not self._launched and looks >= 2 and await self._launch():
                launched_at = looks
            opening = self._launched and looks - launched_at < _ENOUGH_LOOKS and not sure
            opening = opening or (self._searches and looks < _SEARCH_LOOKS)
            if (
                place
                and previous
                and not opening
                and await previous.is_same(place)
                and await place.element.is_enabled()
            ):
                if not sure and (elsewhere := self._elsewhere()):
                    raise LoginNeeded(f"the page sent the browser to {elsewhere}: {_LOG_IN}")
                return place
            self._disabled = place is not None
            if not place and looks >= _ENOUGH_LOOKS and (self._passwords or self._has_canvas):
                break
            await asyncio.sleep(_LOOK_INTERVAL)
        raise self._not_found()

    def _elsewhere(self) -> str:
        """Return the host that the page was redirected to, "" if it is still on the host of the settings."""
        target, current = (urlsplit(url).hostname or "" for url in (self._settings.url, self._page.url))
        return current if current and current.removeprefix("www.") != target.removeprefix("www.") else ""

    def _not_found(self) -> PageError:
        if self._passwords:
            return LoginNeeded(f"the page asks for a password: {_LOG_IN}")
        if elsewhere := self._elsewhere():
            return LoginNeeded(f"the page sent the browser to {elsewhere}, where there is no place to type: {_LOG_IN}")
        if self._has_canvas:
            remedy = 'ask the system itself, with kind = "http" or "python"'
            return PageError(f"the page is drawn on a canvas and holds no text to read: {remedy}")
        limit = f"within {self._settings.open_timeout:g} s"
        if self._disabled:
            return PageError(f"the place to type takes no text {limit}: it is disabled")
        lacking = f"nothing matches {self._settings.input!r}" if self._settings.input else "no place to type was found"
        lacking += " (a button in the corner was clicked, too)" if self._launched else ""
        over = f"; {self._dialog!r} lies over the page: name its button with click" if self._dialog else ""
        return PageError(f"{lacking} {limit}{over}")

    async def _best(self) -> tuple[Place | None, float]:
        best: Place | None = None
        best_score = float("-inf")
        self._passwords, self._dialog, self._has_canvas, self._searches = 0, "", False, False
        for frame in self._page.frames:
            with suppress(Error):  # a frame that is loading, or has gone
                if self._settings.input:
                    match = frame.locator(self._settings.input).last
                    if await match.count() and await match.is_visible():
                        return Place(frame, await match.element_handle(timeout=2000)), best_score
                survey = await call(frame, "inputs")
                self._passwords += survey["passwords"]
                self._dialog = self._dialog or survey["dialog"]
                self._has_canvas = self._has_canvas or survey["drawn"]
                for candidate in () if self._settings.input else survey["found"]:
                    if candidate["search"] and (self._launched or not (best is None or self._searches)):
                        continue  # a search of the site is not the chat where there is another field
                    if candidate["score"] > best_score or (self._searches and not candidate["search"]):
                        handle = await frame.evaluate_handle("i => __neraca.state.inputs[i]", candidate["index"])
                        if (element := handle.as_element()) is not None:
                            best, best_score = Place(frame, element, candidate["search"]), candidate["score"]
                            self._searches = candidate["search"]
        return best, best_score

    async def _click(self, selector: str) -> bool:
        """Click the first match in any frame; return False if there is none yet."""
        for frame in self._page.frames:
            with suppress(Error):
                match = frame.locator(selector).first
                if await match.is_visible():
                    await match.click(timeout=2000)
                    return True
        return False

    async def _dismiss(self) -> None:
        """Dismiss a banner that asks for consent to cookies, in any frame, unless the settings say what to click."""
        for frame in () if self._settings.click or len(self.dismissed) >= _MOST_BANNERS else self._page.frames:
            with suppress(Error):  # a frame that is loading, or has gone
                if label := await call(frame, "dismiss"):
                    self.dismissed.append(label)

    async def _launch(self) -> bool:
        """Open a chat that is hidden behind a button in the corner; return False if there is no such button."""
        for frame in self._page.frames:
            with suppress(Error):
                button = (await frame.evaluate_handle("() => __neraca.launcher()")).as_element()
                if button is not None:
                    for any_frame in self._page.frames:
                        await call(any_frame, "launched")
                    await _press(button)
                    self._launched = True
                    return True
        return False


async def _press(button: ElementHandle) -> None:
    """Click a button; if something lies over it, click it from inside the page."""
    try:
        await button.click(timeout=2000)
    except Error:
        await button.evaluate("button => button.click()")
