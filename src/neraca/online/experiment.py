"""The result of an A/B test: the effect of each arm on each metric, and checks of the test itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neraca.errors import SpecError
from neraca.number_format import number
from neraca.online.ab_metrics import OnlineMetric
from neraca.online.exclusions import Exclusion
from neraca.online.log_contents import LogContents
from neraca.result import SavedReport, Table, Tabular
from neraca.stats.tests.ratio_test import Effect, Why
from neraca.stats.tests.sample_ratio import SampleRatio

#: Gaps between intervals below this share of the values come from rounding.
_ROUNDING = 1e-6
#: If p of the sample ratio test is below this, the split of users is wrong, and no effect can be trusted.
MISMATCH = 0.001
LOOKS = ("daily", "once")


@dataclass(frozen=True)
class AbOptions:
    """Settings of the analysis of an A/B test.

    Attributes
    ----------
    control
        The arm that others are compared with; "": the first by name.
    shares
        Arm → planned share of users; {}: equal shares.
    guards
        Metric of a guardrail → the margin by which an arm may be worse.
    looks
        `daily`: intervals are valid at every look; `once`: only at an end planned in advance.
    tuned_for
        Number of users at which the intervals of `daily` are narrowest; choose it before the start.
    level
        Confidence level of all intervals.
    checks
        Number of random splits of users into halves, to see how often tests find a difference that does not exist.
    seed
        Seed of the bootstrap and of the random splits.
    cuped
        Whether effects are adjusted by what users did before the experiment.
    """

    control: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)
    guards: Mapping[str, float] = field(default_factory=dict)
    looks: str = "daily"
    tuned_for: int = 5000
    level: float = 0.95
    checks: int = 500
    seed: int = 0
    cuped: bool = True

    def __post_init__(self) -> None:
        if self.looks not in LOOKS:
            raise SpecError(f"--looks is {' or '.join(LOOKS)}, not {self.looks!r}")
        if not 0.5 <= self.level < 1:
            raise SpecError(f"--level is a confidence level, at least 0.5 and below 1, not {self.level:g}")
        if self.tuned_for < 2 or self.checks < 0:
            raise SpecError("--tuned-for must be at least 2 users, and --checks at least 0")
        if bad := [name for name, share in self.shares.items() if not 0 < share < math.inf]:
            raise SpecError(f"--share {bad[0]}: a share must be above 0")


@dataclass(frozen=True)
class DayEffect:
    """The difference at the end of a day (from 0), with its always-valid interval."""

    day: int
    users: int
    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class ArmEffect:
    """The effect of one arm on one metric, compared with the control.

    Attributes
    ----------
    plain
        The effect by the delta method over users, without adjustment.
    effect
        The effect that decides: adjusted by what users did before the experiment (CUPED) if that is known and makes
        the interval narrower, else `plain`.
    adjusted
        Whether `effect` is adjusted.
    plain_bounds
        Interval of `plain`, valid as `low` and `high` are.
    why
        The reason why there is no interval; "" if there is one.
    low, high, p
        Interval and p-value of `effect`, valid at every look or only at the planned end, by `AbOptions.looks`.
    p_adjusted
        p adjusted by Holm's method, within the first metric and within all others; NaN for diagnostics and guardrails.
    bootstrap
        Interval of `plain` by the bootstrap over users.
    days
        The always-valid interval at the end of each day, without adjustment.
    margin
        Margin of a guardrail; NaN if the metric is not a guardrail.
    alpha
        The level of significance.
    p_permuted
        With few users, p for one look by exchanging users between the arms; NaN with more.
    """

    metric: OnlineMetric
    control: str
    arm: str
    plain: Effect
    effect: Effect
    adjusted: bool
    plain_bounds: tuple[float, float]
    why: Why
    low: float
    high: float
    p: float
    p_adjusted: float
    bootstrap: tuple[float, float]
    days: tuple[DayEffect, ...]
    margin: float = math.nan
    alpha: float = 0.05
    p_permuted: float = math.nan

    @property
    def decides(self) -> bool:
        """Whether the metric can decide: one direction is better, and it is not a guardrail."""
        return self.metric.higher_is_better is not None and math.isnan(self.margin)

    @property
    def relative(self) -> float:
        """The difference as a share of the control's value; NaN if that is not above 0."""
        return self.effect.relative if self.effect.a > 0 else math.nan

    @property
    def rough(self) -> bool:
        """Whether the two intervals for one look, by formula and by the bootstrap, lie far from each other."""
        half = (self.plain.high - self.plain.low) / 2
        gaps = [abs(a - b) for a, b in zip((self.plain.low, self.plain.high), self.bootstrap, strict=True)]
        noise = _ROUNDING * max(abs(self.plain.a), abs(self.plain.b))
        return all(map(math.isfinite, gaps)) and max(gaps) > max(half / 2, noise)

    @property
    def contradicted(self) -> bool:
        """Whether the intervals lie far from each other and only that of the bootstrap holds zero."""
        return self.rough and self.bootstrap[0] <= 0 <= self.bootstrap[1] and not self.plain.low <= 0 <= self.plain.high

    @property
    def better(self) -> str:
        """The arm that is significantly better; "" if neither is, or if the bootstrap or exchanged users contradict."""
        if not (self.decides and self.p_adjusted < self.alpha) or self.contradicted or self.p_permuted >= self.alpha:
            return ""
        return self.arm if (self.effect.difference > 0) == self.metric.higher_is_better else self.control

    @property
    def guard(self) -> str:
        """State of a guardrail: `holds`, `broken` or `undecided`; "" for other metrics."""
        if math.isnan(self.margin):
            return ""
        worst, best = {True: (self.low, self.high), False: (-self.high, -self.low)}.get(
            bool(self.metric.higher_is_better), (math.nan, math.nan)
        )
        if self.metric.higher_is_better is None:  # a change in either direction may be worse
            worst = min(self.low, -self.high)
            best = -max(self.low, -self.high, 0.0)
        return "holds" if worst > -self.margin else "broken" if best < -self.margin else "undecided"


