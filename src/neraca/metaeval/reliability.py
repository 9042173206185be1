"""Reliability of metrics on the data at hand: over repeated answers, over other questions, and between metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from neraca.comparisons.compare import TUKEY, check_seed, check_test, paired_differences, scored_in_both
from neraca.errors import SpecError
from neraca.metaeval.correlate import correlate
from neraca.metaeval.correlations import Correlations
from neraca.metaeval.trials import RepeatedDifference, Repeats, repeated_difference, repeats
from neraca.metrics.metric import Metric
from neraca.number_format import number
from neraca.result import Table, Tabular
from neraca.scores.scores import RunScores, Scores
from neraca.stats.agreement.correlation import pearson
from neraca.stats.agreement.discrimination import Discrimination, discrimination, tukey_discrimination
from neraca.stats.agreement.rank_correlation import grouped, rbo, tau_ap_b
from neraca.stats.agreement.split_half import SPLITS, SplitHalf, split_half
from neraca.stats.intervals.interval import Estimate, Floats, pseudo_values
from neraca.stats.intervals.trials import ErrorParts
from neraca.stats.tests.paired import Sample
from neraca.stats.tests.paired_tests import OF_SHARES

#: Rankings of systems are short: the first place has 69 % of the weight, the first three have 95 %.
PERSISTENCE = 0.5


@dataclass(frozen=True, slots=True)
class Stability:
    """Ranking of the runs by one metric, and its stability over other questions.

    Attributes
    ----------
    values
        Run → value over the questions that are scored in all runs.
    split
        Agreement between the rankings by random halves of these questions; None with a single question or session.
    discrimination
        Pairs of runs with a significant difference.
    n
        Number of questions that are scored in all runs.
    """

    metric: str
    n: int
    values: dict[str, float]
    split: SplitHalf | None
    discrimination: Discrimination


@dataclass(frozen=True, slots=True)
class RankingAgreement:
    """Agreement of two metrics' rankings of the runs: Kendall's tau-b, AP correlation (tau_AP,b), rank-biased overlap.

    The first two are NaN if all runs are equal in one of the metrics.
    """

    one: str
    other: str
    tau: float
    tau_ap: float
    rbo: float
    runs: int


@dataclass(frozen=True, repr=False)
class Reliability(Tabular):
    """Reliability of the metrics, as the data show it.

    Attributes
    ----------
    repeats, differences
        A row for each metric and run that was asked several times; a row for each pair of such runs.
    stability
        A row for each metric of which more or less is better; () with a single run.
    rankings
        A row for each pair of these metrics; () with fewer than three runs.
    level
        Confidence of intervals and tests.
    at
        Lowest value with which an answer passes, in metrics that are not themselves 0 or 1; None: no threshold.
    """

    repeats: tuple[Repeats, ...]
    differences: tuple[RepeatedDifference, ...]
    stability: tuple[Stability, ...]
    rankings: tuple[RankingAgreement, ...]
    level: float
    at: float | None
    scores: Scores = field(repr=False)

    @cached_property
    def correlations(self) -> Correlations | None:
        """Spearman correlations between the metrics over answers; None for a single metric."""
        return correlate(self.scores, level=self.level) if len(list(self.scores.metrics)) > 1 else None

    def _tables(self) -> Iterator[Table]:
        repeat_rows = [
            [repeat.metric, repeat.run, str(repeat.components.items), number(repeat.components.icc.value, 2)]
            for repeat in self.repeats
        ]
        ranking_rows = [
            [
                ranking.metric,
                str(ranking.n),
                f"{ranking.discrimination.told_apart} of {ranking.discrimination.pairs}",
                *((number(ranking.split.swaps), number(ranking.split.tau, 2)) if ranking.split else ("–", "–")),
            ]
            for ranking in self.stability
        ]
        if repeat_rows:
            yield Table(["metric", "run", "n", "ICC"], repeat_rows, names=2)
        if ranking_rows or not repeat_rows:
            yield Table(["metric", "n", "told apart", "swaps", "tau"], ranking_rows)

    def rows(self) -> list[dict[str, Any]]:
        """Return flat rows; `kind` is `trials`, `difference`, `ranking`, `rankings` or `correlation`."""
        return [*_repeat_rows(self), *_ranking_rows(self)]


def reliability(
    scores: Scores,
    *,
    at: float | None = None,
    test: str = "t",
    splits: int = SPLITS,
    seed: int = 0,
) -> Reliability:
    """Measure how reliable the metrics are: would they rank the runs the same if asked again, or with other questions.

    Parameters
    ----------
    scores
        What `score`, `trec` or `text` returned.
    at
        Lowest value with which an answer passes (highest in metrics of errors), if values are not 0 or 1; used for the
        share of flipped decisions.
    test
        The test of pairs of runs: one of `neraca.stats.tests.paired_tests.TESTS`, or `tukey` (all pairs at once).
    splits, seed
        Number of random halves of the questions, and the seed that draws them.

    Raises
    ------
    SpecError
        If the test is unknown, or a number is out of its range.

    Notes
    -----
    Only run folders hold several trials.  Runs are ranked by the questions that are scored in all runs.  Pairs are
    tested on the questions scored in both, as in `compare`; `tukey` uses those scored in all.

    Examples
    --------
    >>> from neraca.scores.trec import trec
    >>> qrels = {q: {"d": 1} for q in ("q1", "q2", "q3", "q4")}
    >>> good, bad = ({q: {"d": high, "e": 0.5} for q in qrels} for high in (0.9, 0.1))
    >>> result = reliability(trec(qrels, {"good": good, "bad": bad}, "RR"))
    >>> result.stability[0].values, result.stability[0].split.swaps
    ({'good': 1.0, 'bad': 0.5}, 0.0)
    """
    _check(at, test, splits, seed)
    runs = scores.runs
    ranked = [metric for metric in scores.metrics if not metric.neutral] if len(runs) > 1 else []
    stability = [_stability(metric, runs, scores.level, (test, splits, seed)) for metric in ranked]
    repeated = [run for run in runs if run.trials > 1]
    measured = [repeats(metric, run, at, scores.level) for metric in scores.metrics for run in repeated]
    differences = [repeated_difference(m, a, b) for m in scores.metrics for a, b in combinations(repeated, 2)]
    rankings = [ranking for ranking in stability if ranking is not None]
    return Reliability(
        tuple(repeat for repeat in measured if repeat is not None),
        tuple(difference for difference in differences if difference is not None),
        tuple(rankings),
        tuple(_rankings(rankings)) if len(runs) > 2 else (),
        scores.level,
        at,
        scores,
    )


def _check(at: float | None, test: str, splits: int, seed: int) -> None:
    check_test(test)
    check_seed(seed)
    if at is not None and not math.isfinite(at):
        raise SpecError(f"at is the value from which an answer passes, such as 0.5, not {at:g}")
    if splits < 1:
        raise SpecError(f"splits is how many random halves are compared, such as {SPLITS}, not {splits}")


# other questions


def _stability(metric: Metric, runs: Sequence[RunScores], level: float, how: tuple[str, int, int]) -> Stability | None:
    """Return the stability of one metric; None if no question is scored in all runs."""
    test, splits, seed = how
    rows = np.stack([run.rows(metric) for run in runs])
    common = np.logical_not(np.isnan(rows).any(axis=(0, 2)))
    if not common.any():
        return None
    rows, groups, sign = rows[:, common], runs[0].clusters_in(common), 1 if metric.higher_is_better else -1
    n, totals = int(common.sum()), metric.total(rows.sum(axis=1)).tolist()
    values = dict(zip((run.name for run in runs), totals, strict=True))
    split = split_half(rows, lambda sums: sign * metric.total(sums), groups, splits, seed)
    if test == TUKEY:
        columns = np.column_stack([pseudo_values(of_run, metric.total) for of_run in rows])
        return Stability(str(metric), n, values, split, tukey_discrimination(columns, groups, level, seed))
    pairs = [_sample(metric, a, b) for a, b in combinations(runs, 2)]
    if test in OF_SHARES and not all(np.isin(pair.differences, (-1.0, 0.0, 1.0)).all() for pair in pairs):
        raise SpecError(f"{metric}: the test {test} is for values that are 0 or 1; use t, wilcoxon or tukey")
    return Stability(str(metric), n, values, split, discrimination(pairs, level, test, seed))


def _sample(metric: Metric, a: RunScores, b: RunScores) -> Sample:
    rows_a, rows_b, sessions = scored_in_both(metric, a, b)
    return Sample(paired_differences(metric, rows_a, rows_b), sessions)


# each other


def _rankings(stability: Sequence[Stability]) -> Iterator[RankingAgreement]:
    """Yield the agreement of each pair of metrics that give every run a value."""
    columns: dict[str, Floats] = {}
    for ranking in stability:
        values = np.array(list(ranking.values.values())) * (1 if Metric.of(ranking.metric).higher_is_better else -1)
        if not np.isnan(values).any():  # values that differ only by rounding are ties
            columns[ranking.metric] = np.round(values / (float(np.abs(values).max()) or 1.0), 12)
    for (name_x, x), (name_y, y) in combinations(columns.items(), 2):
        overlap = rbo(grouped(x), grouped(y), PERSISTENCE).value
        yield RankingAgreement(name_x, name_y, _tau_b(x, y), tau_ap_b(x, y), overlap, len(x))


def _tau_b(x: Floats, y: Floats) -> float:
    """Return Kendall's tau-b as Pearson's r of the signs of all pairs (Daniels, H. E., 1944. Biometrika 33, 129).

    For few runs this is faster than importing scipy.stats, which `stats.agreement.correlation.kendall` needs.
    """
    return pearson(*(np.sign(values[:, None] - values).ravel() for values in (x, y)))


# rows


def _repeat_rows(result: Reliability) -> Iterator[dict[str, Any]]:
    for repeat in result.repeats:
        parts, flips = (
            repeat.components,
            repeat.flips or Estimate.without_interval(math.nan, 0, "values are not 0 or 1"),
        )
        yield {
            "kind": "trials",
            "metric": repeat.metric,
            "run": repeat.run,
            "n": parts.items,
            "answers": parts.answers,
            "trials": parts.trials,
            "between": parts.between,
            "within": parts.within,
            **_estimate("icc", parts.icc),
            **_estimate("icc_mean", parts.icc_mean),
            **_parts(repeat.parts),
            **_estimate("flips", flips),
            "flips_n": flips.n,
        }
    for pair in result.differences:
        names = {"kind": "difference", "metric": pair.metric, "a": pair.a, "b": pair.b, "n": pair.parts.items}
        yield {**names, "difference": pair.difference, **_parts(pair.parts)}


def _estimate(name: str, estimate: Estimate) -> dict[str, float | str]:
    flat: dict[str, float | str] = {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return flat | {f"{name}_why": estimate.why}


def _parts(parts: ErrorParts) -> dict[str, float]:
    return {
        "error": parts.error,
        "share_of_trials": parts.share,
        "error_twice_trials": parts.with_more(trials=2),
        "error_twice_questions": parts.with_more(items=2),
    }


def _ranking_rows(result: Reliability) -> Iterator[dict[str, Any]]:
    for ranking in result.stability:
        split = ranking.split
        yield {
            "kind": "ranking",
            "metric": ranking.metric,
            "n": ranking.n,
            "told_apart": ranking.discrimination.told_apart,
            "pairs": ranking.discrimination.pairs,
            "required": ranking.discrimination.required,
            "test": ranking.discrimination.test,
            "swaps": split.swaps if split else math.nan,
            "tau": split.tau if split else math.nan,
            "tau_ap": split.tau_ap if split else math.nan,
            "same_best": split.best if split else math.nan,
            "splits": split.splits if split else 0,
        }
    for pair in result.rankings:
        names = {"kind": "rankings", "one": pair.one, "other": pair.other, "runs": pair.runs}
        yield {**names, "tau": pair.tau, "tau_ap": pair.tau_ap, "rbo": pair.rbo}
    if (matrix := result.correlations) is not None:
        for i, j in combinations(range(len(matrix.names)), 2):
            names = {"kind": "correlation", "one": matrix.names[i], "other": matrix.names[j]}
            value, n = float(matrix.matrix[i, j]), int(matrix.n[i, j])
            yield {**names, matrix.method: value, "n": n}
