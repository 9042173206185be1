"""One talk with a page of `pages.doubtful`, left alone or with its server killed in the middle; what came of it."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pages.doubtful import PAGES, TALK, house

from neraca.targets.browser.chat import Chat
from neraca.targets.browser.launch import Started
from neraca.targets.browser.reply import LoginNeeded, PageError
from neraca.targets.browser.settings import BrowserSettings

LIMIT = 75.0


@dataclass
class Outcome:
    """What one question to a page gave; `seconds` from the last change of the answer until it was given."""

    path: str
    number: int
    status: str
    text: str = ""
    why: str = ""
    seconds: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether it is the whole answer."""
        return self.text == PAGES[self.path].says(self.number)

    @property
    def right(self) -> str:
        """The status that is right where nobody kills the server."""
        return PAGES[self.path].right[self.number]


async def talk(
    started: Started, path: str, kill: float | None = None, hard: bool = False, questions: int = len(TALK)
) -> list[Outcome]:
    """What each of the first questions of `TALK` gave; the server dies `kill` seconds after the first is put."""
    outcomes: list[Outcome] = []
    async with house() as served:
        context = await started.context({"viewport": {"width": 1280, "height": 900}})
        given: dict[str, Any] = dict(PAGES[path].settings)
        chat = Chat(await context.new_page(), BrowserSettings(url=served.url + path, **given))
        killing: asyncio.Task[None] | None = None
        try:
            await chat.open()
            if kill is not None:
                killing = asyncio.create_task(_later(kill, served.die(hard)))
            for number in range(questions):
                outcomes.append(await _asked(chat, path, number, outcomes))
                if killing is not None and killing.done():
                    break
        except LoginNeeded as error:
            outcomes += [Outcome(path, number, "login", "", str(error)) for number in range(questions)]
        finally:
            if killing is not None:
                killing.cancel()
            with suppress(TimeoutError):
                async with asyncio.timeout(5):
                    await context.close()
    return outcomes


async def _later(seconds: float, act: Any) -> None:
    await asyncio.sleep(seconds)
    await act


async def _asked(chat: Chat, path: str, number: int, earlier: list[Outcome]) -> Outcome:
    begun = time.monotonic()
    try:
        async with asyncio.timeout(LIMIT):
            reply = await chat.ask(TALK[number])
    except TimeoutError:
        return Outcome(path, number, "timeout", chat.partial)
    except PageError as error:
        return Outcome(path, number, "error", error.partial, str(error))
    finally:
        if earlier and chat.cut_before:
            earlier[-1].status, earlier[-1].why = "suspect", chat.cut_before
    if earlier and reply.earlier is not None:
        earlier[-1].status, earlier[-1].text, earlier[-1].why = "suspect", reply.earlier, reply.why
    return Outcome(path, number, reply.status, reply.text, reply.why, time.monotonic() - begun - reply.seconds)
