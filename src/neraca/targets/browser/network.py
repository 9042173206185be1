"""What a page says over the network while it answers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.async_api import Page, Request, Response, WebSocket

_KINDS = frozenset({"fetch", "xhr", "eventsource", "document"})
#: A page that makes more requests for one answer asks again and again whether there is more of it.
_FEW = 2
#: Frames of a socket that are shorter are signs of life.
_SHORT = 8
#: Seconds after which a socket that said nothing is calm.
_CALM = 0.6


class Network:
    """The requests that a page has opened since a question was sent, and the last word of its sockets."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._open: set[Request] = set()
        self._listening = False
        self._begun_since = 0
        self._spoke = 0.0
        self.failed = ""
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("response", self._answered)
        page.on("websocket", self._connected)

    def listen(self) -> None:
        """From now on requests count."""
        self._open.clear()
        self._listening, self._begun_since, self._spoke, self.failed = True, 0, 0.0, ""

    def forget(self) -> None:
        """Requests count no more."""
        self._listening = False

    @property
    def calm(self) -> bool:
        """Whether no request is open and no socket has just said something."""
        return not self._open and time.monotonic() - self._spoke > _CALM

    @property
    def waits(self) -> bool:
        """Whether a request is open."""
        return bool(self._open)

    @property
    def answered(self) -> bool:
        """Whether it looks as if the answer came with a request that has ended, not by a socket or by asking often."""
        return 0 < self._begun_since <= _FEW and not self._open and not self._spoke

    def _begun(self, request: Request) -> None:
        if self._listening and request.resource_type in _KINDS:
            self._open.add(request)
            self._begun_since += 1

    def _ended(self, request: Request) -> None:
        self._open.discard(request)

    def _answered(self, response: Response) -> None:
        request = response.request
        if self._listening and request in self._open and response.status >= 400 and self._own(request.url):
            self.failed = f"{request.method} {urlsplit(request.url).path} {response.status}"

    def _own(self, url: str) -> bool:
        return urlsplit(url).netloc in {urlsplit(frame.url).netloc for frame in self._page.frames}

    def _connected(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._heard)

    def _heard(self, data: str | bytes) -> None:
        if len(data) > _SHORT:
            self._spoke = time.monotonic()
