"""Serve the demo: `python -m neraca.demo`."""

from __future__ import annotations

import argparse
import os
import socket
import threading
from pathlib import Path

from neraca.demo import METHODS


def main(arguments: list[str] | None = None) -> None:
    """Build or open the index, then serve on loopback until stopped."""
    options = _parse_options(arguments)
    if options.watch_parent:
        threading.Thread(target=_exit_with_parent, daemon=True).start()
    import uvicorn

    from neraca.demo.chat import Chat
    from neraca.demo.search import Search
    from neraca.demo.server import make_app

    with socket.create_server(("127.0.0.1", options.port)) as listener:  # on POSIX, the port can be used again at once
        search = Search(options.data)
        app = make_app(Chat(search, method=options.method))
        # The socket listens already: a request that comes before the server is ready waits.
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        # No access log: it would go to stdout, which must hold only the address.
        uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listener])
        search.index.close()


def _parse_options(arguments: list[str] | None) -> argparse.Namespace:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "neraca" / "demo"
    parser = argparse.ArgumentParser(prog="python -m neraca.demo", description="A property-search chatbot to evaluate.")
    parser.add_argument("--port", type=int, default=0, help="default: any free port")
    parser.add_argument("--method", choices=METHODS, default="hybrid", help="for questions that name no method")
    parser.add_argument("--data", type=Path, default=cache, metavar="DIR", help="folder of the vector index")
    parser.add_argument("--watch-parent", action="store_true", help="exit when standard input ends")
    return parser.parse_args(arguments)


def _exit_with_parent() -> None:
    """Exit at once when standard input ends; this never damages the index."""
    # Do not read `sys.stdin`: a thread that waits in it disturbs the interpreter's exit.
    while os.read(0, 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
