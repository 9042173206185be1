"""Follow the network traffic of a page while it answers."""

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
#: Longest frame of a socket, in characters, that counts as a mere sign of life.
_HEARTBEAT_LENGTH = 8
#: Seconds without a message after which a socket is calm.
_CALM_AFTER = 0.6
#: Number of equal requests before a question that make them routine: they do not count as work on the answer.
_ROUTINE_COUNT = 2
#: Fewest words of a text in a reply that may be an answer.
_FEWEST_WORDS = 4
#: Messages that say that an answer is over: alone, as the value of such a key, or as a key that is true.
_OVER = re.compile(
    r"(?:(?:message|response|stream|answer|chat|generation|assistant)s?[._: -]?)?"
    r"(?:done|ended|end|completed?|finished|finish|final|stop|eos)",
    re.IGNORECASE,
)
_KIND_KEYS = ("type", "event", "kind", "status", "state", "op", "action", "finish_reason")
#: Seconds within which a server must show that it is alive.
_ALIVE_WITHIN = 5.0
#: Failures of a request whose server is gone.
_GONE = re.compile(
    "ERR_(CONNECTION_(REFUSED|RESET|CLOSED|ABORTED|FAILED|TIMED_OUT)|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED|"
    "ADDRESS_UNREACHABLE)"
)
#: Longest body, in bytes, that is read.
_MAX_BODY_BYTES = 1_000_000


class Network:
    """The requests of a page since a question was sent, and the time of its last socket message.

    Attributes
    ----------
    failed
        The last request to the page's own site that failed since, "" if none did.
    gone
        The last of them that failed because its server is gone.
    unframed
        The address of the last reply since whose body has neither a length nor chunks; "" if there was none.  The end
        of such a body looks like the death of its server.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._open: set[Request] = set()
        self._bad: set[Request] = set()
        self._listening = False
        self._routine_counts: dict[str, int] = defaultdict(int)
        self._request_times: dict[str, list[float]] = defaultdict(list)
        self._received_texts: list[list[str]] = []
        self._reading: set[asyncio.Task[None]] = set()
        self._last_message_at = 0.0
        self._idle_overs = 0
        self._last_over: float | None = None
        self._last_end: float | None = None
        self.failed = self.unframed = self.gone = ""
        self._status_failed = False
        page.on("request", self._on_begun)
        page.on("requestfinished", self._on_finished)
        page.on("requestfailed", self._on_failed)
        page.on("response", self._on_answered)
        page.on("websocket", lambda socket: socket.on("framereceived", self._on_message))

    def listen(self) -> None:
        """Begin to count requests, from nothing."""
        self._open.clear()
        self._request_times.clear()
        self._received_texts.clear()
        self._listening, self._last_message_at, self._last_end, self.failed = True, 0.0, None, ""
        self._status_failed, self.unframed, self.gone, self._last_over = False, "", "", None

    def begin_anew(self) -> None:
        """Forget everything, because the page is loaded again for another conversation."""
        self.listen()
        self._listening = False
        self._idle_overs = 0
        self._bad.clear()
        self._routine_counts.clear()

    def forget(self) -> None:
        """Stop counting requests."""
        self._listening = False

    @property
    def waits(self) -> bool:
        """Whether a request is open, or its body is being read."""
        return bool(self._open or self._reading)

    @property
    def calm(self) -> bool:
        """Whether no request is open and no socket message has just arrived."""
        return not self.waits and time.monotonic() - self._last_message_at > _CALM_AFTER

    @property
    def ended(self) -> float | None:
        """The time when the last request succeeded, by `time.monotonic`; None if none has, or one is open."""
        return None if self._open else self._last_end

    @property
    def over(self) -> float | None:
        """The time when a socket last said that something is over; None if it has not, or said so between answers."""
        return None if self._idle_overs else self._last_over

    @property
    def rejected(self) -> bool:
        """Whether a request was answered by an HTTP error, and nothing else came of the question."""
        return self._status_failed and self._last_end is None and not self._last_message_at

    @property
    def asking(self) -> bool:
        """Whether the page repeats one request at regular intervals, up to now."""
        now = time.monotonic()
        for times in self._request_times.values():
            gaps = [later - earlier for earlier, later in pairwise(times)]
            if gaps and now - times[-1] < 1.5 * max(gaps) + 0.5:
                return True
        return False

    def shows(self, text: str, query: str = "") -> str:
        """Return whether the page received this text as a `whole`, or as `part` of one, from its beginning; else "".

        A text is not the whole answer if its reply held another one that may be the answer, such as a correction of a
        draft; the repeated `query` is none.
        """
        prefix, found = _letters(text), ""
        for texts in self._received_texts if prefix else ():
            letters = [_letters(received) for received in texts]
            if prefix in letters:
                rivals = zip(texts, letters, strict=True)
                return "" if any(_may_be_answer(*rival, prefix, query) for rival in rivals) else "whole"
            if any(received.startswith(prefix) for received in letters):
                found = "part"
        return found

    async def is_alive(self) -> bool:
        """Return whether the server of the last reply without a length answers a request."""
        parts = urlsplit(self.unframed)
        try:
            address = f"{parts.scheme}://{parts.netloc}/"
            await self._page.context.request.head(address, timeout=_ALIVE_WITHIN * 1000, max_redirects=0)
        except Error:
            return False
        return True

    def _on_begun(self, request: Request) -> None:
        if request.resource_type not in _KINDS:
            return
        name = f"{request.method} {re.sub(r'[0-9a-f-]*[0-9][0-9a-f-]*', '#', urlsplit(request.url).path)}"
        if not self._listening:
            self._routine_counts[name] += 1
        elif self._routine_counts[name] < _ROUTINE_COUNT:
            self._open.add(request)
            self._request_times[name].append(time.monotonic())

    def _on_finished(self, request: Request) -> None:
        if request in self._open:
            self._open.discard(request)
            if request in self._bad:
                self._bad.discard(request)
                return
            self._last_end = time.monotonic()
            if request.resource_type in ("fetch", "xhr"):
                task = asyncio.ensure_future(self._keep_texts(request))
                self._reading.add(task)
                task.add_done_callback(self._reading.discard)

    def _on_failed(self, request: Request) -> None:
        if request not in self._open:
            return
        self._open.discard(request)
        if "ERR_ABORTED" not in (request.failure or ""):
            self._note_failure(request, (request.failure or "").removeprefix("net::"))
        elif request.resource_type == "eventsource":  # a page closes it when everything has arrived
            self._last_end = time.monotonic()

    def _on_answered(self, response: Response) -> None:
        request = response.request
        if request not in self._open:
            return
        if response.status >= 400:
            self._bad.add(request)
            self._status_failed |= self._note_failure(request, str(response.status))
        elif _is_unframed(response):
            self.unframed = request.url

    def _note_failure(self, request: Request, why: str) -> bool:
        """Keep the failure of a request to the page's own site; return whether it was one."""
        is_own = self._listening and self._is_own_site(request.url)
        if is_own:
            self.failed = f"{request.method} {urlsplit(request.url).path} {why}"
            self.gone = self.failed if _GONE.search(why) else self.gone
        return is_own

    def _is_own_site(self, url: str) -> bool:
        """Return whether an address belongs to the page's own site: the same host without its first part (`api.`)."""
        return _site(url) in {_site(frame.url) for frame in self._page.frames}

    def _on_message(self, data: str | bytes) -> None:
        if says_over(data if isinstance(data, str) else data.decode(errors="replace")):
            self._idle_overs += not self._listening
            self._last_over = time.monotonic()
        if len(data) > _HEARTBEAT_LENGTH:
            self._last_message_at = time.monotonic()

    async def _keep_texts(self, request: Request) -> None:
        """Keep the texts of the response to a request."""
        with suppress(Error):  # the browser no longer keeps the body
            response = await request.response()
            body = b"" if response is None else await response.body()
            if len(body) < _MAX_BODY_BYTES:
                self._received_texts.append(texts_in(body.decode(errors="replace")))


