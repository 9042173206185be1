"""The chance of finding a difference by number of questions: by formula, and in resampled data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from neraca.number_format import number
from neraca.result import Table, Tabular
from neraca.stats.intervals.interval import Floats
from neraca.stats.planning.mcnemar_power import mcnemar_detectable, mcnemar_items, mcnemar_power
from neraca.stats.planning.power import items_needed, power_reached, smallest_effect

#: The most questions of a plan.
MOST = 10_000_000
STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.5)


@dataclass(frozen=True, slots=True)
class Point:
    """The power of n questions.

    Attributes
    ----------
    power
        Chance to find the difference, by formula; NaN if no difference is assumed.
    simulated
        Share of simulated t-tests that find it; NaN without data, and with too few of them.
    detectable
        The smallest difference that is found with the target power; NaN where there is none.
    """

    n: int
    power: float
    simulated: float
    detectable: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnData:
    """The paired differences that a plan rests on.

    Attributes
    ----------
    metric, a, b
        The compared runs, a minus b, and the metric; "" for differences given as numbers.
    n, sessions, ties
        Items scored in both, their sessions, and items that do not differ.
    effective
        The effective sample size: n, unless items of one session are alike.
    difference, sd
        Mean and standard deviation.
    false_alarms
        Share of simulated t-tests of n items that find a difference where there is none; NaN with too few data.
    simulations, seed
        The number of simulations, and their seed.
    """

    metric: str
    a: str
    b: str
    n: int
    sessions: int
    ties: int
    effective: float
    difference: float
    sd: float
    false_alarms: float
    simulations: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Power(Tabular):
    """A plan: the number of questions, the difference to find, and the chance to find it.

    Attributes
    ----------
    difference
        The true difference that is to be found; NaN where none is assumed.
    assumed
        Where the difference comes from: `given`, `observed`, `detectable` (the smallest that n questions find), or "".
    sd, effect
        Standard deviation of the paired differences, and difference / sd.
    alpha, target
        Level of the two-sided test, and the target power.
    n
        The number of questions that the user gave or the data have; None without either.
    needed
        Questions that reach the target power; None without a difference, and above ten million.
    reached, detectable
        With n questions the power, and the smallest difference found with the target power; NaN where there is none.
    test
        The test of the formula: `t` or, for shares of independent questions, `mcnemar`.
    curve
        The power of several numbers of questions.
    data
        The observed differences; None for a plan on paper.
    """

    difference: float
    assumed: str
    sd: float
    effect: float
    alpha: float
    target: float
    n: int | None
    needed: int | None
    reached: float
    detectable: float
    test: str
    curve: tuple[Point, ...]
    data: OwnData | None = None

    def _tables(self) -> Iterator[Table]:
        columns = ["questions", "power", *(["simulated"] if self.data else []), "smallest difference found"]
        rows = [
            [
                f"{point.n:,}",
                number(point.power),
                *([number(point.simulated)] if self.data else []),
                number(point.detectable),
            ]
            for point in self.curve
        ]
        yield Table(columns, rows)

    def _sentences(self) -> Iterator[str]:
        if self.needed is not None:
            yield f"{self.needed:,} questions find a difference of {self.difference:g} with power {self.target:g}."

    def rows(self) -> list[dict[str, Any]]:
        """One flat row for each number of questions of the curve."""
        data: dict[str, Any] = {} if self.data is None else asdict(self.data)
        observed = {f"observed_{name}": data.pop(name, None) for name in ("n", "difference")}
        names = ("difference", "assumed", "sd", "effect", "alpha", "needed", "test")
        plan = {name: getattr(self, name) for name in names} | {"wanted": self.target}
        return [asdict(point) | plan | data | observed for point in self.curve]


@dataclass(frozen=True, slots=True)
class Noncentral:
    """The paired t-test of sessions of `size` items on average, with standard deviation `sd` of the sessions' means.

    It is two-sided at the level `alpha`; `target` is the chance to find a difference.
    """

    sd: float
    alpha: float
    target: float
    size: float = 1.0

    @property
    def fewest(self) -> int:
        """The fewest items that can be tested: the items of two sessions."""
        return 2 if self.size == 1 else math.ceil(1.5 * self.size)

    def power(self, difference: float, n: int) -> float:
        """Chance to find a difference with n items."""
        return power_reached(difference / self.sd, self.sessions(n), self.alpha)

    def needed(self, difference: float) -> int | None:
        """The fewest items that find it with the target power; None above ten million."""
        sessions = items_needed(difference / self.sd, self.alpha, self.target)
        return None if sessions is None else math.ceil(sessions * self.size)

    def detectable(self, n: int) -> float:
        """The smallest difference that n items find."""
        return self.sd * smallest_effect(self.sessions(n), self.alpha, self.target)

    def sessions(self, n: int) -> int:
        """Return the number of sessions of n items."""
        return max(2, round(n / self.size))


@dataclass(frozen=True, slots=True)
class Shares:
    """McNemar's test of independent items; the share `disagree` of them is right in one system only."""

    disagree: float
    alpha: float
    target: float
    fewest: int = 2

    def power(self, difference: float, n: int) -> float:
        """Chance to find a difference with n items."""
        return mcnemar_power(difference, self.disagree, n, self.alpha)

    def needed(self, difference: float) -> int | None:
        """The fewest items that find it with the target power; None above ten million."""
        return mcnemar_items(difference, self.disagree, self.alpha, self.target)

    def detectable(self, n: int) -> float:
        """The smallest difference that n items find; NaN where the systems disagree too seldom."""
        return mcnemar_detectable(self.disagree, n, self.alpha, self.target)

    def chances(self, difference: float) -> Floats:
        """Shares of items that are right in b only, in both or none, in a only, with this difference; shape (3,)."""
        disagree = max(self.disagree, abs(difference))
        return np.array([(disagree - difference) / 2, 1 - disagree, (disagree + difference) / 2])


def plan(
    formula: Noncentral | Shares,
    difference: float,
    assumed: str,
    n: int | None,
    data: OwnData | None = None,
    simulated: Callable[[float, int], float] | None = None,
) -> Power:
    """Return the plan for one difference (NaN for none), with its curve around n and the items needed.

    With data, `simulated` gives the share of simulated tests that find a mean difference with n items.
    """
    needed = None if math.isnan(difference) else formula.needed(difference)

    def point(n: int) -> Point:
        share = simulated(difference, n) if simulated and assumed else math.nan
        return Point(n, formula.power(difference, n) if assumed else math.nan, share, formula.detectable(n))

    sd = data.sd if data else formula.sd if isinstance(formula, Noncentral) else math.nan
    curve = tuple(map(point, _numbers(formula.fewest, n, needed)))
    at_n = next((p for p in curve if p.n == n), Point(0, math.nan, math.nan, math.nan))
    return Power(
        difference=difference,
        assumed=assumed,
        sd=sd,
        effect=difference / sd,
        alpha=formula.alpha,
        target=formula.target,
        n=n,
        needed=needed,
        reached=at_n.power,
        detectable=at_n.detectable,
        test="mcnemar" if isinstance(formula, Shares) else "t",
        curve=curve,
        data=data,
    )


def _numbers(fewest: int, n: int | None, needed: int | None) -> list[int]:
    """Return round numbers of questions around the number needed (else around n), and these two numbers."""
    centre = needed or n
    if centre is None:
        return []
    round_numbers = {math.ceil(step * 10**k) for k in range(8) for step in STEPS}
    low, high = max(fewest, centre / 8), min(2 * centre, MOST)
    near = {number for number in round_numbers if low <= number <= high}
    return sorted(near | {number for number in (n, needed) if number is not None})
