"""A real property-search chatbot to evaluate, and thirty questions for it.

It is a program of its own, spoken to over HTTP, and knows nothing of the rest of the package.

Examples
--------
>>> from neraca import demo
>>> with demo.start(method="hybrid") as server:  # doctest: +SKIP
...     print(server.url)
http://127.0.0.1:40123
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO

__all__ = ["LISTINGS", "METHODS", "QUESTIONS", "Server", "StartError", "start"]

QUESTIONS = Path(__file__).with_name("questions.jsonl")
LISTINGS = Path(__file__).with_name("listings.jsonl")
METHODS = ("api", "vector", "hybrid")

STOP_SECONDS = 5
TAIL = 2000


class StartError(RuntimeError):
    """The demo did not come up; the message ends with what it wrote."""


class Server:
    """A running demo; leaving the `with` block stops it.

    Attributes
    ----------
    url
        Where it listens, without a slash at the end.
    """

    def __init__(self, process: subprocess.Popen[bytes], written: IO[bytes], url: str) -> None:
        self.url = url
        self.process = process
        self._written = written

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def log(self) -> str:
        """Give the end of what the demo wrote to standard error."""
        self._written.seek(0)
        return self._written.read().decode(errors="replace")[-TAIL:]

    def close(self) -> None:
        """Stop the demo; closing twice is fine."""
        _stop(self.process)
        self._written.close()


def start(
    *,
    method: str = "hybrid",
    llm: str = "",
    data: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> Server:
    """Start the demo in a process of its own and wait until it answers.

    The process ends with this one, however this one ends.

    Parameters
    ----------
    method
        `api`, `vector` or `hybrid`; a question may name another.
    llm
        A model that writes the replies, such as `openai:gpt-4o-mini`; empty for the template.
    data
        Where the vector index is kept; default the user's cache folder.
    env
        Environment variables to add or replace, such as keys and base addresses.
    timeout
        Seconds until it must be ready.

    Raises
    ------
    StartError
        If it does not become ready.
    """
    command = [sys.executable, "-m", "neraca.demo", "--watch-parent", "--method", method, "--llm", llm]
    if data is not None:
        command += ["--data", str(data)]
    written = tempfile.TemporaryFile()  # noqa: SIM115 - the server owns it from here
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=written, env={**os.environ, **(env or {})}
    )
    server = Server(process, written, url="")
    try:
        server.url = _ready_line(process, timeout)
    except BaseException:
        _stop(process)
        server.close()
        raise
    if not server.url:
        _stop(process)
        told = server.log()
        server.close()
        raise StartError(f"the demo did not start (exit code {process.returncode}):\n{told}")
    return server


def _ready_line(process: subprocess.Popen[bytes], timeout: float) -> str:
    """Give the one line that the demo prints when it is ready; empty if it died or the time is over."""
    overdue = threading.Timer(timeout, process.kill)
    overdue.start()
    try:
        return process.stdout.readline().decode().strip() if process.stdout else ""
    finally:
        overdue.cancel()


def _stop(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
