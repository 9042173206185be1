"""One chat in a browser context of its own, with cookies and storage that no other conversation sees."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from neraca.errors import NotAsked, TargetError
from neraca.files import write_atomic
from neraca.targets.browser.context import Prepared
from neraca.targets.browser.launch import Started, first_line, ignore_error
from neraca.targets.browser.reply import BrowserFailed, PageError, Reply
from neraca.targets.browser.watch import Learned

if TYPE_CHECKING:
    from playwright.async_api import Page, StorageState

    from neraca.targets.browser.chat import Chat

T = TypeVar("T")
_PICTURE_SECONDS = 3.0
#: Seconds to wait for the report that a page has died after the errors that its death causes.
_DEATH_REPORT_SECONDS = 0.3
_CLOSING_SECONDS = 5.0
_RENEWAL_SECONDS = 20.0
#: Empties what Playwright does not: storage that lasts as long as a page, caches, and all storage of a page in a file.
_EMPTY = """async () => { window.name = ''; sessionStorage.clear(); localStorage.clear();
for (const { name } of await indexedDB.databases()) indexedDB.deleteDatabase(name);
for (const name of window.caches ? await caches.keys() : []) await caches.delete(name); }"""


class Tab:
    """A page with a chat; made by `Tab.of`, then opened, then asked.

    Attributes
    ----------
    opened
        Whether the input has been found and the earlier questions of the conversation have been asked.
    sound
        Whether the last question has a complete answer.
    """

    def __init__(self, page: Page, chat: Chat) -> None:
        self.opened = self.sound = self._renewed = False
        self._page = page
        self._chat = chat
        self._address_file: Path | None = None
        self._dead: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        page.on("crash", lambda _: self._died("the page crashed"))
        page.on("close", lambda _: self._died("the page was closed"))

    @classmethod
    async def of(cls, started: Started, prepared: Prepared, learned: Learned | None = None) -> Tab:
        """Open a context with an empty page; raise `NotAsked` if the browser fails to."""
        from playwright.async_api import Error

        from neraca.targets.browser.chat import Chat

        context = await started.context(prepared.options)
        try:
            page = await context.new_page()
            return cls(page, Chat(page, prepared.settings, learned))
        except Error as error:
            raise NotAsked(f"the browser opens no page: {first_line(error)}", again=True) from None

    @property
    def rests(self) -> bool:
        """Whether the text of the unfinished answer seems to be whole; see `Watch.rests`."""
        return self.opened and self._chat.rests

    @property
    def partial(self) -> str:
        """The part of an unfinished answer that has arrived so far."""
        return self._chat.partial if self.opened else ""

    async def open(self, queries: Sequence[str] = (), address_file: Path | None = None) -> int:
        """Go to the page, find the input, and ask earlier questions again; raise `PageError` if that fails.

        Parameters
        ----------
        queries
            The earlier questions of the conversation.
        address_file
            File with the address of the conversation, which is written after each answer.  If the page at this
            address still shows the first of the questions, only the others are asked.

        Returns
        -------
        int
            Number of questions that the page still showed.
        """
        shown_count, self._address_file = 0, address_file
        if queries and address_file is not None and address_file.is_file():
            with suppress(PageError):
                await self._unless_dead(self._chat.open(address_file.read_text(encoding="utf-8")))
                shown_count = await self._unless_dead(self._chat.count_shown(queries))
        if not shown_count and not self._renewed:
            await self._unless_dead(self._chat.open())
        self._renewed = False
        for query in queries[shown_count:]:
            await self.ask(query)
        self.opened = True
        return shown_count

    async def ask(self, query: str) -> Reply:
        """Send a question and read the answer; raise `PageError`, also if the page dies meanwhile."""
        self.sound = False
        reply = await self._unless_dead(self._chat.ask(query))
        self.sound = reply.status == "complete"
        if self._address_file is not None and self._chat.address:
            write_atomic(self._address_file, self._chat.address.encode())
        return reply

    @property
    def cut_before(self) -> str:
        """The doubt about the answer before the last question; see `Chat.cut_before`."""
        return self._chat.cut_before

    async def watch(self, seconds: float) -> Reply:
        """Watch the last answer; see `Chat.watch`."""
        self.sound = False
        reply = await self._unless_dead(self._chat.watch(seconds))
        self.sound = reply.status == "complete"
        return reply

    async def renew(self, state: StorageState | None = None) -> bool:
        """Make the page as new for another conversation; return whether it shows again what it showed at first.

        It gets the cookies and storage with which it began, `state`, and is loaded again.
        """
        from playwright.async_api import Error

        self.opened = self.sound = False
        self._address_file = None
        with suppress(Error, TargetError, TimeoutError):
            async with asyncio.timeout(_RENEWAL_SECONDS):
                self._renewed = await forget_visit(self._page, state) and await self._unless_dead(self._chat.renew())
        return self._renewed

    @property
    def dead(self) -> bool:
        """Whether the page has crashed or was closed."""
        return self._dead.done()

    async def picture(self) -> bytes:
        """Return a screenshot as PNG; b"" if the page is gone or takes longer than three seconds."""
        from playwright.async_api import Error

        with suppress(Error, TimeoutError):
            async with asyncio.timeout(_PICTURE_SECONDS):
                return await self._page.screenshot(timeout=_PICTURE_SECONDS * 1000 - 200)
        return b""

    async def close(self) -> None:
        """Close the page and forget its cookies; if it takes over five seconds, leave it to the end of the browser."""
        from playwright.async_api import Error

        self._died("the page was closed")
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(_CLOSING_SECONDS):
                await self._page.context.close()

    def _died(self, why: str) -> None:
        if not self._dead.done():
            self._dead.set_result(why)

    async def _unless_dead(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of the work; raise `PageError` as soon as the page dies."""
        from playwright.async_api import Error

        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait((task, self._dead), return_when=asyncio.FIRST_COMPLETED)
            if task.done() and task.exception() is None:
                return task.result()
            await asyncio.wait((self._dead,), timeout=_DEATH_REPORT_SECONDS)
            if self._dead.done():
                why = f"{self._dead.result()} before the answer was whole"
                raise BrowserFailed(why, partial=self.partial, again=True)
            return task.result()
        except Error as error:
            raise BrowserFailed(f"the browser failed: {first_line(error)}", partial=self.partial) from None
        finally:
            task.add_done_callback(ignore_error)
            task.cancel()


async def forget_visit(page: Page, state: StorageState | None) -> bool:
    """Empty a page and replace the cookies and storage of its context; return False if traces of it may be left."""
    from playwright.async_api import Error

    context = page.context
    if len(context.pages) > 1 or context.service_workers or not hasattr(context, "set_storage_state"):
        return False
    for frame in page.frames:
        with suppress(Error):  # a frame without an origin has no storage
            await frame.evaluate(_EMPTY)
    await page.goto("about:blank")
    await context.set_storage_state(state or {})
    return True
