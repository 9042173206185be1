"""A rating server in a process of its own, for tests that talk to it over the network, or kill it."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from builders import make_run

from neraca.records import Answer, Hit, Item
from neraca.runs.run import Run


def page(tasks: Any, ratings: Any, whose: Any) -> str:
    """A page with nothing but the data that a rating page has."""
    data = {"set": whose.set, "sync": {"url": whose.url, "rater": whose.rater}, "tasks": tasks, "ratings": ratings}
    shown = msgspec.json.encode(data).decode().replace("<", "\\u003c")
    return f'<!doctype html><script type="application/json" id="ratings">{shown}</script>'


def data_of(page: str) -> dict[str, Any]:
    return json.loads(page.partition('id="ratings">')[2].partition("</script>")[0])


def two_runs(folder: Path, questions: int = 3) -> list[Run]:
    """Two systems that answer alike to every third question, with two hits, and nothing to the last."""
    items = [Item(id=f"q{n}", query=f"question {n}?") for n in range(questions)]

    def answers(own: str) -> Iterator[Answer]:
        for n in range(questions - 1):
            text = "the same" if n % 3 == 0 else f"the {own} words"
            yield Answer(item=f"q{n}", text=text, hits=(Hit(id=f"d{n}", text="both"), Hit(id=f"e{n}", text=text)))
        yield Answer(item=f"q{questions - 1}")

    names = ("zanzibar", "quokka")
    return [make_run(folder / name, items, answers(own)) for name, own in zip(names, ("first", "other"), strict=True)]


def rating(task: Mapping[str, Any], on: str, value: Any, at: str = "2026-01-02T03:04:05.678Z") -> dict[str, Any]:
    return {"id": uuid.uuid4().hex, "task": task["id"], "on": on, "value": value, "at": at}


_PROGRAM = """
import sys
from pathlib import Path
from web.live import page
from neraca.cli.rate_serve import RatingOptions, serve
db, raters, port, *runs = sys.argv[1:]
serve(list(map(Path, runs)), RatingOptions(raters=raters, db=db, seed=1, port=int(port)), page)
"""


class Server:
    """The process; `links`: rater → link."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.links: dict[str, str] = {}
        for line in process.stdout:
            name, _, link = line.strip().rpartition(" ")
            if link.startswith("http://"):
                self.links[name.strip()] = link
            elif self.links:
                break
        self.host = urlsplit(next(iter(self.links.values()), "")).netloc

    def end(self, sign: int) -> str:
        """Send a signal; returns all that the process still says."""
        self.process.send_signal(sign)
        return self.process.communicate(timeout=30)[0]


@contextmanager
def serving(runs: list[Run], db: str, raters: str = "ana,budi", port: int = 0) -> Iterator[Server]:
    with _running("-c", _PROGRAM, db, raters, str(port), *(str(run.path) for run in runs)) as server:
        yield server


@contextmanager
def rating_command(*words: object) -> Iterator[Server]:
    """The command `neraca rate`, with its own page, at any free port."""
    with _running("-m", "neraca", "rate", *map(str, words), "--port", "0") as server:
        yield server


@contextmanager
def _running(*words: str) -> Iterator[Server]:
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=Path(__file__).parents[1],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Server(process)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.communicate()


def request(
    link: str, method: str = "GET", body: bytes | None = None, timeout: float = 10, **headers: str
) -> tuple[int, dict[str, str], str]:
    """What a browser would get; `headers` with _ for -."""
    parts = urlsplit(link)
    connection = HTTPConnection(parts.netloc, timeout=timeout)
    try:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, parts.path, body, given)
        reply = connection.getresponse()
        return reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read().decode()
    finally:
        connection.close()


def send(link: str, *ratings: Mapping[str, Any], **headers: str) -> tuple[int, Any]:
    """Post ratings as the page does."""
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(link))
    body = json.dumps({"ratings": ratings}).encode()
    sent = {"Content_Type": "application/json", "Origin": origin} | headers
    status, _, reply = request(f"{link}/ratings", "POST", body, **sent)
    return status, json.loads(reply)
