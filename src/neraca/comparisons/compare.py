"""Compare runs on the same items: size of each difference, its interval and test, and the items needed to show it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neraca.comparisons.baseline_name import name_of_baseline
from neraca.comparisons.difference import Difference, Differences
from neraca.comparisons.equivalence import ComparisonOptions, Margin, check_margin, equivalences, margins, posterior
from neraca.comparisons.pair import (
    TIE,
    SampledPair,
    adjust,
    difference_of,
    families_of,
    pairs_to_compare,
)
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.runs.run import Run
from neraca.scores.ranking_basis import ranking_basis
from neraca.scores.same_answers import same_answers
from neraca.scores.score import score
from neraca.scores.scores import RunScores, Scores
from neraca.stats.intervals.bearing import bears_on
from neraca.stats.intervals.effect import effect_interval, paired_effect
from neraca.stats.intervals.interval import Floats, pseudo_values
from neraca.stats.tests.correction import CORRECTIONS
from neraca.stats.tests.paired import Paired, Sample, standard_error
from neraca.stats.tests.paired_tests import OF_SHARES, TESTS
from neraca.stats.tests.tukey import tukey

TUKEY = "tukey"
#: The tests of two runs, and a test of all runs at once.
KNOWN_TESTS = (*TESTS, TUKEY)


def compare(
    runs: Scores | Iterable[Run | str | Path],
    metrics: str | Iterable[str | Metric] = "",
    *,
    primary: str = "",
    test: str = "t",
    correction: str = "holm",
    seed: int = 0,
    margin: Margin | None = None,
    bayes: bool = False,
    against: str | Path = "",
    relevance: str = "auto",
    by: str = "",
    combine: str = "",
    level: float = 0.95,
    language: str = "",
    unit: str = "auto",
    correct: str = "",
    sample: str | Path | None = None,
) -> Differences:
    """Compare every pair of runs, or each run with a baseline, in every metric.

    Parameters
    ----------
    runs
        Scores (of run folders, TREC runs or texts), or the runs to score first.
    metrics
        The metrics to score runs with.
    primary
        The metric that decides, declared beforehand; for the default see `primary_of`.  Its comparisons are a family
        of their own, so that other metrics do not weaken it.  The comparisons of diagnostics are another family.
    test
        One of `neraca.stats.tests.paired_tests.TESTS`, or `tukey`: all runs at once, on the items scored in all.
        Totals that are no means of items (`PassRatio`, corpus BLEU) are tested by their jackknife pseudo-values.
    correction
        One of `neraca.stats.tests.correction.CORRECTIONS`; applied within each family.
    seed
        Seed of `randomisation`, `bootstrap`, `tukey` and `bayes`.
    margin
        The largest difference that does not matter: a number for the primary metric, or a mapping from metrics to
        numbers.  With it, equivalence and non-inferiority are tested too.
    bayes
        Also compute the posterior chances that each run is better, or that both are equivalent.
    against
        The baseline: the name, folder or file of one of the runs.  Each other run is compared with it alone, as
        run - baseline, and p is corrected for these comparisons.
    relevance, by, combine, level, language, unit, correct, sample
        See `neraca.score`; for runs that are not scored yet.

    Raises
    ------
    SpecError
        If a metric, test or correction is unknown, a margin is invalid, or `mcnemar` gets values other than 0 and 1.
    InputError
        If there are fewer than two runs, or the baseline is none of them.
    """
    check_comparing(test, correction, seed, margin, bayes, against)
    if isinstance(runs, Scores):
        unscored_runs, scores = [], runs
    else:
        unscored_runs = list(runs)
        sources = {"relevance": relevance, "by": by, "combine": combine, "language": language}
        scores = score(unscored_runs, metrics, **sources, level=level, unit=unit, correct=correct, sample=sample)
    if len(scores.runs) < 2:
        raise InputError("a comparison needs at least two runs")
    baseline = name_of_baseline(scores, against, unscored_runs)
    first = str(primary_of(scores.metrics, primary))
    limits = margins(margin, scores.metrics, first)
    how = ComparisonOptions(
        margins=limits, test=test, correction=correction, seed=seed, level=scores.level, bayes=bayes
    )
    return Differences(_differences(scores, how, first, baseline))


def _differences(scores: Scores, options: ComparisonOptions, primary: str, baseline: str) -> Iterator[Difference]:
    """Test every pair, and yield the difference of each."""
    pairs = [pair for metric in scores.metrics for pair in _pairs(metric, scores, options.test, baseline)]
    families = families_of([pair.metric for pair in pairs], primary)
    samples = [pair.sample for pair in pairs]
    if options.test == TUKEY:
        correction, results = TUKEY, _tukey(scores, samples, options.seed)
        adjusted = [result.p for result in results]
    else:
        correction, results = options.correction, TESTS[options.test](samples, options.level, options.seed)
        adjusted = adjust([result.p for result in results], families, correction)
    within_margins = equivalences(pairs, families, options)
    for pair, result, p, equivalence in zip(pairs, results, adjusted, within_margins, strict=True):
        bayes = posterior(pair, equivalence.margin, options.seed) if equivalence and options.bayes else None
        yield difference_of(pair, result, p, correction, options.level, equivalence, bayes)


def primary_of(metrics: Sequence[Metric], declared: str = "") -> Metric:
    """Return the primary metric: the declared one, else the first that is no diagnostic, else the first.

    Raise `SpecError` if the declared metric is not scored.

    >>> str(primary_of(Metric.several("Words ROUGE-L TokenF1")))
    'ROUGE-L'
    """
    if not declared:
        return next((metric for metric in metrics if not metric.diagnostic), metrics[0])
    primary = Metric.of(declared)
    if primary not in metrics:
        raise SpecError(f"the primary metric {primary} is not among those scored: {', '.join(map(str, metrics))}")
    return primary


def _pairs(metric: Metric, scores: Scores, test: str, baseline: str) -> list[SampledPair]:
    """Return every two runs, or each run and the baseline, with the items that are scored in both.

    A test of all runs uses the items that are scored in all runs.
    """
    runs = scores.runs
    in_every_run = scored_in_all(metric, runs) if test == TUKEY else None
    basis = [ranking_basis(run, metric) for run in runs]
    place_of_baseline = [run.name for run in runs].index(baseline) if baseline else None
    pairs = []
    for a, b in pairs_to_compare(len(runs), place_of_baseline):
        if in_every_run:
            rows_a, rows_b, sessions = in_every_run[0][a], in_every_run[0][b], in_every_run[1]
        else:
            rows_a, rows_b, sessions = scored_in_both(metric, runs[a], runs[b])
        if test in OF_SHARES:
            _check_shares(metric, rows_a, rows_b, test)
        gains = (metric.total(rows_a) - metric.total(rows_b)) * (1 if metric.higher_is_better else -1)
        wins, losses = int((gains > TIE).sum()), int((gains < -TIE).sum())
        differences = paired_differences(metric, rows_a, rows_b)
        sample = Sample(differences, sessions).ordered()
        pair = SampledPair(
            metric=metric,
            a=runs[a].name,
            b=runs[b].name,
            n=len(differences),
            sessions=sample.sessions,
            wins=wins,
            ties=int(np.isfinite(gains).sum()) - wins - losses,
            losses=losses,
            effect=paired_effect(sample.differences),
            effect_interval=effect_interval(sample.differences, sample.clusters, scores.level),
            basis_a=basis[a],
            basis_b=basis[b],
            sample=sample,
            copy=len(differences) > 0 and not differences.any() and same_answers(runs[a], runs[b], metric),
        )
        pairs.append(pair)
    return pairs


def _tukey(scores: Scores, samples: Iterable[Sample], seed: int) -> list[Paired]:
    """Return the results of Tukey's test for each pair, metric by metric; its intervals hold simultaneously."""
    samples = iter(samples)
    results = []
    for metric in scores.metrics:
        rows, sessions = scored_in_all(metric, scores.runs)
        values = np.column_stack([pseudo_values(counts, metric.total) for counts in rows])
        values += [metric.total(counts.sum(axis=0)) for counts in rows] - values.mean(axis=0) if len(values) else 0.0
        test = tukey(values, sessions, scores.level, seed)
        for a, b in combinations(range(len(scores.runs)), 2):
            sample = next(samples)
            d = sample.differences
            mean, error = (float(d.mean()), standard_error(d, sample.clusters)) if len(d) else (math.nan, math.nan)
            p = float(test.p[a, b])
            results.append(Paired(mean, mean - test.half, mean + test.half, p, mean, error, len(d), test.test))
    return results


