"""How often a planned A/B test finds the effect that it was planned for: stated power beside measured power.

    .venv/bin/python benchmarks/ab_plan_power.py [--experiments N] [--seed N]

Writes the table of benchmarks/results/ab_plan_power.md.  Users arrive over days, come again, and differ in how often
they search and click.  For each experiment a log of 28 days is drawn and planned from, as `neraca ab --plan` does; then
new users of the same kind come, and arm b multiplies each user's chance or count.  The experiment ends on the day on
which the planned users have come.  The 14 days before are the history.  Sequential tests look at the end of each day.
Plans without an end within 200 days are counted and left out.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.online.ab_metrics import OnlineMetric, online_metric
from neraca.online.ab_plan import MetricPlan, plan_metric
from neraca.online.look_correlation import AT_END, LookCorrelation
from neraca.online.user_course import COVARIATES, GROUPS, UserCourse, remaining_variance
from neraca.stats.daily_moments import DailyMoments, daily_moments
from neraca.stats.intervals.confidence_sequence import always_valid
from neraca.stats.moments import Moments
from neraca.stats.tests.cuped import narrowest_effect
from neraca.stats.tests.ratio_test import ratio_test

Floats = NDArray[np.float64]
ALPHA, POWER, LOG_DAYS = 0.05, 0.8, 28
#: Days on which users came before the log or the experiment; they are the history.
WARM = 14


@dataclass(frozen=True)
class Site:
    """Users of a site: new ones a day, their mean searches on a day, chance to come again, and how unlike they are."""

    name: str
    a_day: int
    searches: float
    returns: float
    unlike: float
    effect: float


SITES = (
    Site("many come once", 100, 1.5, 0.03, 1.0, 0.25),
    Site("few come often", 60, 3.0, 0.30, 1.0, 0.20),
    Site("heavy searchers", 80, 2.5, 0.10, 3.0, 0.25),
)
METRICS = {"clicks per search": online_metric("click_through"), "searches per user": online_metric("searches")}


def daily(
    site: Site, days: int, history: int, rng: np.random.Generator, effects: tuple[float, float], arms: int = 2
) -> DailyMoments:
    """Moments by day of the arms, of which the second multiplies clicks or searches; columns begin as a metric's do.

    Columns: clicks, searches, one; before: clicks, searches, new of clicks, one; at the end: clicks, searches.  The
    columns from the third on stand on the first day.
    """
    n = site.a_day * (days + history)
    arm = rng.integers(0, arms, n)
    arrival = np.sort(rng.integers(-history, days, n))
    activity = rng.gamma(2 / site.unlike, site.unlike / 2, n)
    rate = rng.beta(2 / site.unlike, 3 / site.unlike, n) * 0.6
    came = rng.random((n, days + history)) < np.minimum(0.9, site.returns * activity)[:, None]
    came &= np.arange(-history, days) >= arrival[:, None]
    came[np.arange(n), arrival + history] = True
    user, day = np.nonzero(came)
    day = day - history
    lifted = (arm[user] == 1) & (day >= 0)
    count = (site.searches - 1 + 0.5) * activity[user]
    searches = 1.0 + rng.poisson(np.where(lifted, count + effects[1] * (1 + count), count))
    clicks = rng.binomial(searches.astype(int), np.where(lifted, rate[user] * (1 + effects[0]), rate[user])).astype(
        float
    )
    past = day < 0
    clicks_before = np.bincount(user[past], clicks[past], n)
    searches_before = np.bincount(user[past], searches[past], n)
    user, day, clicks, searches = (values[~past] for values in (user, day, clicks, searches))
    first = np.concatenate([[True], user[1:] != user[:-1]]).astype(float)
    new = (searches_before == 0).astype(float)
    at_end = np.bincount(user, clicks, n), np.bincount(user, searches, n)
    facts = np.column_stack([clicks_before, searches_before, new, np.ones(n), *at_end])[user] * first[:, None]
    return daily_moments(arm[user], user, day, np.column_stack([clicks, searches, first, facts]), arms=arms, days=days)


def columns_of(name: str) -> list[int]:
    """The columns of a metric, in the order of `ArmSums.moments`."""
    return [0, 1, 3, 4, 5, 6, 7, 8] if name == "clicks per search" else [1, 2, 4, 6, 5, 6, 8, 6]


def part(moments: Moments, columns: list[int]) -> Moments:
    """The moments of some of the columns."""
    return Moments(moments.n, moments.mean[columns], moments.cross[np.ix_(columns, columns)])


def log(site: Site, days: int, columns: list[int], rng: np.random.Generator) -> DailyMoments:
    """The moments by day of the columns of a metric, as a plan reads them from a log: of groups of users."""
    groups = daily(site, days, WARM, rng, (0, 0), arms=GROUPS)
    return DailyMoments(groups.n, groups.mean[..., columns], groups.cross[..., columns, :][..., columns])


def plans(site: Site, name: str, metric: OnlineMetric, rng: np.random.Generator) -> Iterator[MetricPlan]:
    """The plans from a log without and with history."""
    columns = columns_of(name)
    course = UserCourse.of(log(site, LOG_DAYS, columns, rng), metric)
    yield plan_metric(metric, course, site.effect, (ALPHA, POWER))
    half = log(site, LOG_DAYS // 2, columns, rng)
    remaining, looks = remaining_variance(half), LookCorrelation.of(half.together(), COVARIATES)
    yield plan_metric(metric, course.with_history(remaining, looks), site.effect, (ALPHA, POWER), cuped=True)


def found(plan: MetricPlan, site: Site, name: str, rng: np.random.Generator) -> tuple[bool, bool, float]:
    """Whether the planned experiment finds the effect at its end and, with daily looks, at some look.

    An experiment ends on the day on which the planned users have come.  Also return the users that came until then.
    """
    days = int(max(plan.days, plan.days_daily))
    effects = (site.effect, 0.0) if name == "clicks per search" else (0.0, site.effect)
    arms, columns = daily(site, days, WARM, rng, effects), columns_of(name)[:AT_END]
    effect_of = narrowest_effect if plan.cuped else lambda a, b: (ratio_test(a, b), ())
    assert plan.users_daily is not None
    at_end, daily_look, users = False, False, 0.0
    for day in range(days):
        effect, _ = effect_of(part(arms.at(0, day), columns), part(arms.at(1, day), columns))
        if day + 1 == plan.days:
            at_end, users = effect.p < ALPHA, float(effect.n)
        daily_look |= day < plan.days_daily and always_valid(effect, plan.users_daily).p < ALPHA
    return at_end, daily_look, users


def rows(count: int, seed: int) -> Iterator[str]:
    """Rows of the table: each experiment is planned from a log of its own."""
    columns = "users, one look | days | stated | found | users, daily looks | days | stated | found"
    yield f"| site | metric | history | {columns} | no end |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for site in SITES:
        for name, metric in METRICS.items():
            rng = np.random.default_rng(seed)
            planned = [plan for _ in range(count) for plan in plans(site, name, metric, rng)]
            for history in (False, True):
                of_kind = [plan for plan in planned if plan.cuped is history]
                with_end = [plan for plan in of_kind if plan.days_daily < 200]
                hits = np.array([found(plan, site, name, rng)[:2] for plan in with_end]).mean(axis=0) * 100
                one_look = [(plan.users, plan.days, 100 * plan.power_at_end) for plan in with_end]
                daily_looks = [(plan.users_daily, plan.days_daily, 100 * plan.power_daily) for plan in with_end]
                cells = [site.name, name, "yes" if history else "no"]
                for kind, share in zip((one_look, daily_looks), hits, strict=True):
                    users, days, stated = zip(*kind, strict=True)
                    cells += [f"{np.median(users):,.0f}", f"{np.median(days):.0f}"]  # type: ignore[arg-type]
                    cells += [f"{np.mean(stated):.1f}", f"{share:.1f}"]
                yield f"| {' | '.join([*cells, str(len(of_kind) - len(with_end))])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(
        f"Python {sys.version.split()[0]}, numpy {np.__version__}; {asked.experiments:,} experiments for each number\n"
    )
    for line in rows(asked.experiments, asked.seed):
        print(line, flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.process_time():.0f} s of CPU, peak {peak:.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
