"""Differences between runs on the same items: how large, how sure, and how many items it would take to know."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TypedDict, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from neraca.comparisons.difference import Difference
from neraca.comparisons.equivalence import EquivalenceOptions, Margin, check_margin, margins, with_equivalence
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.runs.run import Run
from neraca.scores.score import score
from neraca.scores.scores import RunScores, Scores
from neraca.stats.correction import CORRECTIONS, uncorrected
from neraca.stats.effect import effect_interval, paired_effect
from neraca.stats.interval import Floats, pseudo_values
from neraca.stats.paired import Paired, Sample, standard_error
from neraca.stats.paired_tests import OF_SHARES, TESTS
from neraca.stats.power import items_needed
from neraca.stats.tukey import tukey

TIE = 1e-9

TUKEY = "tukey"
#: What is in `neraca.stats.paired_tests.TESTS`, and a test of all runs at once.
KNOWN_TESTS = (*TESTS, TUKEY)
#: Tests that do not ask for the mean difference, so that what a t-test needs says nothing of them.
NOT_OF_MEANS = ("wilcoxon", "sign")


class Scoring(TypedDict, total=False):
    """How `compare` scores runs that are not scored yet; see `neraca.scores.score.score`."""

    relevance: str
    by: str
    level: float
    language: str


class Options(Scoring, total=False):
    """What `compare` also takes: a margin, and whether chances are told."""

    margin: Margin | None
    bayes: bool


def compare(
    runs: Scores | Iterable[Run | str | Path],
    metrics: str | Iterable[str | Metric] = "",
    *,
    primary: str = "",
    test: str = "t",
    correction: str = "holm",
    seed: int = 0,
    **options: Unpack[Options],
) -> list[Difference]:
    """Compare every pair of runs in every metric.

    Parameters
    ----------
    runs
        Scores (of run folders, of TREC runs, or of texts), or the runs to score first with `metrics` and `relevance`,
        `by`, `level` and `language` of `neraca.score`.
    primary
        The metric on which the decision was declared to rest: its comparisons are a family of their own, so that
        the others do not weaken it.
    test
        One of `neraca.stats.paired_tests.TESTS`, or `tukey`: all runs at once, on the items scored in all of them.
        Of totals that are no means of items (`PassRatio`, corpus BLEU) it sees the jackknife pseudo-values.
    correction
        One of `neraca.stats.correction.CORRECTIONS`; applied within each family.
    seed
        Of what draws at random: `randomisation`, `bootstrap`, `tukey`, and the chances of `bayes`.
    options
        `margin`, the largest difference that does not matter: of the primary metric (of all, where none is declared),
        or a mapping from metrics to theirs; with it, who is not worse and what is equivalent is claimed, too.  With
        `bayes=True` the chances of both also come from a posterior.

    Raises
    ------
    SpecError
        For an unknown metric, test or correction, a margin that is none, and `mcnemar` of values not all 0 or 1.
    InputError
        With fewer than two runs.
    """
    margin, bayes = options.pop("margin", None), options.pop("bayes", False)
    check_comparing(test, correction, seed, margin, bayes)
    scores = runs if isinstance(runs, Scores) else score(runs, metrics, **cast(Scoring, options))
    sheets: Sequence[RunScores] = scores.runs
    if len(sheets) < 2:
        raise InputError("a comparison needs at least two runs")
    first = str(Metric.of(primary)) if primary else ""
    if first and first not in map(str, scores.metrics):
        raise SpecError(f"the primary metric {first} is not among those scored: {', '.join(map(str, scores.metrics))}")
    how = EquivalenceOptions(margins(margin, scores.metrics, first), test, correction, seed, scores.level, bayes)
    pairs = [pair for metric in scores.metrics for pair in _pairs(metric, sheets, test)]
    samples = [pair.sample for pair in pairs]
    tukeys = test == TUKEY
    tested = _tukeys(scores, pairs, seed) if tukeys else TESTS[test](samples, scores.level, seed)
    found = [_difference(scores.level, pair, told) for pair, told in zip(pairs, tested, strict=True)]
    families = [[place for place, pair in enumerate(pairs) if (pair.metric == first) == own] for own in (True, False)]
    found = _corrected(found, families, TUKEY if tukeys else correction)
    better = [_better(one, told.statistic, scores.level) for one, told in zip(found, tested, strict=True)]
    found = [replace(one, better=name) for one, name in zip(found, better, strict=True)]
    return with_equivalence(found, samples, families, how)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two runs in one metric: differences and sessions of the items scored in both, and how many items are better."""

    metric: Metric
    a: str
    b: str
    sample: Sample
    tally: tuple[int, int, int]


