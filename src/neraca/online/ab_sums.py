"""What is kept of an experiment's log: sums of each arm, whatever the number of users."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neraca.online.ab_metrics import DAY, OnlineMetric, day_sums
from neraca.online.search_log import SearchLog
from neraca.online.searches import UserEvents
from neraca.stats.daily_moments import DailyMoments, daily_moments
from neraca.stats.interval import Floats
from neraca.stats.moments import Moments
from neraca.stats.user_bootstrap import UserBuckets

if TYPE_CHECKING:
    import polars as pl

#: At most so many users are kept one by one.
KEPT = 50_000


@dataclass
class ArmSums:
    """What is kept of one arm.

    Attributes
    ----------
    users
        How many it has.
    moments
        For each metric those of (x, y, x before, y before) over its users.
    days
        For each metric its moments at the end of each day.
    buckets
        Sums over buckets of users, to be drawn again; x and y of each metric.
    segments
        Field → value → for each metric its moments.
    """

    users: int
    moments: list[Moments]
    days: list[DailyMoments]
    buckets: UserBuckets
    segments: dict[str, dict[str, list[Moments]]] = field(default_factory=dict)

    def __add__(self, other: ArmSums) -> ArmSums:
        """Put together what was kept of different users."""
        segments: dict[str, dict[str, list[Moments]]] = {}
        for name in dict.fromkeys([*self.segments, *other.segments]):
            values = self.segments.get(name, {}), other.segments.get(name, {})
            segments[name] = {
                value: _added(values[0].get(value), values[1].get(value)) for value in {**values[0], **values[1]}
            }
        return ArmSums(
            self.users + other.users,
            _added(self.moments, other.moments),
            [a + b for a, b in zip(self.days, other.days, strict=True)],
            self.buckets + other.buckets,
            segments,
        )

    def of_metrics(self, places: Sequence[int]) -> ArmSums:
        """Keep some of the metrics."""

        def some(moments: list[Moments]) -> list[Moments]:
            return [moments[place] for place in places]

        segments = {name: {value: some(m) for value, m in values.items()} for name, values in self.segments.items()}
        days = [self.days[place] for place in places]
        columns = [2 * place + axis for place in places for axis in (0, 1)]
        buckets = UserBuckets(self.buckets.sums[:, columns], self.buckets.users)
        return ArmSums(self.users, some(self.moments), days, buckets, segments)


def _added(first: list[Moments] | None, second: list[Moments] | None) -> list[Moments]:
    if first is None or second is None:
        return [*(first or second or ())]
    return [a + b for a, b in zip(first, second, strict=True)]


@dataclass
class ExperimentSums:
    """What is kept of an experiment: its arms, some users one by one, and its first day.

    Attributes
    ----------
    sample
        (x, y) of some users, one by one, for the check of A against A: shape (users, metrics, 2); of a log with more
        than `KEPT` users those whose number, drawn by their name, is smallest.
    before
        Whether anything happened before the experiment.
    """

    arms: dict[str, ArmSums]
    sample: Floats
    first_day: int
    before: bool
    _numbers: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))

    def of_metrics(self, places: Sequence[int]) -> ExperimentSums:
        """Keep some of the metrics."""
        arms = {name: sums.of_metrics(places) for name, sums in self.arms.items()}
        return ExperimentSums(arms, self.sample[:, places], self.first_day, self.before)

    def add(self, part: Mapping[str, ArmSums], sample: Floats, numbers: NDArray[np.uint64]) -> None:
        """Take in what other users did."""
        for name, sums in part.items():
            self.arms[name] = self.arms[name] + sums if name in self.arms else sums
        rows = np.concatenate([self.sample, sample])
        drawn = np.concatenate([self._numbers, numbers])
        smallest = np.argsort(drawn, kind="stable")[:KEPT]
        self.sample, self._numbers = rows[smallest], drawn[smallest]


def experiment_sums(log: SearchLog, metrics: Sequence[OnlineMetric]) -> ExperimentSums:
    """Go through a log once."""
    total = ExperimentSums({}, np.empty((0, len(metrics), 2)), 0, False)
    for part in log.parts():
        if not math.isfinite(log.began):
            continue
        total.first_day = int(log.began // DAY)
        inside, before = _divided(part, log.began)
        if not len(inside.searches) + len(inside.actions):
            continue
        total.before |= bool(len(before.searches))
        users = _Users.of(inside, before, metrics, log.options.segments)
        total.add({arm: users.sums(arm, total.first_day) for arm in users.arms}, users.values, users.numbers)
    return total


def _divided(part: UserEvents, began: float) -> tuple[UserEvents, UserEvents]:
    """What users of an arm did in the experiment, and before it."""
    import polars as pl

    in_arm, late = pl.col("variant").is_not_null(), pl.col("time") >= began
    inside = UserEvents(part.searches.filter(in_arm & late), part.actions.filter(in_arm & late))
    return inside, UserEvents(part.searches.filter(in_arm & ~late), part.actions.filter(in_arm & ~late))


@dataclass(frozen=True)
class _Users:
    """Sums of some users: one row for each user and day, and one for each user."""

    metrics: Sequence[OnlineMetric]
    days: pl.DataFrame
    users: pl.DataFrame
    values: Floats
    before: Floats
    numbers: NDArray[np.uint64]
    arms: list[str]

    @classmethod
    def of(
        cls, inside: UserEvents, before: UserEvents, metrics: Sequence[OnlineMetric], segments: Sequence[str]
    ) -> _Users:
        """Add up what users did in the experiment and before it."""
        import polars as pl

        days = day_sums(inside, metrics)
        columns = [f"{axis}{m}" for m in range(len(metrics)) for axis in "xy"]
        arms = pl.concat([inside.searches.select("uid", "variant"), inside.actions.select("uid", "variant")])
        first = [pl.col(name).drop_nulls().first() for name in segments]
        tags = inside.searches.group_by("uid").agg(first)
        users = days.group_by("uid", maintain_order=True).agg(pl.col(columns).sum())
        users = users.join(arms.unique("uid"), on="uid", how="left", maintain_order="left")
        users = users.join(tags, on="uid", how="left", maintain_order="left")
        earlier = day_sums(before, metrics, by="").select("uid", *columns)
        covariates = users.select("uid").join(earlier, on="uid", how="left", maintain_order="left").fill_null(0.0)
        shape = (len(users), len(metrics), 2)
        return cls(
            metrics,
            days.join(users.select("uid", "variant"), on="uid", how="left", maintain_order="left"),
            users,
            users.select(columns).to_numpy().reshape(shape),
            covariates.select(columns).to_numpy().reshape(shape),
            users["uid"].hash(seed=2).to_numpy(),
            users["variant"].unique().sort().to_list(),
        )

    def sums(self, arm: str, first_day: int) -> ArmSums:
        """What is kept of the users of one arm."""
        here = (self.users["variant"] == arm).to_numpy()
        values, before = self.values[here], self.before[here]
        columns = 2 * len(self.metrics)
        buckets = UserBuckets.none(columns).with_users(values.reshape(len(values), columns))
        days = self.days.filter(self.days["variant"] == arm)
        user = days["uid"].rle_id().to_numpy().astype(np.int64)
        day = days["day"].to_numpy() - first_day
        one = np.zeros(len(day), dtype=np.int64)
        daily = [
            daily_moments(one, user, day, days.select(f"x{m}", f"y{m}").to_numpy(), arms=1, days=int(day.max()) + 1)
            for m in range(len(self.metrics))
        ]
        segments = {
            name: {
                value: self._moments(values[at], before[at]) for value, at in _places(self.users[name].to_list(), here)
            }
            for name in self.users.columns[self.users.columns.index("variant") + 1 :]
        }
        return ArmSums(len(values), self._moments(values, before), daily, buckets, segments)

    def _moments(self, values: Floats, before: Floats) -> list[Moments]:
        return [Moments.of(np.hstack([values[:, m], before[:, m]])) for m in range(len(self.metrics))]


def _places(tags: Sequence[str | None], here: NDArray[np.bool_]) -> list[tuple[str, NDArray[np.bool_]]]:
    """Each value of a segment and where it is among the users of an arm."""
    words = np.array([tag or "" for tag in tags])[here]
    return [(str(value), words == value) for value in np.unique(words)]
