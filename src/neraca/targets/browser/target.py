"""Ask a chat page: one browser for all conversations, one page for each."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from neraca.errors import NeracaError, NotAsked, StopAsking, TargetError
from neraca.files import fingerprint
from neraca.records import Answer, Hit, Item
from neraca.targets.browser.context import prepare
from neraca.targets.browser.launch import Started, find_browser, need_display, start
from neraca.targets.browser.reply import BrowserFailed, FailedAnswer, Reply, Source
from neraca.targets.browser.settings import BrowserSettings
from neraca.targets.browser.steadiness import Steadiness
from neraca.targets.browser.tab import Tab
from neraca.targets.browser.watch import Learned
from neraca.targets.hits import HitReading, HitShape
from neraca.targets.settings import read
from neraca.targets.target import TARGETS, Conversation, Watched

_LONGEST_NAME = 80
#: File beside the screenshots of a run: the longest time in seconds after which the page has changed an answer.
_LATE_CHANGES = "late-changes.json"
#: Number of first answers that, if all are the same, stop the run.
_SAME_ANSWERS = 3
#: Seconds for the start of the browser; a page has twice its `open_timeout` beside them.
_OPENING_SECONDS = 60.0
#: Pages in a row that were not as new after they had been loaded again, after which each conversation gets a new page.
_MOST_FAILED_RENEWALS = 2


@TARGETS.register("browser")
class BrowserTarget:
    """Asks a page in a real browser.

    Parameters
    ----------
    settings
        `url`, and optionally selectors, a profile, a login and more: see `BrowserSettings`.

    One browser serves all conversations.  It starts at the first question, and again after it has died.  Each
    conversation has a page in a context of its own, so that conversations share no cookies.  A page that failed or was
    stopped in the middle of an answer is closed, so that a late answer cannot be mistaken for the next one.  The next
    question of its session opens a new page and asks the answered questions again; the note says so.

    After a failure, the answer has the text so far, and its note names a screenshot in the folder of the conversation.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        spec = read(BrowserSettings, settings)
        self._prepared = prepare(spec)
        self._program = find_browser(self._prepared.settings.browser)
        if self._prepared.settings.headed:
            need_display()
        self.stateful = spec.stateful is not False
        self._tabs: dict[str, Tab] = {}
        self._starting: asyncio.Task[Started] | None = None
        self._hits = HitReading(HitShape())
        self._learned = Learned(steadiness=Steadiness(self._prepared.settings.watch))
        self._first: dict[str, str] = {}
        self._asked: list[tuple[str, int]] = []
        self._revised: dict[str, Answer] = {}
        self._opening_notes: dict[str, str] = {}
        self._spare: list[asyncio.Task[Tab | None]] = []
        self._renewed: set[str] = set()
        self._opening_ahead: asyncio.Lock | None = asyncio.Lock()
        self._recalled: Path | None = None

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        """Type the question and read the answer; see `Target.ask`.

        After a failure, return an answer with its status, the text so far and the reason.  Raise `TargetError` only
        if asking again may help.
        """
        tab = None
        try:
            tab = await self._opened(item, conversation)
            try:
                reply = await tab.ask(item.query)
            finally:
                self._look_back(tab.cut_before, conversation)
        except asyncio.CancelledError as stopped:
            if (tab := self._tabs.get(conversation.id)) is not None:
                stopped.args = (await self._stopped(tab, item, conversation),)
            raise
        except StopAsking as error:
            raise self._stop(str(error), await self._give_up(item, conversation)) from None
        except Exception as error:  # noqa: BLE001 - an error in this code is not one of the page
            return await self._failed(_known(error), item, conversation)
        if self._is_no_chat(item, conversation, reply):
            why = f"the first {_SAME_ANSWERS} answers are the same, {reply.text[:80]!r}, although the questions differ"
            raise self._stop(f"{why}: {reply.ways}", await self._give_up(item, conversation))
        note = self._opening_notes.pop(conversation.id, "")
        if reply.earlier is not None:
            why = "the page changed it after it was read as complete"
            self._revised[conversation.id] = Answer(item="", text=reply.earlier, status="suspect", note=why)
            self._remember()
        if reply.status == "suspect":
            note = _joined(note, reply.why, await self._evidence(tab, item, conversation))
        return _answer(
            item,
            conversation,
            text=reply.text,
            hits=tuple(map(self._hit, reply.sources)),
            seconds=reply.seconds,
            first_token_seconds=reply.first_token_seconds,
            status=reply.status,
            note=note,
            usage=self._pages_used(conversation),
        )

    def _look_back(self, why: str, conversation: Conversation) -> None:
        """Keep the previous answer as suspect if this question shows that its server may have died in the middle."""
        if why and conversation.turns:
            text = conversation.turns[-1].text
            self._revised[conversation.id] = Answer(item="", text=text, status="suspect", note=why)

    def _pages_used(self, conversation: Conversation) -> dict[str, float]:
        """Return whether a conversation began on a new page or on one loaded again, for its first answer."""
        if conversation.turns:
            return {}
        renewed = conversation.id in self._renewed
        self._renewed.discard(conversation.id)
        return {"reloaded_pages" if renewed else "new_pages": 1}

    def _is_no_chat(self, item: Item, conversation: Conversation, reply: Reply) -> bool:
        """Return whether the first answers are all the same, so that the input is perhaps none of a chat."""
        self._asked.append((item.id, conversation.trial))
        if not self._prepared.settings.input and len(self._first) < _SAME_ANSWERS:
            self._first[item.query] = reply.text
            return len(self._first) == _SAME_ANSWERS and len(set(self._first.values())) == 1
        return False

    def _stop(self, why: str, note: str) -> StopAsking:
        remedy = (
            "name the right field with --input-selector CSS, and what opens the chat with --click CSS; if both are "
            "right, name them in this way, too, and the answers by --response-selector CSS if others were read"
        )
        message = self._prepared.hide(f"{why}; {remedy}")
        return StopAsking(_joined(message, note), self._asked)

    async def prepare(self, item: Item, conversation: Conversation, timeout: float) -> Answer | None:
        """Open the conversation's page before its question is put; see `PreparesConversation`."""
        limit = _OPENING_SECONDS + 2 * self._prepared.settings.open_timeout + timeout * len(conversation.turns)
        try:
            async with asyncio.timeout(limit):
                await self._opened(item, conversation)
        except TimeoutError:
            return await self._failed(BrowserFailed(f"the browser took over {limit:.0f} s"), item, conversation)
        except Exception as error:  # noqa: BLE001 - an error in this code is not one of the page
            return await self._failed(_known(error), item, conversation)
        return None

    async def open_ahead(self, item: Item, conversation: Conversation) -> None:
        """Open the page of a conversation that waits for its turn, one page at a time; see `OpensAhead`.

        After a failure, no page is opened ahead any more.  The question that needs the page will tell the reason.
        """
        if (turn := self._opening_ahead) is None:
            return
        async with turn:
            try:
                async with asyncio.timeout(_OPENING_SECONDS + 2 * self._prepared.settings.open_timeout):
                    await self._opened(item, conversation)
            except Exception:  # noqa: BLE001 - whatever it is, it comes again when the question is put
                self._opening_ahead = None
                await self._discard(conversation.id)

    async def _opened(self, item: Item, conversation: Conversation) -> Tab:
        """Return the page of a conversation, opened if it is not yet."""
        self._recall(conversation)
        tab = self._tabs.get(conversation.id)
        if tab is None:
            if (tab := await self._take_spare()) is not None:
                self._renewed.add(conversation.id)
            else:
                tab = await Tab.of(await self._browser(), self._prepared, self._learned)
            self._tabs[conversation.id] = tab
        if not tab.opened:
            self._opening_notes[conversation.id] = await self._open(tab, item, conversation)
        return tab

    def _recall(self, conversation: Conversation) -> None:
        """Learn from an earlier start of the run, once, how late the page has changed answers."""
        if conversation.folder is not None and self._recalled is None:
            self._recalled = conversation.folder / _LATE_CHANGES
            with suppress(OSError, msgspec.DecodeError):
                self._learned.steadiness.changed(msgspec.json.decode(self._recalled.read_bytes(), type=float))

    def _remember(self) -> None:
        """Write down for a later start how late the page changes answers."""
        delay = self._learned.steadiness.longest_delay
        if delay and self._recalled is not None:
            with suppress(OSError):  # without it, a later start learns it anew
                self._recalled.parent.mkdir(parents=True, exist_ok=True)
                self._recalled.write_bytes(msgspec.json.encode(delay))

    async def _stopped(self, tab: Tab, item: Item, conversation: Conversation) -> Answer:
        """Return what is there of an answer when its time is over, and close its page."""
        status, why = "timeout", ""
        if tab.rests:
            status, why = "suspect", "no sign ended it within the time limit, although it had stopped changing"
        text = tab.partial
        note = _joined(self._opening_notes.pop(conversation.id, ""), why, await self._give_up(item, conversation))
        return _answer(item, conversation, text=text, status=status, note=note)

    async def watch(self, answer: Answer, conversation: Conversation, *, last: bool) -> Watched:
        """Watch the answer that was just read, for as long as the page has not earned trust; see `WatchesAnswers`."""
        tab, steadiness = self._tabs.get(conversation.id), self._learned.steadiness
        name, first = f"{answer.item}/{answer.trial}", not conversation.turns
        seconds = 0.0 if tab is None else steadiness.seconds(name, first=first, last=last)
        if tab is None or not seconds:
            return Watched(answer)
        full = seconds >= (steadiness.corrects or steadiness.full)
        try:
            reply = await tab.watch(seconds)
        except Exception as error:  # noqa: BLE001 - whatever fails now, the answer is there
            await self._discard(conversation.id)
            note = _joined(answer.note, f"while it was watched: {self._prepared.hide(str(_known(error)))}")
            return Watched(msgspec.structs.replace(answer, status="suspect", note=note))
        steadiness.passed += full and not reply.late and reply.earlier is None
        notes = [answer.note, f"the page changed it {reply.late:.1f} s after its end" if reply.late else ""]
        if reply.status == "suspect":
            item = Item(id=answer.item, query="")
            notes += [reply.why, await self._evidence(tab, item, conversation)]
        answer = msgspec.structs.replace(
            answer,
            text=reply.text,
            hits=tuple(map(self._hit, reply.sources)),
            seconds=reply.seconds,
            status=reply.status,
            note=_joined(*notes),
            usage={**answer.usage, "watched_seconds": round(reply.watched, 1)},
        )
        changed = reply.late or reply.earlier is not None
        if changed:
            self._remember()
        return Watched(answer, "failed" if changed else "passed" if full else "")

    async def _open(self, tab: Tab, item: Item, conversation: Conversation) -> str:
        """Open a page and restore the conversation on it; return a note about this for the answer."""
        past = [turn.query for turn in conversation.turns] if self.stateful else []
        shown_count = await tab.open(past, self._address_file(item, conversation))
        again = f"the conversation so far ({len(past) - shown_count}) was asked again"
        if shown_count:
            return f"on the page of an earlier start, which showed {shown_count} of its questions; {again}"
        return f"on a new page, on which {again}" if past else ""

    def _address_file(self, item: Item, conversation: Conversation) -> Path | None:
        """Return the file for the address of a conversation; None without a stored login, which alone can reopen it."""
        if conversation.folder is None or not item.session or not self._prepared.settings.storage_state:
            return None
        return conversation.folder / f"{_file_name(item.session)}-{conversation.trial}.address"

    def revised(self, conversation: str) -> Answer | None:
        """Return the last answer but one if the page has changed it since, or its server died; see `LooksBack`."""
        return self._revised.pop(conversation, None)

    def holds(self, conversation: str) -> bool:
        """Return whether the conversation's page is open."""
        return conversation in self._tabs

    async def leave(self, conversation: str) -> None:
        """Make the page of a conversation ready for another one, or close it."""
        if (tab := self._tabs.get(conversation)) is None:
            return
        if tab.sound and not tab.dead and self._learned.failed_renewals < _MOST_FAILED_RENEWALS:
            del self._tabs[conversation]
            self._spare.append(asyncio.create_task(self._renew(tab)))
        else:
            await self._discard(conversation)

    async def _renew(self, tab: Tab) -> Tab | None:
        """Load a page again for another conversation; close it if it does not show its first state again."""
        if await tab.renew(self._prepared.options.get("storage_state")):
            self._learned.failed_renewals = 0
            return tab
        self._learned.failed_renewals += 1
        await tab.close()
        return None

    async def _take_spare(self) -> Tab | None:
        """Return a page that was loaded again; None if there is none."""
        while self._spare:
            task = next(filter(asyncio.Task.done, self._spare), self._spare[0])
            self._spare.remove(task)
            if (tab := await task) is not None and not tab.dead:
                return tab
        return None

    async def _discard(self, conversation: str) -> None:
        """Close the page of a conversation."""
        tab = self._tabs.pop(conversation, None)
        if tab is not None:
            await tab.close()

    async def close(self) -> None:
        """End the browser with all its pages; a later question starts a new one."""
        starting, self._starting = self._starting, None
        spare, self._spare = self._spare, []
        for task in spare:
            task.cancel()
        await asyncio.gather(*spare, return_exceptions=True)
        self._tabs.clear()
        if starting is None:
            return
        try:
            started = await starting
        except NeracaError:  # it never started, and the question that waited for it raised the reason
            return
        await started.end()

    async def _browser(self) -> Started:
        """Return the browser that serves all conversations; callers that come while it starts wait for it together.

        A browser that failed to start is not tried again.  One that has died is replaced.
        """
        task = self._starting
        if task is None or (task.done() and not task.cancelled() and not task.exception() and not task.result().alive):
            task = self._starting = asyncio.create_task(self._start(task.result() if task else None))
        return await asyncio.shield(task)

    async def _start(self, dead: Started | None) -> Started:
        if dead is not None:
            await dead.end()
        return await start(self._program, headed=self._prepared.settings.headed)

    async def _failed(self, error: TargetError, item: Item, conversation: Conversation) -> Answer:
        why = self._prepared.hide(str(error))
        tab, note = self._tabs.get(conversation.id), self._opening_notes.pop(conversation.id, "")
        if tab is not None and isinstance(error, FailedAnswer):
            note = _joined(note, await self._evidence(tab, item, conversation))
        else:
            note = _joined(note, await self._give_up(item, conversation))
        if error.again:
            kind = NotAsked if isinstance(error, NotAsked) else TargetError
            raise kind(_joined(why, note), again=True, after=error.after) from None
        text = getattr(error, "partial", "")
        return _answer(item, conversation, text=text, status=error.status, error=why, note=note)

    async def _give_up(self, item: Item, conversation: Conversation) -> str:
        """Save a screenshot of the conversation's page, if it has one, and close the page; return a note about it."""
        if (tab := self._tabs.get(conversation.id)) is None:
            return ""
        try:
            return await self._evidence(tab, item, conversation)
        finally:
            await self._discard(conversation.id)

    async def _evidence(self, tab: Tab, item: Item, conversation: Conversation) -> str:
        folder = conversation.folder
        if folder is None or not (picture := await tab.picture()):
            return ""
        path = folder / f"{_file_name(item.id)}-{conversation.trial}.png"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture)
        except OSError as error:
            return f"no screenshot: {error.strerror}"
        return f"screenshot: {folder.name}/{path.name}"

    def _hit(self, source: Source) -> Hit:
        return self._hits.read({"text": source.text} | ({"url": source.url} if source.url else {}))


def _answer(item: Item, conversation: Conversation, **fields: Any) -> Answer:
    return Answer(item=item.id, trial=conversation.trial, **fields)


def _known(error: Exception) -> TargetError:
    """Return an error as one of a target: an unexpected one is not the page's, but of Neraca or its browser."""
    return error if isinstance(error, TargetError) else BrowserFailed(f"Neraca failed: {type(error).__name__}: {error}")


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))


def _file_name(name: str) -> str:
    """Return an id as a file name; if characters had to be replaced, a hash keeps different ids apart."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", name).lstrip(".")[:_LONGEST_NAME]
    return safe if safe == name else f"{safe}-{fingerprint(name)[:8]}"
