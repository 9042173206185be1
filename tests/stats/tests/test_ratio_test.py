"""The test of two arms: by hand, beside Welch's t-test of scipy, and where it cannot be made."""

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import ttest_ind

from neraca.stats.moments import Moments
from neraca.stats.tests.cuped import adjusted
from neraca.stats.tests.delta_method import effective_users
from neraca.stats.tests.ratio_test import ratio_p_values, ratio_test


def moments(x, y=None, *before):
    columns = [x, np.ones(len(x)) if y is None else y, *before]
    return Moments.of(np.column_stack(columns).astype(float))


def numbers(effect):
    return {name: value for name, value in dataclasses.asdict(effect).items() if name not in ("why", "n_a", "n_b")}


def test_a_mean_is_tested_as_welch_does():
    rng = np.random.default_rng(1)
    a, b = rng.exponential(1, 23), rng.exponential(2, 11)
    effect, theirs = ratio_test(moments(a), moments(b)), ttest_ind(b, a, equal_var=False)
    low, high = theirs.confidence_interval(0.95)
    assert (effect.p, effect.df) == pytest.approx((theirs.pvalue, theirs.df), rel=1e-10)
    assert (effect.low, effect.high) == pytest.approx((low, high), rel=1e-10)


def grouped(arms):
    return (
        np.array([arm.n for arm in arms]),
        np.stack([arm.mean for arm in arms]),
        np.stack([arm.cross for arm in arms]),
    )


def test_many_pairs_are_tested_at_once_as_welch_does():
    rng = np.random.default_rng(2)
    pairs = [(rng.exponential(1, 5 + n), rng.exponential(1.5, 30 - n)) for n in range(20)]
    a, b = (grouped([moments(pair[place]) for pair in pairs]) for place in (0, 1))
    expected = [ttest_ind(first, second, equal_var=False).pvalue for first, second in pairs]
    assert ratio_p_values(a, b) == pytest.approx(expected, rel=1e-10)


def test_a_ratio_by_hand():
    # Clicks 1, 3 of searches 2, 2: 1 per search, z = (x - y) / 2 = -.5, .5: variance .5, of the mean .25.
    # Clicks 2, 4 of searches 1, 3: 1.5 per search, z = (x - 1.5 y) / 2 = .25, -.25: variance .125, of the mean .0625.
    effect = ratio_test(moments([1, 3], [2, 2]), moments([2, 4], [1, 3]))
    assert (effect.a, effect.b, effect.difference, effect.relative) == (1.0, 1.5, 0.5, 0.5)
    assert effect.error == pytest.approx(math.sqrt(0.3125))
    assert effect.df == pytest.approx(0.3125**2 / (0.25**2 + 0.0625**2))
    assert effect.why == ""


def test_ten_searches_of_one_user_are_not_ten_users():
    a, b = moments([0, 10] * 5, [10] * 10), moments([0, 10, 10, 10, 0] * 2, [10] * 10)
    assert ratio_test(a, b).error == pytest.approx(math.sqrt((0.25 + 0.24) / 9))  # of shares 0 and 1 of ten users


def test_a_margin_moves_what_is_tested_but_not_the_interval():
    a, b = moments([1, 2, 3, 4]), moments([1, 2, 3, 5])
    plain, moved = ratio_test(a, b, alternative="greater"), ratio_test(a, b, alternative="greater", null=-1.0)
    expected = ttest_ind([2, 3, 4, 6], [1, 2, 3, 4], equal_var=False, alternative="greater")
    assert moved.p == pytest.approx(expected.pvalue)
    assert (moved.low, moved.high) == (plain.low, math.inf)
    assert plain.p + ratio_test(a, b, alternative="less").p == pytest.approx(1)


SOME = ([1, 0, 2], [2, 1, 4])


@pytest.mark.parametrize(
    "a, b, why, known",
    [
        (([], []), SOME, "no_users", {"b"}),
        (([1], [1]), SOME, "one_user", {"a", "b", "difference", "relative"}),
        (([0, 0], [0, 0]), SOME, "no_denominator", {"b"}),
        (SOME, ([1, math.inf], [1, 1]), "not_finite", {"a", "b", "difference", "relative"}),
        (([1, 1], [1, 1]), ([2, 2], [1, 1]), "no_variance", {"a", "b", "difference", "relative", "error"}),
        (([1, 2], [3, 6]), ([2, 4], [3, 6]), "no_variance", {"a", "b", "difference", "relative", "error"}),
        (([0, 0], [1, 1]), ([0, 1], [1, 1]), "", set(numbers(ratio_test(moments([1]), moments([1]))))),
        (([1e200, 2e200], [1, 1]), SOME, "not_finite", {"a", "b", "difference", "relative"}),
    ],
)
def test_what_cannot_be_known_is_nan_and_has_a_reason(a, b, why, known):
    effect = ratio_test(moments(*a), moments(*b))
    assert effect.why == why
    p = ratio_p_values(grouped([moments(*a)]), grouped([moments(*b)]))
    assert p.tolist() == pytest.approx([effect.p], rel=1e-10, nan_ok=True)
    relative = {"relative", "relative_low", "relative_high", "log_error"} if effect.a == 0 else set()
    assert {name for name, value in numbers(effect).items() if not math.isnan(value)} == known - relative
    assert str(ratio_test(*adjusted(with_covariate(*a), with_covariate(*b)))) == str(effect)


def with_covariate(x, y):
    return moments(x, y, np.ones(len(x)), np.zeros(len(x)))


def test_a_value_of_the_other_sign_has_no_relative_interval():
    effect = ratio_test(moments([1, 2, 3]), moments([-1, -2, -4]))
    assert effect.relative < -1
    assert math.isnan(effect.relative_low)
    assert math.isfinite(effect.p)


def test_a_hopelessly_wide_relative_interval_is_infinite():
    effect = ratio_test(moments([1e-9, 1, -1]), moments([1, 2, 3]))
    assert effect.relative_high == math.inf


def test_users_count_as_much_as_they_search():
    assert effective_users(moments([1, 0, 2, 1], [5, 5, 5, 5])) == 4
    assert effective_users(moments([1, 0, 2, 1], [3, 1, 0, 0])) == pytest.approx(16 / 10)
    assert effective_users(moments([], [])) == effective_users(moments([1], [0])) == 0


def test_a_variance_that_rounding_makes_negative_is_none():
    moments = Moments(100, np.array([0.25, 1.0]), np.array([[-1e-18, 0.0], [0.0, 0.0]]))
    other = Moments(100, np.array([0.5, 1.0]), np.array([[1.0, 0.0], [0.0, 0.0]]))
    effect = ratio_test(moments, other)
    assert effect.why == ""
    assert effect.error == pytest.approx(np.sqrt(1 / 99 / 100))
    assert ratio_p_values(grouped([moments]), grouped([other])).tolist() == pytest.approx([effect.p], rel=1e-10)


def test_bounds_of_a_share_stay_within_its_range():
    """A difference of shares is within -1 and 1: bounds inside stay, Welch's upper one of 3 users, 1.64, does not."""
    effect = ratio_test(moments([1.0] + [0] * 39), moments([0.0] * 39 + [1]))
    assert effect.within((-1, 1)) is effect
    small = ratio_test(moments([0.0, 0, 1]), moments([1.0, 1, 0]))
    kept = small.within((-1, 1))
    assert small.high > 1
    assert -1 <= kept.low <= kept.difference <= kept.high <= 1
