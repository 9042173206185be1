"""How often tests of an A/B experiment find a difference: where there is none (level), and where there is one (power).

    .venv/bin/python benchmarks/ab_error_rates.py [--experiments N] [--seed N]

Writes the tables of benchmarks/README.md in Markdown.  Users arrive over 30 days and come again, differ from each other
for good, and are drawn into an arm by a coin.  Each test is made at 5 % on the last day, or on each day; a test that is
looked at daily finds a difference if it does so on any day.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neraca.stats.daily_moments import DailyMoments, daily_moments
from neraca.stats.intervals.confidence_sequence import always_valid
from neraca.stats.moments import Moments
from neraca.stats.planning.ab_power import Plan
from neraca.stats.tests.cuped import adjusted
from neraca.stats.tests.delta_method import effective_users, ratio
from neraca.stats.tests.ratio_test import ratio_test
from neraca.stats.tests.user_bootstrap import UserBuckets, bootstrap_differences

Floats = NDArray[np.float64]
DAYS, ALPHA = 30, 0.05
#: Numbers of effective users between which experiments are counted.
BANDS = (0, 30, 100, 200)
#: Experiments whose users stand in memory together.
AT_ONCE = 20
#: Columns of the table of users: clicks, searches, one, revenue; and of the time before: clicks, searches, one.
METRICS = {
    "clicks per user": (0, 2),
    "clicks per search": (0, 1),
    "revenue per user": (3, 2),
    "clicks per search, covariate": (0, 1, 4, 5),
    "clicks per user, covariate": (0, 2, 4, 6),
}


@dataclass(frozen=True)
class Design:
    """Users of an experiment.

    Attributes
    ----------
    users
        In both arms.
    searches
        Mean searches of a day on which a user comes.
    returns
        Mean days on which a user comes again, of all 30.
    persistent
        How unlike users are for good: 0 for not at all.
    together
        Whether all users come on the first day.
    tail
        Shape of the Pareto distribution of revenue and of the activity of users: the smaller, the heavier.
    effect
        What arm b adds to the chance of a click.
    """

    name: str
    users: int
    searches: float = 2.0
    returns: float = 3.0
    persistent: float = 1.0
    together: bool = False
    tail: float = 4.0
    effect: float = 0.0


DESIGNS = (
    Design("few searches", 400, searches=1.0, returns=0.5),
    Design("many searches", 400, searches=6.0, returns=6.0),
    Design("heavy tails", 2000, searches=3.0, returns=4.0, tail=3.0),
    Design("heaviest tails", 1000, searches=3.0, returns=4.0, tail=2.1),
    Design("alike users, all here on the first day", 400, returns=25.0, persistent=0.0, together=True, tail=50.0),
    Design("unlike users, all here on the first day", 400, returns=25.0, persistent=3.0, together=True),
    Design("4,000 users", 4000, returns=1.0),
    Design("60 users", 60),
)
#: Users of both arms, and what arm b adds to the chance of a click, for the power.
EFFECTS = (
    Design("few searches", 400, searches=1.0, returns=0.5, effect=0.12),
    Design("many searches", 400, searches=6.0, returns=6.0, effect=0.09),
    Design("heavy tails", 2000, searches=3.0, returns=4.0, tail=3.0, effect=0.06),
    Design("4,000 users", 4000, returns=1.0, effect=0.034),
)


Rows = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Floats]


def rows(design: Design, count: int, rng: np.random.Generator) -> Rows:
    """The arm of each user, and users, days and columns of what they did; experiment i has the arms 2 i and 2 i + 1."""
    n = count * design.users
    arm = 2 * np.repeat(np.arange(count), design.users) + rng.integers(0, 2, n)
    arrival = np.zeros(n, int) if design.together else rng.integers(0, DAYS, n)
    activity = (rng.pareto(design.tail, n) + 1) * (design.tail - 1) / design.tail
    strength = 1e6 if not design.persistent else 4 / design.persistent
    rate = np.minimum(0.9, rng.beta(0.3 * strength, 0.7 * strength, n) + design.effect * (arm % 2))
    value = rng.gamma(1 / max(design.persistent, 1e-6), max(design.persistent, 1e-6), n)

    came = rng.random((n, DAYS)) < np.minimum(1, design.returns / DAYS * activity)[:, None]
    came &= np.arange(DAYS) >= arrival[:, None]
    came[np.arange(n), arrival] = True
    user, day = np.nonzero(came)
    searches = 1 + rng.poisson((design.searches - 1) * activity[user])
    clicks = rng.binomial(searches, rate[user])
    bought = rng.random(len(user)) < 0.2
    revenue = np.where(bought, value[user] * (rng.pareto(design.tail, len(user)) + 1), 0.0)
    first = np.concatenate([[True], user[1:] != user[:-1]])
    before_searches = rng.poisson(3 * activity)
    before_clicks = rng.binomial(before_searches, rate - design.effect * (arm % 2))
    before = np.column_stack([before_clicks, before_searches, np.ones(n)])[user] * first[:, None]
    columns = np.column_stack([clicks, searches, first, revenue, before])
    return arm, user, day, columns


def experiments(design: Design, count: int, rng: np.random.Generator) -> DailyMoments:
    """Moments of both arms of each experiment at the end of each day."""
    arm, user, day, columns = rows(design, count, rng)
    return daily_moments(arm[user], user, day, columns, arms=2 * count, days=DAYS)


def part(moments: Moments, columns: tuple[int, ...]) -> Moments:
    """The moments of some of the columns."""
    chosen = list(columns)
    return Moments(moments.n, moments.mean[chosen], moments.cross[np.ix_(chosen, chosen)])


def arms_of(daily: DailyMoments, place: int, day: int, columns: tuple[int, ...]) -> tuple[Moments, ...]:
    """Both arms of an experiment at the end of a day, after what a covariate explains has been taken out."""
    arms = tuple(part(daily.at(2 * place + arm, day), columns) for arm in (0, 1))
    return adjusted(*arms) if len(columns) > 2 else arms


def drawn(design: Design, count: int, seed: int) -> Iterator[tuple[DailyMoments, int]]:
    """The experiments of a design, each as a place in moments of several."""
    rng = np.random.default_rng(seed)
    for start in range(0, count, AT_ONCE):
        several = min(AT_ONCE, count - start)
        daily = experiments(design, several, rng)
        yield from ((daily, place) for place in range(several))


def level_rows(count: int, seed: int) -> Iterator[str]:
    """Share of A/A experiments with a difference: at the end, daily without a care, and daily and always valid."""
    yield "| users | metric | last day | each day | each day, always valid: planned n a tenth / right / tenfold |"
    yield "|---|---|---|---|---|"
    for design in DESIGNS:
        hits = {metric: np.zeros(5) for metric in METRICS}
        for daily, place in drawn(design, count, seed):
            for metric, columns in METRICS.items():
                hits[metric] += rejected(daily, place, columns, design.users)
        for metric, found in hits.items():
            last, each, *valid = (100 * found / count).tolist()
            cells = " / ".join(f"{share:.1f}" for share in valid)
            yield f"| {design.name} ({design.users:,}) | {metric} | {last:.1f} | {each:.0f} | {cells} |"


def rejected(daily: DailyMoments, place: int, columns: tuple[int, ...], users: int) -> list[bool]:
    """Whether each way to look at an experiment finds a difference."""
    effects = [ratio_test(*arms_of(daily, place, day, columns)) for day in range(DAYS)]
    ordinary = [effect.p < ALPHA for effect in effects]
    valid = [any(always_valid(effect, users * f).p < ALPHA for effect in effects) for f in (0.1, 1, 10)]
    return [ordinary[-1], any(ordinary), *valid]


def effective_rows(count: int, seed: int) -> Iterator[str]:
    """Share of A/A experiments in which clicks per search differ on the last day, by the arm's effective users."""
    yield "| users | effective users of an arm, at least | experiments | found |"
    yield "|---|---|---|---|"
    for design in DESIGNS[2:4]:
        rows = []
        for daily, place in drawn(design, count, seed):
            arms = arms_of(daily, place, DAYS - 1, METRICS["clicks per search"])
            rows.append((min(map(effective_users, arms)), ratio_test(*arms).p < ALPHA))
        effective, hits = np.array(rows).T
        for least, most in zip(BANDS, (*BANDS[1:], np.inf), strict=True):
            inside = (least <= effective) & (effective < most)
            share = f"{100 * hits[inside].mean():.1f}" if inside.any() else "–"
            yield f"| {design.name} ({design.users:,}) | {least} | {inside.sum():,} | {share} |"


