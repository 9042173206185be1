"""Prefs: the share of preferences between documents that a ranking respects, and the view of them.

Who finds a document better than another prefers it.  Grades are preferences too: each document is preferred to all of a
lower grade.
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
        One array for each list of documents that were compared with each other, shape (J,): the level of each
        document, NaN where it is not in the list.  Within a list the higher level is preferred; preferences of
        several lists are continued: a over b and b over c is a over c.
    """

    levels: tuple[Floats, ...]

    @property
    def level(self) -> Floats:
        """The level of each document in the last list that has it, shape (J,); NaN: in none."""
        level = self.levels[0]
        for other in self.levels[1:]:
            level = np.where(np.isnan(other), level, other)
        return level

    def prefers(self) -> Truths:
        """Whether document i is preferred to document j, shape (J, J)."""
        prefers = np.zeros((len(self.levels[0]),) * 2, dtype=bool)
        for level in self.levels:
            prefers |= level[:, None] > level[None, :]  # with NaN nothing is
        if len(self.levels) > 1:
            count = -1
            while count != (count := int(prefers.sum())):
                steps = prefers.astype(np.float32)
                prefers |= steps @ steps > 0
        return prefers

    def tally(self, returned: int) -> Tally:
        """Count the preferences, where the first documents were returned, in this order."""
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
    respected, both
        Preferences between two returned documents: those in the preferred order, and all of them.
    respected_one, one
        Preferences between a returned and another document: those for the returned document, and all of them.
    unseen
        Preferences between documents that were not returned.
    """

    respected: float
    both: float
    respected_one: float
    one: float
    unseen: float

    @classmethod
    def of(cls, prefers: Truths, returned: int) -> Self:
        """From preferences of each pair, shape (J, J)."""
        inside, over, under = (
            prefers[:returned, :returned],
            prefers[:returned, returned:],
            prefers[returned:, :returned],
        )
        respected, between_returned, respected_one = (
            float(np.triu(inside).sum()),
            float(inside.sum()),
            float(over.sum()),
        )
        return cls(
            respected,
            between_returned,
            respected_one,
            respected_one + float(under.sum()),
            float(prefers[returned:, returned:].sum()),
        )

    def among(self, of: str) -> tuple[float, float]:
        """Preferences that are respected, and those that there are, as in `preferences_respected`."""
        if of == "both":
            return self.respected, self.both
        return self.respected + self.respected_one, self.both + self.one + (self.unseen if of == "all" else 0.0)


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
        For each ranking what is preferred, and what it returned.
    unscored
        The reason why an answer cannot be scored, or "".
    """

    needs: ClassVar[tuple[str, ...]] = Ranking.needs
    rankings: Sequence[RankedGroups]
    unscored: Sequence[str]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Take the preferences that follow from grades."""
        return cls.of_ranking(part.view(Ranking))

    @classmethod
    def of_ranking(cls, ranking: Ranking) -> Self:
        """Take the grades of each ranking as one group."""
        return cls(list(_of_grades(ranking)), ranking.unscored)

    @cached_property
    def tallies(self) -> list[list[Tally]]:
        """For each ranking the counts of each group."""
        return [[group.tally(ranked.returned) for group in ranked.groups] for ranked in self.rankings]


def _of_grades(ranking: Ranking) -> Iterator[RankedGroups]:
    ranking = ranking.of_judged()
    hits, pool = np.searchsorted(ranking.owner, np.arange(ranking.n + 1)), ranking.pool_owner
    pool_starts = np.searchsorted(pool, np.arange(ranking.n + 1))
    for row in range(ranking.n):
        returned = ranking.grades[hits[row] : hits[row + 1]]
        returned = returned[returned > -np.inf]  # a repeated document was met already
        others = Counter(ranking.pool[pool_starts[row] : pool_starts[row + 1]].tolist())
        others.subtract(returned.tolist())
        level = np.array([*returned, *others.elements()], dtype=np.float64)
        yield RankedGroups((Group((level,)),), len(returned))


def _different(level: Floats) -> float:
    """Count the pairs that differ."""
    counts = np.unique(level, return_counts=True)[1].astype(np.float64)
    return float(len(level) ** 2 - (counts**2).sum()) / 2


def _falling(level: Floats) -> float:
    """Count the pairs of which the first is greater."""
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

    A returned document stands above all that were not returned.  `of` says which preferences count: `all` (of two
    documents that were not returned none is respected), `either` (at least one of the two was returned) or `both` (both
    were).  Where several people or groups judged, `per` says what counts alike: each `preference`; each `pair` of
    documents, however many judged it; or each `group`.  Grades are one group, in which all three are the same; the
    preferences of several come with `neraca trec --trec-eval -R prefs`.  The value is 0 where there is no preference.

    References
    ----------
    Buckley, C. and others (2008). trec_eval, prefs_simp, prefs_pair and prefs_avgjg; Carterette, B. et al. (2008).
    Here or there: preference judgments for relevance. ECIR, 16-27 (`all` is its rpref, `either` its ppref).

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> view = Preferences.of_ranking(ranking([0, 1], unseen=[2, 0]))
    >>> preferences_respected(view)  # of 2 > 1, 2 > 0, 2 > 0, 1 > 0, 1 > 0 only that of 1 over the second 0
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
            counts = [(sum(respected for respected, _ in counts), sum(known for _, known in counts))]
        each = [respected / known if known else 0.0 for respected, known in counts]
        shares.append(sum(each) / max(len(each), 1))
    return np.array(shares)


def _per_pair(ranked: RankedGroups, of: str) -> float:
    """The mean over pairs of documents of the share of preferences on this pair that are respected."""
    if len(ranked.groups) == 1:  # at most one preference on each pair
        respected, preferences = ranked.groups[0].tally(ranked.returned).among(of)
        return respected / preferences if preferences else 0.0
    preferred: Floats = np.sum(np.stack([group.prefers() for group in ranked.groups]), axis=0, dtype=np.float64)
    first, second = np.triu_indices(len(preferred), k=1)
    for_first, for_second = preferred[first, second], preferred[second, first]
    counted = for_first + for_second > 0
    last_returned = {"both": second, "either": first}.get(of)
    if last_returned is not None:
        counted &= last_returned < ranked.returned
    above = first[counted] < ranked.returned
    shares: Floats = above * for_first[counted] / (for_first + for_second)[counted]
    return float(shares.sum() / len(shares)) if len(shares) else 0.0
