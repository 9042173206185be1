"""Experiments without a difference, looked at every day: the usual test cries wolf, the always-valid one does not."""

import numpy as np
import pytest

from neraca.stats.daily_moments import daily_moments
from neraca.stats.intervals.confidence_sequence import always_valid
from neraca.stats.tests.ratio_test import ratio_test

EXPERIMENTS, USERS, DAYS = 200, 160, 21


@pytest.fixture(scope="module")
def false_alarms():
    """Whether each experiment finds a difference on any day: by the usual test, and by the always-valid one."""
    rng = np.random.default_rng(18)
    n = EXPERIMENTS * USERS
    arm = 2 * np.repeat(np.arange(EXPERIMENTS), USERS) + rng.integers(0, 2, n)
    rate = rng.beta(1.0, 2.0, n)  # users differ from each other for good
    arrival = rng.integers(0, DAYS, n)
    came = (rng.random((n, DAYS)) < 0.2) & (np.arange(DAYS) >= arrival[:, None])
    came[np.arange(n), arrival] = True
    user, day = np.nonzero(came)
    searches = 1 + rng.poisson(1.0, len(user))
    columns = np.column_stack([rng.binomial(searches, rate[user]), searches]).astype(np.float64)
    daily = daily_moments(arm[user], user, day, columns, arms=2 * EXPERIMENTS, days=DAYS)
    effects = [
        [ratio_test(daily.at(2 * place, at), daily.at(2 * place + 1, at)) for at in range(DAYS)]
        for place in range(EXPERIMENTS)
    ]
    usual = [any(effect.p < 0.05 for effect in of_one) for of_one in effects]
    valid = [any(always_valid(effect, USERS).p < 0.05 for effect in of_one) for of_one in effects]
    return np.mean(usual), np.mean(valid)


def test_looking_daily_at_the_usual_test_finds_differences_that_are_not_there(false_alarms):
    assert false_alarms[0] > 0.15


def test_always_valid_intervals_keep_their_promise(false_alarms):
    assert false_alarms[1] <= 0.06
