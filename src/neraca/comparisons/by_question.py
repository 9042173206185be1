"""Compare runs question by question: the spread of values, the only best run, and the outcomes of answers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from neraca.comparisons.pair import TIE
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.outcome import Outcomes
from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats


def spread(values: Floats) -> Floats:
    """Return the largest minus the smallest value of each question, shape (n,); 0 where fewer than two runs have one.

    `values` has the shape (runs, n); NaN is a missing value.

    >>> spread(np.array([[0.5, 1.0], [0.25, np.nan]])).tolist()
    [0.25, 0.0]
    """
    comparable = (~np.isnan(values)).sum(axis=0) > 1
    low = np.where(np.isnan(values), math.inf, values).min(axis=0)
    high = np.where(np.isnan(values), -math.inf, values).max(axis=0)
    with np.errstate(invalid="ignore"):
        spreads: Floats = np.where(comparable, high - low, 0.0)
    return spreads


def alone_best(values: Floats, metric: Metric) -> NDArray[np.int64]:
    """Return for each question the only run with the best value, shape (n,); -1 if several runs have it.

    `values` has the shape (runs, n); NaN is a missing value.  A diagnostic makes no run better.

    >>> alone_best(np.array([[0.5, 1.0], [0.25, 1.0]]), Metric.of("RR")).tolist()
    [0, -1]
    """
    if metric.diagnostic or len(values) < 2:
        return np.full(values.shape[1], -1)
    good = np.where(np.isnan(values), -math.inf, values if metric.higher_is_better else -values)
    ordered = np.sort(good, axis=0)
    with np.errstate(invalid="ignore"):
        alone = np.isfinite(ordered[-2]) & (ordered[-1] - ordered[-2] > TIE)
    return np.where(alone, good.argmax(axis=0), -1)


def answer_outcomes(part: Scorable) -> list[str]:
    """Return the outcome of each answer, or its status if it is not complete; empty if answers have no verdicts."""
    if not part.offers("verdicts"):
        return []
    statuses: Sequence[str] = part.column("status")
    names = part.view(Outcomes).names().tolist()
    return [status if status != "complete" else name for name, status in zip(names, statuses, strict=True)]
