"""Compare rankers by interleaved searches: searches won, by search, session and user, and clicks per document pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neraca.errors import SpecError, nearest
from neraca.number_format import number, p_value
from neraca.online.exclusions import Exclusion
from neraca.online.interleaving.click_credit import UNUSED, ClickCredit, Ints, Returned, click_credit
from neraca.online.search_log import SearchLog, search_log
from neraca.result import Table, Tabular
from neraca.stats.intervals.fewest import FEWEST_IN_RANGE, too_few_for_interval
from neraca.stats.intervals.interval import (
    ALL_EQUAL,
    NOTHING_SCORED,
    Floats,
    clustered_error,
    interval,
    keep_in_range,
    pseudo_values,
    t_quantile,
)
from neraca.stats.intervals.interval import mean as ratio
from neraca.stats.intervals.resample import by_cluster
from neraca.stats.tests.bootstrap import bootstrap_tests
from neraca.stats.tests.correction import CORRECTIONS
from neraca.stats.tests.paired import Paired, Sample, t_test
from neraca.stats.tests.sign import sign_test

if TYPE_CHECKING:
    import polars as pl

#: Units of observation, which are also the names of their analyses.
UNITS = ("user", "session", "search")
#: Analysis → its value if there is no difference.
ANALYSES: Mapping[str, float] = {"user": 0.5, "session": 0.5, "search": 0.5, "majority": 0.5, "paired": 0.0}
#: Most units for which the bootstrap is done; with more, Student's t gives the same result.
MOST_BOOTSTRAPPED = 20_000
_ROUNDING = 1e-9


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
        return too_few_for_interval(self.n) if self.n < FEWEST_IN_RANGE else ALL_EQUAL

    def winner(self, level: float) -> str:
        """Return the ranker that is significantly preferred at a confidence level, or "" if neither is."""
        if not self.p_adjusted < 1 - level:
            return ""
        return self.a if self.value > ANALYSES[self.analysis] else self.b


class _Counts(NamedTuple):
    n: int
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class FirstRank:
    """Numbers of searches whose first document came from a and from b, and p of the test that they are equal."""

    a: str
    b: str
    of_a: int
    of_b: int
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class InterleavingResult(Tabular):
    """The result of a log of interleaved searches; prints as a table of all analyses.

    Attributes
    ----------
    credit
        The credit of the rankers in each search.
    preferences
        All analyses of all pairs of rankers.
    first_ranks
        For each pair of rankers, the check of the first rank.
    unit
        The analysis that decides.
    level, correction
        Confidence level of the intervals, and the method that adjusts p-values for several pairs.
    exclusions
        What `analyse_interleaving` left out of the log, by reason.
    """

    credit: ClickCredit
    preferences: tuple[Preference, ...]
    first_ranks: tuple[FirstRank, ...]
    unit: str
    level: float
    correction: str
    exclusions: tuple[Exclusion, ...] = ()

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
                *(p_value(preference.p_adjusted), f"{preference.n:,}", preference.winner(self.level)),
            ]
            for preference in self.preferences
        ]
        yield Table(columns, rows, f"share won by a (paired: difference of clicks); {self.unit} decides", 3)
        unused = [[what, f"{self.credit.left_out.get(reason, 0):,}"] for reason, what in UNUSED.items()]
        left_out = [*([e.what, f"{e.n:,}"] for e in self.exclusions), *(row for row in unused if row[1] != "0")]
        if left_out:
            yield Table(["left out of the log", "n"], left_out)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each analysis of each pair of rankers."""
        return [
            {
                **{name: getattr(preference, name) for name in ("a", "b", "analysis", "value", "low", "high", "n")},
                **{
                    name: getattr(preference, name)
                    for name in ("wins", "losses", "ties", "p", "p_adjusted", "p_bootstrap")
                },
                "why_no_interval": preference.why_no_interval,
                "test": preference.test,
                "decides": preference.analysis == self.unit,
                "winner": preference.winner(self.level),
                "method": self.credit.method,
                "searches": len(self.credit),
            }
            for preference in self.preferences
        ]


