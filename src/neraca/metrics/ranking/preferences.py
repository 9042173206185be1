"""Prefs: the share of preferences between documents that a ranking respects.

Grades are preferences too: each document is preferred to all documents of a lower grade.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats

Truths = NDArray[np.bool_]


class Group(NamedTuple):
    """The preferences of one person at one time among the J judged documents of a query.

    Attributes
    ----------
    levels
        For each list of documents that were compared with each other, the level of each document, shape (J,); NaN if it
        is not in the list.  Within a list the higher level is preferred.  Across lists preferences are transitive: a
        over b and b over c is a over c.
    """

    levels: tuple[Floats, ...]

    @property
    def level(self) -> Floats:
        """The level of each document in the last list that has it, shape (J,); NaN: in none."""
        level = self.levels[0]
        for later_level in self.levels[1:]:
            level = np.where(np.isnan(later_level), level, later_level)
        return level

    def prefers(self) -> Truths:
        """Return whether document i is preferred to document j, shape (J, J)."""
        prefers = np.zeros((len(self.levels[0]),) * 2, dtype=bool)
        for level in self.levels:
            prefers |= level[:, None] > level[None, :]  # False if either is NaN
        if len(self.levels) > 1:
            count = -1
            while count != (count := int(prefers.sum())):
                steps = prefers.astype(np.float32)
                prefers |= steps @ steps > 0
        return prefers

    def tally(self, returned: int) -> Tally:
        """Count the preferences for a ranking that returned the first documents, in this order."""
        if len(self.levels) > 1:
            return Tally.of(self.prefers(), returned)
        level = self.levels[0]
        above = level[:returned][~np.isnan(level[:returned])]
        below = np.sort(level[returned:][~np.isnan(level[returned:])])
        returned_pairs, unseen = _different(above), _different(below)
        either = _different(np.concatenate([above, below])) - returned_pairs - unseen
        respected_either = float(np.searchsorted(below, above, side="left").sum())
        return Tally(_falling(above), returned_pairs, respected_either, either, unseen)


class Tally(NamedTuple):
    """The number of preferences in a group, and the number that the ranking respects.

    Attributes
    ----------
    respected, both_returned
        Preferences between two returned documents: those in the preferred order, and all of them.
    respected_mixed, mixed
        Preferences between a returned and another document: those for the returned document, and all of them.
    unseen
        Preferences between documents that were not returned.
    """

    respected: float
    both_returned: float
    respected_mixed: float
    mixed: float
    unseen: float

    @classmethod
    def of(cls, prefers: Truths, returned: int) -> Self:
        """Count preferences, given for each pair of documents, shape (J, J)."""
        inside, respected_mixed = prefers[:returned, :returned], float(prefers[:returned, returned:].sum())
        return cls(
            respected=float(np.triu(inside).sum()),
            both_returned=float(inside.sum()),
            respected_mixed=respected_mixed,
            mixed=respected_mixed + float(prefers[returned:, :returned].sum()),
            unseen=float(prefers[returned:, returned:].sum()),
        )

    def among(self, of: str) -> tuple[float, float]:
        """Return the respected preferences and all preferences; `of` is as in `preferences_respected`."""
        if of == "both":
            return self.respected, self.both_returned
        unseen = self.unseen if of == "all" else 0.0
        return self.respected + self.respected_mixed, self.both_returned + self.mixed + unseen


class RankedGroups(NamedTuple):
    """Preferences about one ranking.

    Attributes
    ----------
    groups
        The preferences of each person or time.
    returned
        The number of the J judged documents in the ranking: these come first, in its order.
    """

    groups: Sequence[Group]
    returned: int


@dataclass(frozen=True, eq=False)
class Preferences:
    """Preferences about the documents of n rankings.

    Attributes
    ----------
    rankings
        The preferences about each ranking.
    unscored
        The reason why an answer cannot be scored, or "".
    """

    needs: ClassVar[tuple[str, ...]] = Ranking.needs
    rankings: Sequence[RankedGroups]
    unscored: Sequence[str]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Return the preferences that follow from grades."""
        return cls.of_ranking(part.view(Ranking))

    @classmethod
    def of_ranking(cls, ranking: Ranking) -> Self:
        """Return the preferences from the grades of each ranking, as one group."""
        return cls(list(_of_grades(ranking)), ranking.unscored)

    @cached_property
    def tallies(self) -> list[list[Tally]]:
        """The counts of each group, for each ranking."""
        return [[group.tally(ranked.returned) for group in ranked.groups] for ranked in self.rankings]


