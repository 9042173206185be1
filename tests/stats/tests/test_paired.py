import math

import numpy as np
import pytest
from scipy import stats as reference
from statsmodels.regression.linear_model import OLS

from neraca.stats.intervals.effect import paired_effect
from neraca.stats.tests.paired import t_test

A = np.array([32.3, 20.3, 31.4, 25.7, 28.4, 27.3, 29.3, 30.1, 25.5, 28.7, 29.1, 24.8])
B = np.array([32.0, 20.4, 31.2, 25.0, 27.9, 26.9, 29.1, 30.0, 24.4, 28.2, 28.6, 24.6])


def test_golden_value():
    # scipy.stats.ttest_rel(A, B)
    found = t_test(A - B)
    assert found.statistic == pytest.approx(4.244464615962889, rel=1e-12)
    assert found.p == pytest.approx(0.0013784945927875687, rel=1e-12)
    assert (found.n, found.test) == (12, "t")


@pytest.mark.parametrize("n", [2, 3, 10, 400])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_it_is_that_of_scipy(n, level):
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.3, 1, n), rng.normal(0, 1, n)
    expected = reference.ttest_rel(a, b)
    bounds = expected.confidence_interval(level)
    found = t_test(a - b, level=level)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-10)
    assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high), rel=1e-10)
    assert found.error == pytest.approx(found.difference / expected.statistic)


def test_clustered_is_that_of_statsmodels():
    rng = np.random.default_rng(8)
    clusters = np.repeat(np.arange(7), [1, 4, 2, 2, 6, 3, 5])
    d = rng.normal(0.2, 1, len(clusters)) + rng.normal(size=7)[clusters]
    fit = OLS(d, np.ones(len(d))).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    found = t_test(d, clusters)
    assert (found.statistic, found.p) == pytest.approx((fit.tvalues[0], fit.pvalues[0]), rel=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-9)


def test_turning_the_sides_turns_the_signs():
    one, other = t_test(A - B), t_test(B - A)
    turned = (-other.difference, -other.high, -other.low, other.p)
    assert (one.difference, one.low, one.high, one.p) == pytest.approx(turned, rel=1e-12)


def test_no_items():
    found = t_test(np.array([]))
    assert found.n == 0
    assert all(math.isnan(x) for x in (found.difference, found.low, found.high, found.p, found.statistic, found.error))


def test_no_difference_anywhere_is_no_evidence():
    found = t_test(np.zeros(5))
    assert (found.difference, found.low, found.high, found.p, found.statistic) == (0, 0, 0, 1, 0)


@pytest.mark.parametrize(
    "differences, clusters",
    [([0.4], None), ([0.1] * 9, None), ([0.1 + 0.2, 0.3, 0.3], None), ([0.1, 0.5, 0.2], [4, 4, 4])],
)
def test_where_chance_cannot_be_estimated_there_is_a_difference_but_no_test(differences, clusters):
    found = t_test(np.array(differences), None if clusters is None else np.array(clusters))
    assert found.difference == pytest.approx(np.mean(differences))
    assert all(math.isnan(x) for x in (found.low, found.high, found.p, found.statistic, found.error))


def test_a_huge_difference_has_a_tiny_p_and_not_zero_width():
    found = t_test(1000 + np.random.default_rng(1).normal(size=20))
    assert 0 < found.p < 1e-40
    assert found.low < 1000 < found.high


def test_effect_size_by_hand():
    # differences 0.1, 0.3, 0.8: mean 0.4, squared deviations .09 + .01 + .16 = .26, s = sqrt(.13)
    assert paired_effect(np.array([0.1, 0.3, 0.8])) == pytest.approx(0.4 / math.sqrt(0.13))
    assert paired_effect(np.array([-0.1, -0.3, -0.8])) == pytest.approx(-0.4 / math.sqrt(0.13))


def test_effect_size_where_there_is_no_spread():
    assert paired_effect(np.zeros(4)) == 0
    assert math.isnan(paired_effect(np.full(4, 0.3)))
    assert math.isnan(paired_effect(np.array([0.1 + 0.2, 0.3])))
    assert math.isnan(paired_effect(np.array([0.3])))
    assert math.isnan(paired_effect(np.array([])))
