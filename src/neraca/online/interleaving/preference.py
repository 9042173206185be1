"""Which ranker users prefer: searches won, by search, by session and by user, and clicks per pair of documents."""

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
from neraca.online.interleaving.click_credit import ClickCredit, Ints, Returned, click_credit
from neraca.online.search_log import search_log
from neraca.plain_table import number, p_value
from neraca.result import Table, Tabular
from neraca.stats.bootstrap import bootstrap_tests
from neraca.stats.correction import CORRECTIONS
from neraca.stats.interval import (
    ALL_EQUAL,
    AT_LEAST,
    FEWEST_IN_RANGE,
    NOTHING_SCORED,
    Floats,
    clustered_error,
    interval,
    keep_in_range,
    pseudo_values,
    t_quantile,
)
from neraca.stats.interval import mean as ratio
from neraca.stats.paired import Paired, Sample, t_test
from neraca.stats.resample import by_cluster
from neraca.stats.sign import sign_test

if TYPE_CHECKING:
    import polars as pl

#: What counts as one observation → the analysis that is called by it.
UNITS = ("user", "session", "search")
#: All analyses, and the value of each that means no difference.
ANALYSES: Mapping[str, float] = {"user": 0.5, "session": 0.5, "search": 0.5, "majority": 0.5, "paired": 0.0}
#: The bootstrap draws each unit some ten thousand times; with more of them Student's t says the same.
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
        `user`, `session`: mean over users (sessions) of the share of searches that a won, among those that one of the
        two won.  `search`: this share over all searches.  Where credit is graded these are shares of credit.
        `majority`: the share of users of whom a won more searches than b, among those of whom one did.  `paired`:
        clicks on documents of a less those of b, for each pair of documents that the two drafted.
    value, low, high
        A share of a (no difference: 0.5), or of `paired` a difference (0); NaN where there is none.
    n
        Users, sessions, searches or pairs with something to say.
    wins, losses, ties
        Of a, in these units; a tie is a unit with clicks but no winner.
    p, test
        Two-sided; NaN where no test can be made.
    p_bootstrap
        By resampling users or sessions; NaN where this was not done.
    p_adjusted
        Corrected for the number of pairs of rankers.
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
        """Why there is no interval, in words; "" if there is one."""
        if not math.isnan(self.low):
            return ""
        if not self.n:
            return NOTHING_SCORED
        return f"{self.n} observations; {AT_LEAST}" if self.n < FEWEST_IN_RANGE else ALL_EQUAL

    def winner(self, level: float) -> str:
        """The ranker that is preferred, or "" where the data do not show one."""
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
    """How often the first document shown was of each of two rankers, which chance should make equal."""

    a: str
    b: str
    of_a: int
    of_b: int
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class InterleavingResult(Tabular):
    """What a log of interleaved searches says; prints as a table of all analyses.

    Attributes
    ----------
    credit
        What it rests on.
    preferences
        All analyses of all pairs of rankers.
    first_ranks
        A check for each pair.
    unit
        The analysis that decides.
    level, correction
        Confidence of the intervals; how p is corrected for several pairs.
    """

    credit: ClickCredit
    preferences: tuple[Preference, ...]
    first_ranks: tuple[FirstRank, ...]
    unit: str
    level: float
    correction: str

    @property
    def deciding(self) -> list[Preference]:
        """The analysis that decides, of each pair."""
        return [one for one in self.preferences if one.analysis == self.unit]

    def _tables(self) -> Iterator[Table]:
        columns = ["a", "b", "analysis", "value", "low", "high", "p", "n", "winner"]
        rows = [
            [
                *(one.a, one.b, one.analysis, *map(number, (one.value, one.low, one.high))),
                *(p_value(one.p_adjusted), f"{one.n:,}", one.winner(self.level)),
            ]
            for one in self.preferences
        ]
        yield Table(columns, rows, f"share won by a (paired: difference of clicks); {self.unit} decides", 3)

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each analysis of each pair."""
        return [
            {
                **{name: getattr(one, name) for name in ("a", "b", "analysis", "value", "low", "high", "n")},
                **{name: getattr(one, name) for name in ("wins", "losses", "ties", "p", "p_adjusted", "p_bootstrap")},
                "why_no_interval": one.why_no_interval,
                "test": one.test,
                "decides": one.analysis == self.unit,
                "winner": one.winner(self.level),
                "method": self.credit.method,
                "searches": len(self.credit),
            }
            for one in self.preferences
        ]


def interleaving(
    log: Iterable[pl.DataFrame] | Path | str,
    *,
    method: str = "team_draft",
    rankers: Sequence[str] = (),
    returned: Returned | None = None,
    unit: str = "user",
    level: float = 0.95,
    seed: int = 0,
) -> InterleavingResult:
    """Say which ranker users prefer, by a log of interleaved searches.

    Parameters
    ----------
    log
        A file or a database with events, or frames of searches, as of `search_log`.
    method, rankers, returned
        As of `click_credit`.
    unit, level, seed
        As of `interleaving_result`; p is corrected for the pairs of rankers by Holm's method.

    Raises
    ------
    InputError, SpecError
        As of `search_log`, `click_credit` and `interleaving_result`.
    """
    frames = search_log(log) if isinstance(log, Path | str) else log
    return interleaving_result(click_credit(frames, method, rankers, returned), unit=unit, level=level, seed=seed)


def interleaving_result(
    credit: ClickCredit,
    *,
    unit: str = "user",
    level: float = 0.95,
    correction: str = "holm",
    seed: int = 0,
) -> InterleavingResult:
    """Compare every two rankers by all analyses.

    Parameters
    ----------
    credit
        Of `click_credit`.
    unit
        The analysis that decides: user, session or search.
    level, correction
        As of `compare`; each analysis is corrected over the pairs of rankers.
    seed
        Of the bootstrap.

    Raises
    ------
    SpecError
        The unit or the correction is unknown.
    """
    for name, known, what in ((unit, UNITS, "unit"), (correction, CORRECTIONS, "correction")):
        if name not in known:
            raise SpecError(f"no {what} is called {name!r}; {nearest(name, known)}")
    pairs = list(combinations(range(len(credit.rankers)), 2))
    found = [one for pair in pairs for one in _analyses(credit, pair, level, seed)]
    adjusted: list[Preference] = []
    for analysis in dict.fromkeys(one.analysis for one in found):
        same = [one for one in found if one.analysis == analysis]
        p = CORRECTIONS[correction](np.array([one.p for one in same]))
        adjusted += [replace(one, p_adjusted=float(value)) for one, value in zip(same, p, strict=True)]
    order = list(ANALYSES)
    adjusted.sort(key=lambda one: (credit.rankers.index(one.a), credit.rankers.index(one.b), order.index(one.analysis)))
    checks = tuple(_first_rank(credit, pair) for pair in pairs)
    return InterleavingResult(credit, tuple(adjusted), checks, unit, level, correction)


def outcomes_of(credit: ClickCredit, a: int, b: int) -> tuple[Floats, NDArray[np.bool_]]:
    """What each search says, between -1 (all for b) and 1 (all for a), and whether it says anything; shapes (n,).

    As `outcome`; a search without clicks says nothing, nor does one without a winner where credit is not graded.
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
    found = [
        _by_unit(names, unit, _of_units(outcome, decided, credit.clicks > 0, numbers), level, seed)
        for unit, numbers in units.items()
    ]
    if not credit.graded:
        found.append(_of_signs(names, "search", outcome, int(((credit.clicks > 0) & ~decided).sum()), level))
        found.append(_majority(names, outcome, credit, level))
    if credit.method == "team_draft":
        found.append(_paired(names, pair, outcome, credit, level))
    return found


