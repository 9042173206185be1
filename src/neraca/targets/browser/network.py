"""What a page says over the network while it answers."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from neraca.targets.browser.script import Error

if TYPE_CHECKING:
    from playwright.async_api import Page, Request, Response

_KINDS = frozenset({"fetch", "xhr", "eventsource", "document"})
#: Frames of a socket that are shorter are signs of life.
_SHORT = 8
#: Seconds after which a socket that said nothing is calm.
_CALM = 0.6
#: So many requests for one thing before a question make what the page does anyhow.
_ANYHOW = 2
#: Bodies that are longer are not read.
_LONGEST = 1_000_000


class Network:
    """The requests that a page has made since a question was sent, and the last word of its sockets.

    Attributes
    ----------
    failed
        A request of the page itself that failed since, "" where none did.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._open: set[Request] = set()
        self._listening = False
        self._anyhow: dict[str, int] = defaultdict(int)
        self._begun_at: dict[str, list[float]] = defaultdict(list)
        self._sent: list[str] = []
        self._reading: set[asyncio.Task[None]] = set()
        self._spoke = 0.0
        self._ended: float | None = None
        self.failed = ""
        page.on("request", self._on_begun)
        page.on("requestfinished", self._on_finished)
        page.on("requestfailed", self._on_failed)
        page.on("response", self._on_answered)
        page.on("websocket", lambda socket: socket.on("framereceived", self._heard))

    def listen(self) -> None:
        """From now on requests count."""
        self._open.clear()
        self._begun_at.clear()
        self._sent.clear()
        self._listening, self._spoke, self._ended, self.failed = True, 0.0, None, ""

    def forget(self) -> None:
        """Requests count no more."""
        self._listening = False

    @property
    def waits(self) -> bool:
        """Whether a request is open, or its body is being read."""
        return bool(self._open or self._reading)

    @property
    def calm(self) -> bool:
        """Whether no request is open and no socket has just said something."""
        return not self.waits and time.monotonic() - self._spoke > _CALM

    @property
    def ended(self) -> float | None:
        """When the last request ended well, by `time.monotonic`; None where none has, or one is open."""
        return None if self._open else self._ended

    @property
    def asking(self) -> bool:
        """Whether the page asks for one thing again and again, and has done so until now."""
        now = time.monotonic()
        for times in self._begun_at.values():
            gaps = [later - first for first, later in pairwise(times)]
            if gaps and now - times[-1] < 1.5 * max(gaps) + 0.5:
                return True
        return False

    def shows(self, text: str) -> str:
        """How much a text is of what the page was sent: `whole`, a `part` from the beginning, or "" (not known)."""
        words = _letters(text)
        sent = [letters for one in self._sent if words and (letters := _letters(one)).startswith(words)]
        return "whole" if words in sent else "part" if sent else ""

    def _on_begun(self, request: Request) -> None:
        if request.resource_type not in _KINDS:
            return
        name = f"{request.method} {re.sub(r'[0-9a-f-]*[0-9][0-9a-f-]*', '#', urlsplit(request.url).path)}"
        if not self._listening:
            self._anyhow[name] += 1
        elif self._anyhow[name] < _ANYHOW:
            self._open.add(request)
            self._begun_at[name].append(time.monotonic())

    def _on_finished(self, request: Request) -> None:
        if request in self._open:
            self._open.discard(request)
            self._ended = time.monotonic()
            if request.resource_type in ("fetch", "xhr"):
                task = asyncio.ensure_future(self._read(request))
                self._reading.add(task)
                task.add_done_callback(self._reading.discard)

    def _on_failed(self, request: Request) -> None:
        if request not in self._open:
            return
        self._open.discard(request)
        if "ERR_ABORTED" not in (request.failure or ""):
            self._fails(request, (request.failure or "").removeprefix("net::"))
        elif request.resource_type == "eventsource":  # which a page ends itself when it has all
            self._ended = time.monotonic()

    def _on_answered(self, response: Response) -> None:
        if response.request in self._open and response.status >= 400:
            self._fails(response.request, str(response.status))

    def _fails(self, request: Request, why: str) -> None:
        if self._listening and self._own(request.url):
            self.failed = f"{request.method} {urlsplit(request.url).path} {why}"

    def _own(self, url: str) -> bool:
        """Whether an address is of the page's own site: its host but for the first part, such as `api.`."""
        return _site(url) in {_site(frame.url) for frame in self._page.frames}

    def _heard(self, data: str | bytes) -> None:
        if len(data) > _SHORT:
            self._spoke = time.monotonic()

    async def _read(self, request: Request) -> None:
        """Keep the texts that came with a request."""
        with suppress(Error):  # the browser keeps it no more
            response = await request.response()
            body = b"" if response is None else await response.body()
            if len(body) < _LONGEST:
                self._sent += texts_in(body.decode(errors="replace"))


def texts_in(body: str) -> list[str]:
    r"""The texts that a body brings: as it is, the strings of JSON, or those of its events put together.

    >>> texts_in('{"answer": "Four.", "id": 7}'), texts_in("Four.")
    (['Four.'], ['Four.'])
    >>> texts_in('data: {"t": "Fo"}\n\ndata: {"t": "ur."}\n\ndata: [DONE]')
    ['Four.']
    """
    lines = [line.removeprefix("data:").strip() for line in body.splitlines()]
    for parts in ([body], [line for line in lines if line.startswith(("{", "["))]):
        joined: dict[str, list[str]] = defaultdict(list)
        for part in parts:
            try:
                for path, text in _strings(json.loads(part)):
                    joined[path].append(text)
            except (ValueError, RecursionError):
                continue
        if joined:
            return ["".join(texts) for texts in joined.values()]
    return [body]


def _strings(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _strings(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _strings(inner, f"{path}.{place}")


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _site(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return host if host.replace(".", "").isdigit() or host.count(".") < 2 else host.partition(".")[2]