def _check_shares(metric: Metric, rows_a: Floats, rows_b: Floats, test: str) -> None:
    """Raise `SpecError` if an item's value is neither 0 nor 1, or the total is no mean of the items."""
    values = np.round(np.concatenate([pseudo_values(rows, metric.total) for rows in (rows_a, rows_b)]), 9)
    outside = values[~np.isin(values, (0.0, 1.0))]
    if len(outside):
        raise SpecError(
            f"the test {test} is of values that are 0 or 1 on each question, and {metric} has others "
            f"(such as {outside[0]:.3g}); use t, wilcoxon, sign, randomisation or bootstrap"
        )


def scored_in_all(metric: Metric, runs: Sequence[RunScores]) -> tuple[tuple[Floats, ...], NDArray[np.int64]]:
    """Return the counts of the n items scored in all runs, shape (n, w) for each run, and the observation of each item.

    Items that bear on the total of no run (`bears_on`) are left out.  If there are too few observations for a
    test, all items are one (`neraca.scores.unit.enough`).
    """
    rows = [run.rows(str(metric)) for run in runs]
    scored = ~np.any([np.isnan(counts).any(axis=1) for counts in rows], axis=0)
    scored[scored] = np.any([bears_on(counts[scored], metric.total) for counts in rows], axis=0)
    return tuple(counts[scored] for counts in rows), runs[0].clusters_in(scored)


