import itertools
import math

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar as reference

from neraca.stats.tests.mcnemar import mcnemar
from neraca.stats.tests.paired import t_test


def sample(wins, losses, ties):
    return np.repeat([1.0, -1.0, 0.0], [wins, losses, ties])


def test_by_hand():
    # airway hyper-responsiveness before and after transplantation: 1 and 7 of 21 changed (Fagerland, Lydersen and
    # Laake, 2014, Stat. Med. 33, 2850-2875).  p = 2 (1 + 8) / 256.  With one more of each kind 2/23 - 8/23 = -.2609,
    # se = sqrt((10/23 - (6/23)^2) / 23) = .12627
    found = mcnemar(sample(1, 7, 13))
    assert (found.statistic, found.p) == (-6, pytest.approx(18 / 256))
    assert (found.low, found.high) == pytest.approx(
        (-6 / 23 - 1.959964 * 0.126272, -6 / 23 + 1.959964 * 0.126272), abs=1e-5
    )
    assert found.difference == pytest.approx(-6 / 21)


@pytest.mark.parametrize("wins, losses, ties", [(1, 0, 0), (0, 9, 5), (12, 12, 3), (40, 61, 900)])
def test_p_is_that_of_statsmodels(wins, losses, ties):
    found = mcnemar(sample(wins, losses, ties))
    assert found.p == pytest.approx(reference([[ties, wins], [losses, 0]], exact=True).pvalue, rel=1e-10)
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert found.test == "mcnemar"


@pytest.mark.parametrize("seed", range(4))
def test_a_session_counts_by_its_balance(seed):
    rng = np.random.default_rng(seed)
    d, clusters = rng.integers(-1, 2, 40).astype(float), rng.integers(0, 9, 40)
    balance = np.array([d[clusters == number].sum() for number in np.unique(clusters)])
    sums = [abs(np.dot(signs, balance)) for signs in itertools.product([1, -1], repeat=len(balance))]
    found = mcnemar(d, clusters)
    assert found.p == pytest.approx(np.mean(np.array(sums) >= abs(balance.sum())), rel=1e-12)
    assert (found.low, found.high, found.test) == (t_test(d, clusters).low, t_test(d, clusters).high, "mcnemar")


def test_sessions_of_one_item_are_no_sessions():
    d = sample(5, 12, 3)
    assert mcnemar(d, np.arange(20)) == mcnemar(d)


def test_the_interval_ends_where_shares_do():
    clusters = np.array([0, 0, 0, 1, 1, 2])
    found = mcnemar(np.array([1.0, 1, 1, 1, 0, 1]), clusters)
    student = t_test(np.array([1.0, 1, 1, 1, 0, 1]), clusters)
    assert found.difference < found.high < 1 < student.high  # a share below 1 was seen in one of six
    assert found.low == student.low > -1
    assert mcnemar(-np.array([1.0, 1, 1, 1, 0, 1]), clusters).low == pytest.approx(-found.high)
    assert np.isnan(mcnemar(np.ones(4), np.array([0, 0, 1, 1])).low)


def test_too_many_sessions_are_taken_as_normal():
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(9000), 4)
    d = rng.choice([-1.0, 0, 1], len(clusters), p=[0.3, 0.395, 0.305])
    found = mcnemar(d, clusters)
    balance = d.reshape(-1, 4).sum(axis=1)
    z = abs(balance.sum()) / np.sqrt((balance**2).sum())
    assert (found.p, found.test) == (pytest.approx(math.erfc(z / np.sqrt(2))), "mcnemar(normal)")


def test_rounding_is_forgiven_and_other_values_are_not():
    assert mcnemar(np.array([1 - 1e-15, 1e-17, -1 + 1e-15])).p == 1
    for wrong in (0.5, 2.0, 0.999):
        with pytest.raises(ValueError, match="values that are 0 or 1; use a sign test for others"):
            mcnemar(np.array([1.0, wrong]))
