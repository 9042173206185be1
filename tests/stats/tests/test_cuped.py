"""CUPED by hand: what a covariate takes out, and where it takes out nothing."""

import math

import numpy as np
import pytest
from stats.tests.test_ratio_test import moments

from neraca.stats.tests.cuped import adjusted, narrowest_effect
from neraca.stats.tests.ratio_test import ratio_test


def test_a_covariate_takes_out_what_users_did_before():
    """x = 2 before + noise that is balanced in each arm: what is left is the noise."""
    before = np.array([0.0, 1, 2, 3])
    noise = np.array([1.0, -1, -1, 1])
    a = moments(2 * before + noise, None, before, np.ones(4))
    b = moments(2 * before + noise + 1, None, before, np.ones(4))
    effect = ratio_test(*adjusted(a, b))
    assert effect.difference == pytest.approx(1)
    assert effect.error == pytest.approx(math.sqrt(2 * (4 / 3) / 4))


def test_the_value_is_moved_by_how_far_the_arms_were_apart_before():
    a, b = moments([2, 4], None, [1, 2], [1, 1]), moments([6, 8], None, [3, 4], [1, 1])
    effect = ratio_test(*adjusted(a, b))  # x is twice the covariate everywhere: nothing is left
    assert effect.difference == pytest.approx(0)
    assert effect.why == "no_variance"


def test_a_covariate_that_one_arm_has_not_changes_nothing():
    a, b = moments([2, 4, 5], None, [1, 2, 4], [1, 1, 1]), moments([6, 8, 8], None, [0, 0, 0], [0, 0, 0])
    assert ratio_test(*adjusted(a, b)) == ratio_test(a, b)
    one = moments([6], None, [3], [1])
    assert ratio_test(*adjusted(a, one)).why == "one_user"


def test_several_covariates_leave_the_noise_that_none_of_them_explains():
    """x = 2 before + 3 new + noise that is balanced against both; a copy of a covariate takes out nothing more."""
    before, new = np.array([0.0, 1, 0, 1] * 2), np.array([0.0, 0, 1, 1] * 2)
    noise, ones = np.array([1.0, -1, -1, 1] * 2), np.ones(8)
    covariates = (before, ones, new, ones, before, ones)
    a, b = (moments(2 * before + 3 * new + noise + lift, None, *covariates) for lift in (0, 1))
    for columns in [(2, 4), (2, 4, 6)]:
        effect = ratio_test(*adjusted(a, b, covariates=columns))
        assert effect.difference == pytest.approx(1)
        assert effect.error == pytest.approx(math.sqrt(2 * (8 / 7) / 8))
    narrowest, columns = narrowest_effect(a, b)
    assert narrowest.error == pytest.approx(math.sqrt(2 * (8 / 7) / 8))
    assert columns == (2, 4, 6)


def test_a_covariate_that_does_not_help_is_not_taken():
    """The covariate has no slope with the value, and a single user has no interval at all."""
    covariate, ones = np.array([1.0, 1, 2, 2]), np.ones(4)
    a, b = (moments(np.array([1.0, 2, 1, 2]) + lift, None, covariate, ones) for lift in (0, 2))
    effect, columns = narrowest_effect(a, b)
    assert columns == ()
    assert effect == ratio_test(a, b)
    one = moments([6], None, [3], [1])
    assert narrowest_effect(a, one)[0].why == "one_user"
