"""Compare rankers by interleaved searches: searches won, by search, session and user, and clicks per document pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.online.interleaving.click_credit import ClickCredit, Ints, Returned, click_credit
from neraca.online.interleaving.fairness import first_rank
from neraca.online.interleaving.interleaving_result import ANALYSES, UNITS, InterleavingResult, Preference
from neraca.online.interleaving.looks import SEQUENTIAL, at_every_look, check_looks, share_at_every_look
from neraca.online.interleaving.user_ratio import interval_and_p, ratio_error
from neraca.online.search_log import SearchLog, search_log
from neraca.stats.intervals.interval import (
    Floats,
    interval,
    keep_in_range,
)
from neraca.stats.intervals.resample import by_cluster
from neraca.stats.tests.bootstrap import bootstrap_tests
from neraca.stats.tests.correction import CORRECTIONS
from neraca.stats.tests.paired import Paired, Sample, t_test
from neraca.stats.tests.sign import sign_test

if TYPE_CHECKING:
    import polars as pl

#: Most units for which the bootstrap is done; with more, Student's t gives the same result.
MOST_BOOTSTRAPPED = 20_000
_ROUNDING = 1e-9


class _Settings(NamedTuple):
    """Settings of each analysis; for `planned` see `at_every_look`, 0 means one look."""

    level: float
    seed: int
    planned: int


class _Counts(NamedTuple):
    n: int
    wins: int
    losses: int
    ties: int


def analyse_interleaving(
    log: Iterable[pl.DataFrame] | Path | str,
    *,
    method: str = "team_draft",
    rankers: Sequence[str] = (),
    returned: Returned | None = None,
    unit: str = "user",
    looks: str = "once",
    tuned_for: int = 5000,
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
    unit, looks, tuned_for, level, seed
        See `interleaving_result`.  p-values are adjusted for the pairs of rankers by Holm's method.

    Raises
    ------
    InputError, SpecError
        See `search_log`, `click_credit` and `interleaving_result`.
    """
    frames = search_log(log) if isinstance(log, Path | str) else log
    credit = click_credit(frames, method, rankers, returned)
    result = interleaving_result(credit, unit=unit, looks=looks, tuned_for=tuned_for, level=level, seed=seed)
    return replace(result, log=frames.read) if isinstance(frames, SearchLog) else result


def interleaving_result(
    credit: ClickCredit,
    *,
    unit: str = "user",
    looks: str = "once",
    tuned_for: int = 5000,
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
    looks, tuned_for
        `once`, at an end planned beforehand, or `daily`, whenever you like.  Intervals of daily looks are narrowest at
        `tuned_for` units, which must be chosen before the first look; with fewer than 20 units there is none.
    level, correction
        See `compare`; within each analysis, p-values are adjusted for the pairs of rankers.
    seed
        Seed of the bootstrap.

    Raises
    ------
    SpecError
        The unit, the looks or the correction is unknown.
    """
    check_looks(looks, tuned_for)
    for name, choices, kind in ((unit, UNITS, "unit"), (correction, CORRECTIONS, "correction")):
        if name not in choices:
            raise SpecError(f"no {kind} is called {name!r}; {nearest(name, choices)}")
    pairs = list(combinations(range(len(credit.rankers)), 2))
    settings = _Settings(level, seed, tuned_for if looks == "daily" else 0)
    preferences = [preference for pair in pairs for preference in _analyses(credit, pair, settings)]
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
    checks = tuple(first_rank(credit, pair) for pair in pairs)
    return InterleavingResult(credit, tuple(adjusted), checks, unit, level, correction, looks)


def outcomes_of(credit: ClickCredit, a: int, b: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the outcome of each search, between -1 (b won) and 1 (a won), and whether it counts; shapes (n,).

    See `outcome`.  A search counts if it has a winner or, with graded credit, if it has a click.
    """
    difference = credit.credit[:, a] - credit.credit[:, b]
    if credit.graded:
        return difference / np.maximum(1, credit.clicks), credit.clicks > 0
    winner: Floats = np.sign(difference)
    return winner, winner != 0


def _analyses(credit: ClickCredit, pair: tuple[int, int], settings: _Settings) -> list[Preference]:
    names = credit.rankers[pair[0]], credit.rankers[pair[1]]
    outcome, decided = outcomes_of(credit, *pair)
    searches = np.arange(len(credit))
    units = {"user": credit.users, "session": credit.sessions} | ({"search": searches} if credit.graded else {})
    preferences = [
        _mean_share(names, unit, _shares_by_unit(outcome, decided, credit.clicks > 0, numbers), settings)
        for unit, numbers in units.items()
    ]
    if not credit.graded:
        ties = int(((credit.clicks > 0) & ~decided).sum())
        preferences.append(_share_of_wins(names, "search", outcome, ties, settings))
        preferences.append(_majority(names, outcome, credit, settings))
    if credit.method == "team_draft":
        preferences.append(_clicks_per_pair(names, pair, outcome, credit, settings))
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
    names: tuple[str, str], unit: str, shares_and_undecided: tuple[Floats, int], settings: _Settings
) -> Preference:
    """Analyse the mean over users, sessions or searches of the share of a."""
    shares, undecided = shares_and_undecided
    estimate = interval(np.stack([shares, np.ones(len(shares))], axis=1), level=settings.level)
    bounds = keep_in_range(estimate.value, (estimate.low, estimate.high), (0.0, 1.0), len(shares), tested=[0.5])
    test = _test_mean(shares - 0.5, settings.level)
    bootstrapped = math.nan
    if 1 < len(shares) <= MOST_BOOTSTRAPPED and not settings.planned:
        bootstrapped = bootstrap_tests([Sample(shares - 0.5)], settings.level, settings.seed)[0].p
    won, lost = int((shares > 0.5 + _ROUNDING).sum()), int((shares < 0.5 - _ROUNDING).sum())
    counts = _Counts(len(shares), won, lost, undecided + len(shares) - won - lost)
    once = Preference(*names, unit, estimate.value, *bounds, *counts, test.p, test.test, bootstrapped)
    return (
        _valid_daily(once, share_at_every_look(shares, settings.planned, settings.level)) if settings.planned else once
    )


