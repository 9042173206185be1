"""Plan an A/B test: estimate the users and days that it needs from an earlier log."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from neraca.errors import SpecError
from neraca.number_format import number
from neraca.online.ab_metrics import USUAL, OnlineMetric, day_sums, online_metrics
from neraca.online.search_log import SearchLog
from neraca.result import Table, Tabular
from neraca.stats.intervals.confidence_sequence import half_width
from neraca.stats.moments import Moments
from neraca.stats.planning.ab_power import Plan


@dataclass(frozen=True)
class MetricPlan:
    """The users and days that a test needs to find an effect on one metric.

    Attributes
    ----------
    value
        The metric over all users of the log.
    users
        Users of both arms together for a test at a planned end; None if more than a billion are needed.
    users_daily
        Users of both arms together if the results are looked at every day.
    days, days_daily
        Days until this many users have come at the pace of the log; infinite if the log brings too few new users.
    """

    metric: OnlineMetric
    value: float
    users: int | None
    users_daily: int | None
    days: float
    days_daily: float


@dataclass(frozen=True, eq=False, repr=False)
class AbPlan(Tabular):
    """A plan of an A/B test with two equal arms.

    Attributes
    ----------
    users
        Different users in the log.
    by_day
        Different users up to the end of each day of the log.
    """

    effect: float
    alpha: float
    power: float
    users: int
    by_day: tuple[int, ...]
    plans: tuple[MetricPlan, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each metric."""
        return [
            {
                "metric": plan.metric.name,
                "value": plan.value,
                "effect": self.effect,
                "users": plan.users,
                "days": plan.days,
                "users_daily": plan.users_daily,
                "days_daily": plan.days_daily,
                "power": self.power,
                "alpha": self.alpha,
            }
            for plan in self.plans
        ]

    def _tables(self) -> list[Table]:
        rows = [[p.metric.name, number(p.value), f"{p.users:,}" if p.users else "–"] for p in self.plans]
        return [Table(["metric", "value", "users"], rows)]


def plan_ab(
    log: SearchLog, metrics: Sequence[str] = (), *, effect: float, alpha: float = 0.05, power: float = 0.8
) -> AbPlan:
    """Plan an A/B test that finds a relative effect, such as 0.05 for 5 %.

    Treat all users of the log as one group.  Assume that users keep coming as in the log: at first every user is new,
    later fewer and fewer are.

    Raises
    ------
    SpecError
        The effect is 0, -1 or below, or not finite; or not 0 < alpha < power < 1.
    """
    import polars as pl

    if not (effect and math.isfinite(effect) and effect > -1):
        raise SpecError("--effect is the smallest relative change that would matter, such as 5% or 0.05")
    if not (0 < alpha < 1 and alpha < power < 1):
        raise SpecError("--power and the level are shares between 0 and 1")
    chosen = online_metrics(metrics) or online_metrics(USUAL)
    totals = [Moments.of(np.empty((0, 2))) for _ in chosen]
    arrivals: Counter[int] = Counter()
    for part in log.parts():
        days = day_sums(part, chosen)
        first_days = days.group_by("uid").agg(pl.col("day").min(), pl.exclude("uid", "day").sum())
        arrivals.update(first_days["day"].to_list())
        for index in range(len(chosen)):
            totals[index] += Moments.of(first_days.select(f"x{index}", f"y{index}").to_numpy())
    first, last = min(arrivals), max(arrivals)
    by_day = np.cumsum([arrivals[day] for day in range(first, last + 1)])
    plans = tuple(
        _plan_metric(metric, moments, by_day, effect, (alpha, power))
        for metric, moments in zip(chosen, totals, strict=True)
    )
    return AbPlan(effect, alpha, power, int(by_day[-1]), tuple(map(int, by_day)), plans)


def _plan_metric(
    metric: OnlineMetric, moments: Moments, by_day: Any, effect: float, risks: tuple[float, float]
) -> MetricPlan:
    alpha, power = risks
    plan = Plan.of(moments, alpha=alpha)
    users = plan.users(effect * plan.value, power)
    users_daily = None if users is None else math.ceil(users * _daily_factor(alpha, power))
    return MetricPlan(
        metric, plan.value, users, users_daily, days_until(users, by_day), days_until(users_daily, by_day)
    )


def _daily_factor(alpha: float, power: float) -> float:
    """Return the factor by which daily looks multiply the users needed, with intervals tuned for that number."""
    normal = NormalDist()
    power_z = normal.inv_cdf(power)
    daily_z = half_width(1.0, 1000, 1000, 1 - alpha)
    return ((daily_z + power_z) / (normal.inv_cdf(1 - alpha / 2) + power_z)) ** 2


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
    n = len(by_day)
    half = n // 2
    pace = (by_day[-1] - by_day[half - 1]) / (n - half) if half else math.nan
    return float(n + math.ceil((users - by_day[-1]) / pace)) if pace > 0 else math.inf
