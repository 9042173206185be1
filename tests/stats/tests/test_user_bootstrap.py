"""The bootstrap over users: beside the delta method, over buckets, and where it says nothing."""

import math

import numpy as np
import pytest

from neraca.stats.moments import Moments
from neraca.stats.tests.ratio_test import ratio_test
from neraca.stats.tests.user_bootstrap import UserBuckets, bootstrap_differences


def clicks(seed, n, rate=0.3):
    """Clicks and searches of users, some of whom search much more than others."""
    rng = np.random.default_rng(seed)
    searches = 1 + rng.negative_binomial(1, 0.2, n)
    return np.column_stack([rng.binomial(searches, rng.beta(8 * rate, 8 * (1 - rate), n)), searches]).astype(float)


@pytest.mark.parametrize("buckets", [3000, 200])
def test_it_agrees_with_the_delta_method(buckets):
    """The quantiles of 2,000 draws of two times 200 buckets vary by some 6 % of the width."""
    a, b = clicks(1, 1500), clicks(2, 1400, 0.32)
    delta = ratio_test(Moments.of(a), Moments.of(b))
    arms = [UserBuckets.none(2, buckets).with_users(arm[:700]).with_users(arm[700:]) for arm in (a, b)]
    (found,) = bootstrap_differences(*arms)
    width = delta.high - delta.low
    assert found.low == pytest.approx(delta.low, abs=0.1 * width)
    assert found.high == pytest.approx(delta.high, abs=0.1 * width)
    assert found.p == pytest.approx(delta.p, abs=0.05)


def test_blocks_make_no_difference_and_every_user_is_in_a_bucket():
    rows = clicks(3, 1000)
    whole = UserBuckets.none(2, 64).with_users(rows)
    parts = UserBuckets.none(2, 64).with_users(rows[:130]).with_users(rows[130:131]).with_users(rows[131:])
    assert (parts.sums == whole.sums).all()
    assert parts.users == 1000
    assert whole.sums.sum(axis=0).tolist() == rows.sum(axis=0).tolist()


def test_few_users_have_a_bucket_each():
    rows = clicks(4, 10)
    assert UserBuckets.none(2).with_users(rows).filled.tolist() == rows.tolist()


def test_several_ratios_share_their_draws_and_the_arms_do_not():
    rows = clicks(5, 50)
    arm = UserBuckets.none(4).with_users(np.hstack([rows, rows]))
    first, second = bootstrap_differences(arm, arm)
    assert first == second
    assert first.low < 0 < first.high
    assert bootstrap_differences(arm, arm, seed=1)[0] != first


def test_where_nothing_can_be_drawn_nothing_is_known():
    some, one = UserBuckets.none(2).with_users(clicks(6, 9)), UserBuckets.none(2).with_users(clicks(6, 1))
    assert math.isnan(bootstrap_differences(some, one)[0].p)
    rare = UserBuckets.none(2).with_users(np.array([[1.0, 1]] + [[0, 0]] * 8))
    assert math.isnan(bootstrap_differences(some, rare)[0].low)