def _test_mean(differences: Floats, level: float) -> Paired:
    """Test that the mean is 0, by Student's t; if all differences are equal, by the sign test."""
    test = t_test(differences, None, level)
    return sign_test(differences, None, level) if math.isnan(test.p) and len(differences) > 1 else test


def _share_of_wins(names: tuple[str, str], analysis: str, signs: Floats, ties: int, settings: _Settings) -> Preference:
    """Analyse the share of wins of a among decided units, with Wilson's interval and the sign test."""
    decided = signs[signs != 0]
    won = (decided > 0).astype(np.float64)
    estimate = interval(np.stack([won, np.ones(len(won))], axis=1), level=settings.level)
    counts = _Counts(len(won), int(won.sum()), len(won) - int(won.sum()), ties)
    p = sign_test(decided, None, settings.level).p
    once = Preference(*names, analysis, estimate.value, estimate.low, estimate.high, *counts, p, "sign")
    return _valid_daily(once, share_at_every_look(won, settings.planned, settings.level)) if settings.planned else once


def _majority(names: tuple[str, str], outcome: Floats, credit: ClickCredit, settings: _Settings) -> Preference:
    signs = np.sign(np.bincount(credit.users, weights=outcome))
    active = np.bincount(credit.users, weights=credit.clicks) > 0
    return _share_of_wins(names, "majority", signs, int((active & (signs == 0)).sum()), settings)


def _clicks_per_pair(
    names: tuple[str, str], pair: tuple[int, int], outcome: Floats, credit: ClickCredit, settings: _Settings
) -> Preference:
    """Analyse clicks on documents of a minus those of b, per pair of documents; users are clusters."""
    a, b = pair
    pairs = (credit.drafted[:, a] + credit.drafted[:, b]) / 2
    rows = np.stack([credit.credit[:, a] - credit.credit[:, b], pairs], axis=1)[pairs > 0]
    users, signs = credit.users[pairs > 0], outcome[pairs > 0]
    by_user = by_cluster(rows, users)
    value, error, df = ratio_error(by_user)
    low, high, p = interval_and_p(value, error, df, settings.level)
    ties = int(((credit.clicks[pairs > 0] > 0) & (signs == 0)).sum())
    counts = _Counts(round(float(pairs.sum())), int((signs > 0).sum()), int((signs < 0).sum()), ties)
    once = Preference(*names, "paired", value, low, high, *counts, p, "t")
    if settings.planned:
        return _valid_daily(
            once, at_every_look(value, 0.0, (error, df), len(by_user), settings.planned, settings.level)
        )
    return once


def _valid_daily(once: Preference, bounds_and_p: tuple[float, float, float]) -> Preference:
    low, high, p = bounds_and_p
    return replace(once, low=low, high=high, p=p, p_bootstrap=math.nan, test=SEQUENTIAL)
