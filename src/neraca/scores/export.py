"""Scores for programs: as rows, as `scores.parquet` in each run's folder, and as totals for the record of a study."""

from __future__ import annotations

import math
from typing import Any

from neraca.runs.study_record import RunTotal
from neraca.scores.ranking_basis import ranking_basis
from neraca.scores.scores import Scores, is_count


def query_rows(scores: Scores, per_query: bool = False, *, basis: bool = False) -> list[dict[str, Any]]:
    """{run, query, metric, value} for each run and metric; the query is `all` for the value over all queries.

    With `basis` the rows over all queries also say what the value rests on, as `RankingBasis` does.
    """
    rows: list[dict[str, Any]] = []
    for run in scores.runs:
        for metric in scores.metrics:
            kind = int if is_count(metric) else float
            each = scores.by_item(metric, run.name).items() if per_query else ()
            values = [*each, ("all", run.total(metric))]
            rows += [{"run": run.name, "query": q, "metric": str(metric), "value": kind(v)} for q, v in values]
            rows[-1] |= ranking_basis(run, metric)._asdict() if basis else {}
    return rows


def save_scores(scores: Scores) -> None:
    """Keep the rows of `Scores.per_item` in the folder of each run that has one, as `scores.parquet`."""
    for run in scores.runs:
        if run.scorable is not None and run.scorable.offers("run"):
            run.scorable.column("run").write_scores(run.item_columns(metric) for metric in scores.scored)


def run_totals(scores: Scores) -> dict[str, dict[str, RunTotal]]:
    """Return name of a run → canonical name of a metric → the value over all its items, as in a report."""
    totals: dict[str, dict[str, RunTotal]] = {}
    for score in scores.overall():
        value, low, high = (x if math.isfinite(x) else None for x in (score.value, score.low, score.high))
        totals.setdefault(score.run, {})[score.metric] = RunTotal(value, low, high, score.n)
    return totals
