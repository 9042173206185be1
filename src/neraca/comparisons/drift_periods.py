"""Means of a run's metrics over periods, and their differences from the reference period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neraca.comparisons.drift_result import Shift
from neraca.comparisons.pair import adjust
from neraca.comparisons.time_buckets import Buckets, Reference
from neraca.metrics.metric import Metric
from neraca.scores.estimate import Place, estimate
from neraca.scores.scores import RunScores, Score, Scores, is_count
from neraca.stats.intervals.bearing import bears_on
from neraca.stats.intervals.interval import mean, pseudo_values
from neraca.stats.intervals.reference_difference import (
    PeriodMean,
    ReferenceDifference,
    period_mean,
    reference_difference,
)

Bools = NDArray[np.bool_]
#: Why a metric is not compared.
COUNT = "it counts all questions, and longer periods have more"


def counting_in_any(run: RunScores, metrics: Sequence[Metric]) -> Bools:
    """Return which questions count in any metric: those not left out, and drawn for one if all rest on draws."""
    masks = [run.counting(metric) for metric in metrics]
    present = [mask for mask in masks if mask is not None]
    if len(present) < len(masks) or not present:
        return np.ones(len(run), np.bool_)
    counting: Bools = np.logical_or.reduce(present)
    return counting


@dataclass(frozen=True, eq=False)
class Periods:
    """The scores of one run, its buckets and the reference, and the day of the look."""

    scores: Scores
    buckets: Buckets
    reference: Reference
    today: date

    @property
    def run(self) -> RunScores:
        """The scores of the run."""
        return self.scores.runs[0]

    @cached_property
    def counted(self) -> Bools:
        """A mask of the questions that count in any metric, shape (n,)."""
        return counting_in_any(self.run, self.scores.metrics)

    @cached_property
    def in_reference(self) -> Bools:
        """A mask of the turns in the reference, shape (n,)."""
        return self.counted & self.buckets.within(self.reference.first, self.reference.last)

    def until(self, last: int) -> Bools:
        """Return which turns came after the reference until the end of a bucket, shape (n,)."""
        return self.counted & self.buckets.within(self.reference.last + 1, last)

    @cached_property
    def since(self) -> Bools:
        """A mask of the turns after the reference, shape (n,)."""
        return self.until(len(self.buckets.buckets) - 1)

    def bucket(self, place: int) -> Bools:
        """Return which turns are in a bucket, shape (n,)."""
        return self.counted & self.buckets.within(place, place)

    @property
    def later(self) -> range:
        """The places of the buckets after the reference."""
        return range(self.reference.last + 1, len(self.buckets.buckets))

    def is_over(self, place: int) -> bool:
        """Return whether a bucket fills no more."""
        return self.buckets.buckets[place].last < self.today

    def score(self, metric: Metric, chosen: Bools, name: str) -> Score:
        """Return a metric over the chosen turns, with an ordinary interval."""
        chosen = chosen if (counting := self.run.counting(metric, chosen)) is None else counting
        rows, clusters = self.run.observations(metric, chosen)
        return estimate(Place(self.run.name, name), metric, rows, clusters, self.scores.level, self.scores.intervals)

    def mean(self, metric: Metric, chosen: Bools) -> PeriodMean | None:
        """Return a metric over the chosen turns with its variance; None if nothing is scored or it is not compared."""
        rows = self.run.rows(metric)[chosen]
        scored = ~np.isnan(rows).any(axis=1)
        rows, sessions = rows[scored], self.run.clusters[chosen][scored]
        bearing = bears_on(rows, metric.total)
        rows, sessions = rows[bearing], sessions[bearing]
        if not len(rows) or is_count(metric):
            return None
        value = float(metric.total(rows.sum(axis=0)))
        of_items = pseudo_values(rows, metric.total)
        result = period_mean(of_items, sessions, metric.definition.limits, count=self.sessions)
        if metric.total is mean:
            return result
        return PeriodMean(value, result.variance, result.df, result.sessions, result.sums)

    @cached_property
    def sessions(self) -> int:
        """One more than the largest number of a session."""
        return int(self.run.clusters.max(initial=-1)) + 1

    def difference(
        self, metric: Metric, later: Bools, number: int = 0, within: Bools | None = None
    ) -> ReferenceDifference | None:
        """Return the difference of later turns from the reference; None if one of both has no value.

        Parameters
        ----------
        number
            The number of the bucket after the reference, from 1; 0: all that came since.
        within
            Shape (n,): the turns of the reference that count; None: all.
        """
        in_reference = self.in_reference if within is None else self.in_reference & within
        reference, since = self.mean(metric, in_reference), self.mean(metric, later)
        if reference is None or since is None:
            return None
        limits = metric.definition.limits_of_difference
        return reference_difference(reference, since, number, limits, self.scores.level)

    def shifts(self, metrics: Sequence[Metric], later: Bools, number: int = 0) -> list[Shift | None]:
        """Return the difference of each metric, with p adjusted over all of them."""
        return self.adjusted(metrics, [self.difference(metric, later, number) for metric in metrics])

    def adjusted(
        self, metrics: Sequence[Metric], differences: Sequence[ReferenceDifference | None]
    ) -> list[Shift | None]:
        """Return differences with p adjusted over all metrics by Holm's method, and what they show."""
        p = adjust([float("nan") if d is None else d.p for d in differences], [range(len(metrics))], "holm")
        alpha = 1 - self.scores.level
        return [
            None if d is None else Shift.of(d, adjusted, metric, alpha)
            for metric, d, adjusted in zip(metrics, differences, p, strict=True)
        ]

    def unadjusted(self, metric: Metric, difference: ReferenceDifference) -> Shift:
        """Return a difference that only explains another one, and shows nothing by itself."""
        return Shift.of(difference, float("nan"), metric, 1 - self.scores.level)