def power_rows(count: int, seed: int) -> Iterator[str]:
    """Share of experiments in which a true difference is found on the last day, and the chance that was planned."""
    yield "| users | metric | found | planned | found at some look, always valid |"
    yield "|---|---|---|---|---|"
    for design in EFFECTS:
        metrics = {metric: columns for metric, columns in METRICS.items() if "click" in metric}
        plans = {metric: planned(design, columns, seed) for metric, columns in metrics.items()}
        hits = {metric: np.zeros(2) for metric in metrics}
        for daily, place in drawn(design, count, seed):
            for metric, columns in metrics.items():
                last, _, _, valid, _ = rejected(daily, place, columns, design.users)
                hits[metric] += [last, valid]
        for metric, found in hits.items():
            last, valid = (100 * found / count).tolist()
            plan = 100 * plans[metric]
            yield f"| {design.name} ({design.users:,}) | {metric} | {last:.1f} | {plan:.1f} | {valid:.1f} |"


def planned(design: Design, columns: tuple[int, ...], seed: int) -> float:
    """The power that is planned from many users without the effect, and the true difference of as many with it."""
    many = 200_000
    moments = []
    for effect in (0.0, design.effect):
        large = replace(design, users=many, effect=effect)
        moments.append(experiments(large, 1, np.random.default_rng(seed + 1)))
    without, with_effect = (daily.at(1, DAYS - 1) for daily in moments)
    plan = Plan.of(part(without, columns), alpha=ALPHA)
    return plan.power(ratio(part(with_effect, columns)) - ratio(part(without, columns)), design.users)


