"""A tournament: which two of many answers to compare next, until the best few are known without asking all pairs.

Only strict preferences are taken to hold over a chain: who prefers a to b and b to c is not asked about a and c.  A tie
says nothing about any other pair (Hui and Berberich 2017: with ties, chains break).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple


class Preference(NamedTuple):
    """What somebody said of two players: `value` 1 where `a` is better, 0.5 where they are even, 0 where `b` is.

    `free`: it was known without asking.
    """

    a: int
    b: int
    value: float
    free: bool = False


@dataclass(frozen=True)
class Tournament:
    """What is known of some players, and what to ask next.

    Where several people, or one person twice, compared the same two, the mean of their values counts.  Players who are
    preferred to each other in a circle are even.

    Attributes
    ----------
    players
        How many there are; they are numbers from 0.
    preferences
        What was said so far.
    best
        So many of the best are looked for; more are left where ties do not tell them apart.
    seed
        Of the order among pairs that tell as much.

    References
    ----------
    Clarke, C. L. A., Vtyurina, A. and Smucker, M. D. (2021). Assessing top-k preferences. ACM TOIS 39(3), 33; Hui, K.
    and Berberich, K. (2017). Transitivity, time consumption, and quality of preference judgments in crowdsourcing.
    ECIR, 239-251.

    Examples
    --------
    >>> told = Tournament(3, (Preference(0, 1, 1), Preference(1, 2, 1)))  # 0 before 1 before 2
    >>> told.leaders, told.next(), told.asked, told.saved
    ((0,), None, 2, 1)
    """

    players: int
    preferences: tuple[Preference, ...] = ()
    best: int = 1
    seed: int | str = 0

    @property
    def leaders(self) -> tuple[int, ...]:
        """Who can still be among the best: fewer than `best` others are known to be better."""
        return tuple(player for player in range(self.players) if len(self._better[player]) < self.best)

    def next(self, being_asked: Iterable[tuple[int, int]] = ()) -> tuple[int, int] | None:
        """Return the two players to compare next; None where the best are known, or no comparison would tell them.

        Among those who can still be among the best, two of whom the fewest are known to be better, and who have won
        alike: as in a knockout, winners meet winners.

        Parameters
        ----------
        being_asked
            Pairs that somebody else is looking at now.
        """
        taken = {frozenset(pair) for pair in being_asked}
        return min((pair for pair in self._open if frozenset(pair) not in taken), key=self._rank, default=None)

    @property
    def done(self) -> bool:
        """Whether nothing is left to ask."""
        return not self._open

    @property
    def asked(self) -> int:
        """How many pairs were compared by somebody."""
        return len({frozenset((one.a, one.b)) for one in self.preferences if not one.free})

    @property
    def pairs(self) -> int:
        """How many pairs would have to be asked to compare all."""
        free = {frozenset((one.a, one.b)) for one in self.preferences if one.free}
        return self.players * (self.players - 1) // 2 - len(free)

    @property
    def saved(self) -> int:
        """How many pairs need not be asked any more; 0 until the best are known."""
        return self.pairs - self.asked if self.done else 0

    @cached_property
    def _values(self) -> Mapping[tuple[int, int], float]:
        """Two players, the smaller number first → the mean value of the first."""
        said = defaultdict(list)
        for a, b, value, _ in self.preferences:
            said[min(a, b), max(a, b)].append(value if a < b else 1 - value)
        return {pair: sum(values) / len(values) for pair, values in said.items()}

    @cached_property
    def _reached(self) -> list[set[int]]:
        """For each player those who are worse, over chains of strict preferences."""
        reached: list[set[int]] = [set() for _ in range(self.players)]
        for (a, b), value in self._values.items():
            if value != 0.5:
                winner, loser = (a, b) if value > 0.5 else (b, a)
                reached[winner].add(loser)
        for between in range(self.players):
            for above in reached:
                if between in above:
                    above |= reached[between]
        return reached

    @cached_property
    def _better(self) -> list[set[int]]:
        """For each player those who are known to be better; in a circle nobody is."""
        reached = self._reached
        return [
            {other for other in range(self.players) if player in reached[other] and other not in reached[player]}
            for player in range(self.players)
        ]

    @cached_property
    def _open(self) -> list[tuple[int, int]]:
        """Pairs that could tell who the best are."""
        leaders = self.leaders
        if len(leaders) <= self.best:
            return []
        return [pair for pair in combinations(leaders, 2) if not self._settled(*pair)]

    def _settled(self, a: int, b: int) -> bool:
        return (a, b) in self._values or a in self._reached[b] or b in self._reached[a]

    def _rank(self, pair: tuple[int, int]) -> tuple[int, int, int, float]:
        a, b = pair
        above = len(self._better[a]) + len(self._better[b])
        below = len(self._reached[a]), len(self._reached[b])
        order = random.Random(f"{self.seed}:{a}:{b}").random()
        return above, abs(below[0] - below[1]), -sum(below), order