def analyse_interleaving(
    log: Iterable[pl.DataFrame] | Path | str,
    *,
    method: str = "team_draft",
    rankers: Sequence[str] = (),
    returned: Returned | None = None,
    unit: str = "user",
    level: float = 0.95,
    seed: int = 0,
) -> InterleavingResult:
    """Test which ranker users prefer, from a log of interleaved searches.

    Parameters
    ----------
    log
        A file or a database with events, or frames of searches from `search_log`.
    method, rankers, returned
        See `click_credit`.
    unit, level, seed
        See `interleaving_result`.  p-values are adjusted for the pairs of rankers by Holm's method.

    Raises
    ------
    InputError, SpecError
        See `search_log`, `click_credit` and `interleaving_result`.
    """
    frames = search_log(log) if isinstance(log, Path | str) else log
    result = interleaving_result(click_credit(frames, method, rankers, returned), unit=unit, level=level, seed=seed)
    return replace(result, exclusions=tuple(frames.exclusions)) if isinstance(frames, SearchLog) else result


def interleaving_result(
    credit: ClickCredit,
    *,
    unit: str = "user",
    level: float = 0.95,
    correction: str = "holm",
    seed: int = 0,
) -> InterleavingResult:
    """Compare each pair of rankers by all analyses.

    Parameters
    ----------
    credit
        The result of `click_credit`.
    unit
        The analysis that decides: user, session or search.
    level, correction
        See `compare`; within each analysis, p-values are adjusted for the pairs of rankers.
    seed
        Seed of the bootstrap.

    Raises
    ------
    SpecError
        The unit or the correction is unknown.
    """
    for name, choices, what in ((unit, UNITS, "unit"), (correction, CORRECTIONS, "correction")):
        if name not in choices:
            raise SpecError(f"no {what} is called {name!r}; {nearest(name, choices)}")
    pairs = list(combinations(range(len(credit.rankers)), 2))
    preferences = [preference for pair in pairs for preference in _analyses(credit, pair, level, seed)]
    adjusted: list[Preference] = []
    for analysis in dict.fromkeys(preference.analysis for preference in preferences):
        family = [preference for preference in preferences if preference.analysis == analysis]
        p = CORRECTIONS[correction](np.array([preference.p for preference in family]))
        adjusted += [replace(preference, p_adjusted=float(value)) for preference, value in zip(family, p, strict=True)]
    order = list(ANALYSES)
    adjusted.sort(
        key=lambda preference: (
            credit.rankers.index(preference.a),
            credit.rankers.index(preference.b),
            order.index(preference.analysis),
        )
    )
    checks = tuple(_first_rank(credit, pair) for pair in pairs)
    return InterleavingResult(credit, tuple(adjusted), checks, unit, level, correction)


