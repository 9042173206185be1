"""Tournaments: choose the next two answers to compare, until the best few are known without comparing all pairs.

Only strict preferences are transitive: a person who prefers a to b and b to c is not asked about a and c.  A tie
implies nothing about other pairs (Hui and Berberich 2017).
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
    """A preference between two players: `value` is 1 if `a` is better, 0.5 if they are even, 0 if `b` is better.

    `free`: it was known without asking.
    """

    a: int
    b: int
    value: float
    free: bool = False


@dataclass(frozen=True)
class Tournament:
    """Preferences between players, and the next pair to compare.

    If a pair was compared several times, the mean of the values counts.  Players who are preferred to each other in a
    circle are even.

    Attributes
    ----------
    players
        Number of players; they are numbered from 0.
    preferences
        Preferences so far.
    best
        Number of best players to find; ties may leave more.
    seed
        Seed of the order among equally informative pairs.

    References
    ----------
    Clarke, C. L. A., Vtyurina, A. and Smucker, M. D. (2021). Assessing top-k preferences. ACM TOIS 39(3), 33; Hui, K.
    and Berberich, K. (2017). Transitivity, time consumption, and quality of preference judgments in crowdsourcing.
    ECIR, 239-251.

    Examples
    --------
    >>> game = Tournament(3, (Preference(0, 1, 1), Preference(1, 2, 1)))  # 0 before 1 before 2
    >>> game.leaders, game.next(), game.asked, game.saved
    ((0,), None, 2, 1)
    """

    players: int
    preferences: tuple[Preference, ...] = ()
    best: int = 1
    seed: int | str = 0

    @property
    def leaders(self) -> tuple[int, ...]:
        """Players who can still be among the best, because fewer than `best` others are known to be better."""
        return tuple(player for player in range(self.players) if len(self._better[player]) < self.best)

    def next(self, being_asked: Iterable[tuple[int, int]] = ()) -> tuple[int, int] | None:
        """Return the two players to compare next; None if the best are known, or no comparison would find them.

        Choose among the leaders those two to whom the fewest players are known to be better, and whose wins are most
        equal: as in a knockout, winners meet winners.

        Parameters
        ----------
        being_asked
            Pairs that another rater has open.
        """
        elsewhere = {frozenset(pair) for pair in being_asked}
        return min((pair for pair in self._open if frozenset(pair) not in elsewhere), key=self._rank, default=None)

    @property
    def done(self) -> bool:
        """Whether no pair is left to compare."""
        return not self._open

    @property
    def asked(self) -> int:
        """The number of compared pairs."""
        return len({frozenset(preference[:2]) for preference in self.preferences if not preference.free})

    @property
    def pairs(self) -> int:
        """The number of pairs, without those that are known for free."""
        free = {frozenset(preference[:2]) for preference in self.preferences if preference.free}
        return self.players * (self.players - 1) // 2 - len(free)

    @property
    def saved(self) -> int:
        """The number of pairs that were never compared when the best are known; 0 before."""
        return self.pairs - self.asked if self.done else 0

    @cached_property
    def _values(self) -> Mapping[tuple[int, int], float]:
        """Two players, the smaller number first → the mean value of the first."""
        values_by_pair = defaultdict(list)
        for a, b, value, _ in self.preferences:
            values_by_pair[min(a, b), max(a, b)].append(value if a < b else 1 - value)
        return {pair: sum(values) / len(values) for pair, values in values_by_pair.items()}

    @cached_property
    def _reached(self) -> list[set[int]]:
        """The players who are worse than each player, over chains of strict preferences."""
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
        """The players who are known to be better than each player; in a circle nobody is."""
        reached = self._reached
        return [
            {rival for rival in range(self.players) if player in reached[rival] and rival not in reached[player]}
            for player in range(self.players)
        ]

    @cached_property
    def _open(self) -> list[tuple[int, int]]:
        """The pairs whose comparison could help to find the best."""
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
