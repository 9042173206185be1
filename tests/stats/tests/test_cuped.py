"""CUPED by hand: what a covariate takes out, and where it takes out nothing."""

import math

import numpy as np
import pytest
from stats.tests.test_ratio_test import moments

from neraca.stats.tests.cuped import adjusted
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
