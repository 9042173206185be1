"""Open a page with a chat, ask it questions and read its answers."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_plus, urlsplit

import msgspec

from neraca.errors import StopAsking
from neraca.targets.browser.input_locator import InputLocator, Place
from neraca.targets.browser.launch import first_line
from neraca.targets.browser.network import Network
from neraca.targets.browser.notices import ends_sentence, reports_failure
from neraca.targets.browser.profile import known_sources
from neraca.targets.browser.reply import FailedAnswer, LoginNeeded, PageError, Reply, Source, Ways
from neraca.targets.browser.script import BEFORE_ALL, Error, call, look, made_anew
from neraca.targets.browser.settings import BrowserSettings
from neraca.targets.browser.watch import Ended, Learned, Look, Watch

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, Page

#: Seconds between two looks at a page.
LOOK_INTERVAL = 0.2
#: The same when a sign has ended the answer.
LAST_LOOKS = 0.1
#: Seconds without a change of the text after which the page is looked at half as often.
PATIENT_AFTER = 2.0
#: Seconds within which a page must show that it has accepted a question.
ACCEPTED_WITHIN = 4.0
#: The same limit while the page waits for a reply of its server.
ACCEPTED_WITHIN_REQUEST = 30.0
#: Milliseconds for typing a question, which takes long on a busy machine.
_TYPING = 20_000
#: Number of looks at a page that was loaded again, until it must show its first state.
_RENEWAL_LOOKS = 10
#: An answer that still changes after so many times the seconds for which it is watched is suspect.
MOST_WATCHING = 6


class Chat:
    """A chat on a page.

    Parameters
    ----------
    page
        A new page of a browser.
    settings
        With the profile already filled in.
    learned
        Knowledge gained from the page's answers, in this and other conversations.
    most_loads
        The number of reloads during one question after which the page is given up.
    """

    def __init__(
        self, page: Page, settings: BrowserSettings, learned: Learned | None = None, *, most_loads: int = 50
    ) -> None:
        self._page = page
        self._settings = settings
        self._learned = Learned() if learned is None else learned
        if settings.ends:
            self._learned.trusted.add(settings.ends)
        self._most_loads = most_loads
        self._network = Network(page)
        self._frame = page.main_frame
        self._input: ElementHandle | None = None
        self._by_button = self._by_search = False
        self._ways = Ways()
        self._query = self._site = self._sent_from = self._start = ""
        self._before: list[str] = []
        self._watch = Watch(0.0)
        self._lost = 0
        self._edited: str | None = None
        self._is_new = False
        self._previous_unframed, self._previous_change = "", 0.0

    @property
    def cut_before(self) -> str:
        """The doubt that the failure of the current question casts on the previous answer; "" if none."""
        gone = self._network.gone if self._previous_unframed else ""
        return f"its reply came without a length, and the next request failed: {gone}" if gone else ""

    @property
    def partial(self) -> str:
        """The part of the current answer that has arrived so far, "" before it begins."""
        return self._watch.partial

    @property
    def rests(self) -> bool:
        """Whether the current answer seems to be whole, although no sign has ended it."""
        return self._watch.rests

    @property
    def address(self) -> str:
        """The address of the conversation; "" if the page has no address of its own for it."""
        return "" if self._page.url == self._start else self._page.url

    async def count_shown(self, queries: Sequence[str]) -> int:
        """Return how many of these questions the page shows, counted from the first, in this order."""
        text, at, count = " ".join((await self._frame.inner_text("body")).split()), 0, 0
        for query in queries:
            at = text.find(" ".join(query.split()), at) + 1
            if not at:
                break
            count += 1
        return count

    async def open(self, address: str = "") -> None:
        """Go to the page and find the input for questions; raise `LoginNeeded` or `PageError` if that fails."""
        try:
            await self._page.add_init_script(BEFORE_ALL)
        except Error as error:
            raise PageError(f"the page does not open: {first_line(error)}", again=True) from None
        await self._load(address)

    async def _load(self, address: str = "") -> None:
        limit = self._settings.open_timeout * 1000
        try:
            response = await self._page.goto(
                address or self._settings.url, wait_until="domcontentloaded", timeout=limit
            )
        except Error as error:
            raise PageError(f"the page does not open: {first_line(error)}", again=True) from None
        status = 200 if response is None else response.status
        if status in (401, 407):
            raise LoginNeeded(f"the page answers {status}: give basic_auth, headers or storage_state")
        if response is not None and status >= 400:
            raise PageError(f"the page answers {status} {response.status_text}".rstrip(), again=status >= 500)
        await self._find()
        self._start, self._is_new = self._start or ("" if address else self._page.url), not address
        if not (self._settings.profile or self._settings.sources):
            sources = await known_sources(self._frame)
            self._settings = msgspec.structs.replace(self._settings, sources=sources)

    async def ask(self, query: str) -> Reply:
        """Send a question and wait until its answer is complete; the caller limits the time.

        Raise `PageError` if the page does not accept the question or is gone.
        """
        self._previous_change = self._watch.changed
        self._watch, self._query, self._edited = self._new_watch(), query, None
        self._previous_unframed = self._network.unframed
        try:
            if self._input is None or not await call(self._frame, "ready", self._input):
                await self._find()
            self._site, self._sent_from = urlsplit(self._frame.url).netloc, self._frame.url
            await self._arm()
            if self._is_new and self._learned.first_state is None:
                self._learned.first_state = await self._state()
            self._is_new = False
            await self._send()
            return await self._follow()
        except Error as error:
            raise PageError(f"the page is gone: {first_line(error)}", partial=self.partial) from None
        finally:
            self._network.forget()

    async def watch(self, seconds: float) -> Reply:
        """Look on at the last answer until it has not changed for some seconds; return it as it is then.

        Raise `PageError` if the page is gone.
        """
        self._watch.quiet, begun = seconds, time.monotonic()
        try:
            async with asyncio.timeout(MOST_WATCHING * seconds):
                reply = await self._follow()
        except TimeoutError:
            why = f"it still changed {time.monotonic() - begun:.0f} s after its end"
            reply = await self._reply(Ended(why, suspect=True), "")
        except Error as error:
            raise PageError(f"the page is gone: {first_line(error)}", partial=self.partial) from None
        return replace(reply, watched=time.monotonic() - begun)

    async def renew(self) -> bool:
        """Load the page again for another conversation; return whether it shows its first state again.

        Its cookies and storage must have been replaced before.
        """
        self._network.begin_anew()
        self._query = self._start = ""
        self._lost, self._watch, self._edited, self._input = 0, Watch(0.0), None, None
        await self._load()
        for _ in range(_RENEWAL_LOOKS):
            await self._arm()
            if await self._state() == self._learned.first_state:
                return True
            await asyncio.sleep(LOOK_INTERVAL)
        return False

    async def _state(self) -> list[str]:
        """Return the field and the texts that the page showed, without digits, which may be times."""
        texts = [await call(self._frame, "selectorOf", self._input), *self._before]
        return [re.sub(r"\d+", "#", text) for text in texts]

    async def _find(self) -> None:
        place: Place = await InputLocator(self._page, self._settings).locate()
        self._frame, self._input, self._by_search = place.frame, place.element, place.searches

    # sending a question

    async def _send(self) -> None:
        """Type the question and send it; try another method only if the page did not accept it."""
        if submit := self._settings.submit:
            methods, tried = ["button"], f"by a click on {submit!r}"
        else:
            methods = ["button", "enter"] if self._by_button else ["enter", "button", "keys", "control"]
            tried = "by Enter or by a button"
        for method in methods:
            if await self._try(method):
                self._by_button = method in ("button", "keys")
                return
        raise PageError(
            f"the page did not accept the question {tried}: {self._ways.input!r} kept it, and nothing new was shown; "
            "name another place with --input-selector"
        )

    async def _try(self, method: str) -> bool:
        for is_retry in (False, True):
            try:
                return await self._submit(method) and await self._accepted()
            except Error as error:
                if is_retry or not made_anew(error):
                    raise
                if await self._accepted(1.0):  # the page accepted the question and removed the input
                    return True
                await self._find()
                await self._arm()
        return False

    async def _submit(self, method: str) -> bool:
        """Type the question and press Enter or a button; return False if there is no input or no button."""
        place = self._input
        if place is None:
            return False
        if method == "keys":
            await place.fill("", timeout=_TYPING)
            await place.type(self._query, timeout=2 * _TYPING)
        else:
            await place.fill(self._query, timeout=_TYPING)
        await asyncio.sleep(0.05)
        typed, whole = await call(self._frame, "typed", place), " ".join(self._query.split())
        if typed and len(typed) < len(whole) and whole.startswith(typed):
            raise PageError(f"the input took only {len(typed)} of the question's {len(whole)} characters")
        self._ways = Ways(input=await call(self._frame, "selectorOf", place), frame=self._frame_name)
        button = await self._button(place) if method in ("button", "keys") else None
        if method == "button" and button is None:
            return False
        if button is not None:
            self._ways = replace(self._ways, submit=await call(self._frame, "selectorOf", button))
        self._network.listen()
        self._watch = self._new_watch()
        key = "Control+Enter" if method == "control" else "Enter"
        await (place.press(key, timeout=_TYPING) if button is None else button.click(timeout=5000))
        return True

    async def _button(self, place: ElementHandle) -> ElementHandle | None:
        if self._settings.submit:
            return await self._frame.locator(self._settings.submit).last.element_handle(timeout=2000)
        return (await self._frame.evaluate_handle("input => __neraca.sendButton(input)", place)).as_element()

    async def _accepted(self, seconds: float = ACCEPTED_WITHIN) -> bool:
        """Return whether the page accepts the question: shows it, empties the input, or adds a stop button or text."""
        started = last_wait = time.monotonic()
        while True:
            state = await self._look()
            if state["echo"] or state["stop"] or state["text"] or state["gone"] or not state["typed"]:
                return True
            now = time.monotonic()
            if self._network.waits and now - started < ACCEPTED_WITHIN_REQUEST:
                last_wait = now
            if now - started > seconds and now - last_wait > 1:
                return False
            await asyncio.sleep(LOOK_INTERVAL)

    # reading an answer

    def _new_watch(self) -> Watch:
        still = self._settings.still
        return Watch(time.monotonic(), still or Watch.still, still > 0, self._learned)

    async def _follow(self) -> Reply:
        while True:
            state, network = await self._look(), self._network
            lost = state["lost"] > self._lost and "a socket of the page was lost"
            notice = state["notice"] and f"the page says {state['notice']!r}"
            request = network.failed and f"the page's request failed: {network.failed}"
            work = {name: state[name] for name in ("stop", "moving", "composed")}
            work |= {"open": network.waits, "asking": network.asking, "spoke": not network.calm}
            now = Look(
                at=time.monotonic(),
                text=state["text"],
                signs=frozenset(name for name, active in work.items() if active),
                ended=network.ended,
                over=network.over,
                shows=network.shows(state["text"], self._query),
                failed="; ".join(filter(None, (request, lost, notice))),
            )
            if state["edited"] is not None:
                if self._edited is None:
                    self._learned.steadiness.changed(now.at - self._previous_change)
                self._edited = state["edited"]
            if (ended := self._watch.see(now)) is not None:
                self._lost = state["lost"]
                return await self._reply(ended, state["doubt"])
            patient = now.text and now.at - self._watch.changed > PATIENT_AFTER
            ending = self._watch.ending and not self._watch.quiet
            await asyncio.sleep(LAST_LOOKS if ending else 2 * LOOK_INTERVAL if patient else LOOK_INTERVAL)

    async def _reply(self, ended: Ended, doubt: str) -> Reply:
        text = self._watch.text
        if not text:
            raise PageError(f"the page shows no answer: {ended.why}")
        if self._network.rejected or reports_failure(text):
            failed = f"the page's request failed: {self._network.failed}; " if self._network.failed else ""
            raise FailedAnswer(f"{failed}the page says {text[:300]!r}", partial=text)
        if not ended.suspect and (cut := await self._cut(text)):
            ended = Ended(cut, suspect=True)
        self._learned.open_ends += not ends_sentence(text)
        self._learned.closed_ends += ends_sentence(text)
        end = await self._finish(not ended.suspect)
        self._learned.place = end["learned"]
        changed = "" if self._edited is None else "the page has meanwhile changed its previous answer"
        return Reply(
            text=text,
            status="suspect" if ended.suspect or doubt or changed else "complete",
            why="; ".join(filter(None, (ended.why, doubt, changed))),
            seconds=self._watch.total,
            first_token_seconds=self._watch.first,
            sources=tuple(Source(text=source["text"], url=source["url"]) for source in end["sources"]),
            ways=replace(self._ways, response=end["response"], ends=self._watch.sign),
            earlier=self._edited,
            late=self._watch.late,
        )

    async def _finish(self, sure: bool) -> dict[str, Any]:
        """Return the end of the answer as the page's script sees it; look again if the page replaces it meanwhile."""
        for _ in range(self._most_loads):
            try:
                return dict(await call(self._frame, "finish", sure))
            except Error as error:
                if self._page.is_closed() or not made_anew(error):
                    raise
                await self._look()
        raise PageError("the page replaces its answer again and again", partial=self.partial)

    async def _cut(self, text: str) -> str:
        """Return why an answer whose body has no length may have been cut off by the death of its server, or ""."""
        if not self._network.unframed:
            return ""
        if not await self._network.is_alive():
            return "its end may be that of its server, which no longer answers"
        if ends_sentence(text) or self._learned.open_ends > self._learned.closed_ends:
            return ""
        return "it ends in mid-sentence, its reply came without a length, and most earlier answers did not end so"

    async def _look(self) -> dict[str, Any]:
        """Return what the page shows now.  A page that was reloaded since the question gets its earlier texts first."""
        for _ in range(self._most_loads):
            try:
                if (state := await look(self._frame)) is not None:
                    return state
                await self._frame.wait_for_load_state("domcontentloaded", timeout=5000)
                self._check_navigation()
                if urlsplit(self._frame.url).netloc != self._site:
                    raise PageError(f"the page left for {self._frame.url}", partial=self.partial)
                self._input = None
                await self._arm(self._before)
            except Error as error:
                if self._page.is_closed() or not made_anew(error):
                    raise
                await asyncio.sleep(LOOK_INTERVAL)
            if self._frame.is_detached():
                self._frame = self._page.main_frame
        raise PageError("the page reloads again and again", partial=self.partial)

    def _check_navigation(self) -> None:
        """Raise `StopAsking` if sending the question has led to another document, as the search of a site does."""
        here, there = urlsplit(self._sent_from), urlsplit(self._frame.url)
        if self._settings.input or self._frame != self._page.main_frame or here.netloc != there.netloc:
            return
        deeper = there.path.startswith(f"{here.path.rstrip('/')}/") and len(here.path) > 1
        searched = self._by_search and self._query.casefold() in unquote_plus(there.query).casefold()
        if searched or (here.path != there.path and not deeper):
            raise StopAsking(f"sending the question led to another page, {self._frame.url}: {self._ways}")

    async def _arm(self, before: list[str] | None = None) -> None:
        names = ("ignore", "links", "busy", "sources", "response")
        options = {name: getattr(self._settings, name) for name in names}
        self._before = await call(self._frame, "arm", self._query, self._input, options, self._learned.place, before)

    @property
    def _frame_name(self) -> str:
        return "" if self._frame == self._page.main_frame else self._frame.url
