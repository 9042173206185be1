"""Intervals for daily looks: wider than those for one look, and seldom wrong at any of many looks."""

import math

import numpy as np
import pytest

from neraca.errors import SpecError
from neraca.online.interleaving.click_credit import ClickCredit
from neraca.online.interleaving.preference import interleaving_result
from neraca.stats.intervals.confidence_sequence import half_width


def log_of(winners, users=None):
    """A search for each winner (0 or 1), with one click."""
    n = len(winners)
    credit = np.zeros((n, 2))
    credit[np.arange(n), winners] = 1
    numbers = np.arange(n) if users is None else users
    none, ones = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    pairs = np.ones((n, 2))
    return ClickCredit("team_draft", False, ("a", "b"), credit, pairs, none, ones, numbers, numbers, none, ("q",), {})


def analyses(log, **options):
    return {one.analysis: one for one in interleaving_result(log, looks="daily", **options).preferences}


def test_the_interval_is_that_of_a_confidence_sequence():
    """30 of 100 users: the standard error of the share is sqrt(0.3 · 0.7 / 99)."""
    found = analyses(log_of((np.arange(100) >= 30).astype(int)), tuned_for=100)
    half = half_width(math.sqrt(0.3 * 0.7 / 99), 100, 100, df=99)
    for name in ("user", "session", "search", "majority"):
        assert (found[name].value, found[name].test) == (pytest.approx(0.3), "sequential")
        assert found[name].high - found[name].value == pytest.approx(half)
        assert (found[name].p < 0.05) == (found[name].high < 0.5)
    assert found["paired"].low < found["paired"].value == pytest.approx(-0.4)
    assert math.isnan(found["user"].p_bootstrap)


def test_users_who_all_say_the_same_spread_as_far_as_shares_can():
    """40 of 40 users: the standard error is taken to be 0.5 / sqrt(40)."""
    found = analyses(log_of(np.zeros(40, dtype=int)), tuned_for=40)["user"]
    assert found.winner(0.95) == "a"
    assert found.low == pytest.approx(1 - half_width(0.5 / math.sqrt(40), 40, 40))
    assert found.high == 1


def test_with_fewer_than_twenty_users_one_does_not_look_yet():
    found = analyses(log_of(np.zeros(19, dtype=int)))
    assert all(math.isnan(found[name].p) and math.isnan(found[name].low) for name in found)
    assert "fewer than 20" in found["user"].why_no_interval


def test_daily_looks_seldom_find_a_winner_where_there_is_none():
    """Eight looks at each of 20 experiments; at 5 % more than 4 false alarms have a probability of 0.3 %."""
    rng = np.random.default_rng(11)
    alarms = 0
    for _ in range(20):
        winners, users = rng.integers(0, 2, 800), rng.integers(0, 400, 800)
        numbers = [np.unique(users[:end], return_inverse=True)[1] for end in range(100, 801, 100)]
        alarms += any(analyses(log_of(winners[: len(of)], of), tuned_for=400)["user"].p < 0.05 for of in numbers)
    assert alarms <= 4


@pytest.mark.parametrize(
    "options, words", [({"looks": "weekly"}, "choose one of once, daily"), ({"tuned_for": 0}, "at least one user")]
)
def test_unknown_looks_are_errors(options, words):
    with pytest.raises(SpecError, match=words):
        interleaving_result(log_of(np.zeros(30, dtype=int)), **options)
