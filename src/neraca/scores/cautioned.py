"""Answers whose verdicts carry a caution, because a text reads like an order to the judge, and scores without them."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.metric import Metric
from neraca.metrics.rag.session_mean import is_of_sessions
from neraca.metrics.scorable import Scorable
from neraca.runs.verdict_table import VerdictTable
from neraca.scores.scores import RunScores, Scores
from neraca.scores.verdicts_behind import ON_HITS, judged_parts, verdicts_behind

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class CautionedAnswers:
    """The answers of a run on which a judge's verdict carries a caution, with the metrics that rest on these verdicts.

    Attributes
    ----------
    run
        The name of the run.
    unit
        `answer`, or `conversation` for metrics of conversations.
    n, all
        The number of answers with a caution, and of all answers that these metrics score.
    values
        Metric → its value, and its value if the answers with a caution are left out (NaN: no others).
    changes
        Metric → the size of this change as a share of the metric's range, or if it has none of the larger value; inf
        if a value is missing.
    """

    run: str
    unit: str
    n: int
    all: int
    values: dict[str, tuple[float, float]]
    changes: dict[str, float]


def cautioned_answers(scores: Scores) -> list[CautionedAnswers]:
    """Return, for each run, the answers with a caution behind its metrics; metrics with the same answers together."""
    if not any(any(part.column("verdicts").table.caution.words) for part in judged_parts(scores)):
        return []
    values: dict[tuple[str, bytes, str, int, int], dict[str, tuple[float, float]]] = {}
    changes: dict[str, dict[str, float]] = {run.name: {} for run in scores.runs}
    for run in scores.runs:
        for metric in scores.scored:
            cautioned = _cautioned(metric, run, scores)
            scored = np.asarray(~np.isnan(run.counts[str(metric)].rows).any(axis=1))
            if run.scorable is None or not (cautioned & scored).any():
                continue
            unit, units = "answer", np.arange(run.scorable.n)
            if is_of_sessions(metric):
                unit, units = "conversation", _conversations(run.scorable)
                cautioned = np.isin(units, units[cautioned])
            n, n_all = len(np.unique(units[cautioned & scored])), len(np.unique(units[scored]))
            key, value = (run.name, cautioned.tobytes(), unit, n, n_all), run.total(metric, run.counting(metric))
            without = _without(run, metric, cautioned)
            values.setdefault(key, {})[str(metric)] = value, without
            changes[run.name][str(metric)] = _change(metric, value, without)
    return [
        CautionedAnswers(run, unit, n, n_all, of_key, {name: changes[run][name] for name in of_key})
        for (run, _, unit, n, n_all), of_key in values.items()
    ]


def _change(metric: Metric, value: float, without: float) -> float:
    """Return the size of a change as a share of the metric's range, or if it has none of the larger value."""
    if math.isnan(value) or math.isnan(without):
        return math.inf
    low, high = metric.definition.limits
    size = high - low if math.isfinite(high - low) else max(abs(value), abs(without))
    return abs(value - without) / size if size else 0.0


def _without(run: RunScores, metric: Metric, answers: Mask) -> float:
    """Return the value of a metric if these answers, shape (a,), are left out."""
    counts = run.counts[str(metric)]
    values = counts.values.copy()
    values[answers] = np.nan
    return replace(run, counts={str(metric): replace(counts, values=values)}).total(metric, run.counting(metric))


def _cautioned(metric: Metric, run: RunScores, scores: Scores) -> Mask:
    """Return the answers, shape (a,), of which a verdict that the metric rests on carries a caution."""
    part = run.scorable
    mask = np.zeros(0 if part is None else part.n, dtype=bool)
    if part is None:
        return mask
    if hits := _cautioned_hits(metric, scores):
        mask |= _with_hits(part, hits, _depth(metric))
    verdicts = part.column("verdicts")
    for behind in verdicts_behind(metric, run, scores):
        if behind.evidence == ON_HITS:
            continue  # a hit counts in all runs, whatever run has the verdict on it
        rows = behind.rows[~verdicts.table.caution.isin([""])[behind.rows]]
        answers = verdicts.answer[rows]
        mask[answers[answers >= 0]] = True
    return mask


def _cautioned_hits(metric: Metric, scores: Scores) -> set[tuple[str, str]]:
    """Return the hits, as (item, about), on whose relevance a verdict carries a caution in any run."""
    hits: set[tuple[str, str]] = set()
    for run in scores.runs:
        for behind in verdicts_behind(metric, run, scores):
            if run.scorable is not None and behind.evidence == ON_HITS:
                table: VerdictTable = run.scorable.column("verdicts").table
                hits.update((table.item[row], table.about[row]) for row in behind.rows.tolist() if table.caution[row])
    return hits


def _with_hits(part: Scorable, hits: Collection[tuple[str, str]], depth: int) -> Mask:
    """Return the answers with one of these hits among their first `depth` hits; 0: all."""
    returned = zip(part.column("ids"), part.column("hits"), strict=True)
    return np.array(
        [any((item, f"hit:{doc}") in hits for doc in docs[: depth or None]) for item, docs in returned], dtype=bool
    )


def _depth(metric: Metric) -> int:
    """Return the last rank that a metric of rankings looks at; 0: all."""
    depths = [int(inner.settings["at"] or 0) for inner in metric.with_inner() if "at" in inner.settings]
    return 0 if not depths or 0 in depths else max(depths)


def _conversations(part: Scorable) -> NDArray[np.int64]:
    """Return the number of the conversation of each answer, shape (a,); each trial is a conversation of its own."""
    if not part.offers("item"):
        return np.arange(part.n)
    sessions = np.asarray(part.column("clusters"))[part.column("item")]
    trials = np.asarray(part.column("trial"))
    return np.asarray(sessions * (int(trials.max(initial=0)) + 1) + trials, dtype=np.int64)