def outcomes_of(credit: ClickCredit, a: int, b: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the outcome of each search, between -1 (b won) and 1 (a won), and whether it counts; shapes (n,).

    See `outcome`.  A search counts if it has a winner or, with graded credit, if it has a click.
    """
    difference = credit.credit[:, a] - credit.credit[:, b]
    if credit.graded:
        return difference / np.maximum(1, credit.clicks), credit.clicks > 0
    winner: Floats = np.sign(difference)
    return winner, winner != 0


def _analyses(credit: ClickCredit, pair: tuple[int, int], level: float, seed: int) -> list[Preference]:
    names = credit.rankers[pair[0]], credit.rankers[pair[1]]
    outcome, decided = outcomes_of(credit, *pair)
    searches = np.arange(len(credit))
    units = {"user": credit.users, "session": credit.sessions} | ({"search": searches} if credit.graded else {})
    preferences = [
        _mean_share(names, unit, _shares_by_unit(outcome, decided, credit.clicks > 0, numbers), level, seed)
        for unit, numbers in units.items()
    ]
    if not credit.graded:
        preferences.append(_share_of_wins(names, "search", outcome, int(((credit.clicks > 0) & ~decided).sum()), level))
        preferences.append(_majority(names, outcome, credit, level))
    if credit.method == "team_draft":
        preferences.append(_clicks_per_pair(names, pair, outcome, credit, level))
    return preferences


def _shares_by_unit(
    outcome: Floats, decided: NDArray[np.bool_], clicked: NDArray[np.bool_], numbers: Ints
) -> tuple[Floats, int]:
    """Return the share of a in each unit with a decided search, and the number of units with clicks but without one."""
    units = int(numbers.max()) + 1
    n = np.bincount(numbers[decided], minlength=units)
    sums = np.bincount(numbers[decided], weights=(1 + outcome[decided]) / 2, minlength=units)
    undecided = int(((n == 0) & (np.bincount(numbers[clicked], minlength=units) > 0)).sum())
    return sums[n > 0] / n[n > 0], undecided


def _mean_share(
    names: tuple[str, str], unit: str, shares_and_undecided: tuple[Floats, int], level: float, seed: int
) -> Preference:
    """Analyse the mean over users, sessions or searches of the share of a."""
    shares, undecided = shares_and_undecided
    estimate = interval(np.stack([shares, np.ones(len(shares))], axis=1), level=level)
    bounds = keep_in_range(estimate.value, (estimate.low, estimate.high), (0.0, 1.0), len(shares), tested=[0.5])
    tested = _test_mean(shares - 0.5, level)
    bootstrapped = math.nan
    if 1 < len(shares) <= MOST_BOOTSTRAPPED:
        bootstrapped = bootstrap_tests([Sample(shares - 0.5)], level, seed)[0].p
    won, lost = int((shares > 0.5 + _ROUNDING).sum()), int((shares < 0.5 - _ROUNDING).sum())
    counts = _Counts(len(shares), won, lost, undecided + len(shares) - won - lost)
    return Preference(*names, unit, estimate.value, *bounds, *counts, tested.p, tested.test, bootstrapped)


def _test_mean(differences: Floats, level: float) -> Paired:
    """Test that the mean is 0, by Student's t; if all differences are equal, by the sign test."""
    tested = t_test(differences, None, level)
    return sign_test(differences, None, level) if math.isnan(tested.p) and len(differences) > 1 else tested


def _share_of_wins(names: tuple[str, str], analysis: str, signs: Floats, ties: int, level: float) -> Preference:
    """Analyse the share of wins of a among decided units, with Wilson's interval and the sign test."""
    decided = signs[signs != 0]
    won = (decided > 0).astype(np.float64)
    estimate = interval(np.stack([won, np.ones(len(won))], axis=1), level=level)
    counts = _Counts(len(won), int(won.sum()), len(won) - int(won.sum()), ties)
    p = sign_test(decided, None, level).p
    return Preference(*names, analysis, estimate.value, estimate.low, estimate.high, *counts, p, "sign")


def _majority(names: tuple[str, str], outcome: Floats, credit: ClickCredit, level: float) -> Preference:
    signs = np.sign(np.bincount(credit.users, weights=outcome))
    active = np.bincount(credit.users, weights=credit.clicks) > 0
    return _share_of_wins(names, "majority", signs, int((active & (signs == 0)).sum()), level)


def _clicks_per_pair(
    names: tuple[str, str], pair: tuple[int, int], outcome: Floats, credit: ClickCredit, level: float
) -> Preference:
    """Analyse clicks on documents of a minus those of b, per pair of documents; users are clusters."""
    a, b = pair
    pairs = (credit.drafted[:, a] + credit.drafted[:, b]) / 2
    rows = np.stack([credit.credit[:, a] - credit.credit[:, b], pairs], axis=1)[pairs > 0]
    users, signs = credit.users[pairs > 0], outcome[pairs > 0]
    value, low, high, p = _test_ratio(by_cluster(rows, users), level)
    ties = int(((credit.clicks[pairs > 0] > 0) & (signs == 0)).sum())
    counts = _Counts(round(float(pairs.sum())), int((signs > 0).sum()), int((signs < 0).sum()), ties)
    return Preference(*names, "paired", value, low, high, *counts, p, "t")


def _test_ratio(rows: Floats, level: float) -> tuple[float, float, float, float]:
    r"""Return a ratio of sums over users, the ends of its interval, and p, by the jackknife over rows (users, 2).

    If some users search far more than others, the effective number of users is smaller.  The degrees of freedom are one
    less than $(\sum_u m_u)^2 / \sum_u m_u^2$, where $m_u$ is the number of pairs of user u.
    """
    from scipy.special import stdtr

    value = float(ratio(rows.sum(axis=0))) if len(rows) else math.nan
    size = rows[:, 1] / max(1.0, float(rows[:, 1].max(initial=0)))
    df = math.floor(float(size.sum() ** 2 / (size @ size))) - 1 if len(rows) > 1 else 0
    error = clustered_error(pseudo_values(rows, ratio))[0] if df > 0 else math.nan
    if not error > _ROUNDING * abs(value):
        return value, math.nan, math.nan, math.nan
    half = t_quantile(level, df) * error
    return value, value - half, value + half, float(2 * stdtr(df, -abs(value) / error))


def _first_rank(credit: ClickCredit, pair: tuple[int, int]) -> FirstRank:
    """Test whether both rankers equally often provide the first document, with users as clusters."""
    signs = np.where(credit.first == pair[0], 1.0, np.where(credit.first == pair[1], -1.0, 0.0))
    decided = signs != 0
    p = t_test(signs[decided], credit.users[decided]).p if decided.any() else math.nan
    names = credit.rankers[pair[0]], credit.rankers[pair[1]]
    return FirstRank(*names, int((signs > 0).sum()), int((signs < 0).sum()), p)
