"""Simulate how many searches interleaving and an A/B test need to tell two rankers apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neraca.errors import InputError, SpecError
from neraca.online.interleaving.choices import HashedChoices
from neraca.online.interleaving.method import Method, Shown, check_rankers, method_of, outcome
from neraca.result import SavedReport
from neraca.stats.intervals.interval import Floats, clustered_error, normal_quantile

Grades = Mapping[str, float]


@dataclass(frozen=True)
class PositionClicks:
    """Users who look at rank r with probability $r^{-decay}$, and who click more on relevant documents.

    Attributes
    ----------
    noise
        Probability of a click on a document of grade 0, if it is seen.
    best
        Probability of a click on a document of the highest grade, if it is seen.  For grades between, interpolate
        linearly.
    decay
        Decay of attention with the rank; 0: users see every document.
    """

    noise: float = 0.05
    best: float = 0.6
    decay: float = 1.0

    def __post_init__(self) -> None:
        if not (0 <= self.noise <= self.best <= 1 and self.decay >= 0):
            raise SpecError(
                f"clicks with noise={self.noise:g}, best={self.best:g}, decay={self.decay:g}: these must satisfy "
                "0 <= noise <= best <= 1 and decay >= 0"
            )

    def chances(self, grades: Sequence[float], top: float) -> Floats:
        """Return the probability of a click at each rank of a list with these grades; `top` is the highest grade.

        >>> PositionClicks(noise=0.1, best=0.5).chances([2, 0, 1], 2).round(4).tolist()  # 0.5, 0.1 / 2, 0.3 / 3
        [0.5, 0.05, 0.1]
        """
        views = np.arange(1.0, len(grades) + 1) ** -self.decay
        relative = np.clip(np.asarray(grades, dtype=np.float64) / top, 0.0, 1.0)
        chances: Floats = views * (self.noise + (self.best - self.noise) * relative)
        return chances


@dataclass(frozen=True)
class PlanOptions:
    """Settings of the simulation.

    Attributes
    ----------
    method
        The method of interleaving.
    clicks
        The model of users' clicks.
    length
        Number of documents shown.
    searches
        Number of searches to simulate; each is a random query of another user.
    alpha, power
        Two-sided level of significance, and the power to find the difference.
    seed
        Seed of the simulation.
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
            raise SpecError(f"alpha {self.alpha:g} and power {self.power:g} must satisfy 0 < alpha < power < 1")
        if self.length < 1 or self.searches < 100:
            raise SpecError("length must be at least 1 document, and searches at least 100")


@dataclass(frozen=True)
class Design:
    """The effect that a design measures, and the number of searches that it needs.

    Attributes
    ----------
    effect
        For interleaving: searches won by a minus searches won by b, as a share of all searches; with graded credit, the
        mean difference per click.  For the A/B test: click-through rate of a minus that of b.
    low, high
        95 % interval of the effect from the simulation.  For the A/B test, which is computed exactly, the effect
        itself.
    sd
        Standard deviation of the outcome of one search.
    searches
        Searches needed, for an A/B test over both arms together; None if no difference was found.
    at_least, at_most
        Bounds of `searches` from the ends of the interval; None: unknown.
    """

    effect: float
    low: float
    high: float
    sd: float
    searches: int | None
    at_least: int | None
    at_most: int | None


@dataclass(frozen=True)
class SensitivityPlan(SavedReport):
    """A comparison of interleaving with an A/B test for two rankers.

    Attributes
    ----------
    a, b
        The rankers.
    method, options
        The canonical name of the method, and the settings of the simulation.
    queries
        Number of queries with judgments that both rankers answer.
    interleaving, ab
        The two designs.
    chance
        Interleaving with users who click at random, regardless of relevance; its effect should be 0.
    """

    report = "online.interleaving_plan:plan_document"

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
        """Searches that the A/B test needs, divided by those that interleaving needs; NaN if either is unknown."""
        if self.interleaving.searches is None or self.ab.searches is None:
            return math.nan
        return self.ab.searches / self.interleaving.searches

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each design."""
        common = {"a": self.a, "b": self.b, "method": self.method, "queries": self.queries}
        common |= {"alpha": self.options.alpha, "power": self.options.power, "simulated": self.options.searches}
        designs = {"interleaving": self.interleaving, "ab": self.ab, "clicks_by_chance": self.chance}
        return [
            {"design": name, "effect": design.effect, "low": design.low, "high": design.high, "sd": design.sd}
            | {"searches": design.searches, "at_least": design.at_least, "at_most": design.at_most, **common}
            for name, design in designs.items()
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
        Query → document → grade; a document without a grade has grade 0.
    options
        Settings of the simulation.

    Raises
    ------
    InputError
        No query has judgments and results of both rankers, or no document has a grade above 0.
    SpecError
        The number of rankers is not two, or the method is unknown.
    """
    chosen = options or PlanOptions()
    canonical, method = method_of(chosen.method)
    check_rankers(canonical, method, len(rankings))
    if len(rankings) != 2:
        raise SpecError(f"a plan compares two rankers, not {len(rankings)}")
    (a, of_a), (b, of_b) = rankings.items()
    queries = sorted(query for query in grades if query in of_a and query in of_b)
    if not queries:
        raise InputError(
            f"no query has judgments and results of both {a} and {b}; give judgments (--qrels FILE) with the same ids"
        )
    top = max((grade for query in queries for grade in grades[query].values()), default=0.0)
    if not top > 0:
        raise InputError("no document of these queries has a grade above 0; clicks are simulated from relevance")
    lists = [((of_a[query], of_b[query]), grades[query]) for query in queries]
    outcomes, by_chance = _simulate(method, lists, top, chosen, swapped=a > b)
    return SensitivityPlan(
        a=a,
        b=b,
        method=canonical,
        options=chosen,
        queries=len(queries),
        interleaving=_interleaving_design(outcomes, chosen),
        ab=_ab_design(lists, top, chosen),
        chance=_interleaving_design(by_chance, chosen),
    )


