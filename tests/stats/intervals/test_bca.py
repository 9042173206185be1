import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from neraca.stats.intervals.bca import Bca, bca


@given(st.floats(-1, 1), st.floats(-0.16, 0.16), st.floats(0.001, 0.999))
def test_alpha_is_share_the_other_way_round(bias, acceleration, alpha):
    moved = Bca(bias, acceleration)
    assert moved.alpha(moved.share(alpha)) == pytest.approx(alpha, rel=1e-6)


def test_by_hand():
    # z0 = .1, a = .05, z = -1.645: .1 - 1.545 / 1.07725 = -1.3342
    moved = Bca(0.1, 0.05)
    assert moved.share(reference.norm.cdf(-1.645)) == pytest.approx(reference.norm.cdf(0.1 - 1.545 / 1.07725))
    assert Bca(0, 0).share(0.05) == pytest.approx(0.05)
    assert Bca(0, 0).alpha(0.05) == pytest.approx(0.05)


@pytest.mark.parametrize("acceleration", [-1 / 6, 0, 1 / 6])
def test_the_ends_are_ends(acceleration):
    moved = Bca(0.3, acceleration)
    assert (moved.share(0), moved.share(1), moved.alpha(0), moved.alpha(1)) == (0, 1, 0, 1)


def test_beyond_the_range_of_the_formula_everything_is_on_one_side():
    assert Bca(0, 0.5).share(0.99) == 1
    assert Bca(0, -0.5).share(0.01) == 0
    assert Bca(0, 0.5).alpha(0.01) == 0
    assert Bca(0, -0.5).alpha(0.99) == 1


def test_acceleration_is_a_sixth_of_the_skewness_of_the_mean():
    values = np.random.default_rng(1).exponential(size=40)
    assert bca(0.5, values).acceleration == pytest.approx(reference.skew(values) / 6 / math.sqrt(40))
    assert bca(0.5, values * 1e-200).acceleration == pytest.approx(bca(0.5, values).acceleration)
    assert bca(0.5, np.zeros(3)).acceleration == 0
    assert bca(0.5, np.array([1.0] + [0] * 10**4)).acceleration == pytest.approx(1 / 6, rel=1e-3)  # the most there is


def test_bias_is_the_quantile_of_the_share_below():
    assert bca(0.5, np.arange(3.0)).bias == 0
    assert bca(0.8413447460685429, np.arange(3.0)).bias == pytest.approx(1)
