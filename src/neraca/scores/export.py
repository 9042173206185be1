"""Scores item by item, for programs: as rows, and as `scores.parquet` in each run's folder."""

from __future__ import annotations

import io
import math

from neraca.files import write_atomic
from neraca.scores.score import Scores


def item_rows(scores: Scores) -> list[dict[str, object]]:
    """One row per run, item and metric: {run, item, metric, value, why}; value None where unscored."""
    return [
        {
            "run": sheet.name,
            "item": item.id,
            "metric": str(metric),
            "value": None if math.isnan(value) else float(value),
            "why": why or ("not defined for one question alone" if math.isnan(value) else ""),
        }
        for sheet in scores.sheets
        for metric in scores.metrics
        for item, value, why in zip(sheet.items, sheet.values(str(metric)), sheet.why(str(metric)), strict=True)
    ]


def save_scores(scores: Scores) -> None:
    """Write each run's `scores.parquet`: its rows of `item_rows`."""
    import polars as pl

    rows = item_rows(scores)
    schema = {"run": pl.String, "item": pl.String, "metric": pl.String, "value": pl.Float64, "why": pl.String}
    for sheet in scores.sheets:
        buffer = io.BytesIO()
        pl.DataFrame([row for row in rows if row["run"] == sheet.name], schema=schema).write_parquet(buffer)
        write_atomic(sheet.run.path / "scores.parquet", buffer.getvalue())