def _pairs(metric: Metric, sheets: Sequence[RunScores], test: str) -> list[_Pair]:
    """Every two runs, on the items scored in both; for a test of all runs at once, on those scored in all."""
    every = scored_in_all(metric, sheets) if test == TUKEY else None
    pairs = []
    for a, b in combinations(range(len(sheets)), 2):
        rows, sessions = every or scored_in_all(metric, (sheets[a], sheets[b]))
        rows_a, rows_b = (rows[a], rows[b]) if every else rows
        if test in OF_SHARES:
            _check_shares(metric, rows_a, rows_b, test)
        single = (metric.total(rows_a) - metric.total(rows_b)) * (1 if metric.higher_is_better else -1)
        wins, losses = int((single > TIE).sum()), int((single < -TIE).sum())
        tally = wins, int(np.isfinite(single).sum()) - wins - losses, losses
        sample = Sample(paired_differences(metric, rows_a, rows_b), sessions)
        pairs.append(_Pair(metric, sheets[a].name, sheets[b].name, sample, tally))
    return pairs


def _tukeys(scores: Scores, pairs: Sequence[_Pair], seed: int) -> list[Paired]:
    """What Tukey's test of all runs finds of each pair, metric by metric; its intervals hold all together."""
    sheets: Sequence[RunScores] = scores.runs
    each = iter(pairs)
    told = []
    for metric in scores.metrics:
        rows, sessions = scored_in_all(metric, sheets)
        values = np.column_stack([pseudo_values(counts, metric.total) for counts in rows])
        values += [metric.total(counts.sum(axis=0)) for counts in rows] - values.mean(axis=0) if len(values) else 0.0
        found = tukey(values, sessions, scores.level, seed)
        for a, b in combinations(range(len(sheets)), 2):
            d = next(each).sample.differences
            mean = float(d.mean()) if len(d) else math.nan
            p, error = float(found.p[a, b]), standard_error(d, sessions) if len(d) else math.nan
            told.append(Paired(mean, mean - found.half, mean + found.half, p, mean, error, len(d), found.test))
    return told


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


def scored_in_all(metric: Metric, sheets: Sequence[RunScores]) -> tuple[tuple[Floats, ...], NDArray[np.int64]]:
    """For each run counts of the n items that are scored in all of them, shape (n, w); the number of each's session."""
    rows = [sheet.rows(str(metric)) for sheet in sheets]
    scored = ~np.any([np.isnan(counts).any(axis=1) for counts in rows], axis=0)
    return tuple(counts[scored] for counts in rows), sheets[0].clusters[scored]


def scored_in_both(metric: Metric, a: RunScores, b: RunScores) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Counts of the n items that are scored in both runs, shapes (n, w), and the number of each one's session."""
    (rows_a, rows_b), sessions = scored_in_all(metric, (a, b))
    return rows_a, rows_b, sessions


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
    if not found.error > 0 or found.test.partition("(")[0] in NOT_OF_MEANS:
        return None
    needed = items_needed(found.difference / (found.error * math.sqrt(sessions)), alpha)
    return None if needed is None else math.ceil(needed * found.n / sessions)


def _corrected(found: Sequence[Difference], families: Sequence[Sequence[int]], correction: str) -> list[Difference]:
    """The same with the p of each family's comparisons adjusted; those of Tukey's test already are."""
    told = list(found)
    for family in families:
        p = np.array([found[place].p for place in family], dtype=np.float64)
        for place, adjusted in zip(family, CORRECTIONS.get(correction, uncorrected)(p).tolist(), strict=True):
            told[place] = replace(found[place], p_adjusted=adjusted, correction=correction)
    return told


def _better(d: Difference, statistic: float, level: float) -> str:
    """Who is better, or ""; a test of ranks or signs may point elsewhere than the mean, and then nobody is."""
    metric = Metric.of(d.metric)
    sure = not math.isnan(d.p_adjusted) and d.p_adjusted < 1 - level and not metric.neutral
    if not sure or not statistic * d.difference > 0:
        return ""
    return d.a if (d.difference > 0) == metric.higher_is_better else d.b


def check_comparing(
    test: str, correction: str, seed: int = 0, margin: Margin | None = None, bayes: bool = False
) -> None:
    """Raise `SpecError` where there is no such test, correction, seed or margin."""
    if seed < 0:
        raise SpecError(f"a seed is a whole number from 0, not {seed}")
    if test not in KNOWN_TESTS:
        raise SpecError(f"no test is called {test!r}; known: {', '.join(KNOWN_TESTS)}")
    if correction not in CORRECTIONS:
        raise SpecError(f"no correction is called {correction!r}; known: {', '.join(CORRECTIONS)}")
    check_margin(margin)
    if bayes and not margin:
        raise SpecError("the Bayesian comparison asks whether a difference matters: give the margin from which it does")


def ranking(scores: Scores, metric: str) -> list[str]:
    """Names of the runs, best first by a metric over the items that are scored in all of them.

    A run of which nothing is scored is left out; empty where the others have no item in common; equal runs keep
    their order.
    """
    found = Metric.of(metric)
    rows = {sheet.name: sheet.rows(str(found)) for sheet in scores.runs}
    rows = {name: counts for name, counts in rows.items() if not np.isnan(counts).any(axis=1).all()}
    if not rows:
        return []
    common = ~np.any([np.isnan(counts).any(axis=1) for counts in rows.values()], axis=0)
    values = {name: float(found.total(counts[common].sum(axis=0))) for name, counts in rows.items()}
    sign = -1 if found.higher_is_better else 1
    return sorted((name for name in values if not math.isnan(values[name])), key=lambda name: sign * values[name])
