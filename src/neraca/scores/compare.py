"""Differences between runs on the same items: how large, how sure, and how many items it would take to know."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.runs.run import Run
from neraca.scores.score import Scores, Sheet, score
from neraca.scores.text import TextScores, TextSheet
from neraca.scores.trec import TrecScores, TrecSheet
from neraca.stats.correction import CORRECTIONS
from neraca.stats.effect import effect_interval, paired_effect
from neraca.stats.interval import Floats, pseudo_values
from neraca.stats.paired import Paired, Sample
from neraca.stats.paired_tests import OF_SHARES, TESTS
from neraca.stats.power import items_needed

TIE = 1e-9
AnySheet = Sheet | TrecSheet | TextSheet


@dataclass(frozen=True, slots=True)
class Difference:
    """Run a minus run b in one metric, over the items scored in both.

    Attributes
    ----------
    difference, low, high
        Mean of the paired differences, and the interval that belongs to the test (of the pseudo-median in `wilcoxon`,
        of the median in `sign`, else of the mean); the bounds are NaN where the data give none.
    p, p_adjusted
        Two-sided, and corrected for all comparisons of the family; NaN where no test can be made.
    effect, effect_low, effect_high
        Cohen's d_z with its interval by the noncentral t distribution; the bounds are NaN where the data give none.
    wins, ties, losses
        Items on which a is better, equal, worse (which way is better is the metric's); items of which the metric is
        not defined alone are none of these.
    n
        Items scored in both runs.
    better
        The name of the run that is better at the level chosen, or "" where the data do not tell, where the test and
        the mean point to different runs, or neither more nor less is better.
    test
        The test and how it was made, such as `t` or `randomisation(flips=100000, seed=0)`.
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
    effect_low: float = math.nan
    effect_high: float = math.nan


class Scoring(TypedDict, total=False):
    """How `compare` scores runs that are not scored yet; see `neraca.scores.score.score`."""

    relevance: str
    by: str
    level: float
    language: str


def compare(
    runs: Scores | TrecScores | TextScores | Iterable[Run | str | Path],
    metrics: str | Iterable[str | Metric] = "",
    *,
    primary: str = "",
    test: str = "t",
    correction: str = "holm",
    seed: int = 0,
    **scoring: Unpack[Scoring],
) -> list[Difference]:
    """Compare every pair of runs in every metric.

    Parameters
    ----------
    runs
        Scores (of run folders, of TREC runs, or of texts), or the runs to score first with `metrics` and `scoring`:
        `relevance`, `by`, `level` and `language` of `neraca.score`.
    primary
        The metric on which the decision was declared to rest: its comparisons are a family of their own, so that
        the others do not weaken it.
    test
        One of `neraca.stats.paired_tests.TESTS`.  Of totals that are no means of items (`PassRatio`, corpus BLEU) it
        sees the jackknife pseudo-values.
    correction
        One of `neraca.stats.correction.CORRECTIONS`; applied within each family.
    seed
        Of tests that draw at random: `randomisation` and `bootstrap`.

    Raises
    ------
    SpecError
        For an unknown metric, test or correction, and `mcnemar` of a metric whose values are not all 0 or 1.
    InputError
        With fewer than two runs.
    """
    scores = runs if isinstance(runs, Scores | TrecScores | TextScores) else score(runs, metrics, **scoring)
    check_comparing(test, correction, seed)
    sheets: Sequence[AnySheet] = scores.sheets
    if len(sheets) < 2:
        raise InputError("a comparison needs at least two runs")
    first = str(Metric.of(primary)) if primary else ""
    if first and first not in map(str, scores.metrics):
        raise SpecError(f"the primary metric {first} is not among those scored: {', '.join(map(str, scores.metrics))}")
    pairs = [_pair(metric, a, b, test) for metric in scores.metrics for a, b in combinations(sheets, 2)]
    tested = TESTS[test]([pair.sample for pair in pairs], scores.level, seed)
    found = [_difference(scores.level, pair, told) for pair, told in zip(pairs, tested, strict=True)]
    towards = [(difference, told.statistic) for difference, told in zip(found, tested, strict=True)]
    families = [[one for one in towards if (one[0].metric == first) == own] for own in (True, False)]
    corrected = {id(old): new for family in families for old, new in _correct(family, correction, scores.level)}
    return [corrected[id(difference)] for difference in found]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two runs in one metric: differences and sessions of the items scored in both, and how many items are better."""

    metric: Metric
    a: str
    b: str
    sample: Sample
    tally: tuple[int, int, int]


def _pair(metric: Metric, a: AnySheet, b: AnySheet, test: str) -> _Pair:
    rows_a, rows_b, sessions = scored_in_both(metric, a, b)
    if test in OF_SHARES:
        _check_shares(metric, rows_a, rows_b, test)
    single = (metric.total(rows_a) - metric.total(rows_b)) * (1 if metric.higher_is_better else -1)
    wins, losses = int((single > TIE).sum()), int((single < -TIE).sum())
    tally = wins, int(np.isfinite(single).sum()) - wins - losses, losses
    return _Pair(metric, a.name, b.name, Sample(paired_differences(metric, rows_a, rows_b), sessions), tally)


def _check_shares(metric: Metric, rows_a: Floats, rows_b: Floats, test: str) -> None:
    """Raise `SpecError` where an item's value is neither 0 nor 1, or the total is no mean of the items."""
    values = np.round(np.concatenate([pseudo_values(rows, metric.total) for rows in (rows_a, rows_b)]), 9)
    other = values[~np.isin(values, (0.0, 1.0))]
    if len(other):
        raise SpecError(
            f"the test {test} is of values that are 0 or 1 on each question, and {metric} has others "
            f"(such as {other[0]:.3g}); use t, wilcoxon, sign, randomisation or bootstrap"
        )


def _difference(level: float, pair: _Pair, found: Paired) -> Difference:
    sessions = pair.sample.clusters
    return Difference(
        str(pair.metric),
        pair.a,
        pair.b,
        found.difference,
        found.low,
        found.high,
        found.p,
        math.nan,
        paired_effect(pair.sample.differences),
        *pair.tally,
        found.n,
        found.test,
        "",
        "",
        _needed(found, found.n if sessions is None else len(np.unique(sessions)), 1 - level),
        *effect_interval(pair.sample.differences, sessions, level),
    )


def scored_in_both(metric: Metric, a: AnySheet, b: AnySheet) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Counts of the n items that are scored in both runs, shapes (n, w), and the number of each one's session."""
    rows_a, rows_b = a.rows(str(metric)), b.rows(str(metric))
    both = ~(np.isnan(rows_a).any(axis=1) | np.isnan(rows_b).any(axis=1))
    return rows_a[both], rows_b[both], a.clusters[both]


def paired_differences(metric: Metric, rows_a: Floats, rows_b: Floats) -> Floats:
    """What each item says on the difference of the totals, shape (n,); their mean is that difference.

    What only rounding keeps from 0 is 0, so that it is a tie.
    """
    each_a, each_b = pseudo_values(rows_a, metric.total), pseudo_values(rows_b, metric.total)
    d: Floats = each_a - each_b
    d += metric.total(rows_a.sum(axis=0)) - metric.total(rows_b.sum(axis=0)) - d.mean() if len(d) else 0.0
    d[np.abs(d) <= 1e-13 * np.maximum(np.abs(each_a), np.abs(each_b)).max(initial=0.0)] = 0.0
    return d


def _needed(found: Paired, sessions: int, alpha: float) -> int | None:
    """Items with which a difference of this size would be found 4 times of 5, if sessions stay as long as they are."""
    if not found.error > 0:
        return None
    needed = items_needed(found.difference / (found.error * math.sqrt(sessions)), alpha)
    return None if needed is None else math.ceil(needed * found.n / sessions)


def _correct(
    family: Sequence[tuple[Difference, float]], correction: str, level: float
) -> Iterator[tuple[Difference, Difference]]:
    """Each difference before and after; a test of ranks or signs may point elsewhere than the mean, and nobody wins."""
    adjusted = CORRECTIONS[correction](np.array([difference.p for difference, _ in family], dtype=np.float64))
    for (old, statistic), p in zip(family, adjusted, strict=True):
        metric = Metric.of(old.metric)
        sure = not math.isnan(p) and p < 1 - level and not metric.neutral and statistic * old.difference > 0
        ahead = (old.difference > 0) == metric.higher_is_better
        better = (old.a if ahead else old.b) if sure else ""
        yield old, replace(old, p_adjusted=float(p), correction=correction, better=better)


def check_comparing(test: str, correction: str, seed: int = 0) -> None:
    """Raise `SpecError` where there is no such test, correction or seed."""
    if seed < 0:
        raise SpecError(f"a seed is a whole number from 0, not {seed}")
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
