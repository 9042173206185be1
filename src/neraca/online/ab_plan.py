"""How many users and days an A/B test takes, from a log of what users did before it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from neraca.errors import SpecError
from neraca.online.ab_metrics import USUAL, OnlineMetric, day_sums, online_metrics
from neraca.online.search_log import SearchLog
from neraca.plain_table import number
from neraca.result import Table, Tabular
from neraca.stats.ab_power import Plan
from neraca.stats.confidence_sequence import half_width
from neraca.stats.moments import Moments


@dataclass(frozen=True)
class MetricPlan:
    """What a test takes to find an effect on one metric.

    Attributes
    ----------
    value
        Of all users of the log.
    users
        Of both arms together, for a test at a planned end; None where more than a billion are needed.
    users_daily
        The same where one looks every day.
    days, days_daily
        Days until so many users have come, at the pace of the log; NaN where the log has too few days to tell.
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
        Of the log; `by_day` is how many different users had come at the end of each day.
    """

    effect: float
    alpha: float
    power: float
    users: int
    by_day: tuple[int, ...]
    plans: tuple[MetricPlan, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One row for each metric."""
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

    All users of the log are taken as one group.  Users keep coming as they did in the log: at first every user is new,
    later ever fewer are.

    Raises
    ------
    SpecError
        The effect is 0 or no number, or a share is not between 0 and 1.
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
        for place in range(len(chosen)):
            totals[place] += Moments.of(first_days.select(f"x{place}", f"y{place}").to_numpy())
    first, last = min(arrivals), max(arrivals)
    by_day = np.cumsum([arrivals[day] for day in range(first, last + 1)])
    plans = tuple(
        _plan(metric, moments, by_day, effect, (alpha, power)) for metric, moments in zip(chosen, totals, strict=True)
    )
    return AbPlan(effect, alpha, power, int(by_day[-1]), tuple(map(int, by_day)), plans)


def _plan(metric: OnlineMetric, moments: Moments, by_day: Any, effect: float, risks: tuple[float, float]) -> MetricPlan:
    alpha, power = risks
    plan = Plan.of(moments, alpha=alpha)
    once = plan.users(effect * plan.value, power)
    daily = None if once is None else math.ceil(once * _daily_factor(alpha, power))
    return MetricPlan(metric, plan.value, once, daily, days_until(once, by_day), days_until(daily, by_day))


def _daily_factor(alpha: float, power: float) -> float:
    """How many times as many users daily looks take, where the intervals are tuned for that number of users."""
    normal = NormalDist()
    chance = normal.inv_cdf(power)
    reach = half_width(1.0, 1000, 1000, 1 - alpha)
    return ((reach + chance) / (normal.inv_cdf(1 - alpha / 2) + chance)) ** 2


def days_until(users: int | None, by_day: Any) -> float:
    """Days until so many different users have come; beyond the log at the pace of its second half.

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
