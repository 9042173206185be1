"""The addresses of the explorer: every view is a link, and none of them changes anything; see `neraca.web`."""

from __future__ import annotations

import asyncio
import hmac
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlencode

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from neraca.errors import InputError, NeracaError
from neraca.reports.formats.data_export import write_rows
from neraca.reports.formats.explorer import (
    EXPLORER_POLICY,
    explorer_page,
    explorer_script,
    explorer_style,
    prepare_pages,
)
from neraca.reports.formats.html import PAGE_POLICY
from neraca.reports.formats.visible_text import line
from neraca.web.facts_store import FactsStore
from neraca.web.place import Origins
from neraca.web.question_filters import Filters
from neraca.web.rating_app import Guard
from neraca.web.report_store import VIEW, ReportStore
from neraca.web.run_history import history_view
from neraca.web.run_index import RunIndex
from neraca.web.run_list import SUFFIXES, list_view
from neraca.web.run_questions import RunQuestions
from neraca.web.table_layout import Layout

#: Most runs on one page.
MOST_RUNS = 50
#: Seconds that a request waits for a report, and after which a waiting page asks again.
PATIENCE, RETRY = 10.0, 3
#: What a waiting page does with the report; it stays after a download, and must not say that it still waits.
OPENED = "this page opens it as soon as it is ready."
SAVED = "it is saved among your downloads as soon as it is ready. Then go back to the list."
Runs = Annotated[list[str], Query(alias="run")]
Columns = Annotated[list[str], Query(alias="column")]


def explorer_app(index: RunIndex, origins: Origins, token: str = "") -> ASGIApp:
    """Make the application that shows the runs of an index; if `token` is set, only to visitors who have it."""
    prepare_pages()
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    facts = FactsStore(index)
    _add_lists(app, index, RunQuestions(index, facts))
    _add_reports(app, index, facts)
    handlers = ((NeracaError, _cannot_show), (RequestValidationError, _no_run), (StarletteHTTPException, _not_found))
    for error_type, handler in handlers:
        app.add_exception_handler(error_type, handler)
    return Guard(Key(app, token) if token else app, origins)


def _add_lists(app: FastAPI, index: RunIndex, questions: RunQuestions) -> None:
    """Add the list of runs, and the pages of their questions."""

    @app.get("/")
    def runs(
        q: str = "", folder: str = "", tag: str = "", state: str = "", metric: str = "", page: int = 1
    ) -> HTMLResponse:
        filters = {"q": q, "folder": folder, "tag": tag, "state": state}
        return _page("runs", "Runs", **list_view(index, filters, page, metric))

    @app.get("/style.css")
    def style() -> Response:
        return Response(explorer_style(), media_type="text/css")

    @app.get("/live.js")
    def live() -> Response:
        return Response(explorer_script("live"), media_type="text/javascript")

    @app.get("/matrix.js")
    def matrix() -> Response:
        return Response(explorer_script("matrix"), media_type="text/javascript")

    @app.get("/questions")
    def list_questions(run: Runs, request: Request, page: int = 1, column: Columns = []) -> HTMLResponse:  # noqa: B006
        filters, layout = Filters.of(request.query_params), Layout.of(request.query_params, column)
        return _page("questions", "Questions", **questions.list_view(_unique_paths(run), filters, page, layout))

    @app.get("/questions.csv")
    def questions_table(run: Runs, request: Request, column: Columns = []) -> Response:  # noqa: B006
        filters, layout = Filters.of(request.query_params), Layout.of(request.query_params, column)
        rows = questions.rows(_unique_paths(run), filters, layout)
        return _download("questions.csv", lambda file: write_rows(file, rows))

    @app.get("/question")
    def question(run: Runs, item: str) -> HTMLResponse:
        view = questions.question_view(_unique_paths(run), item)
        return _page("question", line(view["item"].query) or item, **view)


