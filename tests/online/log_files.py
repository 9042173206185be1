"""Small logs for tests: written as CSV from rows of text."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from neraca.online.exclusions import Exclusion
from neraca.online.log_options import LogOptions
from neraca.online.search_log import SearchLog, search_log

FIELDS = ("action", "user", "session", "search", "query", "variant", "time", "document", "rank", "shown", "value")
#: A search that showed three documents, and a click on the second after five seconds.
SEARCH = {"action": "search", "user": "ana", "session": "s1", "search": "q1", "query": "red shoes", "variant": "A"}
SEARCH = SEARCH | {"time": "2026-01-01T10:00:00Z", "shown": "d1 d2 d3"}
CLICK = {"action": "click", "user": "ana", "session": "s1", "search": "q1", "time": "2026-01-01T10:00:05Z", "rank": "2"}


def write_log(path: Path, rows: Sequence[Mapping[str, Any]], fields: Sequence[str] = FIELDS) -> Path:
    """Write rows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def read_log(path: Path, **options: Any) -> tuple[list[dict[str, Any]], dict[str, int], SearchLog]:
    """Return the searches as rows, what was left out, and the log."""
    log = search_log(path, LogOptions(**options))
    rows = [row for frame in log for row in frame.to_dicts()]
    return rows, counts(log.exclusions), log


def counts(exclusions: Sequence[Exclusion]) -> dict[str, int]:
    """Reason → how many."""
    return {one.reason: one.n for one in exclusions}
