"""The HTTP side of rating together: two addresses, and what keeps everybody else out; see `neraca.web`."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from neraca.errors import InputError
from neraca.people.assignment import Task
from neraca.people.rating import Rating
from neraca.reports.rating_html import arranged
from neraca.web.rating_session import RatingSession


class PageOf(NamedTuple):
    """Whose page it is: opaque name of what is rated, the rater's name, and where its ratings are sent.

    `runs` are the opaque names of the runs.  Where the rater asks, `ask` is where questions are sent, and `questions`
    how many may be.
    """

    set: str
    rater: str
    url: str
    runs: tuple[str, ...] = ()
    ask: str = ""
    questions: int = 0


#: From tasks in order and earlier ratings to a rater's page as HTML.
PageWriter = Callable[[Sequence[Task], Sequence[Rating], PageOf], str]
#: Bytes that a request may send.
LARGEST = 1_000_000
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
_NOTHING = "default-src 'none'"
_PORTS = {"http": "80", "https": "443"}
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}


@dataclass(frozen=True)
class Origins:
    """Under which addresses the server is reached.

    Attributes
    ----------
    origins
        Such as `http://127.0.0.1:8000`, in small letters, without a port that goes without saying.
    """

    origins: frozenset[str]

    @classmethod
    def of(cls, *urls: str) -> Origins:
        """Take them from addresses; one of this machine itself has three names."""
        found = set()
        for url in urls:
            parts = urlsplit(url)
            local = ("127.0.0.1", "localhost", "[::1]")
            host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
            found |= {
                _plain(f"{parts.scheme}://{name}:{parts.port or _PORTS[parts.scheme]}")
                for name in (local if host in local else (host,))
            }
        return cls(frozenset(found))

    def has_host(self, host: str) -> bool:
        """Whether a `Host` header names this server."""
        return any(_plain(f"{urlsplit(origin).scheme}://{host}") == origin for origin in self.origins)

    def has(self, origin: str) -> bool:
        """Whether an `Origin` header names this server."""
        return _plain(origin) in self.origins


def _plain(origin: str) -> str:
    scheme, _, host = origin.lower().partition("://")
    return f"{scheme}://{host.removesuffix(':' + _PORTS.get(scheme, ''))}"


def rating_app(session: RatingSession, page: PageWriter, origins: Origins) -> ASGIApp:
    """Make the application that serves a session of rating under these origins."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)

    def rater_of(token: str) -> str:
        rater = session.rater(token)
        if rater is None:
            raise HTTPException(404)
        return rater

    @app.get("/r/{token}")
    def show(token: str) -> HTMLResponse:
        rater = rater_of(token)
        asking = (f"/r/{token}/questions", session.settings.questions) if session.own else ()
        work = session.assignment
        whose = PageOf(work.set, rater, f"/r/{token}/ratings", work.run_keys, *asking)
        written = page(session.tasks(rater), session.ratings(rater), whose)
        return HTMLResponse(written, headers={"Content-Security-Policy": page_policy(written)})

    @app.post("/r/{token}/ratings")
    async def take(token: str, request: Request) -> Response:
        rater = rater_of(token)
        received = await run_in_threadpool(session.receive, rater, await _json(request))
        shown = replace(received, tasks=list(map(arranged, received.tasks)))
        return Response(msgspec.json.encode(shown), media_type="application/json")

    @app.post("/r/{token}/questions")
    async def ask(token: str, request: Request) -> Response:
        rater = rater_of(token)
        if session.own is None:
            raise HTTPException(404)
        asked = _question(await _json(request))
        task = await run_in_threadpool(session.own.ask, rater, asked.id, asked.query)
        return Response(msgspec.json.encode({"task": arranged(task)}), media_type="application/json")

    for kind, answer in ((InputError, _bad), (SQLAlchemyError, _away), (StarletteHTTPException, _no)):
        app.add_exception_handler(kind, answer)
    return Guard(app, origins)


class Question(msgspec.Struct):
    """A question as a browser sends it; `id` is any name that no other question of this rater has."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[\w.:-]{1,100}$")]
    query: str


def _question(body: bytes) -> Question:
    try:
        return msgspec.json.decode(body, type=Question)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"the body is no question: {error}") from error


async def _json(request: Request) -> bytes:
    """The body, which must be declared as JSON."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415)
    return await _body(request)


async def _body(request: Request) -> bytes:
    """The body, read no further than it may be long."""
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > LARGEST:
                raise HTTPException(413)
    except ClientDisconnect as error:
        raise InputError("the browser went away") from error
    return bytes(body)


def page_policy(page: str) -> str:
    """The page's own policy on what may run in it, and that no other page may hold it in a frame."""
    own = _POLICY.search(page)
    return f"{html.unescape(own.group(1)) if own else _NOTHING}; frame-ancestors 'none'"


async def _bad(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)


async def _away(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": "the database cannot be reached; send it again later"}, 503)


async def _no(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, StarletteHTTPException) else 500
    status = 404 if status == 405 else status
    return JSONResponse({"error": {404: "not found", 413: "too large", 415: "not JSON"}.get(status, "refused")}, status)


class Guard:
    """Lets in only what is meant for this server and comes from its own pages, and gives every answer its headers."""

    def __init__(self, app: ASGIApp, origins: Origins) -> None:
        self._app = app
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; see ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Content-Security-Policy", f"{_NOTHING}; frame-ancestors 'none'")
            await send(message)

        answer = self._refusal(scope)
        await (answer or self._app)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers: Any = Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or not self._origins.has_host(headers["host"]):
            return JSONResponse({"error": "this server has another name"}, 400)
        origin = headers.get("origin")
        changes = scope["method"] not in ("GET", "HEAD")
        if (origin is None and changes) or (origin is not None and not self._origins.has(origin)):
            return JSONResponse({"error": "the request comes from another origin"}, 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST:
            return JSONResponse({"error": "too large"}, 413)
        return None
