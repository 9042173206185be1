"""`neraca receive`: take the traces of a running system, and make a run of them while it runs."""

from __future__ import annotations

import secrets
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import show, speak
from neraca.cli.traces import Redact, Retrievers, Unmasked

#: Addresses that mean all those of this machine.
_ALL = ("0.0.0.0", "::", "")  # noqa: S104 - named to be told apart


def command(
    *,
    out: Annotated[Path, typer.Option(help="The run folder to write.", show_default=False)],
    host: Annotated[
        str, typer.Option(help="Address to listen on; the default keeps other machines out.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0: any free port.", min=0, max=65535)] = 4318,
    token: Annotated[
        str,
        typer.Option(
            help="Token that every exporter must send. Default: none on this machine, a new one if others can connect."
        ),
    ] = "",
    quiet: Annotated[
        float, typer.Option(help="Seconds without a new span after which a trace is written to the run.")
    ] = 30.0,
    late: Annotated[
        float,
        typer.Option(
            help="Seconds without a new span after which the exports of a trace are removed, and later spans rejected."
        ),
    ] = 600.0,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the exports as they came, with all personal data.")
    ] = False,
    retriever: Retrievers = [],
    redact: Redact = "",
    unmasked: Unmasked = False,
) -> None:
    """Receive traces of a running system (OTLP/HTTP) as a run.

    Point OTEL_EXPORTER_OTLP_ENDPOINT at it.  An export is on disk before it is acknowledged.  Ctrl-C writes what is
    open and says what the traces do not say; after a kill, the same command goes on.
    """
    from neraca.traces.received_turns import ReceiverSettings
    from neraca.traces.receiver import Receiver
    from neraca.web.place import Place
    from neraca.web.trace_server import Announcements, serve_traces

    place = Place(host, port, f"http://{socket.gethostname()}:{port}" if host in _ALL else "")
    token = token or (secrets.token_urlsafe(24) if place.open_to_others else "")
    settings = ReceiverSettings(
        quiet=quiet, late=late, keep=keep, retrievers=retriever, redact=redact, masks=not unmasked
    )

    def started(address: str) -> None:
        _print_address(out, address, token)
        if place.open_to_others:
            speak("WARNING: other machines can reach this server, and http:// lets others on the way read along")

    received = serve_traces(Receiver(out, settings), place, token, Announcements(started, speak))
    for table in received._tables():
        show.result(table, "")
    show.print_sentences(*received._sentences())


def _print_address(out: Path, address: str, token: str) -> None:
    """Print what an exporter must know, as settings for a shell."""
    from neraca.traces.otlp_export import has_protobuf

    print(f"Receiving traces for {out}. Where your system runs:")
    print(f"  export OTEL_EXPORTER_OTLP_ENDPOINT={address}")
    print("  export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf")
    if token:
        print(f"  export OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20{token}")
    print("Ctrl-C ends.")
    sys.stdout.flush()  # a program may wait for the address
    if not has_protobuf():
        speak('only JSON can be read; for protobuf, which most exporters send: pip install "neraca[traces]"')
