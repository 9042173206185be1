"""The range of each metric over all possible decisions on things that people left undecided."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from neraca.metrics.metric import Metric
from neraca.scores.scores import RunScores, is_count
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.undecided import Decisions, Open, scenarios_by_item

#: A function that scores the answers to some questions under assumed decisions.
Decided = Callable[[Decisions, Collection[str]], Sequence[RunScores]]


def ranges_if_decided(
    undecided: Open, scored: Sequence[RunScores], decided: Decided
) -> dict[tuple[str, str], tuple[float, float]]:
    """Return (run, metric) → the least and the largest total, however undecided things are decided.

    Questions do not affect each other, so each takes the scenario that moves the total most.  Metrics that do not
    depend on anything undecided are left out.

    Parameters
    ----------
    undecided
        Things on which no value has a majority, with the values that they could have.
    scored
        The present scores, with undecided things as unjudged.
    decided
        The function that scores some questions again.
    """
    if not undecided:
        return {}
    by_item = scenarios_by_item(undecided)
    passes = []
    for number in range(max(map(len, by_item.values()))):
        chosen = {
            place: value
            for scenarios in by_item.values()
            for place, value in (scenarios[number] if number < len(scenarios) else {}).items()
        }
        passes.append(decided(chosen, by_item.keys()))
    ranges = {}
    for place, run in enumerate(scored):
        rows = np.flatnonzero([str(name) in by_item for name in run.ids])
        for name, counts in run.counts.items():
            counts_by_pass = np.array([scores[place].rows(name)[rows] for scores in passes])
            if np.array_equal(counts_by_pass, np.broadcast_to(counts_by_pass[0], counts_by_pass.shape), equal_nan=True):
                continue
            fixed = np.delete(run.rows(name), rows, axis=0)
            ends = [_extreme(fixed, counts_by_pass, counts.metric, sign) for sign in (1, -1)]
            if ends[0] < ends[1] or (np.isnan(run.total(name)) and not np.isnan(ends[0])):
                ranges[run.name, name] = (ends[0], ends[1])
    return ranges


def _extreme(fixed: Floats, uncertain: Floats, metric: Metric, sign: int) -> float:
    """Return the least (`sign` 1) or the largest (-1) total; NaN if nothing can be scored.

    Totals are ratios of sums over the questions, or increase with such a ratio.  Therefore the total is extreme as soon
    as no single question can move it further.

    Parameters
    ----------
    fixed
        Shape (n, w): counts of the questions without anything undecided.
    uncertain
        Shape (m, k, w): counts of the other k questions in m scenarios.
    """
    chosen = np.zeros(uncertain.shape[1], dtype=np.int64)  # the scenario of each question
    weight = np.where(np.isnan(uncertain).any(axis=2), 0, 1)  # whether the question is scored in the scenario
    counts = np.where(weight[..., None] > 0, uncertain, 0.0)
    scored = ~np.isnan(fixed).any(axis=1)
    base, n = fixed[scored].sum(axis=0), int(scored.sum())

    def totals(sums: Floats, scored: Floats) -> Floats:
        values = np.asarray(metric.total(sums), dtype=np.float64)
        return values if is_count(metric) else np.where(scored > 0, values, np.nan)

    best, moved = np.nan, True
    while moved:
        moved = False
        for place in range(len(chosen)):
            other_places = np.flatnonzero(np.arange(len(chosen)) != place)
            sums = base + counts[chosen[other_places], other_places].sum(axis=0)
            n_scored = n + int(weight[chosen[other_places], other_places].sum())
            values = totals(sums + counts[:, place], n_scored + weight[:, place])
            if np.isnan(values).all():
                continue
            scenario = int(np.nanargmin(sign * values))
            if np.isnan(best) or sign * values[scenario] < sign * best - 1e-12:
                best, moved = float(values[scenario]), True
                chosen[place] = scenario
    return best
