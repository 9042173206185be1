"""Score runs so that a right empty answer and junk in its place count on the same questions.

By most metrics of hits a right empty answer has no value, and junk where nothing fits has the worst one.  Such a
question counts in the mean of one run and cannot be paired.  With `empty=correct` it has a value in every run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.registry import Spec
from neraca.scores.scores import RunScores, Scores
from neraca.scores.undrawn import without_undrawn


def count_right_empties(scores: Scores, metric: Metric) -> Scores | None:
    """Score the same runs by the metric with `empty=correct`; None if it has no such form, or answers were not kept."""
    parts = [run.scorable for run in scores.runs]
    if metric.empty not in ("expected", "skip") or math.isinf(metric.definition.high):
        return None
    spec = metric.spec
    counting = Metric.of(str(Spec(spec.name, {**spec.params, "empty": "correct"}, spec.values)))
    runs = []
    for run, part in zip(scores.runs, parts, strict=True):
        if part is not None:
            counts, drawn = score_metric(counting, part), run.draws.get(str(metric))
            counts = counts if drawn is None else without_undrawn(run, counts, drawn)
            runs.append(replace(run, counts={str(counting): counts}))
    if len(runs) < len(parts):
        return None
    return replace(scores, runs=tuple(runs), metrics=(counting,), average=None, labels=None)


def scored_in_one(runs: Sequence[RunScores], metric: Metric | str) -> NDArray[np.bool_]:
    """Whether each question, shape (n,), has a value in exactly one of two runs."""
    first, second = (~np.isnan(run.rows(metric)).any(axis=1) for run in runs)
    return np.asarray(first ^ second)


def settled_by(counting: Scores, runs: Sequence[RunScores], metric: Metric) -> NDArray[np.bool_]:
    """Whether each question has a value in one of two runs, and in both of them where right empty answers count."""
    names = [run.name for run in runs]
    first, second = (~np.isnan(counting.run(name).rows(counting.metrics[0])).any(axis=1) for name in names)
    return scored_in_one(runs, metric) & first & second
