import math

import numpy as np
import pytest
from scipy.stats import nct
from simulation import repeated, slack
from statsmodels.stats.effect_size import _noncentrality_t

from neraca.stats.intervals.effect import effect_interval, paired_effect
from neraca.stats.tests.paired import t_test

SLEEP = np.array([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])


def with_t(t, n, seed=0):
    """Differences of n items with this t."""
    d = np.random.default_rng(seed).normal(size=n)
    d = (d - d.mean()) / d.std(ddof=1)
    return d + t / math.sqrt(n)


def test_students_sleep_data():
    # statsmodels 0.15 _noncentrality_t(4.0621, 9): .4146 and 2.1180, after division by sqrt 10
    assert effect_interval(SLEEP) == pytest.approx((0.41463, 2.11802), abs=2e-5)
    assert paired_effect(SLEEP) == pytest.approx(1.28456, abs=1e-5)


@pytest.mark.parametrize("t", [0.0, 0.3, 2.1, -4.0, 12.0])
@pytest.mark.parametrize("n", [2, 3, 10, 60, 2000])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_bounds_are_those_of_statsmodels(t, n, level):
    expected = _noncentrality_t(t, n - 1, 1 - level).confint / math.sqrt(n)
    assert effect_interval(with_t(t, n), level=level) == pytest.approx(expected, rel=2e-4, abs=2e-4)


@pytest.mark.parametrize("t, n", [(1.5, 4), (5.0, 20), (9.0, 200), (-30.0, 25)])
def test_t_is_as_unusual_at_the_bounds_as_the_level_says(t, n):
    low, high = effect_interval(with_t(t, n))
    assert nct.sf(t, n - 1, low * math.sqrt(n)) == pytest.approx(0.025, abs=1e-5)
    assert nct.cdf(t, n - 1, high * math.sqrt(n)) == pytest.approx(0.025, abs=1e-5)


@pytest.mark.parametrize("t", [1e3, 1e6, 1e10])
@pytest.mark.parametrize("n", [3, 40, 5000])
def test_very_sure_effects_have_the_bounds_of_the_spread_alone(t, n):
    # for large t the chance of the mean does not matter: delta = t * chi / sqrt(df)
    from scipy.stats import chi2

    expected = np.sqrt(chi2.ppf([0.025, 0.975], n - 1) / (n - 1)) * t / math.sqrt(n)
    assert effect_interval(with_t(t, n)) == pytest.approx(expected, rel=0.01)


def test_the_other_way_round_is_the_other_sign():
    low, high = effect_interval(SLEEP)
    assert effect_interval(-SLEEP) == (-high, -low)


@pytest.mark.parametrize("seed", range(30))
def test_it_leaves_out_no_effect_just_where_the_t_test_finds_one(seed):
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 7, 20) if seed % 2 else None
    d = rng.normal(0.5, 1, 20)
    low, high = effect_interval(d, clusters)
    assert low < paired_effect(d) < high
    assert (low > 0 or high < 0) == (t_test(d, clusters).p < 0.05)


def test_one_cluster_for_each_item_changes_nothing():
    assert effect_interval(SLEEP, np.arange(10)) == pytest.approx(effect_interval(SLEEP))


def test_copies_within_a_session_tell_no_more_than_one():
    low, high = effect_interval(SLEEP)
    copied = effect_interval(np.repeat(SLEEP, 6), np.repeat(np.arange(10), 6))
    # only s changes, by sqrt(59 * 10 / (60 * 9)) for 60 items in place of 10
    assert copied == pytest.approx((low * math.sqrt(590 / 540), high * math.sqrt(590 / 540)), rel=1e-4)
    assert effect_interval(np.repeat(SLEEP, 6))[0] > low


@pytest.mark.parametrize(
    "differences, clusters",
    [([], None), ([1.0], None), ([0.0, 0, 0], None), ([0.3, 0.3, 0.3], None), ([0.1, 0.2, 0.4], [5, 5, 5])],
)
def test_without_anything_to_estimate_from_there_are_no_bounds(differences, clusters):
    found = effect_interval(np.array(differences), None if clusters is None else np.array(clusters))
    assert all(map(math.isnan, found))


def test_sessions_that_are_all_alike_give_no_bounds():
    assert all(map(math.isnan, effect_interval(np.array([1.0, 2, 2, 1]), np.array([0, 0, 1, 1]))))


@repeated
@pytest.mark.parametrize("n, effect", [(6, 0.8), (25, 0.0), (25, 2.0)])
def test_it_covers(n, effect, times):
    rng = np.random.default_rng(n)
    bounds = np.array([effect_interval(rng.normal(effect, 1, n)) for _ in range(times)])
    covered = ((bounds[:, 0] <= effect) & (effect <= bounds[:, 1])).mean()
    assert covered == pytest.approx(0.95, abs=slack(times))


@repeated
def test_in_sessions_it_covers_and_forgetting_them_is_noticed(times):
    rng, right, wrong = np.random.default_rng(7), [], []
    numbers = np.repeat(np.arange(15), 4)
    truth = 0.5 / math.sqrt(2)  # the mean over the spread of an item, of which half is that of its session
    for _ in range(times):
        d = 0.5 + rng.normal(size=60) + rng.normal(size=15)[numbers]
        right.append(effect_interval(d, numbers))
        wrong.append(effect_interval(d))
    covered = [np.mean([low <= truth <= high for low, high in found]) for found in (right, wrong)]
    assert covered[0] == pytest.approx(0.95, abs=slack(times) + 0.01)
    assert covered[1] < 0.88
