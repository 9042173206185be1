"""Interleaving: what a draft costs, whether clicks by chance prefer anybody, and whether promised errors are kept.

    .venv/bin/python benchmarks/interleaving.py [--experiments N] [--lists N] [--searches N]

The results stand in benchmarks/results/interleaving.md.  Times are CPU time of this process, the least of the rounds.
All parts are seeded.
"""

from __future__ import annotations

import argparse
import resource
import time
import timeit
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import neraca
from neraca.online.interleaving.click_credit import ClickCredit, click_credit
from neraca.online.interleaving.method import method_of
from neraca.online.interleaving.preference import interleaving_result
from neraca.online.interleaving.sensitivity import PlanOptions, plan_interleaving
from neraca.online.interleaving.unbiased import check_bias
from neraca.scores.sources.pool_sources import read_pool_sources
from neraca.stats.intervals.interval import normal_quantile

METHODS = ("team_draft", "probabilistic", "optimised", "balanced")
DOCS = Path(__file__).parents[1] / "docs/trec"


def print_table(heading: str, columns: list[str], rows: list[list[str]]) -> None:
    print(f"\n## {heading}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    print("\n".join(f"| {' | '.join(row)} |" for row in rows), flush=True)


def cost() -> None:
    """Microseconds of one draft of 10 out of 10 + 10 documents, half of them shared."""
    a = [f"d{n}" for n in range(10)]
    b = [f"d{n}" for n in (3, 1, 12, 0, 5, 14, 2, 17, 18, 19)]
    rows = []
    for method in METHODS:
        users = iter(range(10**9))

        def draft(method: str = method, users: Iterator[int] = users) -> None:
            neraca.interleave({"a": a, "b": b}, query="red shoes", user=f"u{next(users)}", method=method)

        draft()
        times = timeit.repeat(draft, number=5000, repeat=9, timer=time.process_time)
        rows.append([method, f"{min(times) / 5000 * 1e6:.1f}"])
    print_table("CPU of one draft, 10 of 10 + 10 documents", ["method", "µs"], rows)


def bias(lists: int) -> None:
    """Clicks by chance on random pairs of rankings: all lists of each pair are gone through."""
    rng = np.random.default_rng(0)
    pairs = []
    for _ in range(lists):
        lengths = rng.integers(1, 5, 2)
        pairs.append([[str(d) for d in rng.permutation(6)[:length]] for length in lengths])
    rows = []
    for method in METHODS:
        checks = [check_bias(method_of(method)[1], pair, 4) for pair in pairs]
        largest = max(float(np.abs(check.differences).max(initial=0)) for check in checks)
        rows.append([method, f"{sum(check.biased for check in checks):,} of {lists:,}", f"{2 * largest:.0e}"])
    columns = ["method", "biased", "largest expected difference of credit at a rank"]
    print_table(f"Clicks by chance, {lists:,} random pairs of rankings of 1 to 4 documents", columns, rows)


def experiment(rng: np.random.Generator, searches: int, lean: float) -> ClickCredit:
    """Searches of users of whom some search much, each with a taste; `lean` is the chance that a click is on a."""
    activity = np.minimum(rng.zipf(2.0, 200), 50)
    users = np.unique(rng.choice(200, searches, p=activity / activity.sum()), return_inverse=True)[1]
    taste = np.clip(lean + rng.normal(0, 0.15, users.max() + 1), 0, 1)
    credit = np.zeros((searches, 2))
    clicked = np.flatnonzero(rng.random(searches) < 0.6)
    credit[clicked, (rng.random(len(clicked)) > taste[users[clicked]]).astype(int)] = 1
    none = np.zeros(searches, dtype=np.int64)
    drafted = np.full((searches, 2), 5.0)
    clicks = credit.sum(axis=1).astype(np.int64)
    return ClickCredit(
        "team_draft", False, ("a", "b"), credit, drafted, none, clicks, users, np.arange(searches), none, ("q",), {}
    )


def errors(experiments: int) -> None:
    """How often a winner is named where there is none: users with tastes that even out, and very unequal activity."""
    rng = np.random.default_rng(1)
    named = {"user": 0, "session": 0, "search": 0, "majority": 0, "paired": 0, "user, bootstrap": 0}
    for _ in range(experiments):
        found = {one.analysis: one for one in interleaving_result(experiment(rng, 600, 0.5)).preferences}
        for name, one in found.items():
            named[name] += one.p < 0.05
        named["user, bootstrap"] += found["user"].p_bootstrap < 0.05
    rows = [[name, f"{100 * n / experiments:.1f} %"] for name, n in named.items()]
    heading = f"Winners named at 5 % where there is none, {experiments:,} experiments of 600 searches"
    print_table(heading, ["analysis", "share"], rows)
    print(
        "\n200 users have tastes of their own (standard deviation 0.15 around one half), and some search up to fifty "
        "times as often as others (Zipf 2). A session is here one search, so that `session` and `search` show what "
        "happens if searches of one user are taken for independent."
    )


def plans() -> None:
    """Searches that each design needs, and the power that is reached with so many."""
    rows = []
    for other in ("vector", "api"):
        sources = read_pool_sources([DOCS / "hybrid.run", DOCS / f"{other}.run"], 10, [DOCS / "qrels.txt"])
        for method in METHODS:
            plan = plan_interleaving(sources.rankings, sources.relevance.grades, PlanOptions(method=method))
            inter, ab = plan.interleaving, plan.ab
            again = PlanOptions(method=method, seed=1, searches=50_000)
            fresh = plan_interleaving(sources.rankings, sources.relevance.grades, again).interleaving
            z = abs(fresh.effect) / fresh.sd * (inter.searches or 0) ** 0.5
            power = float(0.5 * (1 + np.sign(z - 1.96) * (2 * _normal(abs(z - 1.96)) - 1)))
            cells = [f"{inter.searches:,} ({inter.at_least:,} to {inter.at_most:,})", f"{ab.searches:,}"]
            rows.append([f"hybrid, {other}", method, *cells, f"{plan.factor:.1f}", f"{100 * power:.0f} %"])
    columns = ["rankers", "method", "interleaving", "A/B test", "factor", "power with another seed"]
    print_table("Searches needed for 80 % power at 5 %, the bundled runs", columns, rows)


def _normal(x: float) -> float:
    low, high = 0.0, 1.0 - 1e-12
    for _ in range(60):  # the inverse of the quantile
        middle = (low + high) / 2
        low, high = (middle, high) if normal_quantile(middle) < x else (low, middle)
    return 0.5 + low / 2


def frames(searches: int) -> Iterator[pl.DataFrame]:
    """A log of so many searches, 100,000 at a time."""
    for start in range(0, searches, 100_000):
        n = min(100_000, searches - start)
        rng = np.random.default_rng(start)
        first = rng.random(n) < 0.5
        teams = np.where(first[:, None], np.tile(["a", "b"], 5), np.tile(["b", "a"], 5))
        clicked = [[int(rank)] if rank <= 10 else [] for rank in rng.integers(1, 16, n)]
        yield pl.DataFrame(
            {
                "search": [f"s{start + row}" for row in range(n)],
                "user": [f"u{user}" for user in start // 4 + rng.integers(0, 25_000, n)],
                "session": ["1"] * n,
                "query": [f"q{query}" for query in rng.integers(0, 1000, n)],
                "shown": [["d"] * 10] * n,
                "teams": teams.tolist(),
                "clicked": pl.Series(clicked, dtype=pl.List(pl.Int64)),
            }
        )


def scale(most: int) -> None:
    """CPU and memory against searches; making the frames is not counted."""
    rows = []
    for searches in (most // 20, most // 10, most // 2, most):  # the first one imports what is needed
        spent = 0.0

        def timed(searches: int = searches) -> Iterator[pl.DataFrame]:
            nonlocal spent
            for frame in frames(searches):
                begun = time.process_time()
                yield frame
                spent += time.process_time() - begun

        credit = click_credit(timed())
        begun = time.process_time()
        interleaving_result(credit)
        spent += time.process_time() - begun
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows.append([f"{searches:,}", f"{spent:.1f}", f"{spent / searches * 1e6:.1f}", f"{peak:,.0f}"])
    columns = ["searches", "CPU s", "µs a search", "peak MB of the process"]
    print_table("From frames of a log to the result, team draft", columns, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=2000)
    parser.add_argument("--lists", type=int, default=1000)
    parser.add_argument("--searches", type=int, default=2_000_000)
    known = parser.parse_args()
    print("# Interleaving (`benchmarks/interleaving.py`)")
    cost()
    bias(known.lists)
    errors(known.experiments)
    plans()
    scale(known.searches)


if __name__ == "__main__":
    main()
