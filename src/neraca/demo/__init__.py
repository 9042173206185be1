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
    """The demo did not start; the message ends with its log."""


class Server:
    """A running demo; leaving the `with` block stops it.

    Attributes
    ----------
    url
        The address, without a slash at the end.
    """

    def __init__(self, process: subprocess.Popen[bytes], log_file: IO[bytes], url: str) -> None:
        self.url = url
        self.process = process
        self._log_file = log_file

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def log(self) -> str:
        """Return the last characters that the demo wrote to standard error."""
        self._log_file.seek(0)
        return self._log_file.read().decode(errors="replace")[-TAIL:]

    def close(self) -> None:
        """Stop the demo; closing it twice does nothing."""
        _stop(self.process)
        self._log_file.close()


def start(
    *,
    method: str = "hybrid",
    llm: str = "",
    data: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> Server:
    """Start the demo in a separate process and wait until it answers.

    The process ends with this one, even if this one is killed.

    Parameters
    ----------
    method
        `api`, `vector` or `hybrid`; a question may name another method.
    llm
        The model that writes the replies, such as `openai:gpt-4o-mini`; "": a template writes them.
    data
        Folder of the vector index; default the user's cache folder.
    env
        Environment variables to add or replace, such as keys and base addresses.
    timeout
        Most seconds to wait.

    Raises
    ------
    StartError
        The demo is not ready in time.
    """
    command = [sys.executable, "-m", "neraca.demo", "--watch-parent", "--method", method, "--llm", llm]
    if data is not None:
        command += ["--data", str(data)]
    log_file = tempfile.TemporaryFile()  # noqa: SIM115 - the server owns it from here
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log_file, env={**os.environ, **(env or {})}
    )
    server = Server(process, log_file, url="")
    try:
        server.url = _wait_for_address(process, timeout)
    except BaseException:
        _stop(process)
        server.close()
        raise
    if not server.url:
        _stop(process)
        log = server.log()
        server.close()
        raise StartError(f"the demo did not start (exit code {process.returncode}):\n{log}")
    return server


def _wait_for_address(process: subprocess.Popen[bytes], timeout: float) -> str:
    """Return the address that the demo prints when it is ready; "" if it died or the time is over."""
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