def says_over(message: str) -> bool:
    """Return whether a message of a socket says that an answer is over.

    >>> [says_over(text) for text in ('null', '[DONE]', '{"type": "message_end"}', '{"text": "Yes.", "done": true}')]
    [True, True, True, True]
    >>> [says_over(text) for text in ('{"text": "The end"}', '{"type": "step_end"}', '{"done": false}', "2", "ping")]
    [False, False, False, False, False]
    """
    try:
        value = json.loads(message)
    except (ValueError, RecursionError):
        value = message.strip().strip("[]<>")
    if isinstance(value, dict):
        kinds = [value.get(key) for key in _KIND_KEYS]
        kinds += [key.removeprefix("is_") for key, flag in value.items() if flag is True]
        return any(isinstance(kind, str) and _OVER.fullmatch(kind) for kind in kinds)
    return value is None or (isinstance(value, str) and bool(_OVER.fullmatch(value)))


def texts_in(body: str) -> list[str]:
    r"""Return the texts in a body: the strings of JSON, the strings of its events joined by key, or the body itself.

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
        for index, inner in enumerate(value):
            yield from _strings(inner, f"{path}.{index}")


def _is_unframed(response: Response) -> bool:
    """Return whether only the end of the connection ends a body; HTTP/2 and above, always in TLS, count their bytes."""
    headers = response.headers
    closes = "close" in headers.get("connection", "").lower() or response.url.startswith("http:")
    return closes and response.status == 200 and not {"content-length", "transfer-encoding"} & headers.keys()


def _may_be_answer(text: str, letters: str, shown: str, query: str) -> bool:
    """Return whether a text is a sentence that is neither the question nor a part of the text that is shown."""
    known = letters in shown or shown in letters or letters in _letters(query) or (query and query in text)
    return len(text.split()) >= _FEWEST_WORDS and not known


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _site(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return host if host.replace(".", "").isdigit() or host.count(".") < 2 else host.partition(".")[2]
