"""Users of each arm beside the plan: by hand, and through scipy's exact and asymptotic tests."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from neraca.stats.tests.sample_ratio import sample_ratio


def test_two_arms_with_few_users_are_counted_out():
    found = sample_ratio([60, 20], [3, 1])
    assert (found.users, found.expected, found.p, found.test) == ((60, 20), (60.0, 20.0), 1.0, "binomial")
    assert sample_ratio([70, 20], [2, 1]).p == pytest.approx(binomtest(70, 90, 2 / 3).pvalue)


@pytest.mark.parametrize("users, shares", [([1020, 880], None), ([900, 1030, 470], [0.4, 0.4, 0.2])])
def test_many_users_get_chi_square(users, shares):
    found = sample_ratio(users, shares)
    planned = np.ones(len(users)) / len(users) if shares is None else np.array(shares)
    assert found.p == pytest.approx(chisquare(users, planned * sum(users)).pvalue, rel=1e-10)
    assert found.test == "chi-square"


def test_several_small_arms_are_drawn():
    """Of 3 users in 3 arms all are in one in 3 of 27 draws; nothing is farther from one each."""
    found = sample_ratio([3, 0, 0])
    assert found.p == pytest.approx(1 / 9, abs=0.004)
    assert found.test == "multinomial(draws=100000, seed=0)"
    assert sample_ratio([1, 1, 1]).p == 1


def test_nobody_came():
    assert math.isnan(sample_ratio([0, 0]).p)


@pytest.mark.parametrize("users, shares", [([5], None), ([5, 5], [1]), ([5, 5], [1, 0]), ([5, 5], [1, math.nan])])
def test_a_plan_that_is_none_is_an_error(users, shares):
    with pytest.raises(ValueError, match="share"):
        sample_ratio(users, shares)