def _add_reports(app: FastAPI, index: RunIndex, facts: FactsStore) -> None:
    """Add reports, which other processes build, charts, and the files of studies."""
    reports = ReportStore(index)

    async def built(begin: Callable[..., Future[Path]], *request: object) -> Path | None:
        """Return the file of a report; None if it takes longer than a visitor waits."""
        future = asyncio.wrap_future(await run_in_threadpool(begin, *request))
        done, _ = await asyncio.wait([future], timeout=PATIENCE)
        if done:
            return future.result()
        future.add_done_callback(lambda task: task.cancelled() or task.exception())  # or its error would be printed
        return None

    def shown(file: Path | None) -> Response:
        if file is None:
            return _waiting(index, OPENED)
        return HTMLResponse(file.read_bytes(), headers={"Content-Security-Policy": PAGE_POLICY})

    @app.get("/report")
    async def show_report(run: Runs, primary: str = "") -> Response:
        return shown(await built(reports.begin, _unique_paths(run), VIEW, primary))

    @app.get("/drift")
    async def over_time(run: Runs, every: str = "week", reference: str = "") -> Response:
        if len(run) != 1:
            raise InputError(f"the page over time is of one run, not of {len(run)}; tick one")
        return shown(await built(reports.begin_drift, run[0], every, reference))

    @app.get("/export")
    async def export(run: Runs, to: str = ".html", primary: str = "") -> Response:
        if to not in SUFFIXES:
            raise InputError(f"no report ends in {to!r}; choose {', '.join(SUFFIXES)}")
        file = await built(reports.begin, _unique_paths(run), to, primary)
        return _waiting(index, SAVED) if file is None else _sent(file.read_bytes(), f"report{to}")

    @app.get("/history")
    def history(run: Runs, metric: str = "", tag: str = "", of: str = "") -> HTMLResponse:
        heat = {"tag": tag, "of": of}
        return _page("history", "Charts", **history_view(index, facts, _unique_paths(run), metric, heat))

    @app.get("/study/{path:path}")
    def study_report(path: str) -> HTMLResponse:
        data = index.study_file(path)
        return HTMLResponse(data, headers={"Content-Security-Policy": f"{PAGE_POLICY}; sandbox allow-scripts"})


def _waiting(index: RunIndex, then: str) -> Response:
    """Return the page that is shown until a report is built; the browser asks for it again, and `then` says why."""
    queued = index.queued
    before = f" {queued} other computations are waiting too." if queued > 1 else ""
    message = f"The report is being built; {then}{before}"
    response = _page("message", "One moment", 202, message=message)
    response.headers["Refresh"] = str(RETRY)
    response.headers["Retry-After"] = str(RETRY)
    return response


def _page(name: str, title: str, status: int = 200, **values: Any) -> HTMLResponse:
    html = explorer_page(name, title, **values)
    return HTMLResponse(html, status, headers={"Content-Security-Policy": EXPLORER_POLICY})


def _download(name: str, write: Callable[[Path], object]) -> Response:
    """Return the file that `write` makes, as a download of this name."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        write(file)
        data = file.read_bytes()
    return _sent(data, name)


def _sent(data: bytes, name: str) -> Response:
    """Return a download of this name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)


async def _cannot_show(_: Request, error: Exception) -> Response:
    return _page("message", "This cannot be shown", 400, message=str(error))


async def _no_run(_: Request, error: Exception) -> Response:
    return _page("message", "This cannot be shown", 400, message="The address names no run; go back and tick one.")


async def _not_found(_: Request, error: Exception) -> Response:
    return _page("message", "There is nothing here", 404, message="The address leads nowhere.")


def _unique_paths(paths: Sequence[str]) -> list[str]:
    """Return each path once; raise `InputError` if they are too many for one page."""
    chosen = list(dict.fromkeys(paths))
    if len(chosen) > MOST_RUNS:
        raise InputError(f"one page takes at most {MOST_RUNS} runs, not {len(chosen)}; tick fewer")
    return chosen


class Key:
    """Admits visitors with the token, which is first in the address and from then on in a cookie of this server."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; see ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        parameters = parse_qsl(scope["query_string"].decode("latin-1"))
        if any(name == "token" and self._is_right(value) for name, value in parameters):
            without_token = urlencode([(name, value) for name, value in parameters if name != "token"])
            path = f"/{scope['path'].lstrip('/')}"
            redirect = RedirectResponse(f"{path}?{without_token}" if without_token else path, 303)
            redirect.set_cookie("neraca", self._token, httponly=True, samesite="lax")
            await redirect(scope, receive, send)
        elif self._is_right(_cookie(Headers(scope=scope).get("cookie", ""))):
            await self._app(scope, receive, send)
        else:
            why = "Open the link that was printed where the server was started; it has a token in it."
            await _page("message", "This needs a link", 403, message=why)(scope, receive, send)

    def _is_right(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self._token.encode())


def _cookie(header: str) -> str:
    try:
        cookie = SimpleCookie(header).get("neraca")
    except CookieError:
        return ""
    return cookie.value if cookie else ""
