"""The result of an interleaving experiment: which rankers users prefer, by several analyses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from neraca.number_format import number, p_value
from neraca.online.exclusions import Exclusion
from neraca.online.interleaving.click_credit import UNUSED, ClickCredit
from neraca.online.interleaving.fairness import FirstRank, unfair_checks
from neraca.online.interleaving.looks import SEQUENTIAL
from neraca.online.log_contents import ReadLog
from neraca.result import SavedReport, Table, Tabular
from neraca.stats.intervals.confidence_sequence import FEWEST_USERS
from neraca.stats.intervals.fewest import FEWEST_IN_RANGE, too_few_for_interval
from neraca.stats.intervals.interval import ALL_EQUAL, NOTHING_SCORED

#: Units of observation, which are also the names of their analyses.
UNITS = ("user", "session", "search")
#: Analysis → its value if there is no difference.
ANALYSES: Mapping[str, float] = {"user": 0.5, "session": 0.5, "search": 0.5, "majority": 0.5, "paired": 0.0}
#: Attributes of a preference that its row begins with.
_NUMBERS = ("a", "b", "analysis", "value", "low", "high", "n", "wins", "losses", "ties", "p", "p_adjusted")


@dataclass(frozen=True)
class Preference:
    """One analysis of one pair of rankers.

    Attributes
    ----------
    a, b
        The rankers.
    analysis
        `user`, `session`: the mean over users (sessions) of the share of searches that a won, among searches with a
        winner.  `search`: this share over all searches.  If credit is graded, these are shares of credit.  `majority`:
        the share of users with more searches won by a than by b, among users with a winner.  `paired`: clicks on
        documents of a minus clicks on documents of b, per pair of documents that the two added.
    value, low, high
        The share of a (0.5: no difference) with its interval, or for `paired` the difference (0: no difference); NaN
        if it is unknown.
    n
        Number of users, sessions, searches or pairs of documents that count.
    wins, losses, ties
        Units that a won and lost, and ties: units with clicks but no winner.
    p, test
        Two-sided p-value, NaN if no test is possible, and the name of the test.
    p_bootstrap
        p-value by resampling users or sessions; NaN if this was not done.
    p_adjusted
        p-value adjusted for the number of pairs of rankers.
    """

    a: str
    b: str
    analysis: str
    value: float
    low: float
    high: float
    n: int
    wins: int
    losses: int
    ties: int
    p: float
    test: str
    p_bootstrap: float = math.nan
    p_adjusted: float = math.nan

    @property
    def why_no_interval(self) -> str:
        """The reason, in words, why there is no interval; "" if there is one."""
        if not math.isnan(self.low):
            return ""
        if not self.n:
            return NOTHING_SCORED
        if self.test == SEQUENTIAL:
            return f"with fewer than {FEWEST_USERS} units one does not look yet"
        return too_few_for_interval(self.n) if self.n < FEWEST_IN_RANGE else ALL_EQUAL

    def winner(self, level: float) -> str:
        """Return the ranker that is significantly preferred at a confidence level, or "" if neither is."""
        if not self.p_adjusted < 1 - level:
            return ""
        return self.a if self.value > ANALYSES[self.analysis] else self.b


@dataclass(frozen=True, eq=False, repr=False)
class InterleavingResult(SavedReport, Tabular):
    """The result of a log of interleaved searches; prints as a table of all analyses.

    Attributes
    ----------
    credit
        The credit of the rankers in each search.
    preferences
        All analyses of all pairs of rankers.
    first_ranks
        For each pair of rankers, the check that the lists were drafted fairly.
    unit
        The analysis that decides.
    level, correction
        Confidence level of the intervals, and the method that adjusts p-values for several pairs.
    looks
        `once`: intervals and p hold at one look; `daily`: at all looks together.
    log
        What was read from the log and what was left out; None if that is not known.
    """

    report = "online.interleaving:interleaving_document"

    credit: ClickCredit
    preferences: tuple[Preference, ...]
    first_ranks: tuple[FirstRank, ...]
    unit: str
    level: float
    correction: str
    looks: str = "once"
    log: ReadLog | None = None

    @property
    def exclusions(self) -> tuple[Exclusion, ...]:
        """The exclusions from the log, by reason."""
        return self.log.exclusions if self.log else ()

    @property
    def unfair(self) -> list[FirstRank]:
        """The checks of pairs whose lists were not left to chance; if there are any, no result can be trusted."""
        return unfair_checks(self.first_ranks)

    def winner(self, preference: Preference) -> str:
        """Return the ranker that is significantly preferred, or "" if neither is or the draft was not fair."""
        return "" if self.unfair else preference.winner(self.level)

    @property
    def deciding(self) -> list[Preference]:
        """The deciding analysis of each pair of rankers."""
        return [preference for preference in self.preferences if preference.analysis == self.unit]

    def _tables(self) -> Iterator[Table]:
        columns = ["a", "b", "analysis", "value", "low", "high", "p", "n", "winner"]
        rows = [
            [
                *(
                    preference.a,
                    preference.b,
                    preference.analysis,
                    *map(number, (preference.value, preference.low, preference.high)),
                ),
                *(p_value(preference.p_adjusted), f"{preference.n:,}", self.winner(preference)),
            ]
            for preference in self.preferences
        ]
        yield Table(columns, rows, f"share won by a (paired: difference of clicks); {self.unit} decides", 3)
        unused = [[description, f"{self.credit.left_out.get(reason, 0):,}"] for reason, description in UNUSED.items()]
        left_out = [*([e.what, f"{e.n:,}"] for e in self.exclusions), *(row for row in unused if row[1] != "0")]
        if left_out:
            yield Table(["left out of the log", "n"], left_out)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each analysis of each pair of rankers."""
        return [
            {
                **{name: getattr(preference, name) for name in (*_NUMBERS, "p_bootstrap")},
                "why_no_interval": preference.why_no_interval,
                "test": preference.test,
                "decides": preference.analysis == self.unit,
                "winner": self.winner(preference),
                "looks": self.looks,
                "fair": not self.unfair,
                "method": self.credit.method,
                "searches": len(self.credit),
            }
            for preference in self.preferences
        ]
