"""Always-valid intervals: the formula of the paper, and that interval and p say the same."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import lambertw
from scipy.stats import norm, t

from neraca.stats.intervals.confidence_sequence import always_valid, always_valid_p, half_width
from neraca.stats.moments import Moments
from neraca.stats.tests.ratio_test import ratio_test


@pytest.mark.parametrize("level", [0.9, 0.95, 0.999])
def test_the_interval_is_that_of_the_paper_with_the_best_scale(level):
    """Theorem 2.2 with rho^2 by Lambert's W: the paper's exact tuning."""
    alpha, planned, n = 1 - level, 5000, 700
    squared = (-lambertw(-(alpha**2) / math.e, -1).real - 1) / planned
    room = n * squared
    expected = 0.3 * math.sqrt(2 * (room + 1) / room * math.log(math.sqrt(room + 1) / alpha))
    assert half_width(0.3, n, planned, level) == pytest.approx(expected, rel=1e-10)


def test_it_is_narrowest_beside_the_ordinary_one_at_the_planned_users():
    best = minimize_scalar(lambda log_n: half_width(1.0, math.exp(log_n), 3000), bounds=(4, 12), method="bounded")
    assert math.exp(best.x) == pytest.approx(3000, rel=1e-3)


@pytest.mark.parametrize("n", [5, 300, 40_000])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_p_is_alpha_where_the_interval_ends_at_0(n, level):
    half = half_width(0.2, n, 1000, level)
    assert always_valid_p(half, 0.2, n, 1000, level) == pytest.approx(1 - level)
    assert always_valid_p(-half, 0.2, n, 1000, level) == pytest.approx(1 - level)
    assert always_valid_p(0.0, 0.2, n, 1000, level) == 1


def test_few_degrees_of_freedom_widen_it_as_often_as_it_is_exceeded():
    factor = half_width(1.0, 100, 1000)
    wider = half_width(2.0, 100, 1000, df=9.0)
    assert t.sf(wider / 2, 9) == pytest.approx(norm.sf(factor))
    assert always_valid_p(wider, 2.0, 100, 1000, df=9.0) == pytest.approx(0.05)
    assert half_width(1.0, 100, 1000, df=1e9) == pytest.approx(factor, rel=1e-6)


def values(numbers, times):
    return Moments.of(np.column_stack([np.tile(numbers, times), np.ones(len(numbers) * times)]))


def test_an_effect_keeps_its_values_and_gets_the_wider_intervals():
    effect = ratio_test(values([2.0, 3, 4, 5, 6], 4), values([3.0, 5, 7, 9, 11], 5))
    found = always_valid(effect, 20)
    half = half_width(effect.error, 45, 20, df=effect.df)
    assert (found.difference, found.error, found.relative) == (effect.difference, effect.error, effect.relative)
    assert (found.low, found.high) == (3 - half, 3 + half)
    assert found.p == always_valid_p(3.0, effect.error, 45, 20, df=effect.df)
    middle = math.sqrt((1 + found.relative_low) * (1 + found.relative_high))
    assert middle == pytest.approx(7 / 4)
    expected = half_width(effect.log_error, 45, 20, df=effect.df)
    assert math.log((1 + found.relative_high) / middle) == pytest.approx(expected)


def test_there_is_no_look_before_each_arm_has_some_users():
    found = always_valid(ratio_test(values([2.0, 3, 4, 5], 5), values([2.0, 3, 5, 6, 7, 8, 9, 10, 11, 12, 1], 1)), 100)
    assert found.why == "few_users"
    assert found.difference > 0
    assert math.isnan(found.low + found.high)
    assert math.isnan(found.p)


def test_without_users_or_chance_nothing_is_known():
    assert math.isnan(half_width(1.0, 0, 100))
    assert math.isnan(always_valid_p(1.0, 1.0, 0, 100))
    assert math.isnan(always_valid_p(1.0, 0.0, 50, 100))
    none = Moments.of(np.zeros((0, 2)))
    assert always_valid(ratio_test(none, none), 100).why == "no_users"
