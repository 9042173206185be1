"""Exchanging users between two arms: against scipy's permutation test, and by hand."""

import numpy as np
import pytest
from scipy.stats import permutation_test

from neraca.stats.tests.arm_permutation import DIVISIONS, arm_permutation


def pairs(*x, y=1.0):
    return np.array([[value, y] for value in x], dtype=float)


def test_all_divisions_are_those_of_scipy():
    rng = np.random.default_rng(3)
    a, b = (
        np.column_stack([rng.poisson(mean, n), rng.integers(1, 5, n)]).astype(float) for mean, n in ((2, 6), (4, 5))
    )
    users = np.concatenate([a, b])

    def statistic(first, second):
        ratios = [users[places].sum(axis=0) for places in (first.astype(int), second.astype(int))]
        return abs(ratios[0][0] / ratios[0][1] - ratios[1][0] / ratios[1][1])

    reference = permutation_test(
        (np.arange(6), np.arange(6, 11)), statistic, alternative="greater", n_resamples=np.inf, vectorized=False
    )
    assert arm_permutation(a, b) == pytest.approx(reference.pvalue)
    assert arm_permutation(b, a) == arm_permutation(a, b)


def test_random_divisions_come_close_to_all_and_repeat_with_their_seed():
    a, b = pairs(*[0] * 9, 1), pairs(*[1] * 9, 0)
    p = arm_permutation(a, b, seed=1)
    # of 184,756 divisions those with 9 or more of the ten ones on a side: 2 (10 * 10 + 1)
    assert p == pytest.approx(2 * 101 / 184_756, abs=3 * (0.0011 / DIVISIONS) ** 0.5)
    assert p == arm_permutation(a, b, seed=1)
    assert p >= 1 / (DIVISIONS + 1)


def test_a_group_without_a_denominator_counts_as_large():
    a, b = pairs(1, y=0.0), pairs(1)
    assert arm_permutation(a, b) == 1.0
