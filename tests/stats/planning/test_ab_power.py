"""Plans of experiments, beside statsmodels; the parity tests have tea-tasting's, which also solve for ratios."""

import math

import numpy as np
import pytest
from statsmodels.stats.power import TTestIndPower

from neraca.stats.moments import Moments
from neraca.stats.planning.ab_power import Plan

PEER = TTestIndPower()


@pytest.mark.parametrize("effect, users", [(0.1, 2000), (0.5, 60), (-0.5, 60), (1.5, 8)])
def test_power_of_equal_arms_is_that_of_statsmodels(effect, users):
    expected = PEER.power(effect, users / 2, 0.01)
    assert Plan(1.0, 4.0, alpha=0.01).power(2 * effect, users) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("effect, power", [(0.05, 0.8), (0.33, 0.9), (2.0, 0.8)])
def test_users_and_smallest_effect_turn_the_power_round(effect, power):
    plan = Plan(3.0, 9.0, share=0.3)
    users = plan.users(effect * 3, power)
    assert plan.power(effect * 3, users) >= power
    assert not plan.power(effect * 3, users - 1) >= power
    assert plan.power(plan.smallest_effect(users, power), users) == pytest.approx(power, abs=1e-8)


def test_unequal_arms_cost_users():
    assert Plan(0, 1, share=0.1).users(0.1) == pytest.approx(Plan(0, 1).users(0.1) * 0.25 / (0.1 * 0.9), rel=0.01)


def test_a_covariate_makes_the_variance_less():
    before = np.array([0.0, 1, 2, 3])
    columns = np.column_stack([2 * before + [1, -1, -1, 1], np.ones(4), before, np.ones(4)])
    plan = Plan.of(Moments.of(columns))
    assert (plan.value, plan.variance) == pytest.approx((3.0, 4 / 3))
    assert Plan.of(Moments.of(columns[:, :2])).variance == pytest.approx(8.0)


def test_what_cannot_be_planned():
    alike = Plan.of(Moments.of(np.ones((5, 2))))
    assert math.isnan(alike.power(1.0, 100))
    assert alike.users(1.0) is None
    assert Plan(0, 1).users(0.0) is None
    assert Plan(0, 1).users(math.nan) is None
    assert Plan(0, 1).users(1e-9) is None
    assert math.isnan(Plan(0, 1).smallest_effect(3))
    assert math.isnan(Plan(0, 1).smallest_effect(100, power=0.05))
    with pytest.raises(ValueError, match="between 0 and 1"):
        Plan.of(Moments.of(np.ones((5, 2))), share=1.0)
