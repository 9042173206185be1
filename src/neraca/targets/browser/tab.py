"""One chat in a context of its own: cookies and storage that no other conversation sees."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from neraca.errors import TargetError
from neraca.files import write_atomic
from neraca.targets.browser.context import Prepared
from neraca.targets.browser.launch import Started, first_line, ignore_error
from neraca.targets.browser.reply import PageError, Reply
from neraca.targets.browser.watch import Learned

if TYPE_CHECKING:
    from playwright.async_api import Page

    from neraca.targets.browser.chat import Chat

T = TypeVar("T")
_PICTURE = 3.0
#: Seconds in which the news that a page has died follows the errors that this makes.
_NEWS = 0.3
_CLOSING = 5.0


class Tab:
    """A page with a chat; made by `Tab.of`, then opened, then asked.

    Attributes
    ----------
    opened
        Whether the place for questions has been found, and what was said before has been said again.
    """

    def __init__(self, page: Page, chat: Chat) -> None:
        self.opened = False
        self._page = page
        self._chat = chat
        self._address_file: Path | None = None
        self._dead: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        page.on("crash", lambda _: self._died("the page crashed"))
        page.on("close", lambda _: self._died("the page was closed"))

    @classmethod
    async def of(cls, started: Started, prepared: Prepared, learned: Learned | None = None) -> Tab:
        """A new context with an empty page; raises `TargetError` when the browser gives none."""
        from playwright.async_api import Error

        from neraca.targets.browser.chat import Chat

        context = await started.context(prepared.options)
        try:
            page = await context.new_page()
            return cls(page, Chat(page, prepared.settings, learned))
        except Error as error:
            raise TargetError(f"the browser opens no page: {first_line(error)}", again=True) from None

    @property
    def partial(self) -> str:
        """What has come of an answer that is not whole."""
        return self._chat.partial if self.opened else ""

    async def open(self, queries: Sequence[str] = (), address_file: Path | None = None) -> int:
        """Go to the page, find where questions are typed, and ask what was said before; raises `PageError`.

        Where the page at the address in the file still shows these questions, only those that it lacks are asked.
        The address is kept there after each answer.  Returns how many questions it showed.
        """
        held, self._address_file = 0, address_file
        if queries and address_file is not None and address_file.is_file():
            with suppress(PageError):
                await self._unless_dead(self._chat.open(address_file.read_text(encoding="utf-8")))
                held = await self._unless_dead(self._chat.held(queries))
        if not held:
            await self._unless_dead(self._chat.open())
        for query in queries[held:]:
            await self.ask(query)
        self.opened = True
        return held

    async def ask(self, query: str) -> Reply:
        """Put a question and read the answer; raises `PageError`, also when the page dies meanwhile."""
        reply = await self._unless_dead(self._chat.ask(query))
        if self._address_file is not None and self._chat.address:
            write_atomic(self._address_file, self._chat.address.encode())
        return reply

    async def picture(self) -> bytes:
        """A screenshot as PNG; b"" where the page is gone, or shows nothing within three seconds."""
        from playwright.async_api import Error

        with suppress(Error, TimeoutError):
            async with asyncio.timeout(_PICTURE):
                return await self._page.screenshot(timeout=_PICTURE * 1000 - 200)
        return b""

    async def close(self) -> None:
        """Close the page and forget its cookies; a page that does not close in five seconds is left to the end."""
        from playwright.async_api import Error

        self._died("the page was closed")
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(_CLOSING):
                await self._page.context.close()

    def _died(self, why: str) -> None:
        if not self._dead.done():
            self._dead.set_result(why)

    async def _unless_dead(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work gives; a dead page ends it, whatever it waits for."""
        from playwright.async_api import Error

        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait((task, self._dead), return_when=asyncio.FIRST_COMPLETED)
            if task.done() and task.exception() is None:
                return task.result()
            await asyncio.wait((self._dead,), timeout=_NEWS)
            if self._dead.done():
                raise PageError(f"{self._dead.result()} before the answer was whole", partial=self.partial, again=True)
            return task.result()
        except Error as error:
            raise PageError(f"the page does not work: {first_line(error)}", partial=self.partial) from None
        finally:
            task.add_done_callback(ignore_error)
            task.cancel()