def bootstrap_rows(count: int, seed: int) -> Iterator[str]:
    """Share of A/A experiments in which the bootstrap over users finds a difference on the last day."""
    yield "| users | clicks per search | the same in 100 buckets | revenue per user |"
    yield "|---|---|---|---|"
    for design in DESIGNS:
        rng = np.random.default_rng(seed)
        hits = np.zeros(3)
        for _ in range(count):
            arms = users(design, rng)
            few = bootstrap_differences(*(UserBuckets.none(4, 100).with_users(arm) for arm in arms), samples=400)
            each = bootstrap_differences(*(UserBuckets.none(4).with_users(arm) for arm in arms), samples=400)
            hits += [each[0].p < ALPHA, few[0].p < ALPHA, each[1].p < ALPHA]
        cells = " | ".join(f"{share:.1f}" for share in (100 * hits / count).tolist())
        yield f"| {design.name} ({design.users:,}) | {cells} |"


def users(design: Design, rng: np.random.Generator) -> list[Floats]:
    """Clicks, searches, revenue and one of each user of both arms at the end."""
    arm, user, _, columns = rows(design, 1, rng)
    sums = np.stack([np.bincount(user, column) for column in columns[:, [0, 1, 3, 2]].T], axis=1)
    return [sums[arm == which] for which in (0, 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Level and power of tests of an A/B experiment.")
    parser.add_argument("--experiments", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}; {asked.experiments:,} experiments for each number")
    for table in (level_rows, effective_rows, bootstrap_rows, power_rows):
        print(flush=True)
        for line in table(asked.experiments, asked.seed):
            print(line, flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.process_time():.0f} s of CPU, peak {peak:.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
