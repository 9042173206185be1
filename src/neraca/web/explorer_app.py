"""The explorer's addresses: every view is a link, nothing is changed by any of them; see `neraca.web`."""

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
from neraca.reports.data_export import write_rows
from neraca.reports.escape import line
from neraca.reports.explorer import POLICY, explorer_page, explorer_script, explorer_style
from neraca.reports.html import to_html
from neraca.reports.report import Report, report
from neraca.reports.write import PAGES, TABLES, write_report
from neraca.scores.score import score
from neraca.web.choices import Choice, Option
from neraca.web.question_filters import Filters
from neraca.web.rating_app import Guard, Origins, page_policy
from neraca.web.run_history import history_view
from neraca.web.run_index import Entry, RunIndex
from neraca.web.run_questions import RunQuestions

#: Runs on a page of the list; runs that one report takes; tags of runs that can be chosen.
PER_PAGE, MOST_RUNS, TAGS = 100, 50, 200
SUFFIXES = tuple(suffix for suffix in (*PAGES, *TABLES) if suffix != ".htm")
STATES = ("finished", "being asked", "not finished", "with a problem")
Runs = Annotated[list[str], Query(alias="run")]


def explorer_app(index: RunIndex, origins: Origins, token: str = "") -> ASGIApp:
    """Make the application that shows the runs of an index; with a token it shows them only to whoever has it."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    questions = RunQuestions(index)
    turn = threading.Lock()  # one report at a time, so that many clicks need no more memory than one

    @app.get("/")
    def runs(q: str = "", folder: str = "", tag: str = "", state: str = "", page: int = 1) -> HTMLResponse:
        asked = {"q": q, "folder": folder, "tag": tag, "state": state}
        return _page("runs", "Runs", **_list(index, asked, page))

    @app.get("/style.css")
    def style() -> Response:
        return Response(explorer_style(), media_type="text/css")

    @app.get("/live.js")
    def script() -> Response:
        return Response(explorer_script(), media_type="text/javascript")

    @app.get("/report")
    def show_report(run: Runs, primary: str = "") -> HTMLResponse:
        with turn:
            written = to_html(_report(index, run, primary))
        return HTMLResponse(written, headers={"Content-Security-Policy": page_policy(written)})

    @app.get("/questions")
    def list_questions(run: Runs, request: Request, page: int = 1) -> HTMLResponse:
        view = questions.list_view(_few(run), Filters.of(request.query_params), page)
        return _page("questions", "Questions", **view)

    @app.get("/questions.csv")
    def questions_table(run: Runs, request: Request) -> Response:
        rows = [
            {"item": one.id, "query": one.query, "tags": "; ".join(one.tags)}
            for one in questions.found(_few(run), Filters.of(request.query_params))
        ]
        return _download("questions.csv", lambda file: write_rows(file, rows))

    @app.get("/question")
    def question(run: Runs, item: str) -> HTMLResponse:
        view = questions.question_view(_few(run), item)
        return _page("question", line(view["item"].query), **view)

    @app.get("/history")
    def history(run: Runs, metric: str = "") -> HTMLResponse:
        with turn:
            view = history_view(index, _few(run), metric)
        return _page("history", "A metric over versions", **view)

    @app.get("/export")
    def export(run: Runs, to: str = ".html", primary: str = "") -> Response:
        if to not in SUFFIXES:
            raise InputError(f"no report ends in {to!r}; choose {', '.join(SUFFIXES)}")
        with turn:
            return _download(f"report{to}", lambda file: write_report(file, _report(index, run, primary)))

    for kind, answer in ((NeracaError, _bad), (RequestValidationError, _unread), (StarletteHTTPException, _no)):
        app.add_exception_handler(kind, answer)
    return Guard(Key(app, token) if token else app, origins)


def _page(name: str, title: str, status: int = 200, **values: Any) -> HTMLResponse:
    written = explorer_page(name, title, **values)
    return HTMLResponse(written, status, headers={"Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'"})


def _download(name: str, write: Callable[[Path], object]) -> Response:
    """The file of this name as `write` makes it, to be saved."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        write(file)
        data = file.read_bytes()
    named = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type="application/octet-stream", headers=named)


