"""Run a web server at an address that only the intended users can reach, and shut it down cleanly."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from neraca.web.place import Origins, Place, listening
from neraca.web.rating_app import PageWriter, rating_app
from neraca.web.rating_session import RatingSession


@dataclass(frozen=True)
class Links:
    """The raters' links to announce, whether other machines can open them, and whether they are encrypted."""

    of: dict[str, str]
    open_to_others: bool
    encrypted: bool


class Beside(NamedTuple):
    """A second application on the server of the raters: `make` builds it from the address, `tell` announces that."""

    make: Callable[[str], ASGIApp]
    tell: Callable[[str], None]


def serve_ratings(
    session: RatingSession,
    page: PageWriter,
    place: Place,
    tell: Callable[[Links], None],
    beside: Beside | None = None,
) -> None:
    """Serve the session until Ctrl-C or SIGTERM.

    Parameters
    ----------
    session
        The tasks and their raters.
    page
        Writes the page of a rater.
    place
        The address to listen on.
    tell
        Is called with the links as soon as browsers can open them.
    beside
        The application for all addresses that are not a rater's.

    Raises
    ------
    InputError
        If the server cannot listen there.
    """

    def started(url: str) -> None:
        if beside is not None:
            beside.tell(url)
        links = {rater: f"{url}/r/{token}" for rater, token in session.tokens.items()}
        tell(Links(links, place.open_to_others, url.startswith("https:")))

    def make(url: str) -> ASGIApp:
        rating = rating_app(session, page, Origins.of(url))
        return rating if beside is None else _on_one_server(rating, beside.make(url))

    serve_app(make, place, started)


def _on_one_server(rating: ASGIApp, beside: ASGIApp) -> ASGIApp:
    """Send the addresses of raters to `rating` and all others to `beside`; each has its own guard."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await (rating if scope.get("path", "").startswith("/r/") else beside)(scope, receive, send)

    return app


def serve_app(make: Callable[[str], ASGIApp], place: Place, tell: Callable[[str], None]) -> None:
    """Serve an application until Ctrl-C or SIGTERM.

    Parameters
    ----------
    make
        Makes the application from the address in browsers, such as `http://127.0.0.1:8765`.
    place
        The address to listen on.
    tell
        Is called with the address in browsers as soon as they can open it.

    Raises
    ------
    InputError
        If the server cannot listen there.
    """
    with listening(place) as listener:
        host = f"[{place.host}]" if ":" in place.host else place.host
        url = (place.url or f"http://{host}:{listener.getsockname()[1]}").rstrip("/")
        config = uvicorn.Config(
            make(url),
            access_log=False,  # it would write the tokens
            log_level="warning",
            server_header=False,
            date_header=False,
            lifespan="off",
            timeout_graceful_shutdown=5,
            h11_max_incomplete_event_size=16_384,
        )
        server = uvicorn.Server(config)
        with _ended_by_signals(server):
            tell(url)
            server.run(sockets=[listener])


@contextmanager
def _ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let a signal end only the server, which would otherwise raise it again and end this process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        server.should_exit = True

    earlier = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
