"""How many searches interleaving needs to tell two rankers apart, and how many an A/B test needs: by simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neraca.errors import InputError, SpecError
from neraca.online.interleaving.choices import HashedChoices
from neraca.online.interleaving.method import Method, Shown, check_rankers, method_of, outcome
from neraca.stats.interval import Floats, clustered_error, normal_quantile

Grades = Mapping[str, float]


@dataclass(frozen=True)
class PositionClicks:
    """Users who look at rank r with the chance $r^{-decay}$, and click on what they see by how relevant it is.

    Attributes
    ----------
    noise
        The chance of a click on a document of grade 0 that is seen.
    best
        The same for the highest grade of the data; grades between them have chances between, on a straight line.
    decay
        How fast attention falls with the rank; 0: everybody sees all.
    """

    noise: float = 0.05
    best: float = 0.6
    decay: float = 1.0

    def __post_init__(self) -> None:
        if not (0 <= self.noise <= self.best <= 1 and self.decay >= 0):
            raise SpecError(
                f"clicks with noise={self.noise:g}, best={self.best:g}, decay={self.decay:g}: chances lie between 0 "
                "and 1, that of the best document is not below the noise, and decay is not below 0"
            )

    def chances(self, grades: Sequence[float], top: float) -> Floats:
        """The chance of a click at each rank of a list with these grades; `top` is the highest grade.

        >>> PositionClicks(noise=0.1, best=0.5).chances([2, 0, 1], 2).round(4).tolist()  # 0.5, 0.1 / 2, 0.3 / 3
        [0.5, 0.05, 0.1]
        """
        seen = np.arange(1.0, len(grades) + 1) ** -self.decay
        relative = np.clip(np.asarray(grades, dtype=np.float64) / top, 0.0, 1.0)
        chances: Floats = seen * (self.noise + (self.best - self.noise) * relative)
        return chances


@dataclass(frozen=True)
class PlanOptions:
    """What is simulated.

    Attributes
    ----------
    method
        Of interleaving.
    clicks
        How users click.
    length
        Documents that are shown.
    searches
        That are simulated; each is a query drawn at random, by a user of its own.
    alpha, power
        False alarms that are tolerated, and the chance wanted to find the difference.
    seed
        Of the simulation.
    """

    method: str = "team_draft"
    clicks: PositionClicks = PositionClicks()
    length: int = 10
    searches: int = 20_000
    alpha: float = 0.05
    power: float = 0.8
    seed: int = 0

    def __post_init__(self) -> None:
        if not (0 < self.alpha < self.power < 1):
            raise SpecError(f"alpha {self.alpha:g} and power {self.power:g}: 0 < alpha < power < 1")
        if self.length < 1 or self.searches < 100:
            raise SpecError("a list has at least 1 document, and at least 100 searches are simulated")


@dataclass(frozen=True)
class Design:
    """What one design measures, and how many searches it needs.

    Attributes
    ----------
    effect
        Of interleaving: searches that a wins less those that b wins, as a share of all (by graded credit: its mean
        difference).  Of the A/B test: the share of
        searches with a click of a, less that of b.
    low, high
        95 % interval of it from the simulation; of the A/B test, which is computed, the effect itself.
    sd
        Standard deviation of one search.
    searches
        Needed, over both arms of an A/B test; None where no difference was found.
    at_least, at_most
        From the ends of the interval; None: no bound is known.
    """

    effect: float
    low: float
    high: float
    sd: float
    searches: int | None
    at_least: int | None
    at_most: int | None


@dataclass(frozen=True)
class SensitivityPlan:
    """Both designs beside each other.

    Attributes
    ----------
    a, b
        The rankers.
    method, options
        What was simulated.
    queries
        That both rankers answer and somebody judged.
    interleaving, ab
        The two designs.
    chance
        What users who click by chance say: the effect of interleaving if no document is better than another.
    """

    a: str
    b: str
    method: str
    options: PlanOptions
    queries: int
    interleaving: Design
    ab: Design
    chance: Design

    @property
    def factor(self) -> float:
        """How many times more searches the A/B test needs; NaN where one of them is not known."""
        if self.interleaving.searches is None or self.ab.searches is None:
            return math.nan
        return self.ab.searches / self.interleaving.searches

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each design."""
        same = {"a": self.a, "b": self.b, "method": self.method, "queries": self.queries}
        same |= {"alpha": self.options.alpha, "power": self.options.power, "simulated": self.options.searches}
        designs = {"interleaving": self.interleaving, "ab": self.ab, "clicks_by_chance": self.chance}
        return [
            {"design": name, "effect": one.effect, "low": one.low, "high": one.high, "sd": one.sd}
            | {"searches": one.searches, "at_least": one.at_least, "at_most": one.at_most, **same}
            for name, one in designs.items()
        ]


