"""The result of `neraca.drift`: metrics over time, and their differences from a reference period."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from neraca.comparisons.recorded_changes import RecordedChange
from neraca.comparisons.time_buckets import Bucket, Buckets, Reference
from neraca.metrics.metric import Metric
from neraca.number_format import number, p_value, signed, span
from neraca.result import SavedReport, Table, Tabular
from neraca.scores.judge_corrections import Correction
from neraca.scores.scores import Score, Scores
from neraca.scores.unit import Unit
from neraca.stats.intervals.reference_difference import ReferenceDifference, Why

#: What is shown about a metric; "": nothing.
Verdict = Literal["better", "worse", "higher", "lower", ""]
#: Why there is no interval of a difference, in words.
WHY: dict[Why, str] = {
    "few": "fewer than 20 sessions",
    "equal": "all values are equal",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """The difference of a period from the reference in one metric.

    Attributes
    ----------
    difference, low, high
        The period's value minus the reference, and the interval that holds at every look, together with those of all
        other periods of this metric.
    p, p_adjusted
        The p-value that holds at every look, and the same by Holm's method over all metrics; NaN without an interval.
    sessions
        The number of sessions of the period.
    why
        Why there is no interval, in words; "" if there is one.
    verdict
        `better` or `worse`; `higher` or `lower` of a metric without a better direction; or "".
    """

    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    sessions: int
    why: str
    verdict: Verdict

    @classmethod
    def of(cls, result: ReferenceDifference, p_adjusted: float, metric: Metric, alpha: float) -> Shift:
        """Return a difference with the verdict that its adjusted p-value supports."""
        verdict: Verdict = ""
        if p_adjusted < alpha:
            is_up = result.difference > 0
            if metric.diagnostic:
                verdict = "higher" if is_up else "lower"
            else:
                verdict = "better" if is_up == metric.higher_is_better else "worse"
        return cls(
            difference=result.difference,
            low=result.low,
            high=result.high,
            p=result.p,
            p_adjusted=p_adjusted,
            sessions=result.sessions,
            why=WHY[result.why] if result.why else "",
            verdict=verdict,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CorrectedTrend:
    """A metric by people's labels.

    Attributes
    ----------
    reference, since
        The corrected values of both periods.
    buckets
        The corrected value of each bucket.
    shift
        Their difference; None if one of both could not be corrected.
    """

    reference: Correction
    since: Correction
    buckets: tuple[Correction, ...]
    shift: Shift | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trend:
    """One metric over time.

    Attributes
    ----------
    metric
        The metric.
    reference, since
        Its value in the reference and in all that came after it, with ordinary intervals.
    shift
        The difference of all that came after the reference; None if the metric cannot be compared.
    buckets
        Its value in each bucket, with ordinary intervals that hold for one look.
    shifts
        The difference of each bucket after the reference; None for the others.
    looks
        The difference of all that had come until the end of each bucket after the reference; None for the others.
    smallest
        The half width of the interval of `shift` after endlessly many sessions: no smaller difference can be shown.
    why
        Why the metric is not compared, in words; "" if it is.
    corrected
        The same by people's labels; None if that was not asked for.
    """

    metric: Metric
    reference: Score
    since: Score
    shift: Shift | None
    buckets: tuple[Score, ...]
    shifts: tuple[Shift | None, ...]
    looks: tuple[Shift | None, ...]
    smallest: float
    why: str = ""
    corrected: CorrectedTrend | None = None

    @property
    def first_shown(self) -> int | None:
        """The place of the first bucket at whose end a difference of all since the reference was shown."""
        return next((place for place, look in enumerate(self.looks) if look and look.verdict), None)

    @property
    def decisive(self) -> Shift | None:
        """The difference by people's labels if there is one, else by the judge."""
        return (self.corrected.shift if self.corrected else None) or self.shift


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumShare:
    """The share of a group of turns, such as a language, in the reference and since; with the numbers of turns."""

    factor: str
    stratum: str
    reference: float
    since: float
    n_reference: int
    n_since: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MixShift:
    """A metric's difference since the reference, with the mix of the reference.

    Attributes
    ----------
    factor, metric
        The groups of turns, such as their language; and the metric.
    raw
        The difference as it is.
    reweighted
        The difference if each group had the share that it has in the reference; None if no group is in both.
    new, gone
        Scored turns since the reference in groups that it lacks, which are left out; and the share of the reference in
        groups without a scored turn since.
    """

    factor: str
    metric: str
    raw: float
    reweighted: Shift | None
    new: int
    gone: float

    @property
    def by_mix(self) -> float:
        """The part of the difference that the change of the mix makes."""
        return self.raw - self.reweighted.difference if self.reweighted else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupShift:
    """A metric's difference since the reference among the turns that have one value of a tag."""

    tag: str
    value: str
    metric: str
    n_reference: int
    n_since: int
    shift: Shift


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Drift(SavedReport, Tabular):
    """Metrics of a run over time; prints as a table of differences from the reference.

    Attributes
    ----------
    run
        The name of the run.
    buckets, reference
        The days, weeks or months, and which of them are the reference.
    trends
        Each metric over time.
    changes
        The days on which the model, prompt or version changed.
    shares, mix
        The mix of turns by each factor, and each metric with the mix of the reference.
    groups
        Each metric by the values of tags.
    level, unit
        The confidence of all claims about one metric together, and the unit of observation.
    turns, reference_sessions, before
        Turns with a time; sessions of the reference; and turns before the reference, which are shown and not compared.
    lacking, untimed
        Questions without an answer; and answers without a time, or with one that is far from all others.
    undetected
        Whether the language of questions was left out, because there are too many to detect it.
    correct
        How the judge is corrected; "": not.
    today
        The day of the look.
    scores
        The scores of all questions together.
    """

    report = "drift:drift_document"

    run: str
    buckets: Buckets
    reference: Reference
    trends: tuple[Trend, ...]
    changes: tuple[RecordedChange, ...]
    shares: tuple[StratumShare, ...]
    mix: tuple[MixShift, ...]
    groups: tuple[GroupShift, ...]
    level: float
    unit: Unit
    turns: int
    reference_sessions: int
    before: int
    lacking: int
    untimed: int
    undetected: bool
    correct: str
    today: date
    scores: Scores

    def _tables(self) -> Iterator[Table]:
        columns = ["metric", "reference", "since", "difference", "interval at every look", "adjusted p", "shown"]
        rows = [
            [
                str(trend.metric),
                number(trend.reference.value),
                number(trend.since.value),
                signed(shift.difference) if (shift := trend.shift) else "–",
                (span(shift.low, shift.high) or shift.why) if shift else trend.why,
                p_value(shift.p_adjusted, 1 - self.level) if shift else "–",
                (shift.verdict if shift else "") or "–",
            ]
            for trend in self.trends
        ]
        yield Table(columns, rows, f"since the reference, {self.reference_words}")

    @property
    def filling(self) -> tuple[Bucket, ...]:
        """The buckets that are not over yet, and are not compared."""
        return tuple(bucket for bucket in self.buckets.buckets if bucket.last >= self.today)

    @property
    def reference_words(self) -> str:
        """The first and last day of the reference."""
        return f"{self.buckets.buckets[self.reference.first].first} to {self.buckets.buckets[self.reference.last].last}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each period of each metric.

        `period` is `reference`, `since`, or the name of a bucket; columns of differences are None where there is none.
        """
        rows = []
        for trend in self.trends:
            corrected = trend.corrected
            rows.append(_row(trend.reference, "reference", None, corrected.reference if corrected else None))
            row = _row(trend.since, "since", trend.shift, corrected.since if corrected else None)
            if corrected:
                shift = corrected.shift
                row |= {column: getattr(shift, name) if shift else None for column, name in _CORRECTED.items()}
            rows.append(row)
            for place, bucket in enumerate(self.buckets.buckets):
                of_bucket = corrected.buckets[place] if corrected else None
                rows.append(_row(trend.buckets[place], bucket.name, trend.shifts[place], of_bucket))
        return rows


#: Column of a corrected difference → its name in `Shift`.
_CORRECTED = {
    "corrected_difference": "difference",
    "corrected_difference_low": "low",
    "corrected_difference_high": "high",
    "corrected_p": "p",
    "corrected_p_adjusted": "p_adjusted",
    "corrected_verdict": "verdict",
}


def _row(score: Score, period: str, shift: Shift | None, correction: Correction | None) -> dict[str, Any]:
    """Return a period as one flat row."""
    row: dict[str, Any] = {
        **{"run": score.run, "metric": score.metric, "period": period},
        **{name: getattr(score, name) for name in ("value", "low", "high", "n", "unscored")},
    }
    names = {"difference": "difference", "low": "difference_low", "high": "difference_high"}
    names |= {name: name for name in ("p", "p_adjusted", "sessions", "why", "verdict")}
    row |= {column: getattr(shift, name) if shift else None for name, column in names.items()}
    if correction:
        row |= {"corrected": correction.value, "corrected_low": correction.low, "corrected_high": correction.high}
        row |= {"labels": correction.labels, "not_corrected": correction.why}
    return row
