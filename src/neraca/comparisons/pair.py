"""Two runs in one metric: which pairs are compared, and the difference that a test finds between the two runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from neraca.comparisons.difference import BayesianComparison, Difference, Equivalence
from neraca.metrics.metric import Metric
from neraca.scores.ranking_basis import NO_BASIS, RankingBasis
from neraca.stats.intervals.interval import keep_in_range
from neraca.stats.planning.power import items_needed
from neraca.stats.tests.correction import CORRECTIONS
from neraca.stats.tests.paired import Paired, Sample, name_of_test

#: Smallest gain of an item that is a win.
TIE = 1e-9
#: The test whose power `Difference.needed` is computed for; other tests have none.
NEEDED_BY = "t"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Runs a and b in one metric, without a test.

    Attributes
    ----------
    n, sessions
        Items that are scored in both runs, and independent observations among them.
    wins, ties, losses
        Items on which a is better, equal, worse.
    effect, effect_interval
        Cohen's d_z of the paired differences, and its bounds.
    basis_a, basis_b
        As of `Difference`.
    """

    metric: Metric
    a: str
    b: str
    n: int
    sessions: int
    wins: int
    ties: int
    losses: int
    effect: float
    effect_interval: tuple[float, float]
    basis_a: RankingBasis = NO_BASIS
    basis_b: RankingBasis = NO_BASIS


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPair(Pair):
    """A pair whose paired differences are in memory.

    `copy` is True if both runs have the same answers, so that no question can tell them apart.
    """

    sample: Sample
    copy: bool = False


def pairs_to_compare(runs: int, baseline: int | None = None) -> list[tuple[int, int]]:
    """Return the places of the two runs of each comparison: every two runs, or each other run and the baseline.

    >>> pairs_to_compare(3), pairs_to_compare(3, baseline=1)
    ([(0, 1), (0, 2), (1, 2)], [(0, 1), (2, 1)])
    """
    if baseline is None:
        return list(combinations(range(runs), 2))
    return [(run, baseline) for run in range(runs) if run != baseline]


def families_of(metrics: Sequence[Metric], primary: str) -> list[list[int]]:
    """Return the places of the comparisons that are corrected together.

    The families are the primary metric, the other metrics, and the diagnostics.
    """
    families: list[list[int]] = [[], [], []]
    for place, metric in enumerate(metrics):
        families[0 if metric == primary else 2 if metric.diagnostic else 1].append(place)
    return families


def adjust(p: Sequence[float], families: Iterable[Sequence[int]], correction: str) -> list[float]:
    """Return the p-values, each corrected within its family.

    >>> adjust([0.01, 0.02, 0.03], [[0], [1, 2]], "bonferroni")
    [0.01, 0.04, 0.06]
    """
    adjusted = np.array(p, dtype=np.float64)
    for family in families:
        adjusted[family] = CORRECTIONS[correction](adjusted[family])
    return [float(value) for value in adjusted]


def difference_of(
    pair: Pair,
    result: Paired,
    p_adjusted: float,
    correction: str,
    level: float,
    equivalence: Equivalence | None = None,
    bayes: BayesianComparison | None = None,
) -> Difference:
    """Return the difference of a pair from the result of its test at a level of confidence."""
    limits = pair.metric.definition.limits_of_difference
    low, high = keep_in_range(result.difference, (result.low, result.high), limits, pair.sessions, tested=[0.0])
    return Difference(
        metric=str(pair.metric),
        a=pair.a,
        b=pair.b,
        difference=result.difference,
        low=low,
        high=high,
        p=result.p,
        p_adjusted=p_adjusted,
        effect=pair.effect,
        effect_low=pair.effect_interval[0],
        effect_high=pair.effect_interval[1],
        wins=pair.wins,
        ties=pair.ties,
        losses=pair.losses,
        n=pair.n,
        test=result.test,
        correction=correction,
        better=_better(pair, result, p_adjusted, 1 - level),
        needed=_needed(pair, result, 1 - level),
        sessions=pair.sessions,
        equivalence=equivalence,
        statistic=math.nan if math.isnan(result.p) else result.statistic,
        df=result.df,
        interval_method=method_of_interval(result, low, high),
        basis_a=pair.basis_a,
        basis_b=pair.basis_b,
        bayes=bayes,
    )


def method_of_interval(result: Paired, low: float, high: float) -> str:
    """Return how an interval was made: by the test, or `bounded` where that left the range; "" without a width.

    >>> method_of_interval(Paired(0.5, 0.1, 1.2, 0.01, 2.5, 0.2, 9, "t"), 0.1, 0.9)
    'bounded'
    """
    if math.isnan(low) or low == high:
        return ""
    return name_of_test(result.test) if (low, high) == (result.low, result.high) else "bounded"


def better_run(metric: Metric, a: str, b: str, difference: float) -> str:
    """Return the run that a significant difference a - b favours; "" for a diagnostic, which favours none."""
    if metric.diagnostic:
        return ""
    return a if (difference > 0) == metric.higher_is_better else b


def _better(pair: Pair, result: Paired, p_adjusted: float, alpha: float) -> str:
    """Return the better run; "" without significance, or if the test and the mean point to different runs."""
    if not p_adjusted < alpha or not result.statistic * result.difference > 0:
        return ""
    return better_run(pair.metric, pair.a, pair.b, result.difference)


def _needed(pair: Pair, result: Paired, alpha: float) -> int | None:
    """Return the items with which t finds a difference of this size 4 times of 5, for sessions as long as these."""
    if not result.error > 0 or name_of_test(result.test) != NEEDED_BY:
        return None
    sessions = items_needed(result.difference / (result.error * math.sqrt(pair.sessions)), alpha)
    return None if sessions is None else math.ceil(sessions * pair.n / pair.sessions)
