"""Fairness checks of interleaving: false alarms on fair logs, and planted biases of five points that are found.

    .venv/bin/python benchmarks/interleaving_fairness.py [--logs N] [--biased N]

The results stand in benchmarks/results/interleaving_fairness.md.  A log has 5,000 searches of 100 queries.  Lists are
drawn from all lists that a method can make of the rankings of a query, with their exact probabilities.  Seeded.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from neraca.online.interleaving.choices import outcomes
from neraca.online.interleaving.click_credit import ClickCredit
from neraca.online.interleaving.fairness import first_rank, unfair_checks
from neraca.online.interleaving.method import Shown, method_of

SEARCHES, QUERIES, USERS = 5_000, 100, 3_000
#: Method → documents of a list; all lists of a method are gone through.
METHODS = {"team_draft": 6, "probabilistic": 2, "balanced": 6, "optimised": 6, "optimised(credit=linear)": 6}
KEYS = ("user and query", "query alone", "user alone", "each search")


@dataclass
class Lists:
    """All lists for a query: probability, ranker of the first and second document, credit of a click by chance."""

    chances: NDArray[np.float64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    credit: NDArray[np.float64]
    swapped: NDArray[np.float64]


@cache
def lists_of(method: str, query: int) -> Lists:
    """Return the lists of a query, whose rankings are drawn: six documents of ten each."""
    rng = np.random.default_rng(query)
    how = method_of(method)[1]
    rankings = [[str(document) for document in rng.permutation(10)[:6]] for _ in range(2)]
    drafts = outcomes(how, rankings, METHODS[method])

    def credit(documents: list[str], teams: list[int]) -> list[float]:
        shown = Shown(documents, teams, 2, rankings)
        total = sum(rank**-2 for rank in range(1, len(documents) + 1))
        each = [how.credit(shown, (rank,)) for rank in range(1, len(documents) + 1)]
        return [sum(pair[ranker] * rank**-2 for rank, pair in enumerate(each, 1)) / total for ranker in (0, 1)]

    def swap(values: tuple[str, ...] | tuple[int, ...]) -> list:
        return [*values[1::-1], *values[2:]]

    plain = [credit(list(documents), list(teams)) for documents, teams in drafts]
    swapped = [credit(swap(documents), swap(teams)) for documents, teams in drafts]
    begins = np.array([teams[:2] for _, teams in drafts])
    chances = np.array(list(drafts.values()))
    return Lists(chances / chances.sum(), begins[:, 0], begins[:, 1], np.array(plain), np.array(swapped))


def visits(rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return user and query of each search; some users and queries occur far more often than others (Zipf)."""
    activity = np.minimum(rng.zipf(2.0, USERS), 20)
    popularity = 1 / np.arange(1, QUERIES + 1)
    return (
        rng.choice(USERS, SEARCHES, p=activity / activity.sum()),
        rng.choice(QUERIES, SEARCHES, p=popularity / popularity.sum()),
    )


def draws_by_key(rng: np.random.Generator, key: str, users: NDArray[np.int64], queries: NDArray[np.int64]):
    """Return a number between 0 and 1 for each search, equal for searches with the same key."""
    keys = {
        "user and query": users * QUERIES + queries,
        "query alone": queries,
        "user alone": users,
        "each search": np.arange(len(users)),
    }[key]
    return rng.random(int(keys.max()) + 1)[keys]


def shift(lists: Lists, points: float) -> NDArray[np.float64]:
    """Return the probabilities with so much moved from lists that b begins to lists that a begins."""
    a, b = lists.first == 0, lists.first == 1
    if not a.any() or not b.any():
        return lists.chances
    moved = min(points, float(lists.chances[b].sum()))
    chances = lists.chances.copy()
    chances[a] *= 1 + moved / chances[a].sum()
    chances[b] *= 1 - moved / chances[b].sum()
    return chances


