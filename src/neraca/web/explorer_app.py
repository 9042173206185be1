"""The addresses of the explorer: every view is a link, and none of them changes anything; see `neraca.web`."""

from __future__ import annotations

import hmac
import math
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlencode

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from neraca.comparisons.compare import compare
from neraca.comparisons.difference import Differences
from neraca.errors import InputError, NeracaError
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.formats.data_export import write_rows
from neraca.reports.formats.explorer import EXPLORER_POLICY, explorer_page, explorer_script, explorer_style
from neraca.reports.formats.html import PAGE_POLICY, to_html
from neraca.reports.formats.visible_text import line
from neraca.reports.formats.write import FORMATS, write_report
from neraca.reports.report import Report, report
from neraca.scores.score import score
from neraca.web.choices import Choice, Option
from neraca.web.question_filters import Filters
from neraca.web.rating_app import Guard, Origins
from neraca.web.run_history import history_view
from neraca.web.run_index import Entry, RunIndex
from neraca.web.run_questions import RunQuestions

#: Runs on one page of the list; most runs in one report; most tags to choose from.
PER_PAGE, MOST_RUNS, TAGS = 100, 50, 200
SUFFIXES = tuple(suffix for suffix in FORMATS if suffix != ".htm")
STATES = ("finished", "being asked", "not finished", "with a problem")
Runs = Annotated[list[str], Query(alias="run")]


def explorer_app(index: RunIndex, origins: Origins, token: str = "") -> ASGIApp:
    """Make the application that shows the runs of an index; if `token` is set, only to visitors who have it."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    questions = RunQuestions(index)
    turn = threading.Lock()  # make one report at a time, so that many clicks do not need more memory than one

    @app.get("/")
    def runs(q: str = "", folder: str = "", tag: str = "", state: str = "", page: int = 1) -> HTMLResponse:
        filters = {"q": q, "folder": folder, "tag": tag, "state": state}
        return _page("runs", "Runs", **_list_view(index, filters, page))

    @app.get("/style.css")
    def style() -> Response:
        return Response(explorer_style(), media_type="text/css")

    @app.get("/live.js")
    def script() -> Response:
        return Response(explorer_script(), media_type="text/javascript")

    @app.get("/report")
    def show_report(run: Runs, primary: str = "") -> HTMLResponse:
        with turn:
            html = to_html(comparison_document(_report(index, run, primary)))
        return HTMLResponse(html, headers={"Content-Security-Policy": PAGE_POLICY})

    @app.get("/questions")
    def list_questions(run: Runs, request: Request, page: int = 1) -> HTMLResponse:
        view = questions.list_view(_unique_paths(run), Filters.of(request.query_params), page)
        return _page("questions", "Questions", **view)

    @app.get("/questions.csv")
    def questions_table(run: Runs, request: Request) -> Response:
        rows = [
            {"item": question.id, "query": question.query, "tags": "; ".join(question.tags)}
            for question in questions.matching_questions(_unique_paths(run), Filters.of(request.query_params))
        ]
        return _download("questions.csv", lambda file: write_rows(file, rows))

    @app.get("/question")
    def question(run: Runs, item: str) -> HTMLResponse:
        view = questions.question_view(_unique_paths(run), item)
        return _page("question", line(view["item"].query), **view)

    @app.get("/history")
    def history(run: Runs, metric: str = "") -> HTMLResponse:
        with turn:
            view = history_view(index, _unique_paths(run), metric)
        return _page("history", "A metric over versions", **view)

    @app.get("/export")
    def export(run: Runs, to: str = ".html", primary: str = "") -> Response:
        if to not in SUFFIXES:
            raise InputError(f"no report ends in {to!r}; choose {', '.join(SUFFIXES)}")
        with turn:
            return _download(f"report{to}", lambda file: write_report(file, _report(index, run, primary)))

    handlers = ((NeracaError, _cannot_show), (RequestValidationError, _no_run), (StarletteHTTPException, _not_found))
    for error_type, handler in handlers:
        app.add_exception_handler(error_type, handler)
    return Guard(Key(app, token) if token else app, origins)


def _page(name: str, title: str, status: int = 200, **values: Any) -> HTMLResponse:
    html = explorer_page(name, title, **values)
    return HTMLResponse(html, status, headers={"Content-Security-Policy": EXPLORER_POLICY})


def _download(name: str, write: Callable[[Path], object]) -> Response:
    """Return the file that `write` makes, as a download of this name."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        write(file)
        data = file.read_bytes()
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)


async def _cannot_show(_: Request, error: Exception) -> Response:
    return _page("message", "This cannot be shown", 400, message=str(error))


async def _no_run(_: Request, error: Exception) -> Response:
    return _page("message", "This cannot be shown", 400, message="The address names no run; go back and tick one.")


async def _not_found(_: Request, error: Exception) -> Response:
    return _page("message", "There is nothing here", 404, message="The address leads nowhere.")


def _list_view(index: RunIndex, filters: dict[str, str], page: int) -> dict[str, Any]:
    """Return the values for the template of the list of runs."""
    entries = index.entries()
    matches = [entry for entry in entries if _matches(entry, filters)]
    pages = max(1, math.ceil(len(matches) / PER_PAGE))
    page = min(max(1, page), pages)
    chosen = {name: value for name, value in filters.items() if value}
    live = any(entry.live for entry in entries)
    folders = {entry.folder for entry in entries} - {""}
    tags = {tag for entry in entries for tag in entry.tags}
    listed = set(sorted(tags)[:TAGS]) | tags & {filters["tag"]}
    states = [Option(state, state) for state in STATES]
    choices = [
        Choice("folder", "Folder", _options(folders), filters["folder"], "No run is in the folder {}."),
        Choice("tag", "Tag", _options(listed), filters["tag"], "No run has the tag {}."),
        Choice("state", "State", states, filters["state"], "No state is called {}."),
    ]
    return {
        "asked": filters,
        "runs": matches[(page - 1) * PER_PAGE : page * PER_PAGE],
        "total": len(matches),
        "total_all": len(entries),
        "choices": choices,
        "notes": [choice.note for choice in choices if choice.note],
        "suffixes": SUFFIXES,
        "page": page,
        "pages": pages,
        "earlier": f"/?{urlencode(chosen | {'page': page - 1})}" if page > 1 else "",
        "later": f"/?{urlencode(chosen | {'page': page + 1})}" if page < pages else "",
        "waiting": index.waiting,
        "live": bool(index.waiting or live),
    }


def _options(values: Iterable[str]) -> list[Option]:
    return [Option(value, value) for value in sorted(values)]


def _matches(entry: Entry, filters: dict[str, str]) -> bool:
    text = " ".join((entry.path, entry.dataset, entry.metric, *entry.tags)).casefold()
    return (
        all(word in text for word in filters["q"].casefold().split())
        and filters["folder"] in ("", entry.folder)
        and (not filters["tag"] or filters["tag"] in entry.tags)
        and filters["state"] in ("", _state(entry))
    )


def _state(entry: Entry) -> str:
    if entry.problem:
        return STATES[3]
    return STATES[0] if entry.ended else STATES[1] if entry.live else STATES[2]


def _report(index: RunIndex, paths: Sequence[str], primary: str) -> Report:
    """Return the report of the selected runs; `score` numbers runs of equal names."""
    scores = score([index.run(path) for path in _unique_paths(paths)])
    differences = compare(scores, primary=primary) if len(scores.runs) > 1 else Differences()
    return report(scores, differences, primary=primary)


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
