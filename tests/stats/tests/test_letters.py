from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.stats.tests import letters as module
from neraca.stats.tests.letters import indistinct


def every_subset(apart):
    """The largest groups without two that are apart, of all subsets."""
    k = len(apart)
    alike = [
        set(group)
        for size in range(1, k + 1)
        for group in combinations(range(k), size)
        if not any(apart[i, j] for i, j in combinations(group, 2))
    ]
    return tuple(sorted(tuple(sorted(group)) for group in alike if not any(group < other for other in alike)))


@st.composite
def pairs(draw):
    k = draw(st.integers(1, 8))
    upper = np.triu(np.array(draw(st.lists(st.booleans(), min_size=k * k, max_size=k * k))).reshape(k, k), 1)
    return upper | upper.T


@given(pairs())
def test_groups_are_those_among_all_subsets(apart):
    assert indistinct(apart) == every_subset(apart)
    assert indistinct(np.triu(apart)) == indistinct(apart)  # one cell of two is enough


def check_cover(apart, groups):
    k = len(apart)
    assert list(groups) == sorted(set(groups))
    assert set().union(*groups) == set(range(k))
    together = np.zeros((k, k), bool)
    for group in groups:
        together[np.ix_(group, group)] = True
        assert not apart[np.ix_(group, group)].any()
        assert apart[:, list(group)].any(axis=1).sum() == k - len(group)  # nobody could be added
    assert ((~apart) == together).all()


@given(pairs())
def test_where_groups_are_too_many_every_two_alike_still_share_one(apart):
    before = module._MOST
    try:
        module._MOST = 0
        check_cover(apart, indistinct(apart))
    finally:
        module._MOST = before


def test_by_hand():
    # Piepho (2004), sec. 2: with ordered means, a line that skips none: 0-1, 1-2-3, 3-4
    apart = np.ones((5, 5), bool)
    for group in ((0, 1), (1, 2, 3), (3, 4)):
        apart[np.ix_(group, group)] = False
    assert indistinct(apart) == ((0, 1), (1, 2, 3), (3, 4))


@pytest.mark.parametrize("k", [1, 3, 50])
def test_all_alike_and_all_apart(k):
    assert indistinct(np.zeros((k, k), bool)) == (tuple(range(k)),)
    assert indistinct(~np.eye(k, dtype=bool)) == tuple((system,) for system in range(k))


def test_no_systems():
    assert indistinct(np.zeros((0, 0), bool)) == ()


def test_a_cell_of_the_diagonal_says_nothing():
    assert indistinct(np.eye(2, dtype=bool)) == ((0, 1),)


def test_fifty_systems_on_a_line_have_a_group_for_each_step():
    means = np.sort(np.random.default_rng(1).random(50))
    groups = indistinct(abs(means[:, None] - means) > 0.2)
    assert len(groups) <= 50
    assert all(group == tuple(range(group[0], group[-1] + 1)) for group in groups)


def test_the_most_groups_that_there_can_be_do_not_blow_up():
    """Sixteen threes, apart within and alike between: 3^16 = 43 million groups (Moon and Moser, 1965)."""
    place = np.arange(48) // 3
    apart = (place[:, None] == place) & ~np.eye(48, dtype=bool)
    groups = indistinct(apart)
    check_cover(apart, groups)
    assert len(groups) <= 1000
    six = indistinct(apart[:18, :18])
    assert len(six) == 3**6
