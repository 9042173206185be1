"""The totals of a metric over rows that never stand in memory together: sums that are added up, unit by unit.

Of a mean over independent rows the number of rows, the mean and the sum of squares are enough, and give the same
interval as all values would.  For everything else (corpus BLEU, ratios, rows of one session) the rows are dealt out
into `GROUPS` groups, a session always into the same one, and the counts of each group are added up: leaving one group
out after the other says how much chance there is.  With no more rows than groups this is the jackknife over rows.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.metric import Metric
from neraca.scores.score_list import Score
from neraca.scores.scores import Place, is_count, score_of
from neraca.scores.unit import few
from neraca.stats.intervals.interval import (
    NOTHING_SCORED,
    ONE_SOURCE,
    Estimate,
    Floats,
    bounded_interval,
    clustered_error,
    mean,
    pseudo_values,
    wilson,
)
from neraca.stats.moments import Moments

Ints = NDArray[np.int64]
#: A prime number, so that no period in the order of the rows puts rows of one kind into one group.
GROUPS = 509


@dataclass(frozen=True, eq=False)
class Sums:
    """A metric over some rows.

    Attributes
    ----------
    n, unscored
        Rows with and without a value.
    moments
        Mean and sum of squares of the values, where the metric is a mean or a count.
    shares
        Whether all values are 0 or 1.
    groups
        Summed counts of each group, shape (GROUPS, w); None where the moments are enough.
    filled
        The groups with a row, shape (GROUPS,).
    """

    n: int
    unscored: int
    moments: Moments
    shares: bool
    groups: Floats | None = None
    filled: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, metric: Metric, rows: Floats, group: Ints, together: bool) -> Sums:
        """Sum up rows of counts, shape (n, w), NaN where unscored.

        Parameters
        ----------
        group
            Shape (n,): the group of each row, from 0 to `GROUPS`.
        together
            Whether several rows can be of one session, and so hang together.
        """
        scored = ~np.isnan(rows).any(axis=1)
        rows, group = rows[scored], group[scored]
        plain = (metric.total is mean or is_count(metric)) and rows.shape[1] == 2 and bool((rows[:, 1] == 1).all())
        values = rows[:, :1] if plain else np.zeros((0, 1))
        shares = plain and bool(np.isin(values, (0.0, 1.0)).all())
        made = cls(len(rows), int((~scored).sum()), Moments.of(values), shares)
        if plain and not together:
            return made
        groups: Floats = np.stack([np.bincount(group, column, GROUPS) for column in rows.T], axis=1)
        filled = np.bincount(group, minlength=GROUPS) > 0
        return cls(made.n, made.unscored, made.moments, shares, groups, filled)

    def __add__(self, other: Sums) -> Sums:
        """Merge the sums of two disjoint sets of rows."""
        both_grouped = self.groups is not None and other.groups is not None
        return Sums(
            self.n + other.n,
            self.unscored + other.unscored,
            self.moments + other.moments,
            self.shares and other.shares,
            self.groups + other.groups if both_grouped else None,  # type: ignore[operator]
            self.filled | other.filled if both_grouped else None,  # type: ignore[operator]
        )

    @property
    def value(self) -> float:
        """The mean; NaN without a row."""
        return float(self.moments.mean[0]) if self.n else math.nan

    def plain(self) -> dict[str, Any]:
        """The same as JSON can carry it, without rounding."""
        plain: dict[str, Any] = {"n": self.n, "unscored": self.unscored, "shares": self.shares, "of": self.moments.n}
        plain |= {"mean": float(self.moments.mean[0]), "squares": float(self.moments.cross[0, 0])}
        if self.groups is not None and self.filled is not None:
            plain |= {"groups": b64encode(self.groups.tobytes()).decode(), "width": self.groups.shape[1]}
            plain |= {"filled": b64encode(np.packbits(self.filled).tobytes()).decode()}
        return plain

    @classmethod
    def read(cls, known: dict[str, Any]) -> Sums:
        """Read the result of `plain`."""
        moments = Moments(known["of"], np.array([known["mean"]]), np.array([[known["squares"]]]))
        made = cls(known["n"], known["unscored"], moments, known["shares"])
        if "groups" not in known:
            return made
        groups = np.frombuffer(b64decode(known["groups"])).reshape(GROUPS, known["width"])
        filled = np.unpackbits(np.frombuffer(b64decode(known["filled"]), np.uint8), count=GROUPS).astype(bool)
        return cls(made.n, made.unscored, moments, made.shares, groups, filled)


def estimate_sums(metric: Metric, sums: Sums, level: float, *, run: str, group: str = "") -> Score:
    """The metric over all rows, with an interval within the metric's range (`bounded_interval`).

    A mean of independent rows gets Student's t, or Wilson's interval where all values are 0 or 1; all else the interval
    of the jackknife over groups (Student's t).
    """
    low, high = metric.definition.low, metric.definition.high
    estimate = _interval(metric, sums, level)
    known = (
        sums.groups is None
        and metric.total is mean
        and math.isfinite(low)
        and math.isfinite(high)
        and sums.n + sums.unscored > 0
    )
    rows = max(1, sums.n + sums.unscored)
    worst = [(sums.n * (estimate.value if sums.n else 0) + sums.unscored * end) / rows for end in (low, high)]
    ends = worst if known else [math.nan, math.nan]
    return score_of(estimate, Place(run, group), metric, sums.unscored, *ends)


def _interval(metric: Metric, sums: Sums, level: float) -> Estimate:
    """Value and interval within the metric's range."""
    definition = metric.definition
    limits = (definition.low, definition.high)
    if sums.groups is not None and sums.filled is not None:
        if not sums.n:
            value = float(metric.total(sums.groups.sum(axis=0)))
            return Estimate.without_interval(value, 0, NOTHING_SCORED)
        groups = sums.groups[sums.filled]
        value = float(metric.total(groups.sum(axis=0)))
        if math.isnan(value) or few(len(groups), sums.n):
            return Estimate.without_interval(value, sums.n, NOTHING_SCORED if math.isnan(value) else ONE_SOURCE)
        error, df = clustered_error(pseudo_values(groups, metric.total))
        return bounded_interval(value, error, df, sums.n, limits, level)
    if not sums.n:
        return Estimate.without_interval(0.0 if is_count(metric) else math.nan, 0, NOTHING_SCORED)
    if sums.shares and definition.high <= 1:
        return Estimate(sums.value, *wilson(sums.value, sums.n, level), sums.n, "wilson")
    value, scale = (sums.n * sums.value, sums.n - 1) if is_count(metric) else (sums.value, 1)
    error = scale * math.sqrt(float(sums.moments.cross[0, 0]) / max(1, sums.n - 1) / sums.n)
    return bounded_interval(value, error, sums.n - 1, sums.n, limits, level)
