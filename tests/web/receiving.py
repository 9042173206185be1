"""The command `neraca receive` as a process, and clients that send exports to it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

JSON = "application/json"
PROTOBUF = "application/x-protobuf"


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class Receiving:
    """A process that receives traces; `address` is where."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.address, self.printed = "", ""
        assert process.stdout
        for line in process.stdout:
            self.printed += line
            if "OTLP_ENDPOINT=" in line:
                self.address = line.strip().rpartition("=")[2]
            if line.startswith("Ctrl-C"):
                break

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    def end(self, sign: int = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal; the exit code, and all that the process still prints on stdout and stderr."""
        self.process.send_signal(sign)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@contextmanager
def receiving(out: Path, *words: str) -> Iterator[Receiving]:
    process = subprocess.Popen(
        [sys.executable, "-m", "neraca", "receive", "--out", str(out), *("--port", "0", *words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Receiving(process)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.communicate()


def post(
    port: int, body: bytes, path: str = "/v1/traces", media: str = JSON, method: str = "POST", **headers: str
) -> Reply:
    """Send a request; `headers` with _ for the hyphen."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        all_headers = {"Content-Type": media} | {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, all_headers)
        reply = connection.getresponse()
        return Reply(reply.status, {key.lower(): value for key, value in reply.getheaders()}, reply.read())
    finally:
        connection.close()