async def _bad(_: Request, error: Exception) -> Response:
    return _page("message", "This cannot be shown", 400, message=str(error))


async def _unread(_: Request, error: Exception) -> Response:
    return _page("message", "This cannot be shown", 400, message="The address names no run; go back and tick one.")


async def _no(_: Request, error: Exception) -> Response:
    return _page("message", "There is nothing here", 404, message="The address leads nowhere.")


def _list(index: RunIndex, asked: dict[str, str], page: int) -> dict[str, Any]:
    """What the list of runs is filled from."""
    everything = index.entries()
    found = [entry for entry in everything if _matches(entry, asked)]
    pages = max(1, math.ceil(len(found) / PER_PAGE))
    page = min(max(1, page), pages)
    chosen = {name: value for name, value in asked.items() if value}
    live = any(entry.live for entry in everything)
    folders = {entry.folder for entry in everything} - {""}
    tags = {tag for entry in everything for tag in entry.tags}
    listed = set(sorted(tags)[:TAGS]) | tags & {asked["tag"]}
    choices = [
        Choice("folder", "Folder", _options(folders), asked["folder"], "No run is in the folder {}."),
        Choice("tag", "Tag", _options(listed), asked["tag"], "No run has the tag {}."),
        Choice("state", "State", [Option(state, state) for state in STATES], asked["state"], "No state is called {}."),
    ]
    return {
        "asked": asked,
        "runs": found[(page - 1) * PER_PAGE : page * PER_PAGE],
        "total": len(found),
        "total_all": len(everything),
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


def _matches(entry: Entry, asked: dict[str, str]) -> bool:
    text = " ".join((entry.path, entry.dataset, entry.metric, *entry.tags)).casefold()
    return (
        all(word in text for word in asked["q"].casefold().split())
        and asked["folder"] in ("", entry.folder)
        and (not asked["tag"] or asked["tag"] in entry.tags)
        and asked["state"] in ("", _state(entry))
    )


def _state(entry: Entry) -> str:
    if entry.problem:
        return STATES[3]
    return STATES[0] if entry.ended else STATES[1] if entry.live else STATES[2]


def _report(index: RunIndex, paths: Sequence[str], primary: str) -> Report:
    """The report of a selection; runs of one name are told apart as `score` does."""
    scores = score([index.run(path) for path in _few(paths)])
    differences = compare(scores, primary=primary) if len(scores.runs) > 1 else Differences()
    return report(scores, differences, primary=primary)


def _few(paths: Sequence[str]) -> list[str]:
    """Each path once; raises `InputError` where they are too many for one page."""
    chosen = list(dict.fromkeys(paths))
    if len(chosen) > MOST_RUNS:
        raise InputError(f"one page takes at most {MOST_RUNS} runs, not {len(chosen)}; tick fewer")
    return chosen


class Key:
    """Lets in only whoever has the token: once in the address, from then on in a cookie of this server."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; see ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = parse_qsl(scope["query_string"].decode("latin-1"))
        if any(name == "token" and self._is_right(value) for name, value in given):
            rest = urlencode([(name, value) for name, value in given if name != "token"])
            back = RedirectResponse(f"/{scope['path'].lstrip('/')}{'?' + rest if rest else ''}", 303)
            back.set_cookie("neraca", self._token, httponly=True, samesite="lax")
            await back(scope, receive, send)
        elif self._is_right(_cookie(Headers(scope=scope).get("cookie", ""))):
            await self._app(scope, receive, send)
        else:
            why = "Open the link that was printed where the server was started; it has a token in it."
            await _page("message", "This needs a link", 403, message=why)(scope, receive, send)

    def _is_right(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get("neraca")
    except CookieError:
        return ""
    return found.value if found else ""
