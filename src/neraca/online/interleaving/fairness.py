"""Check from a log that its lists were drafted fairly: test what the method promises before any click."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neraca.online.interleaving.click_credit import ClickCredit, Ints
from neraca.online.interleaving.user_ratio import interval_and_p, ratio_error
from neraca.stats.intervals.resample import by_cluster
from neraca.stats.tests.sign_flip_distribution import can_be_exact, sign_flips

#: If p, corrected for the number of pairs of rankers, is below this, the draft was not random.
UNFAIR = 0.002
#: With fewer units, p is never that small: 2 / 2^9 is above `UNFAIR`.
FEWEST_UNITS = 10
#: Most units for which all changes of sign are enumerated; with more, the normal distribution gives the same p.
MOST_EXACT = 300
#: All users get the same list for a query if, among at least `REPEATED` repeated searches, at least the share `ALIKE`
#: begins with the same ranker as most searches for the query.
ALIKE, REPEATED = 0.95, 12


@dataclass(frozen=True)
class FirstRank:
    """The check of a pair of rankers.

    Attributes
    ----------
    a, b
        The rankers.
    of_a, of_b
        Number of lists whose first document came from a and from b.
    p
        p-value of the test of the method's promise; NaN if there are too few users.
    chance_a, chance_b
        For a method that does not balance who is first: mean credit of a click by chance, at rank k with a probability
        proportional to 1/k².  NaN for other methods.
    """

    a: str
    b: str
    of_a: int
    of_b: int
    p: float
    chance_a: float = math.nan
    chance_b: float = math.nan

    @property
    def by_credit(self) -> bool:
        """Whether the test is about the credit of clicks by chance, rather than about who is first."""
        return not math.isnan(self.chance_a)


def first_rank(credit: ClickCredit, pair: tuple[int, int]) -> FirstRank:
    """Test for a pair of rankers whether the lists of a log keep the promise of their method.

    Most methods promise that each ranker is first equally often.  If so, the surplus of lists in which a is first has
    either sign with equal probability for each user, however many searches the user has; p comes from all changes of
    sign (`sign_flips`).  If all users get the same list for a query, queries take the place of users.
    `optimised` promises that clicks by chance credit both rankers alike; Student's t tests it, with users (or queries)
    as clusters.
    """
    names = credit.rankers[pair[0]], credit.rankers[pair[1]]
    signs = (credit.first == pair[0]).astype(np.int64) - (credit.first == pair[1])
    units = _units_of_chance(credit, signs)
    first_counts = int((signs > 0).sum()), int((signs < 0).sum())
    if credit.by_chance is not None:
        credit_a, credit_b = credit.by_chance[:, pair[0]], credit.by_chance[:, pair[1]]
        rows = by_cluster(np.stack([credit_a - credit_b, np.ones(len(credit_a))], axis=1), units)
        _, _, p = interval_and_p(*ratio_error(rows), 0.95)
        return FirstRank(*names, *first_counts, p, float(credit_a.mean()), float(credit_b.mean()))
    decided = np.unique(units[signs != 0])
    surplus = np.bincount(units, weights=signs).astype(np.int64)[decided]
    exact = len(surplus) <= MOST_EXACT and can_be_exact(surplus)
    p = sign_flips(surplus, exact) if len(decided) >= FEWEST_UNITS else math.nan
    return FirstRank(*names, *first_counts, p)


def unfair_checks(checks: Sequence[FirstRank]) -> list[FirstRank]:
    """Return the checks that show an unfair draft; p is corrected for their number (Bonferroni)."""
    return [check for check in checks if check.p * len(checks) < UNFAIR]


def _units_of_chance(credit: ClickCredit, signs: Ints) -> Ints:
    """Return the number of the user of each search or, if all users get the same list for a query, of the query.

    If one ranker is first in all queries, users are the units, because the log cannot show that the query decides.
    """
    decided = signs != 0
    queries = credit.queries[decided]
    n = np.bincount(queries)
    surplus = np.bincount(queries, weights=signs[decided])
    repeated = int(n.sum() - np.count_nonzero(n))
    agreeing = float((n + np.abs(surplus)).sum() / 2 - np.count_nonzero(n)) / max(1, repeated)
    both_lead = bool((surplus > 0).any() and (surplus < 0).any())
    users_differ = (
        len(np.unique(np.stack([queries, credit.users[decided]]), axis=1).T) >= np.count_nonzero(n) + REPEATED
    )
    by_query = both_lead and users_differ and repeated >= REPEATED and agreeing >= ALIKE
    return credit.queries if by_query else credit.users
