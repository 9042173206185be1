"""The course of an A/B test, estimated from an earlier log: users, their variance and the power of daily looks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from neraca.online.ab_metrics import OnlineMetric
from neraca.online.look_correlation import LookCorrelation
from neraca.stats.daily_moments import DailyMoments
from neraca.stats.intervals.confidence_sequence import FEWEST_USERS, half_width
from neraca.stats.intervals.interval import Floats
from neraca.stats.moments import Moments
from neraca.stats.planning.ab_power import Plan
from neraca.stats.tests.cuped import adjusted
from neraca.stats.tests.delta_method import ratio, ratio_variance

#: Number of tests that are simulated to estimate the power of daily looks, and the most looks of each.
SIMULATED, MOST_LOOKS = 4000, 60
#: Groups into which the users of a log are divided to correct estimates by the jackknife.
GROUPS = 10
#: Columns of the moments that hold the covariates: what users did before, and whether they are new.
COVARIATES = (2, 4)


@dataclass(frozen=True)
class UserCourse:
    """Users and their variance by day.

    Attributes
    ----------
    users
        Different users up to the end of each day.
    variance, values
        The variance of their linearised values and the metric at that time, shape (days,); NaN where users do not vary.
    within
        For a metric between 0 and 1, the variance if users did not differ: $p (1 - p)$ over their mean number of
        events; None for other metrics.
    looks
        How alike the estimates at two looks are.
    """

    users: Floats
    variance: Floats
    values: Floats
    within: Floats | None
    looks: LookCorrelation = field(default_factory=LookCorrelation)

    @classmethod
    def of(cls, daily: DailyMoments, metric: OnlineMetric) -> UserCourse:
        """Return the course of a metric; `daily` holds the moments of `GROUPS` groups of users, drawn at random."""
        together = daily.together()
        by_day = [together.at(0, day) for day in range(daily.days)]
        variance = unbiased_variance(daily, ratio_variance)
        users = np.array([moments.n for moments in by_day], dtype=np.float64)
        values = np.array([ratio(moments) for moments in by_day])
        events = np.array([moments.mean[1] for moments in by_day])
        with np.errstate(invalid="ignore", divide="ignore"):
            within = values * (1 - values) / events if metric.share else None
        return cls(users, np.where(variance > 0, variance, np.nan), values, within, LookCorrelation.of(together))

    @property
    def value(self) -> float:
        """The metric at the end."""
        return float(self.values[-1])

    @property
    def varies(self) -> bool:
        """Whether a test is possible at all: users differ, and the metric is not 0."""
        return bool(np.isfinite(self.variance).any()) and abs(self.value) > 0

    def with_history(self, remaining: Floats, looks: LookCorrelation) -> UserCourse:
        """Return the course of values adjusted for what users did before, whose looks are so alike.

        They have these shares of the variance, by day.  Ever more users are new and have no history: on later days the
        share grows as over the second half of these days.
        """
        n, later = len(remaining), np.arange(1, max(0, len(self.users) - len(remaining)) + 1)
        growth = max(0.0, (remaining[-1] - remaining[n // 2]) / (n - 1 - n // 2)) if n > 2 else 0.0
        shares = np.append(remaining, np.minimum(1.0, remaining[-1] + growth * later))[: len(self.users)]
        return replace(self, variance=self.variance * shares, looks=looks)

    def at(self, values: Floats, users: float) -> float:
        """Return the value, such as the metric, when so many users have come; later that of the last day."""
        has_variance = np.isfinite(self.variance)
        return float(np.interp(users, self.users[has_variance], values[has_variance]))

    def variance_at(self, users: float) -> float:
        """Return the variance of the users' values when so many users have come.

        Users who come again and again differ ever more.  Beyond the last day of the log, assume that the information on
        the relative effect (users times value² over variance) grows as over the second half of the log.
        """
        variance = self.at(self.variance, users)
        last, half = self.users[-1], len(self.users) // 2
        information = self.users * self.values**2 / self.variance
        if users <= last or not np.isfinite(information[half:]).all() or self.users[half] == last:
            return variance
        growth = np.polyfit(self.users[half:], information[half:], 1)[0]
        return users * self.value**2 / float(information[-1] + max(growth, 0.0) * (users - last))

    def plan(self, users: float, effect: float, alpha: float) -> Plan:
        """Return the plan with this many users; the variance of both arms is their mean.

        A relative effect multiplies the values of the users of arm b, and so their standard deviation.  The variance of
        a single event of a share becomes that of the new share, $p (1 - p)$.
        """
        value, factor, variance = self.at(self.values, users), 1 + effect, self.variance_at(users)
        within = 0.0 if self.within is None else min(self.at(self.within, users), variance)
        within_b = within * max(0.0, factor * (1 - factor * value)) / (1 - value) if within else 0.0
        return Plan(value, (variance + (variance - within) * factor**2 + within_b) / 2, alpha=alpha)

    def users_after(self, days: float) -> float:
        """Return the users that have come after so many days; NaN for infinitely many days."""
        if not math.isfinite(days):
            return math.nan
        extra_days = max(0.0, days - len(self.users))
        return float(self.users[min(int(days), len(self.users)) - 1]) + extra_days * pace(self.users)

    def users_by_day(self, users: int) -> Floats:
        """Return the users at the end of each day until this many have come, shape (days,); the last is this number."""
        until = days_until(users, self.users)
        if not math.isfinite(until):
            return np.array([float(users)])
        n = len(self.users)
        later_ends = np.linspace(self.users[-1], users, max(2, int(until) - n + 1))[1:] if until > n else np.array([])
        ends = np.concatenate([self.users, later_ends])
        return np.append(ends[ends < users], float(users))

    def sequential_power(self, users: int, effect: float, alpha: float) -> float:
        """Return the chance that an always-valid interval leaves 0 at the end of some day until this many have come.

        Simulate the estimates at the ends of the days, whose information grows and which are as alike as the looks at
        the log; intervals are tuned for `users`.
        """
        ends = self.users_by_day(users)
        ends = ends[np.unique(np.linspace(0, len(ends) - 1, MOST_LOOKS).astype(int))]
        ends = ends[ends >= 2 * FEWEST_USERS]
        if not len(ends):
            return 0.0
        plans = [self.plan(n, effect, alpha) for n in ends]
        information = ends * np.array([plan.value**2 / (4 * plan.variance) for plan in plans])  # on the relative effect
        noise = np.random.default_rng(0).standard_normal((SIMULATED, len(ends)))
        scores = self.looks.correlated(noise, ends) + effect * np.sqrt(information)
        bounds = np.array([half_width(1.0, int(n), users, 1 - alpha) for n in ends])
        return float((np.abs(scores) > bounds).any(axis=1).mean())


def remaining_variance(daily: DailyMoments) -> Floats:
    """Return the share of the variance that the narrowest adjustment by history leaves, at the end of each day.

    `daily` is as in `UserCourse.of`, with covariates.
    """
    plain, least = (unbiased_variance(daily, variance) for variance in (ratio_variance, _narrowest))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(plain > 0, np.minimum(1.0, least / plain), 1.0)


def _narrowest(moments: Moments) -> float:
    choices = ((), *((column,) for column in COVARIATES), COVARIATES)
    return min(ratio_variance(adjusted(moments, covariates=choice)[0]) for choice in choices)


def unbiased_variance(daily: DailyMoments, variance: Callable[[Moments], float]) -> Floats:
    """Return a variance of the users of all arms together, at the end of each day, corrected by the jackknife.

    Where a few users have many of the events, the variance of a ratio is estimated too small.  The estimates without
    one group of users each (an arm of `daily`) show by how much.  They correct the information on the relative effect,
    value² over variance, which decides how many users are needed.  It is not corrected by more than half, or where that
    cannot be computed.
    """
    groups = len(daily.n)

    def information(without: int | None = None) -> tuple[Floats, Floats]:
        together = daily.together(without)
        by_day = [together.at(0, day) for day in range(daily.days)]
        variances = np.array([variance(moments) for moments in by_day])
        return np.array([ratio(moments) for moments in by_day]) ** 2 / variances, variances

    with np.errstate(invalid="ignore", divide="ignore"):
        whole, variances = information()
        if groups == 1:
            return variances
        without_one = np.mean([information(group)[0] for group in range(groups)], axis=0)
        factor = groups - (groups - 1) * without_one / whole
        return variances / np.where(np.abs(factor - 1) < 0.5, factor, 1.0)


def days_until(users: int | None, by_day: Any) -> float:
    """Return the days until this many different users have come.

    Beyond the end of the log, new users come at the pace of its second half.  Return infinity if none came there.

    >>> days_until(15, np.array([10.0, 20.0])), days_until(40, np.array([10.0, 20.0, 25.0, 30.0]))
    (2.0, 6.0)
    """
    if users is None:
        return math.inf
    if users <= by_day[-1]:
        return float(np.searchsorted(by_day, users) + 1)
    daily_users = pace(by_day)
    return float(len(by_day) + math.ceil((users - by_day[-1]) / daily_users)) if daily_users > 0 else math.inf


def pace(by_day: Any) -> float:
    """Return the new users a day in the second half of the log; NaN if it has a single day."""
    n = len(by_day)
    half = n // 2
    return float((by_day[-1] - by_day[half - 1]) / (n - half)) if half else math.nan
