"""Sums of an experiment for each arm, in memory that does not grow with the number of users."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neraca.online.ab_metrics import DAY, OnlineMetric, day_sums, sum_neighbours
from neraca.online.log_contents import LogContents
from neraca.online.message import Message
from neraca.online.search_log import SearchLog
from neraca.online.searches import UserEvents
from neraca.stats.daily_moments import DailyMoments, daily_moments
from neraca.stats.intervals.interval import Floats
from neraca.stats.moments import Moments
from neraca.stats.tests.user_bootstrap import UserBuckets

if TYPE_CHECKING:
    import polars as pl

#: The most users whose values are kept individually.
KEPT = 50_000


@dataclass
class ArmSums:
    """Sums over the users of one arm.

    Attributes
    ----------
    users
        Number of users.
    moments
        For each metric, the moments of (x, y, x before, y before, new, 1) over users: x is the numerator, y the
        denominator, "before" the values before the experiment; new is 1 for users without such values, else 0.
    days
        For each metric, its moments at the end of each day.
    buckets
        x and y of each metric, summed over buckets of users, for the bootstrap.
    segments
        Field → value → the moments of each metric.
    """

    users: int
    moments: list[Moments]
    days: list[DailyMoments]
    buckets: UserBuckets
    segments: dict[str, dict[str, list[Moments]]] = field(default_factory=dict)

    def __add__(self, other: ArmSums) -> ArmSums:
        """Return the sums over both sets of users, which are disjoint."""
        segments: dict[str, dict[str, list[Moments]]] = {}
        for name in dict.fromkeys([*self.segments, *other.segments]):
            values = self.segments.get(name, {}), other.segments.get(name, {})
            segments[name] = {
                value: _add_moments(values[0].get(value), values[1].get(value)) for value in {**values[0], **values[1]}
            }
        return ArmSums(
            self.users + other.users,
            _add_moments(self.moments, other.moments),
            [a + b for a, b in zip(self.days, other.days, strict=True)],
            self.buckets + other.buckets,
            segments,
        )

    def of_metrics(self, places: Sequence[int]) -> ArmSums:
        """Return the sums of the metrics at these places."""

        def select(moments: list[Moments]) -> list[Moments]:
            return [moments[index] for index in places]

        segments = {name: {value: select(m) for value, m in values.items()} for name, values in self.segments.items()}
        days = [self.days[index] for index in places]
        columns = [2 * index + axis for index in places for axis in (0, 1)]
        buckets = UserBuckets(self.buckets.sums[:, columns], self.buckets.users)
        return ArmSums(self.users, select(self.moments), days, buckets, segments)


def _add_moments(first: list[Moments] | None, second: list[Moments] | None) -> list[Moments]:
    if first is None or second is None:
        return [*(first or second or ())]
    return [a + b for a, b in zip(first, second, strict=True)]


@dataclass
class ExperimentSums:
    """Sums of an experiment for each arm, with a sample of users.

    Attributes
    ----------
    arms
        Name of the arm → its sums.
    sample
        (x, y) of individual users for the A/A check, shape (users, metrics, 2).  If the log has more than `KEPT`
        users, those with the smallest hash of their name.
    sample_arms
        The arm of each user of the sample.
    first_day
        First day of the experiment, in days since 1970 (UTC).
    before
        Whether users of the arms searched before the experiment.
    contents
        Numbers of events of the arms' users within the experiment.
    earlier
        Number of searches of these users before it.
    searches_by_arm, clicks_by_arm
        Numbers of searches and clicks of each arm.
    flagged_by_arm, reformulations_by_arm
        Numbers of searches of which the log itself says whether they were reformulated, and of events that say so.
    """

    arms: dict[str, ArmSums]
    sample: Floats
    first_day: int
    before: bool
    contents: LogContents = field(default_factory=LogContents)
    earlier: int = 0
    searches_by_arm: Counter[str] = field(default_factory=Counter)
    clicks_by_arm: Counter[str] = field(default_factory=Counter)
    flagged_by_arm: Counter[str] = field(default_factory=Counter)
    reformulations_by_arm: Counter[str] = field(default_factory=Counter)
    sample_arms: NDArray[np.object_] = field(default_factory=lambda: np.empty(0, np.object_))
    _hashes: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))

    def of_metrics(self, places: Sequence[int]) -> ExperimentSums:
        """Return the sums of the metrics at these places."""
        arms = {name: sums.of_metrics(places) for name, sums in self.arms.items()}
        return replace(self, arms=arms, sample=self.sample[:, places])

    def count_by_arm(self, inside: UserEvents) -> None:
        """Count the searches, clicks and logged reformulations of other users."""
        import polars as pl

        clicks = (pl.col("clicked").list.len() + pl.col("unranked")).sum()
        sums = inside.searches.group_by("variant").agg(pl.len(), clicks, pl.col("flagged").sum())
        for arm, n, clicked, flagged in sums.iter_rows():
            self.searches_by_arm[arm] += n
            self.clicks_by_arm[arm] += clicked
            self.flagged_by_arm[arm] += flagged
        logged = inside.actions.filter(action="reformulation").group_by("variant").len()
        self.reformulations_by_arm.update(dict(logged.iter_rows()))

    def add(self, users: _Users) -> None:
        """Add the sums of other users."""
        daily = users.daily(self.first_day)
        for name in users.arms:
            sums = users.sums(name, daily)
            self.arms[name] = self.arms[name] + sums if name in self.arms else sums
        hashes = np.concatenate([self._hashes, users.hashes])
        smallest = np.argsort(hashes, kind="stable")[:KEPT]
        self._hashes = hashes[smallest]
        self.sample = np.concatenate([self.sample, users.values])[smallest]
        arms = users.users["variant"].to_numpy().astype(np.object_)
        self.sample_arms = np.concatenate([self.sample_arms, arms])[smallest]


def experiment_sums(log: SearchLog, metrics: Sequence[OnlineMetric]) -> ExperimentSums:
    """Read a log once and return its sums for each arm."""
    contents = LogContents(names_sessions=log.has("session"), names_users=log.has("user"))
    total = ExperimentSums({}, np.empty((0, len(metrics), 2)), 0, False, contents)
    for part in log.parts(lists=False):
        if not math.isfinite(log.window.began):
            continue
        total.first_day = int(log.window.began // DAY)
        _count_users_in_no_arm(part, log)
        inside, before = _split_at_start(part, log.window.began)
        if not log.window.has_untreated_history:
            before = UserEvents(before.searches.clear(), before.actions.clear())
        total.earlier += len(before.searches)
        if not len(inside.searches) + len(inside.actions):
            continue
        total.contents.add(inside)
        total.count_by_arm(inside)
        total.before |= bool(len(before.searches))
        total.add(_Users.of(inside, before, metrics, log.options.segments))
    contents.ranks_from_zero, contents.dates = log.contents.ranks_from_zero, log.contents.dates
    return total


def _count_users_in_no_arm(part: UserEvents, log: SearchLog) -> None:
    import polars as pl

    armless = part.searches.filter(pl.col("variant").is_null())
    came_later = (pl.col("time") >= log.window.began).any().over("uid")
    for reason, users in (("only_before", ~came_later), ("no_arm", came_later)):
        searches = armless.filter(users)
        if len(searches):
            log.exclude(
                reason, searches["uid"].n_unique(), Message("user {user}", user=searches["user"][0]), len(searches)
            )
    armless_actions = part.actions.filter(pl.col("variant").is_null(), pl.col("time") >= log.window.began)
    if not len(armless_actions):
        return
    events = armless_actions.filter(
        ~pl.col("action").is_in(["click", "reformulation"]), ~pl.col("uid").is_in(part.searches["uid"].implode())
    )
    if len(events):
        user, action = events.row(0, named=True)["user"], events.row(0, named=True)["action"]
        log.exclude("no_arm_event", len(events), Message("user {user}: {action}", user=user, action=action))


def _split_at_start(part: UserEvents, began: float) -> tuple[UserEvents, UserEvents]:
    """Split the events of users of an arm into those within the experiment and those before it."""
    import polars as pl

    in_arm, late = pl.col("variant").is_not_null(), pl.col("time") >= began
    inside = UserEvents(part.searches.filter(in_arm & late), part.actions.filter(in_arm & late))
    return inside, UserEvents(part.searches.filter(in_arm & ~late), part.actions.filter(in_arm & ~late))


@dataclass(frozen=True)
class _Users:
    """Sums of some users, by day (`days`) and in total (`users`, `values`, `before`)."""

    metrics: Sequence[OnlineMetric]
    days: pl.DataFrame
    users: pl.DataFrame
    values: Floats
    before: Floats
    new: Floats
    hashes: NDArray[np.uint64]
    arms: list[str]

    @property
    def columns(self) -> list[str]:
        """The columns of `days` and `users` that hold the numerator and the denominator of each metric."""
        return [f"{axis}{m}" for m in range(len(self.metrics)) for axis in "xy"]

    @classmethod
    def of(
        cls, inside: UserEvents, before: UserEvents, metrics: Sequence[OnlineMetric], segments: Sequence[str]
    ) -> _Users:
        """Sum the metrics of each user within the experiment and before it."""
        import polars as pl

        days = day_sums(inside, metrics)
        columns = [f"{axis}{m}" for m in range(len(metrics)) for axis in "xy"]
        arms = pl.concat([inside.searches.select("uid", "variant"), inside.actions.select("uid", "variant")])
        is_new = (pl.col("uid") != pl.col("uid").shift(1)).fill_null(True)  # most events of a user stand together
        arms = arms.filter(is_new).unique("uid")
        users = sum_neighbours(days.drop("day"), ["uid"]).join(arms, on="uid", how="left", maintain_order="left")
        if segments:
            first = [pl.col(name).drop_nulls().first() for name in segments]
            tags = inside.searches.group_by("uid").agg(first)
            users = users.join(tags, on="uid", how="left", maintain_order="left")
        earlier = day_sums(before, metrics, by="").select("uid", *columns)
        covariates = users.select("uid").join(earlier, on="uid", how="left", maintain_order="left").fill_null(0.0)
        shape = (len(users), len(metrics), 2)
        before_values = covariates.select(columns).to_numpy(writable=True).reshape(shape)
        new = (before_values[:, :, 1] == 0).astype(np.float64)
        of_users = [m for m, metric in enumerate(metrics) if metric.of_users]
        before_values[:, of_users, 1] = 1.0  # a user without earlier events has a history of 0
        return cls(
            metrics,
            days,
            users,
            users.select(columns).to_numpy().reshape(shape),
            before_values,
            new,
            users["uid"].hash(seed=2).to_numpy(),
            users["variant"].unique().sort().to_list(),
        )

    def daily(self, first_day: int) -> DailyMoments:
        """Return the moments of x and y of every metric, with the arms in the order of `arms`."""
        user = self.days["uid"].rle_id().to_numpy().astype(np.int64)
        day = self.days["day"].to_numpy() - first_day
        arm = np.searchsorted(self.arms, self.users["variant"].to_numpy())[user]
        columns = self.days.select(self.columns).to_numpy(order="c")
        return daily_moments(arm, user, day, columns, arms=len(self.arms), days=int(day.max()) + 1)

    def sums(self, arm: str, daily: DailyMoments) -> ArmSums:
        """Return the sums over the users of one arm; `daily` holds the moments of every arm by day."""
        in_arm = (self.users["variant"] == arm).to_numpy()
        values = self.values[in_arm]
        columns = 2 * len(self.metrics)
        buckets = UserBuckets.none(columns).with_users(values.reshape(len(values), columns))
        of_arm = [daily.part(self.arms.index(arm), (2 * m, 2 * m + 1)) for m in range(len(self.metrics))]
        segments = {
            name: {
                value: self._moments(of_value)
                for value, of_value in _masks_by_value(self.users[name].to_list(), in_arm)
            }
            for name in self.users.columns[self.users.columns.index("variant") + 1 :]
        }
        return ArmSums(len(values), self._moments(in_arm), of_arm, buckets, segments)

    def _moments(self, users: NDArray[np.bool_]) -> list[Moments]:
        """Return the moments of each metric over the users of this mask; for the columns see `ArmSums`."""
        values, before, new = self.values[users], self.before[users], self.new[users]
        columns = np.concatenate([values, before, new[:, :, None], np.ones((*new.shape, 1))], axis=2)
        return [Moments.of(columns[:, m]) for m in range(len(self.metrics))]


def _masks_by_value(tags: Sequence[str | None], in_arm: NDArray[np.bool_]) -> list[tuple[str, NDArray[np.bool_]]]:
    """Return each value of a segment with a mask of the users in the arm who have it."""
    values = np.array([tag or "" for tag in tags])
    return [(str(value), in_arm & (values == value)) for value in np.unique(values[in_arm])]
