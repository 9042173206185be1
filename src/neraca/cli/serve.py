"""`neraca serve`: show all runs below a folder in a browser."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import rate_serve, speak
from neraca.cli.doctor import lacking
from neraca.cli.rate import page_writer
from neraca.errors import MissingExtra

if TYPE_CHECKING:
    from neraca.web.place import Place
    from neraca.web.serve import Beside


def command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder that holds the runs.")],
    *,
    server: rate_serve.Server,
    open_page: Annotated[bool, typer.Option("--open", help="Open the list of runs in the browser.")] = False,
    primary: Annotated[
        str, typer.Option(metavar="METRIC", help="The metric of all pages, instead of that of each study or run.")
    ] = "",
    rate: Annotated[list[Path], typer.Option(help="A run for people to rate on the same server; repeatable.")] = [],
    raters: rate_serve.Raters = "",
    kind: rate_serve.Kind = "answer",
    db: rate_serve.Db = rate_serve.DATABASE,
) -> None:
    """Show all runs below a folder in a browser.

    It lists runs, compares them and shows their answers.  Only raters, by their links, can change anything.
    """
    if missing := lacking("web"):
        raise MissingExtra(f'serving needs {", ".join(missing)}: pip install "neraca[web]"')
    from neraca.web.explorer_app import explorer_app
    from neraca.web.place import Origins, Place
    from neraca.web.run_index import RunIndex
    from neraca.web.serve import Beside, serve_app

    place, index = Place(server.host, server.port, server.url), RunIndex(folder, primary)
    token = secrets.token_urlsafe(24) if place.open_to_others or server.url else ""

    def print_link(address: str) -> None:
        link = f"{address}/?token={token}" if token else f"{address}/"
        print(f"{len(index.entries()):,} runs below {folder}: {link}")
        print("Ctrl-C ends.")
        sys.stdout.flush()  # a program may wait for the link
        if place.open_to_others and not address.startswith("https:"):
            speak("WARNING: other machines can reach this server, and http:// lets others on the way read along")
        if open_page:
            import webbrowser

            webbrowser.open_new_tab(link)

    explorer = Beside(lambda address: explorer_app(index, Origins.of(address), token), print_link)
    try:
        if rate:
            _rate(rate_serve.RatingOptions(raters, db, kind=kind), rate, place, explorer)
        else:
            serve_app(explorer.make, place, explorer.tell)
    finally:
        index.close()


def _rate(rating: rate_serve.RatingOptions, runs: list[Path], place: Place, explorer: Beside) -> None:
    """Serve some runs to raters and all runs to readers, until Ctrl-C."""
    from neraca.web.rating_session import open_session
    from neraca.web.ratings_database import RatingsDatabase

    page = page_writer({"language": "en", "guideline": "", "grades": 2})
    with RatingsDatabase(rating.db) as database:
        session = open_session(database, rating.settings(runs), rating.names)
        rate_serve.serve_session(session, place, page, beside=explorer)
