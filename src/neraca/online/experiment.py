"""What an A/B test says: the effect of each arm on each metric, and whether the test itself is sound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neraca.errors import SpecError
from neraca.online.ab_metrics import OnlineMetric
from neraca.online.exclusions import Exclusion
from neraca.plain_table import number
from neraca.result import Table, Tabular
from neraca.stats.ratio_test import Effect, Why
from neraca.stats.sample_ratio import SampleRatio

#: Below this p the split of users is not what was planned, and no effect can be trusted.
MISMATCH = 0.001
LOOKS = ("daily", "once")


@dataclass(frozen=True)
class AbOptions:
    """How an A/B test is analysed.

    Attributes
    ----------
    control
        The arm that others are compared with; "" the first by name.
    shares
        Planned share of users for each arm; {} the same for all.
    guards
        Metric → the margin by which it must not be worse.
    looks
        `daily`: intervals hold whenever one looks; `once`: they hold at an end that was planned before.
    tuned_for
        Users for whom intervals of `daily` are narrowest; to be chosen before the start.
    level
        Of all intervals.
    checks
        Splits of the control's users into two halves, to see whether tests find a difference where there is none.
    seed
        Of everything that is drawn.
    """

    control: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)
    guards: Mapping[str, float] = field(default_factory=dict)
    looks: str = "daily"
    tuned_for: int = 5000
    level: float = 0.95
    checks: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        if self.looks not in LOOKS:
            raise SpecError(f"--looks is {' or '.join(LOOKS)}, not {self.looks!r}")
        if not 0.5 <= self.level < 1:
            raise SpecError(f"--level is a confidence from 0.5 to below 1, not {self.level:g}")
        if self.tuned_for < 2 or self.checks < 0:
            raise SpecError("--tuned-for is a number of users, and --checks not below 0")
        if bad := [name for name, share in self.shares.items() if not 0 < share < math.inf]:
            raise SpecError(f"--share {bad[0]}: a share is above 0")


@dataclass(frozen=True)
class DayEffect:
    """What was known at the end of a day (from 0): the difference, and its always-valid interval."""

    day: int
    users: int
    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class ArmEffect:
    """How one arm differs from the control in one metric.

    Attributes
    ----------
    plain
        By the delta method over users, without adjustment.
    effect
        The one that counts: adjusted by what users did before (CUPED) where that is known, else `plain`.
    why
        Why there is no interval; "" where there is one.
    low, high, p
        Of `effect`, valid at every look or at the planned end, as the options say.
    p_adjusted
        p corrected by Holm, of the first metric over its arms, of all others together; NaN where nothing is decided.
    bootstrap
        Interval of `plain` by drawing users again.
    days
        The always-valid interval at the end of each day, without adjustment.
    margin
        Of a guardrail; NaN where the metric is none.
    alpha
        The level of significance.
    """

    metric: OnlineMetric
    control: str
    arm: str
    plain: Effect
    effect: Effect
    adjusted: bool
    why: Why
    low: float
    high: float
    p: float
    p_adjusted: float
    bootstrap: tuple[float, float]
    days: tuple[DayEffect, ...]
    margin: float = math.nan
    alpha: float = 0.05

    @property
    def decides(self) -> bool:
        """Whether one direction is better, and it is no guardrail."""
        return self.metric.higher_is_better is not None and math.isnan(self.margin)

    @property
    def better(self) -> str:
        """The arm that is shown to be better; "" where neither is."""
        if not (self.decides and self.p_adjusted < self.alpha):
            return ""
        return self.arm if (self.effect.difference > 0) == self.metric.higher_is_better else self.control

    @property
    def guard(self) -> str:
        """Of a guardrail `holds`, `broken` or `undecided`; else ""."""
        if math.isnan(self.margin):
            return ""
        worst, best = {True: (self.low, self.high), False: (-self.high, -self.low)}.get(
            bool(self.metric.higher_is_better), (math.nan, math.nan)
        )
        if self.metric.higher_is_better is None:  # either way may be worse
            worst = min(self.low, -self.high)
            best = -max(self.low, -self.high, 0.0)
        return "holds" if worst > -self.margin else "broken" if best < -self.margin else "undecided"


@dataclass(frozen=True)
class Segment:
    """The effect of an arm among users of one value of a field."""

    name: str
    value: str
    users: int
    metric: OnlineMetric
    arm: str
    effect: Effect


@dataclass(frozen=True)
class SelfCheck:
    """How often tests between random halves of the control's users found a difference, for each metric."""

    splits: int
    users: int
    found: Mapping[str, int]


@dataclass(frozen=True, eq=False, repr=False)
class Experiment(Tabular):
    """An A/B test: prints as a table of effects.

    Attributes
    ----------
    users
        Arm → users, the control first.
    split
        Whether the users divide as planned.
    effects
        Of each metric and arm, metrics in the order in which they were asked for.
    """

    users: Mapping[str, int]
    split: SampleRatio
    effects: tuple[ArmEffect, ...]
    segments: tuple[Segment, ...]
    check: SelfCheck | None
    exclusions: tuple[Exclusion, ...]
    options: AbOptions
    events: int
    first_day: int
    metrics: tuple[OnlineMetric, ...]

    @property
    def control(self) -> str:
        """The arm that others are compared with."""
        return next(iter(self.users))

    @property
    def trusted(self) -> bool:
        """Whether users were divided as planned."""
        return not self.split.p < MISMATCH

    def of(self, metric: str) -> list[ArmEffect]:
        """The effects of one metric."""
        return [effect for effect in self.effects if effect.metric.name == metric]

    def rows(self) -> list[dict[str, Any]]:
        """One row for each metric and arm."""
        return [
            {
                "metric": e.metric.name,
                "control": e.control,
                "arm": e.arm,
                "of_control": e.effect.a,
                "of_arm": e.effect.b,
                "difference": e.effect.difference,
                "low": e.low,
                "high": e.high,
                "why": e.why,
                "relative": e.effect.relative,
                "p": e.p,
                "p_adjusted": e.p_adjusted,
                "better": e.better,
                "guard": e.guard,
                "cuped": e.adjusted,
                "bootstrap_low": e.bootstrap[0],
                "bootstrap_high": e.bootstrap[1],
                "looks": self.options.looks,
                "users_control": self.users[e.control],
                "users_arm": self.users[e.arm],
                "sample_ratio_p": self.split.p,
            }
            for e in self.effects
        ]

    def _tables(self) -> list[Table]:
        columns = ["metric", "arm", "control", "arm's", "difference", "low", "high", "p"]
        rows = [
            [
                e.metric.name,
                e.arm,
                *map(number, (e.effect.a, e.effect.b, e.effect.difference, e.low, e.high, e.p_adjusted)),
            ]
            for e in self.effects
        ]
        return [Table(columns, rows, f"compared with {self.control}", 2)]
