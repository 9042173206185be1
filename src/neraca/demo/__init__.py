"""A real property-search chatbot to evaluate, with thirty questions.

It runs as a separate program with an HTTP interface, and does not import the rest of the package.

Examples
--------
>>> from neraca import demo
>>> with demo.start(method="hybrid") as server:  # doctest: +SKIP
...     print(server.url)
http://127.0.0.1:40123
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["LISTINGS", "METHODS", "QUESTIONS", "Server", "StartError", "start"]

QUESTIONS = Path(__file__).with_name("questions.jsonl")
LISTINGS = Path(__file__).with_name("listings.jsonl")
METHODS = ("api", "vector", "hybrid")

START_SECONDS = 120
TAIL = 2000


class StartError(RuntimeError):
    """The demo did not start; the message ends with its log."""


@dataclass(frozen=True)
class Server:
    """A running demo: its address without a slash at the end, and its process."""

    url: str
    process: subprocess.Popen[bytes]


@contextmanager
def start(*, method: str = "hybrid", data: Path | None = None) -> Iterator[Server]:
    """Run the demo in a separate process; enter the block once it answers, and stop it at the end of the block.

    The process ends with this one, even if this one is killed.  `method` is one of `METHODS`, for questions that name
    none, and `data` is the folder of the vector index (default: the user's cache folder).  Raise StartError if the demo
    ends or is not ready in time.
    """
    command = [sys.executable, "-m", "neraca.demo", "--watch-parent", "--method", method]
    command += ["--data", str(data)] if data else []
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log) as process,
    ):
        overdue = threading.Timer(START_SECONDS, process.kill)
        overdue.start()
        try:
            url = process.stdout.readline().decode().strip() if process.stdout else ""
        finally:
            overdue.cancel()
        if url:
            yield Server(url, process)
            return
        process.wait()
        log.seek(0)
        text = log.read().decode(errors="replace")[-TAIL:]
        raise StartError(f"the demo did not start (exit code {process.returncode}):\n{text}")
