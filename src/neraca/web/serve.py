"""Opens a server, where only who is meant to reaches it, and closes it in good order."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from neraca.errors import InputError, SpecError
from neraca.web.rating_app import Origins, PageWriter, rating_app
from neraca.web.rating_session import RatingSession

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Place:
    """Where the server listens and how raters reach it.

    Attributes
    ----------
    host
        Address to listen on; only those of this machine itself keep everybody else out.
    port
        0: any free one.
    url
        How raters' browsers name the server where that is not `http://HOST:PORT`, as behind a proxy.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    url: str = ""

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if self.url and (parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/")):
            raise SpecError(f"url: {self.url!r} is no address such as https://ratings.example.org")
        if not self.url and self.host in ("0.0.0.0", "::", ""):
            raise SpecError(f"host: {self.host!r} is every address of this machine; say by --url which one raters open")

    @property
    def open_to_others(self) -> bool:
        """Whether other machines can reach it."""
        return self.host not in LOOPBACK


@dataclass(frozen=True)
class Links:
    """What to tell before the first rater comes: each rater's link, and whether other machines can open it."""

    of: dict[str, str]
    open_to_others: bool
    encrypted: bool


class Beside(NamedTuple):
    """What is served on the same server beside the pages of raters: how it is made, and who is told the address."""

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
        What is rated by whom.
    page
        Writes the page of a rater.
    place
        Where to listen.
    tell
        Gets the links as soon as browsers can open them.
    beside
        What answers every address that is not a rater's.

    Raises
    ------
    InputError
        When nothing can listen there.
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


def _on_one_server(rating: ASGIApp, rest: ASGIApp) -> ASGIApp:
    """Rater's links go to the one, all others to the other; each keeps out whom it keeps out alone."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await (rating if scope.get("path", "").startswith("/r/") else rest)(scope, receive, send)

    return app


def serve_app(make: Callable[[str], ASGIApp], place: Place, tell: Callable[[str], None]) -> None:
    """Serve an application until Ctrl-C or SIGTERM.

    Parameters
    ----------
    make
        From the address under which browsers reach the server, such as `http://127.0.0.1:8765`, to the application.
    place
        Where to listen.
    tell
        Gets that address as soon as browsers can open it.

    Raises
    ------
    InputError
        When nothing can listen there.
    """
    with _listening(place) as listener:
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
def _listening(place: Place) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        listener = socket.create_server((place.host, place.port), family=family)
    except OSError as error:
        raise InputError(
            f"nothing can listen on {place.host} port {place.port}: {error.strerror or error}; choose another --port"
        ) from error
    with listener:
        yield listener


@contextmanager
def _ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let a signal end the server alone, which would else raise it once more and end this process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
