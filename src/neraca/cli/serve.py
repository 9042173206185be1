"""`neraca serve`: all runs below a folder, in a browser."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import rate_serve, speak
from neraca.cli.doctor import lacking
from neraca.errors import MissingExtra


def command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder that holds the runs.")],
    host: rate_serve.Host = rate_serve.HOST,
    port: rate_serve.Port = rate_serve.PORT,
    url: Annotated[
        str, typer.Option(help="How browsers reach the server if not at HOST:PORT: https://runs.example.org")
    ] = "",
    open_page: Annotated[bool, typer.Option("--open", help="Open the list of runs in the browser.")] = False,
) -> None:
    """Show all runs below a folder in a browser: list, compare, read; nothing is changed."""
    if missing := lacking("web"):
        raise MissingExtra(f'serving needs {", ".join(missing)}: pip install "neraca[web]"')
    from neraca.web.explorer_app import explorer_app
    from neraca.web.rating_app import Origins
    from neraca.web.run_index import RunIndex
    from neraca.web.serve import Place, serve_app

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

    try:
        serve_app(lambda address: explorer_app(index, Origins.of(address), token), place, tell)
    finally:
        index.close()
