"""How alike the looks at an A/B test are, as a log shows it."""

import numpy as np
import pytest

from neraca.online.look_correlation import LookCorrelation
from neraca.online.user_course import COVARIATES, UserCourse
from neraca.stats.daily_moments import daily_moments
from neraca.stats.tests.cuped import adjusted
from neraca.stats.tests.delta_method import ratio

DAYS = 10


def log_of(arms, users, seed, returns=0.5):
    """Return the moments of arms of users who differ in their habits; each begins on some day and may come again.

    The columns: clicks, searches; before: clicks, searches, 0, 1; at the end: clicks, searches.
    """
    rng = np.random.default_rng(seed)
    n = arms * users
    arm, begin, habit = np.arange(n) % arms, rng.integers(0, DAYS, n), rng.beta(0.5, 0.5, n)
    came = (rng.random((n, DAYS)) < returns) & (np.arange(DAYS) > begin[:, None])
    came[np.arange(n), begin] = True
    user, day = np.nonzero(came)
    searches = np.ones(len(user))
    clicks = (rng.random(len(user)) < habit[user]).astype(float)
    first = np.append(True, user[1:] != user[:-1]).astype(float)
    before = rng.binomial(9, habit)
    facts = np.column_stack([before, np.full(n, 9), np.zeros(n), np.ones(n), np.bincount(user, clicks, n)])
    facts = np.column_stack([facts, np.bincount(user, searches, n)])[user] * first[:, None]
    return daily_moments(arm[user], user, day, np.column_stack([clicks, searches, facts]), arms=arms, days=DAYS)


@pytest.fixture(scope="module")
def logs():
    return log_of(600, 150, seed=1)


@pytest.mark.parametrize("covariates", [(), COVARIATES])
def test_looks_are_as_alike_as_the_estimates_of_many_logs(logs, covariates):
    """The reference is the correlation of the estimates at two looks over 600 logs of 150 users each."""
    by_day = [adjusted(*(logs.at(arm, day) for arm in range(600)), covariates=covariates) for day in range(DAYS)]
    estimates = np.array([[ratio(moments) for moments in arms] for arms in by_day])
    by_log = np.corrcoef(estimates)[-1]
    log = log_of(1, 60_000, seed=2)
    of_looks = LookCorrelation.of(log, covariates).matrix(log.n[0])[-1]
    assert of_looks == pytest.approx(by_log, abs=0.05)
    if not covariates:
        assert (of_looks - np.sqrt(log.n[0] / log.n[0, -1]))[[1, 4, 7]].min() > 0.03, (
            "more alike than looks at new users"
        )


def test_looks_at_new_users_are_as_alike_as_the_square_root_of_their_share():
    looks = LookCorrelation.of(log_of(1, 60_000, seed=3, returns=0.0))
    assert np.allclose(looks.roots, looks.correlations, atol=0.01)


def test_days_that_tell_nothing_are_no_points():
    """On the second day nobody had varied; the third brought no new user."""
    looks = LookCorrelation.through(np.array([0.4, 0.5, 0.4, 0.8, 1.0]), np.array([0.5, np.nan, 0.9, 1.1, 0.6]))
    assert (looks.roots, looks.correlations) == ((0.0, 0.4, 0.8, 1.0), (0.0, 0.5, 1.0, 1.0))


def test_alike_looks_find_an_effect_less_often():
    users = np.arange(1, 11) * 300.0
    course = UserCourse(users, np.ones(10), np.ones(10), None)
    alike = UserCourse(users, np.ones(10), np.ones(10), None, LookCorrelation((0.0, 0.2, 1.0), (0.0, 0.9, 1.0)))
    assert alike.sequential_power(3000, 0.1, 0.05) < course.sequential_power(3000, 0.1, 0.05) - 0.02


def test_noise_has_the_correlations_of_the_looks():
    users = np.array([10.0, 40.0, 90.0])
    looks = LookCorrelation((0.0, 0.5, 1.0), (0.0, 0.8, 1.0))
    noise = looks.correlated(np.random.default_rng(0).standard_normal((200_000, 3)), users)
    # square roots of the shares 1/4, 1/9 and 4/9 are 1/2, 1/3 and 2/3
    expected = np.array([[1, 0.8, 1.6 / 3], [0.8, 1, 0.8 + 0.2 / 3], [1.6 / 3, 0.8 + 0.2 / 3, 1]])
    assert np.allclose(np.corrcoef(noise.T), expected, atol=0.01)
    assert np.allclose(noise.std(axis=0), 1, atol=0.01)
