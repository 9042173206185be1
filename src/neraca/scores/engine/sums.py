"""Totals of a metric over more rows than fit into memory: sums of units of work, which are added up.

For a mean over independent rows, the number of rows, the mean and the sum of squares give the same interval as all
values would.  For everything else (corpus BLEU, ratios, rows of one session), rows are dealt into `GROUPS` groups, with
all rows of a session in the same group, and the counts of each group are added up.  Leaving out one group at a time
then gives the standard error.  With no more rows than groups this is the jackknife over rows.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.metric import Metric
from neraca.scores.estimate import Place, score_of
from neraca.scores.score_list import Score
from neraca.scores.scores import is_count
from neraca.scores.unit import few
from neraca.stats.intervals.bearing import bears_on
from neraca.stats.intervals.fewest import FEWEST_IN_RANGE
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
#: The most kinds of rows without a value of their own that are remembered; other rows count as bearing on the total.
REMEMBERED = 1_000


@dataclass(frozen=True, eq=False)
class Sums:
    """A metric over some rows.

    Attributes
    ----------
    n, unscored
        Rows with and without a value.
    moments
        Mean and sum of squares of the values, if the metric is a mean or a count, or if all values are 0 or 1.
    shares
        Whether all values are 0 or 1.
    groups
        Summed counts of each group, shape (GROUPS, w); None if the moments are enough.
    filled
        The groups with a row, shape (GROUPS,).
    silent
        Counts of a row without a value of its own → the number of such rows.  An example is an answer that does not
        decline, for the precision of refusals.
    """

    n: int
    unscored: int
    moments: Moments
    shares: bool
    groups: Floats | None = None
    filled: NDArray[np.bool_] | None = None
    silent: Mapping[tuple[float, ...], int] = field(default_factory=dict)

    @classmethod
    def of(cls, metric: Metric, rows: Floats, group: Ints, together: bool) -> Sums:
        """Sum up rows of counts, shape (n, w), NaN where unscored.

        Parameters
        ----------
        group
            Shape (n,): the group of each row, from 0 to `GROUPS`.
        together
            Whether several rows can belong to one session, and so depend on each other.
        """
        scored = ~np.isnan(rows).any(axis=1)
        rows, group = rows[scored], group[scored]
        plain = (metric.total is mean or is_count(metric)) and rows.shape[1] == 2 and bool((rows[:, 1] == 1).all())
        values = rows[:, :1] if plain else np.zeros((0, 1))
        shares = plain and bool(np.isin(values, (0.0, 1.0)).all())
        sums = cls(len(rows), int((~scored).sum()), Moments.of(values), shares)
        if plain and not together:
            return sums
        groups: Floats = np.stack([np.bincount(group, column, GROUPS) for column in rows.T], axis=1)
        filled = np.bincount(group, minlength=GROUPS) > 0
        if plain:
            return cls(sums.n, sums.unscored, sums.moments, sums.shares, groups, filled)
        with np.errstate(invalid="ignore", divide="ignore"):
            row_values = metric.total(rows)
        defined_values = row_values[~np.isnan(row_values)]
        shares = not together and bool(np.isin(defined_values, (0.0, 1.0)).all())
        moments = Moments.of(defined_values[:, None]) if shares else sums.moments
        return cls(sums.n, sums.unscored, moments, shares, groups, filled, _count_kinds(rows[np.isnan(row_values)]))

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
            _add_kinds(self.silent, other.silent),
        )

    @property
    def value(self) -> float:
        """The mean; NaN without a row."""
        return float(self.moments.mean[0]) if self.n else math.nan

    def bearing(self, metric: Metric) -> int:
        """Return the number of rows that bear on the total, as `bears_on` does."""
        if self.groups is None or not self.silent:
            return self.n
        whole, kinds = self.groups.sum(axis=0), np.array(list(self.silent))
        with np.errstate(invalid="ignore", divide="ignore"):
            value, without = metric.total(whole), metric.total(whole - kinds)
        idle = ((without == value) | np.isnan(without)) & ~np.isnan(value)
        return self.n - int(np.array(list(self.silent.values()))[idle].sum()) or self.n

    def plain(self) -> dict[str, Any]:
        """Return the sums as JSON values, without rounding."""
        plain: dict[str, Any] = {"n": self.n, "unscored": self.unscored, "shares": self.shares, "of": self.moments.n}
        plain |= {"mean": float(self.moments.mean[0]), "squares": float(self.moments.cross[0, 0])}
        if self.groups is not None and self.filled is not None:
            plain |= {"groups": b64encode(self.groups.tobytes()).decode(), "width": self.groups.shape[1]}
            plain |= {"filled": b64encode(np.packbits(self.filled).tobytes()).decode()}
            plain |= {"silent": [[*kind, times] for kind, times in self.silent.items()]} if self.silent else {}
        return plain

    @classmethod
    def read(cls, plain: dict[str, Any]) -> Sums:
        """Read the result of `plain`."""
        moments = Moments(plain["of"], np.array([plain["mean"]]), np.array([[plain["squares"]]]))
        sums = cls(plain["n"], plain["unscored"], moments, plain["shares"])
        if "groups" not in plain:
            return sums
        groups = np.frombuffer(b64decode(plain["groups"])).reshape(GROUPS, plain["width"])
        filled = np.unpackbits(np.frombuffer(b64decode(plain["filled"]), np.uint8), count=GROUPS).astype(bool)
        silent = {tuple(map(float, kind)): int(times) for *kind, times in plain.get("silent", ())}
        return cls(sums.n, sums.unscored, moments, sums.shares, groups, filled, silent)


def _count_kinds(rows: Floats) -> dict[tuple[float, ...], int]:
    """Count equal rows, up to `REMEMBERED` kinds."""
    kinds, times = np.unique(rows, axis=0, return_counts=True)
    pairs = zip(map(tuple, kinds[:REMEMBERED].tolist()), times.tolist(), strict=False)
    return dict(pairs)


def _add_kinds(
    first: Mapping[tuple[float, ...], int], other: Mapping[tuple[float, ...], int]
) -> dict[tuple[float, ...], int]:
    """Add up the counts of equal rows, up to `REMEMBERED` kinds."""
    times_by_kind = dict(first)
    for kind, times in other.items():
        if kind in times_by_kind or len(times_by_kind) < REMEMBERED:
            times_by_kind[kind] = times_by_kind.get(kind, 0) + times
    return times_by_kind


def estimate_sums(metric: Metric, sums: Sums, level: float, *, run: str, group: str = "") -> Score:
    """Return the metric over all rows, with an interval within the metric's range (`bounded_interval`).

    A mean of independent rows gets Student's t, or Wilson's interval if all values are 0 or 1.  Everything else gets
    the interval of the jackknife over groups (Student's t), or Wilson's if the total is a share of values 0 and 1.
    Rows that do not bear on the total are left out, as in `interval`.
    """
    low, high = metric.definition.limits
    estimate = _interval(metric, sums, level)
    has_bounds = (
        sums.groups is None
        and metric.total is mean
        and math.isfinite(low)
        and math.isfinite(high)
        and sums.n + sums.unscored > 0
    )
    rows = max(1, sums.n + sums.unscored)
    worst = [(sums.n * (estimate.value if sums.n else 0) + sums.unscored * end) / rows for end in (low, high)]
    ends = worst if has_bounds else [math.nan, math.nan]
    return score_of(estimate, Place(run, group), metric, sums.n + sums.unscored - estimate.n, *ends)


def _interval(metric: Metric, sums: Sums, level: float) -> Estimate:
    """Return the value and an interval within the metric's range."""
    definition, limits = metric.definition, metric.definition.limits
    if sums.groups is not None and sums.filled is not None:
        if not sums.n:
            value = float(metric.total(sums.groups.sum(axis=0)))
            return Estimate.without_interval(value, 0, NOTHING_SCORED)
        n, groups = sums.bearing(metric), sums.groups[sums.filled]
        groups = groups[bears_on(groups, metric.total)]
        value = float(metric.total(groups.sum(axis=0)))
        if math.isnan(value) or few(len(groups), n):
            return Estimate.without_interval(value, n, NOTHING_SCORED if math.isnan(value) else ONE_SOURCE)
        ratio = metric.total is not mean and not is_count(metric) and sums.shares and sums.moments.n == n
        if (
            ratio
            and n >= FEWEST_IN_RANGE
            and definition.low >= 0
            and definition.high <= 1
            and math.isclose(sums.value, value)
        ):
            return Estimate(value, *wilson(value, n, level), n, "wilson")
        error, df = clustered_error(pseudo_values(groups, metric.total))
        return bounded_interval(value, error, df, n, limits, level)
    if not sums.n:
        return Estimate.without_interval(0.0 if is_count(metric) else math.nan, 0, NOTHING_SCORED)
    if sums.shares and definition.high <= 1 and sums.n >= FEWEST_IN_RANGE:
        return Estimate(sums.value, *wilson(sums.value, sums.n, level), sums.n, "wilson")
    value, scale = (sums.n * sums.value, sums.n - 1) if is_count(metric) else (sums.value, 1)
    error = scale * math.sqrt(float(sums.moments.cross[0, 0]) / max(1, sums.n - 1) / sums.n)
    return bounded_interval(value, error, sums.n - 1, sums.n, limits, level)