@dataclass(frozen=True)
class Segment:
    """The effect of an arm among the users with one value of a field."""

    name: str
    value: str
    users: int
    metric: OnlineMetric
    arm: str
    effect: Effect


@dataclass(frozen=True)
class SelfCheck:
    """Tests between random halves of the users: `found` has the number of significant differences for each metric."""

    splits: int
    users: int
    found: Mapping[str, int]


@dataclass(frozen=True, eq=False, repr=False)
class Experiment(SavedReport, Tabular):
    """An A/B test: prints as a table of effects.

    Attributes
    ----------
    users
        Arm → number of users, the control first.
    split
        Test whether the users were divided as planned.
    effects
        The effect on each metric in each arm, metrics in the order asked for.
    segments
        Effects on the first metric among users with the same value of a field.
    check
        Result of the A/A check; None if it was not done.
    events
        Number of events in the log.
    contents, earlier
        Counts of events of the arms' users within the experiment, and the number of their searches before it.
    unused
        The columns of the log that were not read.
    unmeasured
        Metric that the log cannot measure → the reason.
    doubts
        Sentences on what makes the log doubtful.
    first_day
        First day of the experiment, in days since 1970 (UTC).
    """

    report = "online.ab:ab_document"

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
    contents: LogContents = field(default_factory=LogContents)
    earlier: int = 0
    unused: tuple[str, ...] = ()
    unmeasured: Mapping[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()

    @property
    def control(self) -> str:
        """The arm that others are compared with."""
        return next(iter(self.users))

    @property
    def trusted(self) -> bool:
        """Whether the split of users is compatible with the plan."""
        return not self.split.p < MISMATCH

    def of(self, metric: str) -> list[ArmEffect]:
        """Return the effects on one metric, one for each arm."""
        return [effect for effect in self.effects if effect.metric.name == metric]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each metric and arm."""
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
                "relative": e.relative,
                "p": e.p,
                "p_adjusted": e.p_adjusted,
                "p_permuted": e.p_permuted,
                "better": e.better if self.trusted else "",
                "guard": e.guard,
                "margin": e.margin,
                "cuped": e.adjusted,
                "plain_of_control": e.plain.a,
                "plain_of_arm": e.plain.b,
                "plain_difference": e.plain.difference,
                "plain_low": e.plain_bounds[0],
                "plain_high": e.plain_bounds[1],
                "bootstrap_low": e.bootstrap[0],
                "bootstrap_high": e.bootstrap[1],
                "looks": self.options.looks,
                "users_control": self.users[e.control],
                "users_arm": self.users[e.arm],
                "sample_ratio_p": self.split.p,
                "trusted": self.trusted,
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
