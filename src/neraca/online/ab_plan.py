"""Plan an A/B test: estimate the users and days that it needs from an earlier log."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from neraca.errors import InputError, SpecError
from neraca.number_format import number
from neraca.online.ab_measurable import unmeasured_metrics
from neraca.online.ab_metrics import DAY, USUAL, OnlineMetric, day_sums, online_metrics
from neraca.online.log_contents import ReadLog
from neraca.online.look_correlation import LookCorrelation
from neraca.online.search_log import SearchLog
from neraca.online.searches import UserEvents
from neraca.online.user_course import COVARIATES, GROUPS, UserCourse, days_until, remaining_variance
from neraca.result import SavedReport, Table, Tabular
from neraca.stats.daily_moments import DailyMoments, daily_moments
from neraca.stats.planning.ab_power import MOST_USERS
from neraca.stats.planning.power import fewest

if TYPE_CHECKING:
    import polars as pl

#: A plan uses history if it explains at least this share of the variance.
LEAST_GAIN = 0.01


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
        Users of both arms together for a test that is looked at every day: with this many, some look finds the effect
        with the planned power.
    days, days_daily
        Days until this many users have come at the pace of the log; infinite if the log brings too few new users.
    power_at_end, power_daily
        The power at the end of these days, at least the planned one; NaN if the days are unknown.
    cuped
        Whether the plan adjusts for what users did before.
    """

    metric: OnlineMetric
    value: float
    users: int | None
    users_daily: int | None
    days: float
    days_daily: float
    power_at_end: float
    power_daily: float
    cuped: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class AbPlan(SavedReport, Tabular):
    """A plan of an A/B test with two equal arms.

    Attributes
    ----------
    users
        Different users in the log.
    by_day
        Different users up to the end of each day of the log.
    log
        What was read from the log and what was left out.
    unmeasured
        Metric that the log cannot measure → the reason.
    """

    report = "online.ab_plan:ab_plan_document"

    effect: float
    alpha: float
    power: float
    users: int
    by_day: tuple[int, ...]
    plans: tuple[MetricPlan, ...]
    log: ReadLog
    unmeasured: Mapping[str, str] = field(default_factory=dict)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each metric."""
        return [
            {
                "metric": plan.metric.name,
                "cuped": plan.cuped,
                "value": plan.value,
                "effect": self.effect,
                "users": plan.users,
                "days": plan.days,
                "users_daily": plan.users_daily,
                "days_daily": plan.days_daily,
                "power": self.power,
                "power_at_end": plan.power_at_end,
                "power_daily": plan.power_daily,
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

    Treat all users of the log as one group.  Assume that users come as in the log: at first every user is new, later
    fewer and fewer are, and those who come again search again.  So a test of d days has the users of d days of the
    log, and their values vary as they did after d days.  Longer tests keep the variance of the whole log.

    A second plan for a metric adjusts for what users did before (CUPED).  The share of the variance that remains is
    estimated as if a test began in the middle of the log, with the first half as history.

    Raises
    ------
    InputError
        The log lacks the data for a metric that is asked for.
    SpecError
        The effect is 0, -1 or below, or not finite; or not 0 < alpha < power < 1.
    """
    if not (effect and math.isfinite(effect) and effect > -1):
        raise SpecError("--effect is the smallest relative change that would matter, such as 5% or 0.05")
    if not (0 < alpha < 1 and alpha < power < 1):
        raise SpecError("--power and the level are shares between 0 and 1")
    chosen = online_metrics(metrics) or online_metrics(USUAL)
    first, last = _first_and_last_day(log)
    required = [metric.name for metric in chosen] if metrics else []
    unmeasured = unmeasured_metrics(log, chosen, required, log.contents)
    chosen = [metric for metric in chosen if metric.name not in unmeasured]
    middle = first + (last - first + 1) // 2
    whole, half = _daily_moments(log, chosen, (first, middle))
    plans = []
    for index, metric in enumerate(chosen):
        course = UserCourse.of(whole[index], metric)
        plans.append(plan_metric(metric, course, effect, (alpha, power)))
        remaining = remaining_variance(half[index]) if middle > first and half else np.ones(1)
        if remaining[-1] < 1 - LEAST_GAIN:
            course = course.with_history(remaining, LookCorrelation.of(half[index].together(), COVARIATES))
            plans.append(plan_metric(metric, course, effect, (alpha, power), cuped=True))
    by_day = UserCourse.of(whole[0], chosen[0]).users
    return AbPlan(effect, alpha, power, int(by_day[-1]), tuple(map(int, by_day)), tuple(plans), log.read, unmeasured)


