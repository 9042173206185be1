import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.stats.intervals.worst_case_bounds import bounds_of_mean

GONE = np.nan


def test_by_hand():
    found = np.array([0.5, GONE, 1, GONE])
    assert bounds_of_mean(found, 0, 1) == pytest.approx((1.5 / 4, 3.5 / 4))
    assert bounds_of_mean(found, -1, 1) == pytest.approx((-0.5 / 4, 3.5 / 4))
    assert bounds_of_mean(np.array([GONE, GONE]), 0, 1) == (0, 1)


@pytest.mark.parametrize("lowest, highest", [(-math.inf, 1), (0, math.inf), (-math.inf, math.inf)])
def test_without_a_finite_range_there_are_none(lowest, highest):
    assert np.isnan(bounds_of_mean(np.array([0.5, GONE]), lowest, highest)).all()


def test_without_items_there_are_none():
    assert np.isnan(bounds_of_mean(np.empty(0), 0, 1)).all()


VALUES = st.lists(st.none() | st.sampled_from([0.0, 0.25, 1.0]), min_size=1, max_size=6)


@given(VALUES)
def test_they_are_the_extremes_over_all_that_the_missing_values_could_be(values):
    found = np.array([GONE if value is None else value for value in values])
    choices = [[0.0, 0.5, 1.0] if value is None else [value] for value in values]
    means = [sum(chosen) / len(chosen) for chosen in itertools.product(*choices)]
    assert bounds_of_mean(found, 0, 1) == pytest.approx((min(means), max(means)))


@given(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=1, max_size=9))
def test_where_nothing_is_missing_both_are_the_mean(values):
    assert bounds_of_mean(np.array(values), 0, 1) == pytest.approx([sum(values) / len(values)] * 2)
