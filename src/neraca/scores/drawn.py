"""Scores of runs of which a judge saw a random part: a metric of its verdicts rests on the drawn answers alone.

Every answer has the same chance to be drawn, so the plain mean over the drawn answers is the Horvitz-Thompson estimate
of the mean over all.  Answers that were not drawn have no value, even if they need no judge: failed answers count as
wrong without one, and counting all of them beside a part of the others would lower the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.metric import Metric
from neraca.runs.run import Run
from neraca.scores.drawn_part import DrawnPart
from neraca.scores.scores import RunScores, Scores
from neraca.scores.undrawn import without_undrawn
from neraca.stats.intervals.finite_population import finite_population_interval
from neraca.stats.intervals.interval import mean

#: A function from ignored sources and the ids of questions to the values of each metric, shape (n,); None: no score.
ScoreWithout = Callable[[Collection[str], Collection[str]], Mapping[str, NDArray[np.float64] | None]]


def with_draws(scores: RunScores, run: Run, score_without: ScoreWithout) -> RunScores:
    """Return the scores without values of undrawn items, in each metric that reads the verdicts of a judge that drew.

    A metric reads a judge's verdicts if a drawn item has another value without them.
    """
    ids = [str(name) for name in scores.ids]
    parts: dict[str, DrawnPart] = {}
    for source, record in run.manifest.draws.items():
        part = DrawnPart.of(run, source, ids)
        without = score_without(record.sources, {ids[row] for row in np.flatnonzero(part.drawn).tolist()})
        for name in scores.counts:
            if _differ(scores.values(name), without[name], part.drawn):
                parts[name] = parts[name] & part if name in parts else part
    if not parts:
        return scores
    counts = {
        name: without_undrawn(scores, of_metric, parts[name]) if name in parts else of_metric
        for name, of_metric in scores.counts.items()
    }
    return replace(scores, counts=counts, draws=parts)


def _differ(values: NDArray[np.float64], without: NDArray[np.float64] | None, rows: NDArray[np.bool_]) -> bool:
    return without is None or not np.array_equal(values[rows], without[rows], equal_nan=True)


@dataclass(frozen=True)
class DrawnScore:
    """The metrics of a run that rest on the same draws.

    Attributes
    ----------
    run, metrics
        The name of the run, and the metrics.
    part
        Their draw.
    all_judged
        Metric → the interval of its value if the judge decided on all answers; of means only.
    """

    run: str
    metrics: tuple[str, ...]
    part: DrawnPart
    all_judged: Mapping[str, tuple[float, float]]


def drawn_scores(scores: Scores) -> list[DrawnScore]:
    """Return, for each run and each draw, the metrics that rest on it."""
    results = []
    for run in scores.runs:
        by_records: dict[tuple[str, ...], list[Metric]] = {}
        for metric in scores.scored:
            if str(metric) in run.draws:
                by_records.setdefault(tuple(run.draws[str(metric)].records), []).append(metric)
        for metrics in by_records.values():
            part = run.draws[str(metrics[0])]
            bounds = dict(_all_judged(run, metrics, part, scores.level))
            results.append(DrawnScore(run.name, tuple(map(str, metrics)), part, bounds))
    return results


def _all_judged(
    run: RunScores, metrics: Iterable[Metric], part: DrawnPart, level: float
) -> Iterable[tuple[str, tuple[float, float]]]:
    """Yield each mean with its interval if the judge decided on all answers."""
    record = next(iter(part.records.values()))
    clusters = run.clusters if run.sessions is None else run.sessions
    for metric in metrics:
        values = run.values(metric)
        scored = part.drawn & ~np.isnan(values)
        if metric.total is not mean or len(part.records) > 1 or not scored.any():
            continue
        units = clusters[scored] if record.unit == "conversation" else None
        limits = metric.definition.limits
        bounds = finite_population_interval(values[scored], record.n / record.of, units, level, limits)
        if not np.isnan(bounds[0]):
            yield str(metric), bounds
