"""SIGKILL while people rate: what was acknowledged is there, once, and what was not is sent again."""

from __future__ import annotations

import random
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from postgres import MISSING, postgres
from web.live import data_of, rating, request, send, serving, two_runs

from neraca.people.rating import Rating
from neraca.runs.run import Run
from neraca.web.rating_session import stored_sessions
from neraca.web.ratings_database import RatingsDatabase

RATERS = ("ana", "budi", "citra")


class Browser(threading.Thread):
    """A rater whose browser keeps a queue, sends it until it is acknowledged, and is never told of kills."""

    def __init__(self, link: str, items: int, paces: random.Random) -> None:
        super().__init__(daemon=True)
        self._link, self._items, self._paces = link, items, paces
        self.said: list[dict[str, Any]] = []
        self.acknowledged: set[str] = set()
        self.failures = 0

    def run(self) -> None:
        tasks = self._patiently(lambda: data_of(self._page()))["tasks"][: self._items]
        queue: list[dict[str, Any]] = []
        for number, task in enumerate(tasks):
            said = [rating(task, "quality", number % 6), rating(task, "note", f"words {number}")]
            said += [rating(task, f"hit:{hit['key']}", number % 2) for hit in task.get("hits", ())]
            self.said += said
            queue += said
            self._flush(queue)
            time.sleep(self._paces.uniform(0, 0.02))
        while queue:
            self._flush(queue)
            time.sleep(0.02)

    def _page(self) -> str:
        status, _, page = request(self._link)
        assert status == 200
        return page

    def _patiently(self, ask: Any) -> Any:
        while True:
            try:
                return ask()
            except OSError:
                self.failures += 1
                time.sleep(0.02)

    def _flush(self, queue: list[dict[str, Any]]) -> None:
        try:
            status, reply = send(self._link, *queue[:200])
        except Exception:  # noqa: BLE001 - whatever a dying server does to a connection
            self.failures += 1
            return
        if status == 200:
            self.acknowledged |= set(reply["stored"])
            queue[:] = [one for one in queue if one["id"] not in self.acknowledged]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def rate_through_kills(folder: Path, db: str, items: int, kills: int) -> None:
    runs = two_runs(folder, items)
    port, chance = free_port(), random.Random(20261123)
    browsers: dict[str, Browser] = {}
    for _ in range(kills):
        with serving(runs, db, ",".join(RATERS), port) as server:
            if not browsers:
                browsers = {name: Browser(link, items, random.Random(name)) for name, link in server.links.items()}
                for browser in browsers.values():
                    browser.start()
            known = _acknowledged(browsers)
            while _acknowledged(browsers) == known and any(browser.is_alive() for browser in browsers.values()):
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.3))
            acknowledged = {name: set(browser.acknowledged) for name, browser in browsers.items()}
            server.process.send_signal(signal.SIGKILL)
        with RatingsDatabase(db, make=False) as database:
            (session,) = stored_sessions(database)
            for name, ids in acknowledged.items():
                stored = [one.id for one in session.ratings(name)]
                assert ids <= set(stored), "acknowledged, and lost"
                assert len(stored) == len(set(stored)), "doubled"
    with serving(runs, db, ",".join(RATERS), port) as server:
        for name, browser in browsers.items():
            assert server.links[name] == browser._link, "links are stable"
            browser.join(timeout=120)
            assert not browser.is_alive()
        server.end(signal.SIGTERM)
    assert sum(browser.failures for browser in browsers.values()) > kills, "the kills must fall into the rating"
    with RatingsDatabase(db, make=False) as database:
        (session,) = stored_sessions(database)
        for name, browser in browsers.items():
            stored = {one.id: (one.task, one.on, one.value) for one in session.ratings(name)}
            assert stored == {one["id"]: (one["task"], one["on"], one["value"]) for one in browser.said}
            assert len({one["task"] for one in browser.said}) == items
        expected = [len(given) for given in _verdicts(session)]
    assert [len(Run(run.path).verdicts()) for run in runs] == expected


def _acknowledged(browsers: dict[str, Browser]) -> int:
    return sum(len(browser.acknowledged) for browser in browsers.values())


def _verdicts(session: Any) -> list[list[Any]]:
    found: list[list[Any]] = [[] for _ in session.assignment.runs]
    for name in RATERS:
        ratings: list[Rating] = session.ratings(name)
        for place, given in enumerate(session.assignment.verdicts_of(ratings, name)):
            found[place] += given
    return found


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_two_kills_lose_and_double_nothing(tmp_path: Path, kind: str) -> None:
    through(tmp_path, kind, items=40, kills=2)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_ten_kills_lose_and_double_nothing(tmp_path: Path, kind: str) -> None:
    through(tmp_path, kind, items=200, kills=10)


def through(folder: Path, kind: str, items: int, kills: int) -> None:
    if kind == "sqlite":
        rate_through_kills(folder, f"sqlite:///{folder}/log.sqlite", items, kills)
    elif MISSING:
        pytest.skip(MISSING)
    else:
        with postgres() as url:
            rate_through_kills(folder, url, items, kills)