_Lists = Sequence[tuple[tuple[Sequence[str], Sequence[str]], Grades]]


def _simulate(method: Method, lists: _Lists, top: float, options: PlanOptions, swapped: bool) -> tuple[Floats, Floats]:
    """Simulate searches of users who click by relevance, and of users who click at random.

    Return the outcomes of both, two arrays of shape (searches,).  With `swapped`, the second ranker drafts first,
    as it does in `interleave` if its name comes first.  So the order of the rankers changes only signs.
    """
    rng = np.random.default_rng(options.seed)
    drawn_queries = rng.integers(0, len(lists), options.searches)
    uniforms = rng.random((2, options.searches, options.length))
    random_clicks = PositionClicks(options.clicks.best, options.clicks.best, options.clicks.decay)
    outcomes = np.zeros((2, options.searches))
    for search, query in enumerate(drawn_queries):
        rankings, grades = lists[query]
        rankings = rankings[::-1] if swapped else rankings
        documents, teams = method.draft(rankings, options.length, HashedChoices(f"{options.seed} {search}".encode()))
        shown = Shown(documents, teams, 2, rankings)
        values = [grades.get(document, 0.0) for document in documents]
        for place, clicks in enumerate((options.clicks, random_clicks)):
            clicked = (
                np.flatnonzero(uniforms[place, search, : len(values)] < clicks.chances(values, top)) + 1
            ).tolist()
            a, b = method.credit(shown, clicked)
            outcomes[place, search] = (-1 if swapped else 1) * outcome(a, b, len(clicked), method.graded)
    return outcomes[0], outcomes[1]


def _interleaving_design(outcomes: Floats, options: PlanOptions) -> Design:
    """Estimate the effect of interleaving and the searches that it needs from simulated outcomes."""
    effect, sd = float(outcomes.mean()), float(outcomes.std(ddof=1))
    half = normal_quantile(0.95) * clustered_error(outcomes)[0]
    low, high = effect - half, effect + half
    effect_sizes = sorted((abs(low), abs(high)))
    significant = low * high > 0
    return Design(
        effect,
        low,
        high,
        sd,
        _searches_needed(effect, sd, options) if significant else None,
        _searches_needed(effect_sizes[1], sd, options),
        _searches_needed(effect_sizes[0], sd, options) if significant else None,
    )


def _ab_design(lists: _Lists, top: float, options: PlanOptions) -> Design:
    """Compute the effect of an A/B test on click-through and the searches that it needs, with equal arms."""
    shares = []
    for ranker in (0, 1):
        chances = [
            options.clicks.chances([grades.get(document, 0.0) for document in rankings[ranker][: options.length]], top)
            for rankings, grades in lists
        ]
        shares.append(float(np.mean([1 - np.prod(1 - chance) for chance in chances])))
    effect = shares[0] - shares[1]
    sd = math.sqrt(2 * sum(share * (1 - share) for share in shares))
    needed = _searches_needed(effect, sd, options) if abs(effect) > 1e-12 else None
    return Design(effect, effect, effect, sd, needed, needed, needed)


def _searches_needed(effect: float, sd: float, options: PlanOptions) -> int | None:
    """Return the searches that a two-sided test of a mean needs: $((z_{1-alpha/2} + z_{power}) sd / effect)^2$."""
    if not effect:
        return None
    z = normal_quantile(1 - options.alpha) + normal_quantile(2 * options.power - 1)
    return math.ceil((z * sd / effect) ** 2)
