"""Differences between runs on the same items: how large, how sure, and how many items it would take to know."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.runs.run import Run
from neraca.scores.score import Scores, Sheet, score
from neraca.scores.text import TextScores, TextSheet
from neraca.scores.trec import TrecScores, TrecSheet
from neraca.stats.correction import CORRECTIONS
from neraca.stats.effect import paired_effect
from neraca.stats.interval import pseudo_values
from neraca.stats.paired import TESTS, Paired
from neraca.stats.power import items_needed

TIE = 1e-9
AnySheet = Sheet | TrecSheet | TextSheet


@dataclass(frozen=True, slots=True)
class Difference:
    """Run a minus run b in one metric, over the items scored in both.

    Attributes
    ----------
    difference, low, high
        Mean of the paired differences with its interval; the bounds are NaN where the data give none.
    p, p_adjusted
        Two-sided, and corrected for all comparisons of the family; NaN where no test can be made.
    effect
        Cohen's d_z.
    wins, ties, losses
        Items on which a is better, equal, worse (which way is better is the metric's); items of which the metric is
        not defined alone are none of these.
    n
        Items scored in both runs.
    better
        The name of the run that is better at the level chosen, or "" where the data do not tell, or neither more nor
        less is better.
    needed
        Items with which a difference of this size would be found 4 times of 5; None where it cannot be said.
    """

    metric: str
    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    effect: float
    wins: int
    ties: int
    losses: int
    n: int
    test: str
    correction: str
    better: str
    needed: int | None


def compare(
    runs: Scores | TrecScores | TextScores | Iterable[Run | str | Path],
    metrics: str | Iterable[str | Metric] = "",
    *,
    primary: str = "",
    test: str = "t",
    correction: str = "holm",
    relevance: str = "auto",
    by: str = "",
) -> list[Difference]:
    """Compare every pair of runs in every metric.

    Parameters
    ----------
    runs
        Scores (of run folders, of TREC runs, or of texts), or the runs to score first with `metrics`, `relevance` and
        `by`.
    primary
        The metric on which the decision was declared to rest: its comparisons are a family of their own, so that
        the others do not weaken it.
    test
        One of `neraca.stats.paired.TESTS`.
    correction
        One of `neraca.stats.correction.CORRECTIONS`; applied within each family.

    Raises
    ------
    SpecError
        For an unknown metric, test or correction.
    InputError
        With fewer than two runs.
    """
    scores = (
        runs if isinstance(runs, Scores | TrecScores | TextScores) else score(runs, metrics, relevance=relevance, by=by)
    )
    check_comparing(test, correction)
    sheets: Sequence[AnySheet] = scores.sheets
    if len(sheets) < 2:
        raise InputError("a comparison needs at least two runs")
    first = str(Metric.of(primary)) if primary else ""
    if first and first not in map(str, scores.metrics):
        raise SpecError(f"the primary metric {first} is not among those scored: {', '.join(map(str, scores.metrics))}")
    found = [
        _difference(scores.level, metric, a, b, test) for metric in scores.metrics for a, b in combinations(sheets, 2)
    ]
    families = [[d for d in found if (d.metric == first) == own] for own in (True, False)]
    corrected = {id(old): new for family in families for old, new in _correct(family, correction, scores.level)}
    return [corrected[id(difference)] for difference in found]


def _difference(level: float, metric: Metric, a: AnySheet, b: AnySheet, test: str) -> Difference:
    rows_a, rows_b = a.rows(str(metric)), b.rows(str(metric))
    both = ~(np.isnan(rows_a).any(axis=1) | np.isnan(rows_b).any(axis=1))
    rows_a, rows_b = rows_a[both], rows_b[both]
    d = pseudo_values(rows_a, metric.total) - pseudo_values(rows_b, metric.total)
    d += metric.total(rows_a.sum(axis=0)) - metric.total(rows_b.sum(axis=0)) - d.mean() if len(d) else 0.0
    sessions = a.clusters[both]
    found = TESTS[test](d, sessions, level)
    single = (metric.total(rows_a) - metric.total(rows_b)) * (1 if metric.higher_is_better else -1)
    wins, losses = int((single > TIE).sum()), int((single < -TIE).sum())
    effect = paired_effect(d)
    return Difference(
        str(metric),
        a.name,
        b.name,
        found.difference,
        found.low,
        found.high,
        found.p,
        math.nan,
        effect,
        wins,
        int(np.isfinite(single).sum()) - wins - losses,
        losses,
        found.n,
        found.test,
        "",
        "",
        _needed(found, len(np.unique(sessions)), 1 - level),
    )


def _needed(found: Paired, sessions: int, alpha: float) -> int | None:
    """Items with which a difference of this size would be found 4 times of 5, if sessions stay as long as they are."""
    if not found.error > 0:
        return None
    needed = items_needed(found.difference / (found.error * math.sqrt(sessions)), alpha)
    return None if needed is None else math.ceil(needed * found.n / sessions)


def _correct(family: Sequence[Difference], correction: str, level: float) -> list[tuple[Difference, Difference]]:
    adjusted = CORRECTIONS[correction](np.array([difference.p for difference in family], dtype=np.float64))
    result = []
    for old, p in zip(family, adjusted, strict=True):
        metric = Metric.of(old.metric)
        sure = not math.isnan(p) and p < 1 - level and not metric.neutral
        ahead = (old.difference > 0) == metric.higher_is_better
        better = (old.a if ahead else old.b) if sure else ""
        result.append((old, replace(old, p_adjusted=float(p), correction=correction, better=better)))
    return result


def check_comparing(test: str, correction: str) -> None:
    """Raise `SpecError` where there is no such test or correction."""
    if test not in TESTS:
        raise SpecError(f"no test is called {test!r}; known: {', '.join(TESTS)}")
    if correction not in CORRECTIONS:
        raise SpecError(f"no correction is called {correction!r}; known: {', '.join(CORRECTIONS)}")


def ranking(scores: Scores, metric: str) -> list[str]:
    """Names of the runs, best first by a metric over the items that are scored in all of them.

    A run of which nothing is scored is left out; empty where the others have no item in common; equal runs keep
    their order.
    """
    found = Metric.of(metric)
    rows = {sheet.name: sheet.rows(str(found)) for sheet in scores.sheets}
    rows = {name: counts for name, counts in rows.items() if not np.isnan(counts).any(axis=1).all()}
    if not rows:
        return []
    common = ~np.any([np.isnan(counts).any(axis=1) for counts in rows.values()], axis=0)
    values = {name: float(found.total(counts[common].sum(axis=0))) for name, counts in rows.items()}
    sign = -1 if found.higher_is_better else 1
    return sorted((name for name in values if not math.isnan(values[name])), key=lambda name: sign * values[name])
