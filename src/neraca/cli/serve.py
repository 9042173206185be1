"""`neraca serve`: all runs below a folder, in a browser."""

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
    from neraca.web.serve import Beside, Place


def command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder that holds the runs.")],
    host: rate_serve.Host = rate_serve.HOST,
    port: rate_serve.Port = rate_serve.PORT,
    url: Annotated[
        str, typer.Option(help="How browsers reach the server if not at HOST:PORT: https://runs.example.org")
    ] = "",
    open_page: Annotated[bool, typer.Option("--open", help="Open the list of runs in the browser.")] = False,
    rate: Annotated[list[Path], typer.Option(help="A run that people rate on the same server.")] = [],
    raters: rate_serve.Raters = "",
    kind: rate_serve.Kind = "answer",
    db: rate_serve.Db = rate_serve.DATABASE,
) -> None:
    """Show all runs below a folder in a browser: list, compare, read; nothing is changed but by raters' links."""
    if missing := lacking("web"):
        raise MissingExtra(f'serving needs {", ".join(missing)}: pip install "neraca[web]"')
    from neraca.web.explorer_app import explorer_app
    from neraca.web.rating_app import Origins
    from neraca.web.run_index import RunIndex
    from neraca.web.serve import Beside, Place, serve_app

    place, index = Place(host, port, url), RunIndex(folder)
    token = secrets.token_urlsafe(24) if place.open_to_others or url else ""

    def tell(address: str) -> None:
        link = f"{address}/?token={token}" if token else f"{address}/"
        print(f"{len(index.entries()):,} runs below {folder}: {link}")
        print("Ctrl-C ends.")
        sys.stdout.flush()  # whoever reads it may be a program that waits for the link
        if place.open_to_others and not address.startswith("https:"):
            speak("WARNING: other machines can reach this server, and http:// lets others on the way read along")
        if open_page:
            import webbrowser

            webbrowser.open_new_tab(link)

    explorer = Beside(lambda address: explorer_app(index, Origins.of(address), token), tell)
    try:
        if rate:
            _rate(rate_serve.Chosen(raters, db, kind=kind), rate, place, explorer)
        else:
            serve_app(explorer.make, place, explorer.tell)
    finally:
        index.close()


def _rate(chosen: rate_serve.Chosen, runs: list[Path], place: Place, explorer: Beside) -> None:
    """Serve runs to raters and all runs to readers, until Ctrl-C."""
    from neraca.web.rating_session import open_session
    from neraca.web.ratings_database import RatingsDatabase

    page = page_writer({"language": "en", "guideline": "", "grades": 2})
    with RatingsDatabase(chosen.db) as database:
        session = open_session(database, chosen.settings(runs), chosen.names)
        rate_serve.serve_session(session, place, page, beside=explorer)
