"""From counts of items to a score: a value with its interval, and bounds for the unscored items."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from neraca.metrics.metric import Metric
from neraca.scores.score_list import Score
from neraca.scores.unit import Ints, enough
from neraca.stats.intervals.interval import Estimate, Floats, interval, mean
from neraca.stats.intervals.worst_case_bounds import bounds_of_mean


class Place(NamedTuple):
    """The run and the group of items that a score belongs to."""

    run: str
    group: str = ""


def estimate(
    place: Place,
    metric: Metric,
    rows: Floats,
    clusters: Ints | None = None,
    level: float = 0.95,
    intervals: str = "t",
) -> Score:
    """Return a metric over rows of counts, shape (n, w), with an interval within its range (`bounded_interval`)."""
    if clusters is not None:
        scored = ~np.isnan(rows).any(axis=1)
        clusters = clusters.copy()
        clusters[scored] = enough(clusters[scored])
    limits = metric.definition.limits
    result = interval(rows, metric.total, clusters, level, limits=limits)
    # shares keep Wilson's interval, which holds even if all are 0 or 1
    if intervals != "t" and result.method in ("t", "bounded"):
        from neraca.stats.intervals.bootstrap_interval import bootstrap_interval

        result = bootstrap_interval(rows, metric.total, clusters, level, intervals)
        result = replace(result, low=max(result.low, limits[0]), high=min(result.high, limits[1]))
    plain = metric.total is mean and not np.any(rows[:, -1] < 1) and not np.any(rows[:, -1] > 1)
    bounds = bounds_of_mean(rows[:, 0], *limits) if plain else (math.nan, math.nan)
    return score_of(result, place, metric, len(rows) - result.n, *bounds)


def score_of(estimate: Estimate, place: Place, metric: Metric, unscored: int, lowest: float, highest: float) -> Score:
    """Return an estimate as a score."""
    sizes = (estimate.n, unscored)
    bounds = (estimate.low, estimate.high)
    return Score(*place, str(metric), estimate.value, *bounds, *sizes, estimate.method, lowest, highest, estimate.why)