def log(rng: np.random.Generator, method: str, key: str = "user and query", bias: str = "") -> ClickCredit:
    """Draw a log; `bias` is "", or what is wrong: the coin, lost lists, or documents swapped after the draft."""
    users, queries = visits(rng)
    place = draws_by_key(rng, key, users, queries)
    first, credit = np.zeros(SEARCHES, dtype=np.int64), np.zeros((SEARCHES, 2))
    kept = np.ones(SEARCHES, dtype=bool)
    for query in range(QUERIES):
        lists, rows = lists_of(method, query), np.flatnonzero(queries == query)
        chances = shift(lists, 0.05) if bias == "coin" else lists.chances
        drawn = np.minimum(np.searchsorted(np.cumsum(chances), place[rows]), len(chances) - 1)
        first[rows], credit[rows] = lists.first[drawn], lists.credit[drawn]
        behind = lists.first[drawn] == 1
        if bias == "lost":  # so many that a begins five points more of what is left
            share = float(lists.chances[lists.first == 1].sum())
            lost = 1 - max(0.0, share - 0.05) * (1 - share) / ((1 - share + 0.05) * share) if 0 < share < 1 else 0.0
            kept[rows] = ~(behind & (rng.random(len(rows)) < lost))
        if bias == "swapped":
            can = (lists.first == 1) & (lists.second == 0)
            rate = min(1.0, 0.05 / float(lists.chances[can].sum())) if can.any() else 0.0
            swapped = can[drawn] & (rng.random(len(rows)) < rate)
            first[rows[swapped]], credit[rows[swapped]] = 0, lists.swapped[drawn[swapped]]
    n = int(kept.sum())
    by_chance = None if method_of(method)[1].balances_first else credit[kept]
    numbers = np.unique(users[kept], return_inverse=True)[1]
    none, zeros = np.zeros(n, dtype=np.int64), np.zeros((n, 2))
    names = tuple(map(str, range(QUERIES)))
    return ClickCredit(
        method, False, ("a", "b"), zeros, zeros, first[kept], none, numbers, none, queries[kept], names, {}, by_chance
    )


def alarms(logs: int, method: str, key: str = "user and query", bias: str = "") -> float:
    """Return the share of logs in which the check finds the draft unfair."""
    rng = np.random.default_rng(len(method) + 100 * len(bias) + 10_000 * KEYS.index(key))
    return sum(bool(unfair_checks([first_rank(log(rng, method, key, bias), (0, 1))])) for _ in range(logs)) / logs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=1000)
    parser.add_argument("--biased", type=int, default=300)
    options = parser.parse_args()
    print("# Fairness checks of interleaving (`benchmarks/interleaving_fairness.py`)")
    print(f"\n## False alarms on fair logs, {options.logs:,} logs of {SEARCHES:,} searches\n")
    print(f"| method | {' | '.join(f'lists drawn for {key}' for key in KEYS)} |\n|{'---|' * (1 + len(KEYS))}")
    for method in METHODS:
        shares = [f"{100 * alarms(options.logs, method, key):.1f} %" for key in KEYS]
        print(f"| {method} | {' | '.join(shares)} |", flush=True)
    print(f"\n## Biases of 5 points that are found, {options.biased:,} logs of {SEARCHES:,} searches each\n")
    print("| method | coin | lists lost | documents swapped |\n|---|---|---|---|")
    for method in METHODS:
        shares = [f"{100 * alarms(options.biased, method, bias=bias):.1f} %" for bias in ("coin", "lost", "swapped")]
        print(f"| {method} | {' | '.join(shares)} |", flush=True)
    print(
        "\nWith a bias, the first document is of ranker a in 55 % of the lists instead of 50 %, or with `optimised` in "
        "five points more than its mix gives: by the coin; because lists that begin with b are lost; or because the "
        "first two documents are swapped after the draft."
    )


if __name__ == "__main__":
    main()
