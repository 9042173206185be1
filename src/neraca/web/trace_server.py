"""The receiver of traces as a server: OTLP over HTTP, with limits on what anybody may send.

`POST /v1/traces`, `/v1/logs` and `/v1/metrics` take an export as JSON or protobuf, also packed by gzip.  The reply has
the same type of content.  200 means that the export is on disk; spans that were rejected are counted in the reply.
Metrics are accepted and dropped.

====  ==========================================================================================
400   the body is no export, or no span of it is whole; nobody should send it again
401   the token is missing or wrong
403   the request comes from a web page, or names another server
404   there is no such address
408   the body did not arrive in time
413   the body is too large, packed or unpacked
415   the type or the packing of the body is not known, or protobuf is not installed
429   too much is waiting to be written; send it again after `Retry-After` seconds
503   the disk is full or fails; send it again later
====  ==========================================================================================
"""

from __future__ import annotations

import asyncio
import hmac
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple, TypeVar, cast, get_args

from aiohttp import ClientPayloadError, web

from neraca.errors import MissingExtra, NeracaError, RunError
from neraca.traces.otlp_export import LARGEST, MEDIA, Coding, Export, Media, Signal, TooLargeError, refusal, reply
from neraca.traces.received_turns import write_received
from neraca.traces.receiver import Accepted, ReceivedTraces, Receiver
from neraca.web.place import Origins, Place, listening
from neraca.web.worker_process import WorkerProcess

T = TypeVar("T")
#: Bytes that may be waiting to be written, over all requests; exports that are written at once.
MOST_WAITING, MOST_AT_ONCE = 4 * LARGEST, 256
#: Seconds in which a body must arrive, and after which a client that was told to wait comes again.
PATIENCE, RETRY = 30.0, 1
#: Making turns takes at most this share of the time of one core; so many seconds pass after it failed.
_SHARE, _PAUSE = 0.5, 10.0
#: Seconds after which the process that makes turns is replaced by a new one, to free its memory.
_LONG = 60.0
#: The sentence that tells somebody who sets an exporter up that it works.
_FIRST = "the first export came and is on disk"
_PACKED: dict[str, Coding] = {"": "", "identity": "", "gzip": "gzip"}


class Announcements(NamedTuple):
    """Functions that are called when the server listens (with its address), and with sentences for the user."""

    started: Callable[[str], None]
    say: Callable[[str], None]


