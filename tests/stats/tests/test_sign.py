import numpy as np
import pytest
from scipy import stats as reference

from neraca.stats.tests.sign import sign_test


def test_published_example():
    # more boys than girls were christened in London in each of 82 years: Arbuthnott (1710)
    assert sign_test(np.ones(82)).p == pytest.approx(2 * 0.5**82)


@pytest.mark.parametrize("wins, losses, ties", [(1, 0, 0), (3, 3, 1), (8, 1, 0), (17, 31, 12), (600, 520, 3000)])
def test_p_is_scipys_binomial_without_the_ties(wins, losses, ties):
    d = np.repeat([0.5, -2.0, 0.0], [wins, losses, ties])
    found = sign_test(d)
    assert found.p == pytest.approx(reference.binomtest(wins, wins + losses).pvalue, rel=1e-10)
    assert (found.statistic, found.n, found.test) == (wins - losses, wins + losses + ties, "sign")


@pytest.mark.parametrize("n", [6, 9, 25, 300])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_is_scipys_of_the_median(n, level):
    d = np.random.default_rng(n).exponential(size=n) - 0.5
    found = sign_test(d, level=level)
    expected = reference.quantile_test(d, p=0.5).confidence_interval(level)
    assert (found.low, found.high) == (expected.low, expected.high)


def test_there_is_no_interval_of_five():
    assert np.isnan(sign_test(np.arange(1.0, 6)).low)
    assert sign_test(np.arange(1.0, 7)).low == 1


def test_a_session_counts_by_the_sign_of_its_mean():
    # means 1, -1, 2, 0 (a tie), 3: three to one, so p = 2 (1 + 4) / 16
    d = np.array([3.0, -1, -1, 2, 0.1, -0.1, 3, 3, 3])
    clusters = np.array([7, 7, 1, 2, 3, 3, 5, 5, 5])
    found = sign_test(d, clusters)
    assert (found.statistic, found.p, found.n) == (2, 0.625, 9)
    assert found.difference == pytest.approx(d.mean())


def test_sessions_that_all_cancel_out_are_no_evidence():
    assert sign_test(np.array([1.0, -1, 2, -2]), np.array([0, 0, 1, 1])).p == 1


def test_what_only_rounding_makes_is_a_tie():
    assert sign_test(np.array([1.0, 1, 1e-17, 1e-17])).statistic == 2