def scored_in_both(metric: Metric, a: RunScores, b: RunScores) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return the counts of the n items scored in both runs, shape (n, w) each, and the observation of each item."""
    (rows_a, rows_b), sessions = scored_in_all(metric, (a, b))
    return rows_a, rows_b, sessions


def paired_differences(metric: Metric, rows_a: Floats, rows_b: Floats) -> Floats:
    """Return the contribution of each item to the difference of the totals, shape (n,); their mean is that difference.

    A difference that is 0 up to rounding becomes 0, so that it is a tie.
    """
    values_a, values_b = pseudo_values(rows_a, metric.total), pseudo_values(rows_b, metric.total)
    d: Floats = values_a - values_b
    d += metric.total(rows_a.sum(axis=0)) - metric.total(rows_b.sum(axis=0)) - d.mean() if len(d) else 0.0
    d[np.abs(d) <= 1e-13 * np.maximum(np.abs(values_a), np.abs(values_b)).max(initial=0.0)] = 0.0
    return d


def check_comparing(
    test: str,
    correction: str,
    seed: int = 0,
    margin: Margin | None = None,
    bayes: bool = False,
    against: str | Path = "",
) -> None:
    """Raise `SpecError` if an option is unknown or invalid, or if options exclude each other."""
    check_seed(seed)
    check_test(test)
    check_correction(correction)
    if test == TUKEY and str(against):
        raise SpecError("the test tukey compares every two runs; with a baseline use t or randomisation, and holm")
    check_margin(margin)
    if bayes and not margin:
        raise SpecError("the Bayesian comparison asks whether a difference matters: give the margin from which it does")


def check_seed(seed: int) -> None:
    """Raise `SpecError` for a negative seed."""
    if seed < 0:
        raise SpecError(f"a seed is a whole number from 0, not {seed}")


def check_test(test: str) -> None:
    """Raise `SpecError` for an unknown paired test."""
    if test not in KNOWN_TESTS:
        raise SpecError(f"no test is called {test!r}; known: {', '.join(KNOWN_TESTS)}")


def check_correction(correction: str) -> None:
    """Raise `SpecError` for an unknown correction of several p-values."""
    if correction not in CORRECTIONS:
        raise SpecError(f"no correction is called {correction!r}; known: {', '.join(CORRECTIONS)}")


def ranking(scores: Scores, metric: str) -> list[str]:
    """Return the names of the runs, best first by a metric over the items that are scored in all of them.

    A run without any scored item is left out.  Runs with the same value keep their order.  Empty if no item is scored
    in all remaining runs.
    """
    chosen = Metric.of(metric)
    runs = [run for run in scores.runs if not np.isnan(run.rows(str(chosen))).any(axis=1).all()]
    if not runs:
        return []
    rows, _ = scored_in_all(chosen, runs)
    if not len(rows[0]):
        return []
    values = {run.name: float(chosen.total(counts.sum(axis=0))) for run, counts in zip(runs, rows, strict=True)}
    sign = -1 if chosen.higher_is_better else 1
    return sorted((name for name in values if not math.isnan(values[name])), key=lambda name: sign * values[name])