class _Refused(Exception):
    """A request is refused with this status; the message is for the person who runs the exporter."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class TraceServer:
    """The application, and the two loops behind it: one writes exports to disk, one closes traces.

    Parameters
    ----------
    receiver
        Takes the exports; its context is entered.
    origins
        The addresses of this server; requests that name another are refused unless they have the token.
    token
        The token that every request must have; "": none.
    say
        Is called with sentences for the user.
    """

    def __init__(self, receiver: Receiver, origins: Origins, token: str, say: Callable[[str], None]) -> None:
        self._receiver, self._origins, self._token, self._say_always = receiver, origins, token, say
        self._said: set[str] = set()
        self._queue: asyncio.Queue[tuple[Export, asyncio.Future[Accepted | NeracaError]]] = asyncio.Queue()
        self._waiting = 0
        self._one_thread = ThreadPoolExecutor(1, "exports")  # the receiver's methods are called from one thread
        self._worker = WorkerProcess(_LONG)  # makes turns, while this process acknowledges exports

    def _say(self, message: str) -> None:
        """Say something once until all is well again."""
        if message not in self._said:
            self._said.add(message)
            self._say_always(message)

    def app(self) -> web.Application:
        """Return the application of aiohttp."""
        app = web.Application(client_max_size=LARGEST)
        app.router.add_route("*", "/{path:.*}", self._answer)
        return app

    async def _answer(self, request: web.Request) -> web.Response:
        """Answer a request; a refusal has the type of content of the request."""
        media = MEDIA.get(request.content_type, "json")
        try:
            return await self._export(request, media)
        except _Refused as refused:
            headers = {"Retry-After": str(RETRY)} if refused.status in (429, 503) else {}
            if refused.status == 401:
                headers["WWW-Authenticate"] = "Bearer"
            if refused.status in (408, 413, 429):
                headers["Connection"] = "close"  # the rest of the body is not read
            return _response(media, refusal(media, str(refused)), refused.status, headers)

    async def _export(self, request: web.Request, media: Media) -> web.Response:
        self._check_sender(request)
        name = request.path.removeprefix("/v1/")
        if name not in get_args(Signal) or request.method != "POST":
            raise _Refused(404, "there is nothing here; POST exports to /v1/traces, /v1/logs or /v1/metrics")
        signal_name = cast(Signal, name)
        if request.content_type not in MEDIA:
            raise _Refused(415, f"the type of content {request.content_type!r} is not read; send {', '.join(MEDIA)}")
        coding = request.headers.get("Content-Encoding", "").strip().lower()
        if coding not in _PACKED:
            raise _Refused(415, f"the packing {coding!r} is not read; send gzip, or none")
        if (request.content_length or 0) > LARGEST:
            raise _Refused(413, str(TooLargeError()))
        body = bytearray()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._read(request, body)
            if signal_name == "metrics":
                self._receiver.count_metrics()
                accepted = Accepted()
            else:
                export = Export(signal=signal_name, media=media, coding=_PACKED[coding], data=bytes(body))
                accepted = await self._take(export)
        except TimeoutError:
            raise _Refused(408, f"the body did not arrive in {PATIENCE:g} s") from None
        except (ClientPayloadError, web.RequestPayloadError, ConnectionError) as error:
            raise _Refused(400, f"the body is not whole: {error}") from None
        finally:
            self._waiting -= len(body)
        return _response(media, reply(signal_name, media, *accepted))

    def _check_sender(self, request: web.Request) -> None:
        """Refuse those without the token, and what a page in a browser may send."""
        if self._token:
            word, _, token = request.headers.get("Authorization", "").partition(" ")
            sent = token.strip().encode(errors="surrogateescape")  # the bytes, whatever they are
            if word.lower() != "bearer" or not hmac.compare_digest(sent, self._token.encode()):
                raise _Refused(
                    401,
                    "the token is missing or wrong; set OTEL_EXPORTER_OTLP_HEADERS to authorization=Bearer%20TOKEN",
                )
        elif not self._origins.has_host(request.headers.get("Host", "")):
            raise _Refused(403, "the request names another server; start the receiver with --token")
        if "Origin" in request.headers:
            raise _Refused(403, "the request comes from a web page; exports are taken from programs alone")

    async def _read(self, request: web.Request, body: bytearray) -> None:
        """Read the body; what is read counts as waiting until the request is answered."""
        async for piece in request.content.iter_any():
            if len(body) + len(piece) > LARGEST:
                raise _Refused(413, str(TooLargeError()))
            if self._waiting + len(piece) > MOST_WAITING:
                raise _Refused(429, "too much is waiting to be written; send it again a little later")
            body += piece
            self._waiting += len(piece)

    async def _take(self, export: Export) -> Accepted:
        """Return when the export is on disk."""
        future = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((export, future))
        result = await future
        if isinstance(result, TooLargeError):
            raise _Refused(413, str(result))
        if isinstance(result, MissingExtra):
            self._say(str(result))
            raise _Refused(415, str(result))
        if isinstance(result, RunError):
            raise _Refused(503, str(result))
        if isinstance(result, NeracaError):
            raise _Refused(400, str(result))
        return cast(Accepted, result)

    async def write_exports(self) -> None:
        """Write what waits, again and again: all that came during one write is written and synced by the next."""
        if number := await self._in_one_thread(self._receiver.restore):
            self._say(f"going on with {number:,} exports that an earlier receiver left")
        while True:
            waiting = [await self._queue.get()]
            size = len(waiting[0][0].data)
            while not self._queue.empty() and len(waiting) < MOST_AT_ONCE and size < LARGEST:
                waiting.append(self._queue.get_nowait())
                size += len(waiting[-1][0].data)
            try:
                results = await self._in_one_thread(self._receiver.take, [export for export, _ in waiting])
                if any(isinstance(each, Accepted) for each in results):
                    self._say(_FIRST)
            except (OSError, RunError) as error:
                message = f"the export cannot be written ({error}); free some space, the exporter sends it again"
                self._say(message)
                results = [RunError(message)] * len(waiting)
            for (_, future), result in zip(waiting, results, strict=True):
                if not future.done():  # the client may have gone
                    future.set_result(result)

    async def close_traces(self) -> None:
        """Write the turns of quiet traces, again and again."""
        while True:
            await asyncio.sleep(min(1.0, self._receiver.settings.quiet / 4))
            began = time.monotonic()
            try:
                if await self._close(at_once=False):
                    self._said &= {_FIRST}
                    await asyncio.sleep((time.monotonic() - began) * (1 / _SHARE - 1))
            except NeracaError as error:
                self._say(f"{error}; the traces are kept and written later")
                await asyncio.sleep(_PAUSE)

    async def _close(self, *, at_once: bool) -> bool:
        """Write the turns of traces that may be closed; return whether there were any."""
        closable = await self._in_one_thread(lambda: self._receiver.closable(at_once=at_once))
        if closable:
            written = self._worker.submit(write_received, self._receiver.writer, closable)
            closed = await asyncio.wrap_future(written)
            await self._in_one_thread(lambda: self._receiver.settle(closable, closed))
        await self._in_one_thread(self._receiver.forget)
        return bool(closable)

    async def finish(self) -> ReceivedTraces:
        """Write the turns of all traces, and return what was received."""
        while await self._close(at_once=True):
            pass
        return await self._in_one_thread(self._receiver.finish)

    def close(self) -> None:
        """End the process that makes turns."""
        self._worker.close()

    async def _in_one_thread(self, call: Callable[..., T], *arguments: object) -> T:
        """Return the result of a method of the receiver that works on its index."""
        return await asyncio.get_running_loop().run_in_executor(self._one_thread, call, *arguments)

    async def empty_queue(self) -> None:
        """Return when every export that came is answered."""
        while self._waiting or not self._queue.empty():
            await asyncio.sleep(0.01)


def serve_traces(receiver: Receiver, place: Place, token: str, announcements: Announcements) -> ReceivedTraces:
    """Receive traces until Ctrl-C or SIGTERM, then write the turns of all; return what was received.

    Parameters
    ----------
    receiver
        Keeps the exports, and writes the run.
    place
        The address to listen on.
    token
        See `TraceServer`.
    announcements
        Functions that are called when the server listens, and with what the user should know.

    Raises
    ------
    NeracaError
        If the server cannot listen there, or the run cannot be written; the exports are kept.
    """
    with receiver, listening(place) as listener:
        return asyncio.run(_serve(receiver, place, token, announcements, listener))


async def _serve(
    receiver: Receiver, place: Place, token: str, announcements: Announcements, listener: socket.socket
) -> ReceivedTraces:
    host = f"[{place.host}]" if ":" in place.host else place.host
    address = place.url or f"http://{host}:{listener.getsockname()[1]}"
    server = TraceServer(receiver, Origins.of(address), token, announcements.say)
    runner = web.AppRunner(server.app(), access_log=None, auto_decompress=False, lingering_time=1.0)
    stopped = asyncio.Event()
    await runner.setup()
    loops = [asyncio.create_task(each) for each in (server.write_exports(), server.close_traces())]
    try:
        with _ended_by_signals(asyncio.get_running_loop(), stopped):
            await web.SockSite(runner, listener, shutdown_timeout=10.0).start()
            announcements.started(address)
            waiting = asyncio.create_task(stopped.wait())
            done, _ = await asyncio.wait([waiting, *loops], return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()  # the loops end only by an error
        announcements.say("stopping: the turns of all traces are written; Ctrl-C again leaves that to the next start")
        await runner.cleanup()
        await server.empty_queue()
        loops[1].cancel()
        await asyncio.wait([loops[1]])
        try:
            return await server.finish()
        except NeracaError:
            announcements.say("some turns are not written; their exports are kept, and the same command goes on")
            raise
    finally:
        for task in loops:
            task.cancel()
        await runner.cleanup()
        server.close()


@contextmanager
def _ended_by_signals(loop: asyncio.AbstractEventLoop, stopped: asyncio.Event) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM set an event; the second one ends the process as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        restore()
        loop.call_soon_threadsafe(stopped.set)

    def restore() -> None:
        for number, handler in earlier.items():
            signal.signal(number, handler)

    earlier = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        restore()


def _response(media: Media, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    content_type = "application/json" if media == "json" else "application/x-protobuf"
    return web.Response(body=body, status=status, content_type=content_type, headers=headers)
