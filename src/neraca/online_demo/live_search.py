"""A small live search service that compares two methods by an A/B test or by interleaving, and logs them as UBI does.

It does what a search site does: assign each user to an arm, make a list, show it, and log what is shown and clicked.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from fastapi import FastAPI
from pydantic import BaseModel

from neraca.online.interleaving.interleave import interleave

#: Documents on a page.
PAGE = 10
#: Method → question → ids of the documents found.
Results = Mapping[str, Mapping[str, Sequence[str]]]
QUERIES = (
    "query_id TEXT PRIMARY KEY, client_id TEXT, session_id TEXT, application TEXT, user_query TEXT, timestamp TEXT, "
    "query_attributes TEXT, query_response_hit_ids TEXT"
)
EVENTS = "action_name TEXT, query_id TEXT, client_id TEXT, session_id TEXT, timestamp TEXT, event_attributes TEXT"


class SearchRequest(BaseModel):
    """A search as a page sends it, with its user and its time (simulated users live faster than the clock)."""

    query_id: str
    client_id: str
    session_id: str
    user_query: str
    timestamp: str


class ClickRequest(BaseModel):
    """A click on a document at a rank."""

    query_id: str
    client_id: str
    session_id: str
    timestamp: str
    object_id: str
    ordinal: int


class UbiLog:
    """An SQLite file with the tables `ubi_queries` and `ubi_events`; an older file is deleted."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.execute(f"CREATE TABLE ubi_queries ({QUERIES})")
        self._connection.execute(f"CREATE TABLE ubi_events ({EVENTS})")

    def query(
        self, request: SearchRequest, application: str, attributes: Mapping[str, Any], shown_ids: Sequence[str]
    ) -> None:
        """Log a search and the ids that it showed, in order."""
        row = (
            request.query_id,
            request.client_id,
            request.session_id,
            application,
            request.user_query,
            request.timestamp,
        )
        self._connection.execute(
            "INSERT INTO ubi_queries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, _json(attributes), _json(shown_ids))
        )

    def click(self, click: ClickRequest) -> None:
        """Log a click."""
        attributes = {"object": {"object_id": click.object_id}, "position": {"ordinal": click.ordinal}}
        row = ("click", click.query_id, click.client_id, click.session_id, click.timestamp, _json(attributes))
        self._connection.execute("INSERT INTO ubi_events VALUES (?, ?, ?, ?, ?, ?)", row)

    def close(self) -> None:
        """Close the log and merge the write-ahead file into it."""
        with closing(self._connection):
            self._connection.execute("PRAGMA journal_mode=DELETE")


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def live_search(results: Results, logs: Mapping[str, UbiLog], seed: int) -> FastAPI:
    """Make the application.

    Parameters
    ----------
    results
        The results of two methods.
    logs
        The logs of the experiments `ab` and `interleaving`; half of the users, by their id, are in each.
    seed
        The seed of both experiments.
    """
    first, second = results

    def assign(user: str) -> tuple[str, str]:
        """Return the experiment of a user and the arm in an A/B test, from two bits of a hash of the id."""
        bits = blake2b(f"{seed}\0{user}".encode(), digest_size=1).digest()[0]
        return ("ab", "interleaving")[bits & 1], (first, second)[bits >> 1 & 1]

    app = FastAPI(title="Live search", docs_url=None, redoc_url=None)

    @app.post("/search")
    def search(request: SearchRequest) -> dict[str, Any]:
        experiment, arm = assign(request.client_id)
        if experiment == "ab":
            shown_ids: Sequence[str] = results[arm][request.user_query][:PAGE]
            attributes: dict[str, Any] = {"variant": arm}
        else:
            by_method = {method: results[method][request.user_query] for method in (first, second)}
            page = interleave(by_method, query=request.user_query, user=request.session_id, seed=seed, length=PAGE)
            shown_ids, attributes = page.documents, {"teams": page.teams, "ranking_id": page.ranking_id}
        logs[experiment].query(request, experiment, attributes, shown_ids)
        return {"experiment": experiment, "results": shown_ids}

    @app.post("/click")
    def click(request: ClickRequest) -> dict[str, Any]:
        logs[assign(request.client_id)[0]].click(request)
        return {}

    return app