def plan_interleaving(
    rankings: Mapping[str, Mapping[str, Sequence[str]]],
    grades: Mapping[str, Grades],
    options: PlanOptions | None = None,
) -> SensitivityPlan:
    """Simulate interleaving and an A/B test on click-through of two rankers.

    Parameters
    ----------
    rankings
        Two rankers: name → query → documents, best first.
    grades
        Query → document → grade; a document without one has grade 0.
    options
        What is simulated.

    Raises
    ------
    InputError
        No query is answered by both rankers and judged, or no document has a grade above 0.
    SpecError
        There are not two rankers, or the method is unknown.
    """
    chosen = options or PlanOptions()
    canonical, how = method_of(chosen.method)
    check_rankers(canonical, how, len(rankings))
    if len(rankings) != 2:
        raise SpecError(f"a plan is about two rankers, not {len(rankings)}")
    (a, of_a), (b, of_b) = rankings.items()
    queries = [query for query in grades if query in of_a and query in of_b]
    if not queries:
        raise InputError(
            f"no query is judged and answered by both {a} and {b}; give judgments (--qrels FILE) with the same ids"
        )
    top = max((grade for query in queries for grade in grades[query].values()), default=0.0)
    if not top > 0:
        raise InputError("no document of these queries has a grade above 0; clicks are simulated from relevance")
    lists = [((of_a[query], of_b[query]), grades[query]) for query in queries]
    outcomes, by_chance = _simulated(how, lists, top, chosen)
    return SensitivityPlan(
        a=a,
        b=b,
        method=canonical,
        options=chosen,
        queries=len(queries),
        interleaving=_design(outcomes, chosen),
        ab=_click_through(lists, top, chosen),
        chance=_design(by_chance, chosen),
    )


_Lists = Sequence[tuple[tuple[Sequence[str], Sequence[str]], Grades]]


def _simulated(how: Method, lists: _Lists, top: float, options: PlanOptions) -> tuple[Floats, Floats]:
    """Outcomes of searches of users who click by relevance, and by chance; two arrays of shape (searches,)."""
    rng = np.random.default_rng(options.seed)
    drawn = rng.integers(0, len(lists), options.searches)
    dice = rng.random((2, options.searches, options.length))
    blind = PositionClicks(options.clicks.best, options.clicks.best, options.clicks.decay)
    outcomes = np.zeros((2, options.searches))
    for search, query in enumerate(drawn):
        rankings, grades = lists[query]
        documents, teams = how.draft(rankings, options.length, HashedChoices(f"{options.seed} {search}".encode()))
        shown = Shown(documents, teams, 2, rankings)
        values = [grades.get(document, 0.0) for document in documents]
        for place, clicks in enumerate((options.clicks, blind)):
            clicked = (np.flatnonzero(dice[place, search, : len(values)] < clicks.chances(values, top)) + 1).tolist()
            a, b = how.credit(shown, clicked)
            outcomes[place, search] = outcome(a, b, len(clicked), how.graded)
    return outcomes[0], outcomes[1]


def _design(outcomes: Floats, options: PlanOptions) -> Design:
    """What interleaving needs, from simulated searches."""
    effect, sd = float(outcomes.mean()), float(outcomes.std(ddof=1))
    half = normal_quantile(0.95) * clustered_error(outcomes)[0]
    low, high = effect - half, effect + half
    sizes = sorted((abs(low), abs(high)))
    shown = low * high > 0
    return Design(
        effect,
        low,
        high,
        sd,
        _needed(effect, sd, options) if shown else None,
        _needed(sizes[1], sd, options),
        _needed(sizes[0], sd, options) if shown else None,
    )


def _click_through(lists: _Lists, top: float, options: PlanOptions) -> Design:
    """What an A/B test needs on the share of searches with a click: computed, with equal arms."""
    shares = []
    for ranker in (0, 1):
        chances = [
            options.clicks.chances([grades.get(document, 0.0) for document in both[ranker][: options.length]], top)
            for both, grades in lists
        ]
        shares.append(float(np.mean([1 - np.prod(1 - chance) for chance in chances])))
    effect = shares[0] - shares[1]
    sd = math.sqrt(2 * sum(share * (1 - share) for share in shares))
    needed = _needed(effect, sd, options) if abs(effect) > 1e-12 else None
    return Design(effect, effect, effect, sd, needed, needed, needed)


def _needed(effect: float, sd: float, options: PlanOptions) -> int | None:
    """Searches for which a two-sided test of a mean has the power: $((z_{1-alpha/2} + z_{power}) sd / effect)^2$."""
    if not effect:
        return None
    z = normal_quantile(1 - options.alpha) + normal_quantile(2 * options.power - 1)
    return math.ceil((z * sd / effect) ** 2)
