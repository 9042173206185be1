"""The HTTP side of rating together: the addresses, and the guard that keeps others out; see `neraca.web`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

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
from neraca.reports.formats.rating_html import arranged, rating_policy
from neraca.web.place import Origins
from neraca.web.rating_session import RatingSession


class PageOf(NamedTuple):
    """Data of one rater's page: opaque name of the task set, the rater's name, and the address that takes ratings.

    `runs` are the opaque names of the runs.  If raters ask their own questions, `ask` is the address that takes them,
    and `questions` their largest number.
    """

    set: str
    rater: str
    url: str
    runs: tuple[str, ...] = ()
    ask: str = ""
    questions: int = 0


#: Makes a rater's page as HTML from the tasks in order, the earlier ratings and the page's data.
PageWriter = Callable[[Sequence[Task], Sequence[Rating], PageOf], str]
#: Most bytes in the body of a request.
LARGEST = 1_000_000
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}


def rating_app(session: RatingSession, page: PageWriter, origins: Origins) -> ASGIApp:
    """Make the application that serves a rating session under these origins."""
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
        page_data = PageOf(work.set, rater, f"/r/{token}/ratings", work.run_keys, *asking)
        html = page(session.tasks(rater), session.ratings(rater), page_data)
        return HTMLResponse(html, headers={"Content-Security-Policy": rating_policy()})

    @app.post("/r/{token}/ratings")
    async def take(token: str, request: Request) -> Response:
        rater = rater_of(token)
        received = await run_in_threadpool(session.receive, rater, await _json(request))
        reply = replace(received, tasks=list(map(arranged, received.tasks)))
        return Response(msgspec.json.encode(reply), media_type="application/json")

    @app.post("/r/{token}/questions")
    async def ask(token: str, request: Request) -> Response:
        rater = rater_of(token)
        if session.own is None:
            raise HTTPException(404)
        question = _question(await _json(request))
        task = await run_in_threadpool(session.own.ask, rater, question.id, question.query)
        return Response(msgspec.json.encode({"task": arranged(task)}), media_type="application/json")

    handlers = ((InputError, _bad_request), (SQLAlchemyError, _unavailable), (StarletteHTTPException, _refused))
    for error_type, handler in handlers:
        app.add_exception_handler(error_type, handler)
    return Guard(app, origins)


class Question(msgspec.Struct):
    """A question as a browser sends it; `id` is unique among the questions of this rater."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[\w.:-]{1,100}$")]
    query: str


def _question(body: bytes) -> Question:
    try:
        return msgspec.json.decode(body, type=Question)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"the body is not a question: {error}") from error


async def _json(request: Request) -> bytes:
    """Return the body of a request, which must be declared as JSON."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415)
    return await _body(request)


async def _body(request: Request) -> bytes:
    """Return the body of a request; stop reading when it is too long."""
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > LARGEST:
                raise HTTPException(413)
    except ClientDisconnect as error:
        raise InputError("the browser closed the connection") from error
    return bytes(body)


async def _bad_request(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)


async def _unavailable(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": "the database cannot be reached; send it again later"}, 503)


async def _refused(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, StarletteHTTPException) else 500
    status = 404 if status == 405 else status
    return JSONResponse({"error": {404: "not found", 413: "too large", 415: "not JSON"}.get(status, "refused")}, status)


class Guard:
    """Admits only requests that name this server and come from its own pages, and adds headers to every response.

    A response that brings no content security policy gets one that allows nothing.  No page may show a response in a
    frame: only the header can say so, not the policy inside a page.
    """

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
                policy = headers.get("Content-Security-Policy", "default-src 'none'")
                headers["Content-Security-Policy"] = f"{policy}; frame-ancestors 'none'"
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, guarded)

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
