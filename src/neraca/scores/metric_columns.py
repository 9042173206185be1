"""The columns that metrics add to a table: values, the average with its band, and why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from neraca.metrics.counts import Counts
from neraca.metrics.metric import Metric
from neraca.metrics.text.average import band

AVERAGE, BAND = "Average", "Band"
BANDS = (0.8, 0.6, 0.4)


def titles_of(metrics: Iterable[Metric], average: Metric | None) -> dict[str, str]:
    """Canonical metric name → what its column is called: the average, whose name is long, `Average`."""
    return {str(metric): AVERAGE if metric == average else str(metric) for metric in metrics}


def metric_columns(
    counts: Mapping[str, Counts], titles: Mapping[str, str], bands: Sequence[float] = BANDS
) -> dict[str, list[float | str | None]]:
    """Title → a value for each answer, None where it is unscored; after the average its band in a word."""
    columns: dict[str, list[float | str | None]] = {}
    for name, title in titles.items():
        values = [None if value != value else value for value in counts[name].each.tolist()]
        columns[title] = [*values]
        if title == AVERAGE:
            columns[BAND] = [None if value is None else band(value, bands) for value in values]
    return columns


def reasons_of(counts: Mapping[str, Counts], titles: Mapping[str, str]) -> dict[int, list[str]]:
    """Row of an answer → why metrics have no value, each reason once; that an average has none follows from them."""
    reasons: dict[int, dict[str, None]] = {}
    for name in [name for name, title in titles.items() if title != AVERAGE] or titles:
        for row, why in counts[name].reasons.items():
            reasons.setdefault(row, {})[why] = None
    return {row: list(several) for row, several in reasons.items()}
