"""One-sided tests and bounds: exact for shares, those of the paired test for other values, none for too few."""

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_1samp

from neraca.stats.tests.noninferiority import OneSidedHypothesis
from neraca.stats.tests.one_sided import one_sided_bounds, one_sided_items, one_sided_test
from neraca.stats.tests.paired import Sample, t_test


def hypothesis(values, *bound_and_range):
    return OneSidedHypothesis(Sample(np.array(values, dtype=float)), *bound_and_range)


def bounds(claim):
    return one_sided_bounds(claim, t_test(claim.sample.differences, level=0.9))


def test_bounds_of_means_are_those_of_students_t():
    values = [0.3, -0.1, 0.4, 0.2, 0.5, 0.1]
    claim, theirs = hypothesis(values), ttest_1samp(values, 0).confidence_interval(0.9)
    assert bounds(claim) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
    assert one_sided_test(claim, t_test(claim.sample.differences)) == "t"
    assert one_sided_items(claim) > 2


def test_bounds_of_shares_are_those_of_clopper_and_pearson():
    claim = hypothesis([1] * 29 + [0], 0.9, 0, 1)
    theirs = binomtest(29, 30).proportion_ci(0.9, "exact")
    assert bounds(claim) == pytest.approx((theirs.low, theirs.high), abs=1e-6)
    assert one_sided_test(claim, t_test(claim.sample.differences)) == "shares"
    assert one_sided_items(hypothesis([1] * 29 + [0], 0.8, 0, 1)) > 2


@pytest.mark.parametrize("values", [[0.5, 0.7], [0.0] * 6])
def test_too_few_values_and_values_that_never_differ_have_no_bounds(values):
    assert np.isnan(bounds(hypothesis(values))).all()
