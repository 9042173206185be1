"""Whether the metrics of a run change over time: each day, week or month beside a reference period."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np

from neraca.comparisons.drift_mix import factors_of, group_shifts, mix_shift, stratum_shares
from neraca.comparisons.drift_periods import COUNT, Periods, counting_in_any
from neraca.comparisons.drift_result import CorrectedTrend, Drift, Shift, Trend
from neraca.comparisons.recorded_changes import recorded_changes
from neraca.comparisons.time_buckets import Buckets, reference_of
from neraca.comparisons.turns_in_time import LANGUAGE, MOST_DETECTED, TurnsInTime
from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.runs.run import Run
from neraca.scores.judge_corrections import Correction, corrected_part
from neraca.scores.score import score
from neraca.scores.scores import is_count
from neraca.scores.sources.people_labels import PPI
from neraca.stats.intervals.reference_difference import (
    PeriodMean,
    ReferenceDifference,
    narrowest,
    reference_difference,
)


def drift(
    run: Run | str | Path,
    metrics: str | Iterable[str | Metric] = "",
    *,
    every: str = "week",
    reference: str | int = "",
    group: Sequence[str] = (),
    relevance: str = "auto",
    by: str = "",
    combine: str = "",
    language: str = "",
    level: float = 0.95,
    unit: str = "auto",
    correct: str = "",
    sample: str | Path | None = None,
    today: date | None = None,
) -> Drift:
    """Compare the metrics of a run day by day, week by week or month by month with a reference period.

    The intervals of differences hold however often you look, and all of one metric hold together: if nothing changes,
    at most 5 % of runs ever show a change, in all days and all metrics (at a level of 95 %).

    Parameters
    ----------
    run
        A run whose answers have times, as `neraca traces` makes it, or its folder.
    every
        `day`, `week` (from Monday) or `month`, in UTC.
    reference
        The period that others are compared with: a number of first buckets, or `2026-11-02..2026-11-29` (whole
        buckets).  "": as many of the first buckets as have 100 sessions, and at least seven days.  Choose it before
        you look.
    group
        Tags of questions, such as `category`, to report by; their mix is looked at too.
    metrics, relevance, by, combine, language, level, unit, sample
        As in `score`.
    correct
        `ppi`: correct a judge by people's labels, where a period has enough; "": do not.
    today
        The day of this look, in UTC: buckets that are not over yet are not compared.  None: the day of the clock.

    Raises
    ------
    SpecError, InputError
        As `score`; if no answer has a time; if the reference cannot be read, or nothing comes after it.
    """
    if correct not in ("", PPI):
        raise SpecError(f"drift is corrected by {PPI}, not by {correct!r}: write --correct {PPI}")
    opened = run if isinstance(run, Run) else Run(run)
    scores = score(
        opened,
        metrics,
        relevance=relevance,
        by=by,
        combine=combine,
        language=language,
        level=level,
        unit=unit,
        correct=correct,
        sample=sample,
    )
    turns = TurnsInTime.of(opened)
    buckets = Buckets.of(turns.days, every)
    clusters = scores.runs[0].clusters
    counting = counting_in_any(scores.runs[0], scores.metrics)
    chosen = reference_of(buckets, str(reference), clusters, counting)
    periods = Periods(scores, buckets, chosen, today or datetime.now(UTC).date())
    factors = factors_of(periods, turns, group)
    mix = (mix_shift(periods, metric, name, column) for name, column in factors.items() for metric in scores.metrics)
    days = np.where(buckets.places < 0, -1, turns.days)
    return Drift(
        run=scores.runs[0].name,
        buckets=buckets,
        reference=periods.reference,
        trends=_trends(periods),
        changes=recorded_changes(scores.runs[0].tags, days),
        shares=tuple(stratum_shares(periods, factors)),
        mix=tuple(shift for shift in mix if shift is not None),
        groups=tuple(
            shift for tag in group for metric in scores.metrics for shift in group_shifts(periods, metric, tag)
        ),
        level=level,
        unit=scores.unit,
        turns=int((buckets.places >= 0).sum()),
        reference_sessions=len(np.unique(clusters[periods.in_reference])),
        before=int(buckets.within(0, periods.reference.first - 1).sum()),
        lacking=turns.lacking,
        untimed=turns.untimed + buckets.strays,
        undetected=LANGUAGE not in scores.runs[0].tags and len(turns.days) > MOST_DETECTED,
        correct=correct,
        today=periods.today,
        scores=scores,
    )


def _trends(periods: Periods) -> tuple[Trend, ...]:
    """Return each metric over time; p is adjusted over the metrics, in each period by itself."""
    metrics, places = periods.scores.metrics, range(len(periods.buckets.buckets))
    none: list[Shift | None] = [None] * len(metrics)
    since = periods.shifts(metrics, periods.since)
    shifts, looks = [none] * len(places), [none] * len(places)
    for number, place in enumerate(periods.later, 1):
        if periods.is_over(place):
            shifts[place] = periods.shifts(metrics, periods.bucket(place), number)
        looks[place] = periods.shifts(metrics, periods.until(place))
    corrected = _corrected(periods) if periods.scores.labels else [None] * len(metrics)
    trends = []
    for row, metric in enumerate(metrics):
        reference_mean = periods.mean(metric, periods.in_reference)
        trends.append(
            Trend(
                metric=metric,
                reference=periods.score(metric, periods.in_reference, "reference"),
                since=periods.score(metric, periods.since, "since"),
                shift=since[row],
                buckets=tuple(
                    periods.score(metric, periods.bucket(place), periods.buckets.buckets[place].name)
                    for place in places
                ),
                shifts=tuple(of_bucket[row] for of_bucket in shifts),
                looks=tuple(look[row] for look in looks),
                smallest=narrowest(reference_mean, periods.scores.level) if reference_mean else math.nan,
                why=_why_not_compared(periods, metric, since[row]),
                corrected=corrected[row],
            )
        )
    return tuple(trends)


def _why_not_compared(periods: Periods, metric: Metric, shift: Shift | None) -> str:
    """Return why a metric is not compared, in words; "" if it is."""
    if shift is not None:
        return ""
    if is_count(metric):
        return COUNT
    in_reference = periods.mean(metric, periods.in_reference) is not None
    return "nothing is scored since the reference" if in_reference else "nothing is scored in the reference"


def _corrected(periods: Periods) -> list[CorrectedTrend | None]:
    """Return each metric by people's labels."""
    scores, metrics = periods.scores, periods.scores.metrics
    of_reference = [corrected_part(scores, metric, 0, periods.in_reference) for metric in metrics]
    of_since = [corrected_part(scores, metric, 0, periods.since) for metric in metrics]
    differences = [
        _corrected_difference(before, after, metric, scores.level)
        for metric, before, after in zip(metrics, of_reference, of_since, strict=True)
    ]
    places = range(len(periods.buckets.buckets))
    return [
        CorrectedTrend(
            reference=of_reference[row],
            since=of_since[row],
            buckets=tuple(corrected_part(scores, metric, 0, periods.bucket(place)) for place in places),
            shift=shift,
        )
        for row, (metric, shift) in enumerate(zip(metrics, periods.adjusted(metrics, differences), strict=True))
    ]


def _corrected_difference(
    before: Correction, after: Correction, metric: Metric, level: float
) -> ReferenceDifference | None:
    """Return the difference of two corrected values; None if one of both could not be corrected."""
    if before.powered is None or after.powered is None:
        return None
    means = [
        PeriodMean(part.value, part.powered.error**2, part.powered.df, part.labels)
        for part in (before, after)
        if part.powered
    ]
    return reference_difference(means[0], means[1], 0, metric.definition.limits_of_difference, level)