def _first_and_last_day(log: SearchLog) -> tuple[int, int]:
    days = [
        (int(frame["time"].min() // DAY), int(frame["time"].max() // DAY))  # type: ignore[operator]
        for part in log.parts()
        for frame in (part.searches, part.actions)
        if len(frame)
    ]
    if not days:
        raise InputError("the log has no event to plan from; name another log, or other dates (--since, --until)")
    return min(first for first, _ in days), max(last for _, last in days)


def _daily_moments(log: SearchLog, metrics: Sequence[OnlineMetric], starts: Sequence[int]) -> list[list[DailyMoments]]:
    """Return for each start, a day since 1970, and each metric the moments of groups of users by day from then on.

    The columns are those of `ArmSums.moments`, then the user's numerator and denominator at the end of the log; what
    users did before the start is their history.
    """
    import polars as pl

    totals: list[list[DailyMoments]] = [[] for _ in starts]
    for part in log.parts():
        for place, start in enumerate(starts):
            late = pl.col("time") >= start * DAY
            inside = UserEvents(part.searches.filter(late), part.actions.filter(late))
            before = UserEvents(part.searches.filter(~late), part.actions.filter(~late))
            if not len(inside.searches) + len(inside.actions):
                continue
            daily = _moments_of_part(day_sums(inside, metrics), day_sums(before, metrics, by=""), metrics, start)
            earlier = totals[place]
            totals[place] = [a + b for a, b in zip(earlier, daily, strict=True)] if earlier else daily
    return totals


def _moments_of_part(
    days: pl.DataFrame, history: pl.DataFrame, metrics: Sequence[OnlineMetric], start: int
) -> list[DailyMoments]:
    """Return the daily moments of each metric over some users; their history counts on their first day."""
    past = days.select("uid").join(history.drop("day"), on="uid", how="left", maintain_order="left").fill_null(0.0)
    user = days["uid"].rle_id().to_numpy().astype(np.int64)
    day = days["day"].to_numpy() - start
    first = days["uid"].is_first_distinct().to_numpy().astype(np.float64)
    starts = np.flatnonzero(first)
    group = (days["uid"].hash(seed=3) % GROUPS).to_numpy().astype(np.int64)
    moments = []
    for m, metric in enumerate(metrics):
        x_before, y_before = (past[f"{axis}{m}"].to_numpy() for axis in "xy")
        new = (y_before == 0).astype(np.float64)
        y_before = np.ones(len(new)) if metric.of_users else y_before
        values = days.select(f"x{m}", f"y{m}").to_numpy()
        at_end = np.repeat(np.add.reduceat(values, starts, axis=0), np.diff(starts, append=len(first)), axis=0)
        facts = np.column_stack([x_before, y_before, new, np.ones(len(new)), at_end]) * first[:, None]
        columns = np.hstack([values, facts])
        moments.append(daily_moments(group, user, day, columns, arms=GROUPS, days=int(day.max()) + 1))
    return moments


def plan_metric(
    metric: OnlineMetric, course: UserCourse, effect: float, risks: tuple[float, float], *, cuped: bool = False
) -> MetricPlan:
    """Plan a test on one metric; `risks` are the level and the wanted power."""
    alpha, power = risks

    def enough(users: int) -> bool:
        plan = course.plan(users, effect, alpha)
        return plan.power(effect * plan.value, users) >= power

    def enough_daily(users: int) -> bool:
        return course.sequential_power(users, effect, alpha) >= power

    users = fewest(enough, 4, MOST_USERS) if course.varies else None
    users_daily = fewest(enough_daily, users, 8 * users) if users is not None else None
    days, days_daily = (days_until(n, course.users) for n in (users, users_daily))
    at_end = course.users_after(days)
    plan = course.plan(at_end, effect, alpha) if course.varies and math.isfinite(days) else None
    powers = (
        math.nan if plan is None else plan.power(effect * plan.value, at_end),
        course.sequential_power(round(course.users_after(days_daily)), effect, alpha)
        if users_daily is not None and math.isfinite(days_daily)
        else math.nan,
    )
    return MetricPlan(metric, course.value, users, users_daily, days, days_daily, *powers, cuped=cuped)
