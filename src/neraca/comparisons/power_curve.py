"""How often a difference would be found, over numbers of questions: by formula, and in data drawn again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from neraca.stats.interval import Floats
from neraca.stats.mcnemar_power import mcnemar_detectable, mcnemar_items, mcnemar_power
from neraca.stats.power import items_needed, power_reached, smallest_effect

#: Nobody asks more questions.
MOST = 10_000_000
STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.5)


@dataclass(frozen=True, slots=True)
class Point:
    """What n questions would give: the chance to find the difference, and the smallest difference found.

    Attributes
    ----------
    power
        By formula; NaN where no difference is assumed.
    simulated
        Share of simulated t-tests that found it; NaN without data, and with too few of them.
    detectable
        The smallest difference that is found with the power wanted; NaN where there is none.
    """

    n: int
    power: float
    simulated: float
    detectable: float


@dataclass(frozen=True, slots=True)
class OwnData:
    """The paired differences that a plan rests on.

    Attributes
    ----------
    metric, a, b
        What was compared, run a minus run b; "" for differences given as numbers.
    n, sessions, ties
        Items scored in both, in how many sessions, and how many items do not differ.
    effective
        Independent items that would tell as much: n, unless items of one session go together.
    difference
        The mean.
    false_alarms
        Share of simulated t-tests of n items that found a difference where there was none; NaN with too few data.
    simulations, seed
        How the simulated shares were made.
    """

    metric: str
    a: str
    b: str
    n: int
    sessions: int
    ties: int
    effective: float
    difference: float
    false_alarms: float
    simulations: int
    seed: int


@dataclass(frozen=True, slots=True)
class Power:
    """A plan: how many questions, for which difference, found how often.

    Attributes
    ----------
    difference
        The true difference that is to be found; NaN where none is assumed.
    assumed
        Where it comes from: `given`, `observed`, `detectable` (the smallest that n questions find), or "".
    sd, effect
        Standard deviation of the paired differences, and difference / sd.
    alpha, wanted
        Level of the two-sided test, and the power wanted.
    n
        The number of questions asked about, or that the data have; None without either.
    needed
        Questions with which the power wanted is reached; None where there is no difference, or more than ten million.
    reached, detectable
        With n questions the power, and the smallest difference found with the power wanted; NaN where there is none.
    test
        Whose formula it is: `t` or, for shares of independent questions, `mcnemar`.
    curve
        The same over numbers of questions.
    data
        What was observed; None for a plan on paper.
    """

    difference: float
    assumed: str
    sd: float
    effect: float
    alpha: float
    wanted: float
    n: int | None
    needed: int | None
    reached: float
    detectable: float
    test: str
    curve: tuple[Point, ...]
    data: OwnData | None = None

    def rows(self) -> list[dict[str, Any]]:
        """One flat row for each number of questions of the curve."""
        own: dict[str, Any] = {} if self.data is None else asdict(self.data)
        observed = {f"observed_{name}": own.pop(name, None) for name in ("n", "difference")}
        plan = {name: getattr(self, name) for name in ("difference", "assumed", "sd", "effect", "alpha", "wanted")}
        return [{**asdict(p), **plan, "needed": self.needed, "test": self.test, **own, **observed} for p in self.curve]


@dataclass(frozen=True, slots=True)
class Goal:
    """Level of the two-sided test, and the chance wanted to find a difference."""

    alpha: float
    power: float


@dataclass(frozen=True, slots=True)
class Noncentral:
    """The paired t-test of sessions of `size` items each (on average), whose means spread by `sd`."""

    sd: float
    goal: Goal
    size: float = 1.0

    @property
    def fewest(self) -> int:
        """The least number of items with which there is a test: those of two sessions."""
        return 2 if self.size == 1 else math.ceil(1.5 * self.size)

    def power(self, difference: float, n: int) -> float:
        """Chance to find a difference with n items."""
        return power_reached(difference / self.sd, self.sessions(n), self.goal.alpha)

    def needed(self, difference: float) -> int | None:
        """The fewest items that find it; None where it takes more than ten million."""
        found = items_needed(difference / self.sd, self.goal.alpha, self.goal.power)
        return None if found is None else math.ceil(found * self.size)

    def detectable(self, n: int) -> float:
        """The smallest difference that n items find."""
        return self.sd * smallest_effect(self.sessions(n), self.goal.alpha, self.goal.power)

    def sessions(self, n: int) -> int:
        """In how many sessions n items are."""
        return max(2, round(n / self.size))


@dataclass(frozen=True, slots=True)
class Shares:
    """McNemar's test of independent items, of which the share `disagree` is right in one system alone."""

    disagree: float
    goal: Goal
    fewest: int = 2

    def power(self, difference: float, n: int) -> float:
        """Chance to find a difference with n items."""
        return mcnemar_power(difference, self.disagree, n, self.goal.alpha)

    def needed(self, difference: float) -> int | None:
        """The fewest items that find it; None where it takes more than ten million."""
        return mcnemar_items(difference, self.disagree, self.goal.alpha, self.goal.power)

    def detectable(self, n: int) -> float:
        """The smallest difference that n items find; NaN where the systems disagree too seldom for any."""
        return mcnemar_detectable(self.disagree, n, self.goal.alpha, self.goal.power)

    def chances(self, difference: float) -> Floats:
        """How often an item is right in b alone, in both or none, in a alone, with this difference; shape (3,)."""
        disagree = max(self.disagree, abs(difference))
        return np.array([(disagree - difference) / 2, 1 - disagree, (disagree + difference) / 2])


@dataclass(frozen=True, slots=True)
class Resampled:
    """What data add to a formula.

    Attributes
    ----------
    sd
        Standard deviation of the paired differences.
    data
        What was observed.
    simulated
        Share of simulated tests that find a mean difference with n items.
    """

    sd: float
    data: OwnData
    simulated: Callable[[float, int], float]


def plan(
    formula: Noncentral | Shares,
    difference: float,
    assumed: str,
    n: int | None,
    goal: Goal,
    own: Resampled | None = None,
) -> Power:
    """The plan for one difference (NaN for none), with its curve around the n asked about and the items needed."""
    needed = None if math.isnan(difference) else formula.needed(difference)

    def point(n: int) -> Point:
        simulated = own.simulated(difference, n) if own and assumed else math.nan
        reached = formula.power(difference, n) if assumed else math.nan
        return Point(n, reached, simulated, formula.detectable(n))

    sd = own.sd if own else formula.sd if isinstance(formula, Noncentral) else math.nan
    curve = tuple(map(point, _numbers(formula.fewest, n, needed)))
    here = next((p for p in curve if p.n == n), Point(0, math.nan, math.nan, math.nan))
    return Power(
        difference,
        assumed,
        sd,
        difference / sd,
        goal.alpha,
        goal.power,
        n,
        needed,
        here.power,
        here.detectable,
        "mcnemar" if isinstance(formula, Shares) else "t",
        curve,
        own.data if own else None,
    )


def _numbers(fewest: int, n: int | None, needed: int | None) -> list[int]:
    """Round numbers of questions around those needed (else those there), and these two themselves."""
    centre = needed or n
    if centre is None:
        return []
    powers = [10**k for k in range(8)]
    round_ones = {math.ceil(step * ten) for ten in powers for step in STEPS}
    low, high = max(fewest, centre / 8), min(2 * centre, MOST)
    near = {number for number in round_ones if low <= number <= high}
    return sorted(near | {number for number in (n, needed) if number is not None})