def _of_grades(ranking: Ranking) -> Iterator[RankedGroups]:
    ranking = ranking.of_judged()
    hits, pool = np.searchsorted(ranking.owner, np.arange(ranking.n + 1)), ranking.pool_owner
    pool_starts = np.searchsorted(pool, np.arange(ranking.n + 1))
    for row in range(ranking.n):
        returned = ranking.grades[hits[row] : hits[row + 1]]
        returned = returned[returned > -np.inf]  # drop repeated documents
        unseen_grades = Counter(ranking.pool[pool_starts[row] : pool_starts[row + 1]].tolist())
        unseen_grades.subtract(returned.tolist())
        level = np.array([*returned, *unseen_grades.elements()], dtype=np.float64)
        yield RankedGroups((Group((level,)),), len(returned))


def _different(level: Floats) -> float:
    """Count the pairs with different levels."""
    counts = np.unique(level, return_counts=True)[1].astype(np.float64)
    return float(len(level) ** 2 - (counts**2).sum()) / 2


def _falling(level: Floats) -> float:
    """Count the pairs whose first level is greater."""
    total = 0.0
    for value in np.unique(level):
        smaller = level < value
        total += float((smaller.sum() - np.cumsum(smaller))[level == value].sum())
    return total


@metric("Prefs", not_for="without preferences between documents: grades are served by `nDCG`")
def preferences_respected(preferences: Preferences, *, of: str = "all", per: str = "preference") -> Floats:
    r"""The share of the known preferences that the ranking respects: the preferred document stands higher.

    $$ c / n $$

    with c preferences that the ranking respects, of n that count.

    A returned document stands above all documents that were not returned.  `of` chooses the preferences that count:
    `all`, `either` (at least one of the two documents was returned) or `both` (both were returned).  With `all`, a
    preference between two documents that were not returned is not respected.  If several people or groups judged, `per`
    chooses the unit of equal weight: each `preference`, each `pair` of documents, or each `group`.  Grades are one
    group, for which all three agree; `neraca trec --trec-eval -R prefs` reads several.  The value is 0 without
    preferences.

    References
    ----------
    Buckley, C. and others (2008). trec_eval, prefs_simp, prefs_pair and prefs_avgjg; Carterette, B. et al. (2008).
    Here or there: preference judgments for relevance. ECIR, 16-27 (`all` is its rpref, `either` its ppref).

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> view = Preferences.of_ranking(ranking([0, 1], unseen=[2, 0]))
    >>> preferences_respected(view)  # of 2 > 1, 2 > 0, 2 > 0, 1 > 0, 1 > 0 only the last
    array([0.2])
    >>> preferences_respected(view, of="either"), preferences_respected(view, of="both")
    (array([0.25]), array([0.]))
    """
    if of not in ("all", "either", "both"):
        raise SpecError(f"Prefs: of is all, either or both, not {of!r}")
    if per not in ("preference", "pair", "group"):
        raise SpecError(f"Prefs: per is preference, pair or group, not {per!r}")
    if per == "pair":
        return np.array([_per_pair(ranked, of) for ranked in preferences.rankings])
    shares = []
    for tallies in preferences.tallies:
        counts = [tally.among(of) for tally in tallies]
        if per == "preference":
            counts = [(sum(respected for respected, _ in counts), sum(number for _, number in counts))]
        group_shares = [respected / number if number else 0.0 for respected, number in counts]
        shares.append(sum(group_shares) / max(len(group_shares), 1))
    return np.array(shares)


def _per_pair(ranked: RankedGroups, of: str) -> float:
    """Return the share of respected preferences on each pair of documents, averaged over the pairs."""
    if len(ranked.groups) == 1:  # at most one preference on each pair
        respected, preferences = ranked.groups[0].tally(ranked.returned).among(of)
        return respected / preferences if preferences else 0.0
    preferred: Floats = np.sum(np.stack([group.prefers() for group in ranked.groups]), axis=0, dtype=np.float64)
    first, second = np.triu_indices(len(preferred), k=1)
    for_first, for_second = preferred[first, second], preferred[second, first]
    counts = for_first + for_second > 0
    last_returned = {"both": second, "either": first}.get(of)
    if last_returned is not None:
        counts &= last_returned < ranked.returned
    above = first[counts] < ranked.returned
    shares: Floats = above * for_first[counts] / (for_first + for_second)[counts]
    return float(shares.sum() / len(shares)) if len(shares) else 0.0
