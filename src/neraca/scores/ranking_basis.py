"""The basis of a value of rankings: the share of judged hits, and the share of tied scores that decide their order."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from neraca.datasets.trec.ranked_judgments import Ties
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.graded import GradedHits
from neraca.scores.scores import RunScores
from neraca.scores.scoring import run_scores
from neraca.scores.undrawn import part_of_rankings, without_undrawn

#: Above this share of tied lines it is worth saying what another order of them would change.
MANY_TIED = 0.01


class RankingBasis(NamedTuple):
    """The basis of a metric's value of rankings in one run; NaN if it is unknown.

    Attributes
    ----------
    judged
        Judged@k at the last rank that the metric looks at, and at 10 where it has no cutoff.
    tied
        Share of the lines of a TREC run that have the score of another line of their query.
    worst, best
        The value if tied documents stood in their worst and in their best order; NaN where `tied` is at most 1 %, and
        for metrics of subtopics.
    """

    judged: float = math.nan
    tied: float = math.nan
    worst: float = math.nan
    best: float = math.nan


#: Of what looks at no ranking.
NO_BASIS = RankingBasis()


def ranking_basis(run: RunScores, metric: Metric) -> RankingBasis:
    """Return what the value of a metric in a run rests on; all is NaN for a metric that looks at no ranking."""
    if not (k := last_rank(metric)):
        return NO_BASIS
    return RankingBasis(judged_share(run, k), tied_share(run), *tie_range(run, metric))


def last_rank(metric: Metric) -> int:
    """Return the last rank that a metric of rankings looks at, 10 where it has no cutoff, 0 for any other metric.

    >>> last_rank(Metric.of("P@5")), last_rank(Metric.of("AP")), last_rank(Metric.of("TokenF1"))
    (5, 10, 0)
    """
    if metric.view is None or "grades" not in metric.needs:
        return 0
    return max(int(each.settings.get("at") or 0) for each in metric.with_inner()) or 10


def judged_share(run: RunScores, k: int) -> float:
    """Return the value of the metric Judged@k of a run, over drawn answers only; NaN if none of them has a hit."""
    if run.scorable is None:
        return math.nan
    metric = Metric.of(f"Judged@{k}")
    counts = score_metric(metric, run.scorable)
    if part := part_of_rankings(run):
        counts = without_undrawn(run, counts, part)
    return replace(run, counts={str(metric): counts}).total(metric)


def tied_share(run: RunScores) -> float:
    """Share of the lines of a TREC run that have the score of another line of their query; NaN of anything else."""
    return float(run.facts.get("tied", math.nan))


def tie_range(run: RunScores, metric: Metric) -> tuple[float, float]:
    """The value of a metric if tied documents stood in their worst and in their best order.

    Relevant documents stand behind or before all that have their score.  NaN where at most 1 % of the lines are tied,
    and for metrics of subtopics, whose best order no sorting finds.
    """
    if run.scorable is None or not tied_share(run) > MANY_TIED or "subtopics" in metric.needs:
        return math.nan, math.nan
    orders = run.scorable.column("orders")
    # a metric of a user's own, or one that looks at what nobody judged, may like another order still better
    values = [run.total(metric), *(run_scores(part, [metric]).total(metric) for part in orders)]
    low, high = min(values), max(values)
    return (low, high) if metric.higher_is_better else (high, low)


def reordered(hits: GradedHits, ties: Ties) -> tuple[GradedHits, GradedHits]:
    """Put tied hits into their worst order (rising grades) and their best order (falling grades).

    >>> hits = GradedHits(np.array([0.0, 1]), np.array([2, 3]), np.array([0, 0]), np.array([4]))
    >>> [order.rank.tolist() for order in reordered(hits, Ties(np.array([1, 1]), np.array([4, 4]), 4))]
    [[3, 4], [1, 2]]
    """
    by_grade = np.lexsort((-hits.grade, ties.first, hits.owner))
    owner, first = hits.owner[by_grade], ties.first[by_grade]
    places = np.arange(len(owner))
    new = np.ones(len(owner), dtype=bool)
    new[1:] = (owner[1:] != owner[:-1]) | (first[1:] != first[:-1])
    above = places - np.maximum.accumulate(np.where(new, places, 0))
    ranks = ties.last[by_grade] - above, first + above
    orders = [np.lexsort((rank, owner)) for rank in ranks]
    worst, best = (
        GradedHits(hits.grade[by_grade][order], rank[order], owner[order], hits.returned)
        for rank, order in zip(ranks, orders, strict=True)
    )
    return worst, best
