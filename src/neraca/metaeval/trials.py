"""Variation of a run's scores if its questions are asked several times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neraca.comparisons.compare import scored_in_both
from neraca.metrics.metric import Metric
from neraca.scores.scores import RunScores
from neraca.scores.unit import enough
from neraca.stats.intervals.interval import Estimate, Floats, mean
from neraca.stats.intervals.trials import Components, ErrorParts, components, error_parts, flips


@dataclass(frozen=True, slots=True)
class Repeats:
    """Variation of one run's scores when the same questions are asked again.

    Attributes
    ----------
    components
        Variance between questions and between trials, and the intraclass correlations.
    parts
        The standard error of the run's value, and how much of it is due to trials.
    flips
        The chance that two trials of a question disagree on whether it passes; None if the values are not 0 or 1 and
        there is no threshold.
    """

    metric: str
    run: str
    components: Components
    parts: ErrorParts
    flips: Estimate | None


@dataclass(frozen=True, slots=True)
class RepeatedDifference:
    """Standard error of a difference (run a minus run b), and the part of it due to trials."""

    metric: str
    a: str
    b: str
    difference: float
    parts: ErrorParts


def repeats(metric: Metric, run: RunScores, at: float | None = None, level: float = 0.95) -> Repeats | None:
    """Measure how the trials of one run vary; None if no question has two scored answers.

    Parameters
    ----------
    at
        Lowest value with which an answer passes (in metrics of errors: highest), if the metric is not itself 0 or 1.
    """
    values = by_trial(metric, run)
    clusters = enough(run.clusters)
    variances, parts = components(values, level), error_parts(values, clusters=clusters)
    if variances is None or parts is None:
        return None
    passed = _passed(metric, _placed(run, run.counts[str(metric)].per_answer), at)
    flipped = None if passed is None else flips(passed, clusters, level)
    return Repeats(str(metric), run.name, variances, parts, flipped)


def repeated_difference(metric: Metric, a: RunScores, b: RunScores) -> RepeatedDifference | None:
    """Measure how trials affect the difference of two runs; None if one has no repeated question, or none is shared."""
    parts = error_parts(by_trial(metric, a), by_trial(metric, b), clusters=enough(a.clusters))
    if parts is None:
        return None
    rows_a, rows_b, _ = scored_in_both(metric, a, b)
    difference = float(metric.total(rows_a.sum(axis=0)) - metric.total(rows_b.sum(axis=0)))
    return RepeatedDifference(str(metric), a.name, b.name, difference, parts)


def by_trial(metric: Metric, run: RunScores) -> Floats:
    """Return each trial's part in the run's value, shape (items, trials); NaN where there is no score.

    For a mean these are the values. For another total they are the answers' influence on it, as in `pseudo_values`.
    """
    rows = run.counts[str(metric)].rows
    scored = ~np.isnan(rows).any(axis=1)
    values = np.full(len(rows), np.nan)
    if metric.total is mean and bool((rows[scored, -1] == 1).all()):
        values[scored] = rows[scored, 0]
    elif scored.any():
        items = run.rows(metric)
        items = items[~np.isnan(items).any(axis=1)]
        whole, n = items.sum(axis=0), len(items)
        without, value = metric.total(whole - rows[scored]), metric.total(whole)
        values[scored] = np.where(np.isnan(without) | (n == 1), value, n * value - (n - 1) * without)
    return _placed(run, values)


def _placed(run: RunScores, values: Floats) -> Floats:
    """Put the value of each answer into the row of its item and the column of its trial."""
    matrix = np.full((len(run), run.trials), np.nan)
    matrix[run.item, run.trial] = values
    return matrix


def _passed(metric: Metric, values: Floats, at: float | None) -> Floats | None:
    """Return 1 for each answer that passes and 0 for others; None if the values are not 0 or 1 and `at` is None."""
    definition = metric.definition
    if definition.low == 0 and definition.high == 1 and bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all()):
        return values
    if at is None:
        return None
    passed = values >= at - 1e-9 if metric.higher_is_better else values <= at + 1e-9
    return np.where(np.isnan(values), np.nan, passed)