def _of_units(
    outcome: Floats, decided: NDArray[np.bool_], clicked: NDArray[np.bool_], numbers: Ints
) -> tuple[Floats, int]:
    """The share of a in each user or session that says anything, and how many clicked but say nothing."""
    units = int(numbers.max()) + 1
    n = np.bincount(numbers[decided], minlength=units)
    sums = np.bincount(numbers[decided], weights=(1 + outcome[decided]) / 2, minlength=units)
    silent = int(((n == 0) & (np.bincount(numbers[clicked], minlength=units) > 0)).sum())
    return sums[n > 0] / n[n > 0], silent


def _by_unit(names: tuple[str, str], unit: str, of_units: tuple[Floats, int], level: float, seed: int) -> Preference:
    """Mean over users, sessions or searches of the share of a."""
    shares, silent = of_units
    estimate = interval(np.stack([shares, np.ones(len(shares))], axis=1), level=level)
    bounds = keep_in_range(estimate.value, (estimate.low, estimate.high), (0.0, 1.0), len(shares), tested=[0.5])
    tested = _test(shares - 0.5, level)
    bootstrapped = math.nan
    if 1 < len(shares) <= MOST_BOOTSTRAPPED:
        bootstrapped = bootstrap_tests([Sample(shares - 0.5)], level, seed)[0].p
    won, lost = int((shares > 0.5 + _ROUNDING).sum()), int((shares < 0.5 - _ROUNDING).sum())
    counts = _Counts(len(shares), won, lost, silent + len(shares) - won - lost)
    return Preference(*names, unit, estimate.value, *bounds, *counts, tested.p, tested.test, bootstrapped)


