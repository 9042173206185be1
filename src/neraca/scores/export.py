"""Scores item by item, for programs: as rows, and as `scores.parquet` in each run's folder."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from neraca.scores.scores import RunScores, Scores, is_count


def item_rows(scores: Scores) -> list[dict[str, Any]]:
    """One row per run, item and metric: {run, item, metric, value, why}; value None where unscored."""
    return [row for run in scores.runs for row in _rows_of(run, scores)]


def _rows_of(run: RunScores, scores: Scores) -> Iterator[dict[str, Any]]:
    for metric in scores.scored:
        reasons = run.why(metric)
        for place, (item, value) in enumerate(zip(run.ids, run.values(metric).tolist(), strict=True)):
            unscored = math.isnan(value)
            yield {
                "run": run.name,
                "item": str(item),
                "metric": str(metric),
                "value": None if unscored else value,
                "why": reasons.get(place, "") or ("not defined for one question alone" if unscored else ""),
            }


def query_rows(scores: Scores, per_query: bool = False) -> list[dict[str, Any]]:
    """{run, query, metric, value} for each run and metric; the query is `all` for the value over all queries."""
    rows: list[dict[str, Any]] = []
    for run in scores.runs:
        for metric in scores.metrics:
            kind = int if is_count(metric) else float
            each = scores.by_item(metric, run.name).items() if per_query else ()
            values = [*each, ("all", run.total(metric))]
            rows += [{"run": run.name, "query": q, "metric": str(metric), "value": kind(v)} for q, v in values]
    return rows


def save_scores(scores: Scores) -> None:
    """Keep the rows of `item_rows` in the folder of each run that has one, as `scores.parquet`."""
    for run in scores.runs:
        if run.scorable is not None and run.scorable.offers("run"):
            run.scorable.column("run").write_scores(list(_rows_of(run, scores)))
