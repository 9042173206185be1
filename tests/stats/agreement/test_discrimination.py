import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats as reference
from simulation import slack

from neraca.stats.agreement.discrimination import discrimination, tukey_discrimination
from neraca.stats.tests.paired import Sample
from neraca.stats.tests.tukey import tukey


def pairs(values, clusters=None):
    return [Sample(values[:, a] - values[:, b], clusters) for a, b in combinations(range(values.shape[1]), 2)]


def systems(seed=1, n=25):
    return np.random.default_rng(seed).normal(size=(n, 4)) + np.array([0, 0.2, 0.5, 1.2])


def test_every_pair_is_tested_by_the_paired_t():
    values = systems()
    tests = [reference.ttest_rel(values[:, a], values[:, b]) for a, b in combinations(range(4), 2)]
    found = discrimination(pairs(values))
    assert found.p == pytest.approx(sorted(one.pvalue for one in tests))
    assert found.told_apart == sum(one.pvalue < 0.05 for one in tests)
    assert 0 < found.told_apart < found.pairs == 6
    assert found.power == found.told_apart / 6
    halves = [np.ptp(one.confidence_interval()) / 2 for one in tests]
    assert found.required == pytest.approx(max(halves))
    assert (found.n, found.test) == (25, "t")


def test_a_difference_as_large_as_required_tells_every_pair_apart():
    for d in (pair.differences for pair in pairs(systems())):
        moved = d - d.mean() + discrimination(pairs(systems())).required + 1e-9
        assert reference.ttest_1samp(moved, 0).pvalue < 0.05


def test_level_test_and_seed():
    values = systems()
    assert discrimination(pairs(values), level=0.999).told_apart < discrimination(pairs(values)).told_apart
    found = discrimination(pairs(values), test="randomisation", seed=4)
    assert found.test == "randomisation(flips=100000, seed=4)"
    assert discrimination(pairs(values), test="wilcoxon").p == pytest.approx(
        sorted(reference.wilcoxon(pair.differences).pvalue for pair in pairs(values)), abs=0.02
    )


def test_sessions_are_one_source_of_chance():
    values, clusters = systems().repeat(3, axis=0), np.repeat(np.arange(25), 3)
    assert discrimination(pairs(values, clusters)).p == pytest.approx(discrimination(pairs(systems())).p)
    assert discrimination(pairs(values)).told_apart > discrimination(pairs(values, clusters)).told_apart


def test_the_share_of_equal_systems_that_are_told_apart_is_the_level():
    found = discrimination([Sample(d) for d in np.random.default_rng(6).normal(size=(1000, 15))])
    assert found.power == found.told_apart / 1000 == pytest.approx(0.05, abs=slack(1000))


def test_pairs_that_cannot_be_tested_are_not_told_apart():
    found = discrimination([Sample(np.full(5, 0.25)), Sample(np.zeros(5)), Sample(np.array([0.3]))])
    assert (found.told_apart, found.pairs, found.p, found.n) == (0, 3, (1.0,), 1)
    assert math.isnan(found.required)


def test_without_a_pair_nothing_is_said():
    found = discrimination([])
    assert (found.told_apart, found.pairs, found.n, found.test) == (0, 0, 0, "t")
    assert math.isnan(found.power)


def test_all_at_once_by_tukey():
    values = systems()
    found, whole = tukey_discrimination(values, seed=2), tukey(values, seed=2)
    assert found.p == tuple(sorted(whole.p[a, b] for a, b in combinations(range(4), 2)))
    assert (found.required, found.n, found.test) == (whole.half, 25, "tukey(samples=100000, seed=2)")
    apart = [abs(values[:, a].mean() - values[:, b].mean()) > whole.half for a, b in combinations(range(4), 2)]
    assert found.told_apart == sum(apart)
    assert found.told_apart <= discrimination(pairs(values)).told_apart
    assert tukey_discrimination(values, np.repeat(np.arange(5), 5)).told_apart <= found.told_apart