def _test(differences: Floats, level: float) -> Paired:
    """Student's t; where all differ alike and by more than 0, the sign test."""
    tested = t_test(differences, None, level)
    return sign_test(differences, None, level) if math.isnan(tested.p) and len(differences) > 1 else tested


def _of_signs(names: tuple[str, str], analysis: str, signs: Floats, ties: int, level: float) -> Preference:
    """The share of wins among those that one of the two won, with Wilson's interval and the sign test."""
    decided = signs[signs != 0]
    won = (decided > 0).astype(np.float64)
    estimate = interval(np.stack([won, np.ones(len(won))], axis=1), level=level)
    counts = _Counts(len(won), int(won.sum()), len(won) - int(won.sum()), ties)
    p = sign_test(decided, None, level).p
    return Preference(*names, analysis, estimate.value, estimate.low, estimate.high, *counts, p, "sign")


def _majority(names: tuple[str, str], outcome: Floats, credit: ClickCredit, level: float) -> Preference:
    signs = np.sign(np.bincount(credit.users, weights=outcome))
    active = np.bincount(credit.users, weights=credit.clicks) > 0
    return _of_signs(names, "majority", signs, int((active & (signs == 0)).sum()), level)


def _paired(
    names: tuple[str, str], pair: tuple[int, int], outcome: Floats, credit: ClickCredit, level: float
) -> Preference:
    """Clicks on documents of a less those of b, for each pair of documents; users are clusters."""
    a, b = pair
    pairs = (credit.drafted[:, a] + credit.drafted[:, b]) / 2
    rows = np.stack([credit.credit[:, a] - credit.credit[:, b], pairs], axis=1)[pairs > 0]
    users, signs = credit.users[pairs > 0], outcome[pairs > 0]
    value, low, high, p = _ratio(by_cluster(rows, users), level)
    ties = int(((credit.clicks[pairs > 0] > 0) & (signs == 0)).sum())
    counts = _Counts(round(float(pairs.sum())), int((signs > 0).sum()), int((signs < 0).sum()), ties)
    return Preference(*names, "paired", value, low, high, *counts, p, "t")


def _ratio(rows: Floats, level: float) -> tuple[float, float, float, float]:
    r"""A ratio of sums over users, its interval and p, by the jackknife; shape (users, 2).

    Where some users search far more than others, fewer of them count: the degrees of freedom are those of
    $(\sum_u m_u)^2 / \sum_u m_u^2$ users, with the pairs $m_u$ of each.
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
    """Test whether both rankers are first equally often, by user."""
    signs = np.where(credit.first == pair[0], 1.0, np.where(credit.first == pair[1], -1.0, 0.0))
    seen = signs != 0
    p = t_test(signs[seen], credit.users[seen]).p if seen.any() else math.nan
    names = credit.rankers[pair[0]], credit.rankers[pair[1]]
    return FirstRank(*names, int((signs > 0).sum()), int((signs < 0).sum()), p)


def values_by_query(credit: ClickCredit, least: int = 1) -> list[dict[str, Any]]:
    """For each query the credit of each ranker per search, so that offline metrics can be set beside it.

    Parameters
    ----------
    least
        Queries with fewer searches with clicks on a team's document are left out.

    Returns
    -------
    list
        Rows of `query`, `searches`, and a column for each ranker: its share of all credit of that query.
    """
    n = len(credit.query_words)
    total = np.stack([np.bincount(credit.queries, weights=column, minlength=n) for column in credit.credit.T], axis=1)
    searches = np.bincount(credit.queries, weights=credit.credit.sum(axis=1) > 0, minlength=n)
    rows: list[dict[str, Any]] = []
    for query in np.flatnonzero(searches >= max(1, least)):
        shares: Sequence[float] = (total[query] / total[query].sum()).tolist()
        named = dict(zip(credit.rankers, shares, strict=True))
        rows.append({"query": credit.query_words[query], "searches": int(searches[query]), **named})
    return rows
