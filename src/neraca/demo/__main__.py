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
    options = _options(arguments)
    if options.watch_parent:
        threading.Thread(target=_leave_with_parent, daemon=True).start()
    import uvicorn

    from neraca.demo.chat import Chat
    from neraca.demo.embed import EndpointEmbedding, LocalEmbedding
    from neraca.demo.search import Search
    from neraca.demo.server import make_app

    with socket.create_server(("127.0.0.1", options.port)) as listener:  # free again at once where that is safe
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        embedding = (
            EndpointEmbedding(options.embeddings, options.embedding_model) if options.embeddings else LocalEmbedding()
        )
        search = Search(options.data, embedding=embedding)
        app = make_app(Chat(search, method=options.method, llm=options.llm))

        class Server(uvicorn.Server):
            """Says where it is once it is ready to answer."""

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                """Start, then print the address."""
                await super().startup(sockets)
                print(url, flush=True)

        # uvicorn's own access log would go to stdout, which carries the one line that says the demo is ready.
        Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listener])
        search.close()


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m neraca.demo", description="A property-search chatbot to evaluate.")
    parser.add_argument("--port", type=int, default=0, help="default: any free port")
    parser.add_argument(
        "--method", choices=METHODS, default="hybrid", help="how to search when a question does not say"
    )
    parser.add_argument(
        "--llm", default="", metavar="PROVIDER:MODEL", help="a model that searches and replies, not the rules"
    )
    parser.add_argument("--data", type=Path, default=_cache(), metavar="DIR", help="where the vector index is kept")
    parser.add_argument("--embeddings", default="", metavar="URL", help="OpenAI-compatible endpoint, up to /v1")
    parser.add_argument("--embedding-model", default="", metavar="NAME", help="the model to ask there")
    parser.add_argument("--watch-parent", action="store_true", help="exit when standard input ends")
    options = parser.parse_args(arguments)
    if bool(options.embeddings) != bool(options.embedding_model):
        parser.error("--embeddings and --embedding-model belong together")
    return options


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "neraca" / "demo"


def _leave_with_parent() -> None:
    """Exit at once when standard input ends; the index is safe against that at any moment."""
    # Not through `sys.stdin`: a thread that waits inside it breaks the interpreter's own way out.
    while os.read(0, 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
