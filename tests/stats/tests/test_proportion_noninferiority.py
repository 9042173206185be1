"""One-sided tests of shares: the binomial test, all outcomes counted one by one, and how often they mislead."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom, binomtest, multinomial, ttest_1samp

from neraca.stats.tests.noninferiority import OneSidedHypothesis, p_of_means
from neraca.stats.tests.paired import Sample
from neraca.stats.tests.proportion_noninferiority import (
    bound_of_proportion,
    is_proportion,
    items_for_proportion,
    p_of_proportion,
)


def values(ones, none, less=0):
    return np.repeat([1.0, 0.0, -1.0], [ones, none, less])


def share(right, n, bound):
    return OneSidedHypothesis(Sample(values(right, n - right)), bound, 0, 1)


def paired(wins, ties, losses, bound):
    return OneSidedHypothesis(Sample(values(wins, ties, losses)), bound, -1, 1)


def slow(wins, ties, losses, bound):
    """Every outcome of n questions with a likeliest distribution that was searched for, not solved for."""
    n = wins + ties + losses

    def unlikely(more):
        shares = (more, 1 - 2 * more + bound, more - bound)
        return -sum(k * math.log(max(p, 1e-300)) for k, p in zip((wins, ties, losses), shares, strict=True) if k)

    low, high = max(0, bound), (1 + bound) / 2
    found = minimize_scalar(unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-12}).x
    more = min((low, found, high), key=unlikely)
    shares = np.clip([more, 1 - 2 * more + bound, more - bound], 0, 1)
    return sum(
        float(multinomial.pmf([won, n - won - lost, lost], n, shares / shares.sum()))
        for won in range(n + 1)
        for lost in range(n + 1 - won)
        if won - lost >= wins - losses
    )


@pytest.mark.parametrize("right, n, bound", [(29, 30, 0.9), (30, 30, 0.9), (3, 5, 0.5), (0, 4, 0.2), (700, 1000, 0.68)])
def test_a_share_is_tested_as_by_the_binomial_test(right, n, bound):
    hypothesis = share(right, n, bound)
    assert p_of_proportion(hypothesis) == pytest.approx(binomtest(right, n, bound, "greater").pvalue, abs=1e-12)
    assert p_of_proportion(hypothesis.opposite) == pytest.approx(binomtest(right, n, bound, "less").pvalue, abs=1e-12)


@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6), st.floats(-0.95, 0.95))
def test_differences_are_tested_as_all_outcomes_say(wins, ties, losses, bound):
    if wins + ties + losses:
        hypothesis = paired(wins, ties, losses, round(bound, 3))
        assert p_of_proportion(hypothesis) == pytest.approx(slow(wins, ties, losses, hypothesis.bound), abs=2e-5)


def test_equal_differences_are_tested_as_any_are():
    for value, bound in ((0.0, -0.1), (-1.0, -0.5), (1.0, 0.2), (0.0, 0.1)):
        for hypothesis in (c := OneSidedHypothesis(Sample(np.full(12, value)), bound, -1, 1), c.opposite):
            assert p_of_proportion(hypothesis) == pytest.approx(p_of_means([hypothesis])[0])


@pytest.mark.parametrize("n, margin, turned", [(30, 0.1, 0.0), (30, 0.1, 0.05), (20, 0.2, 0.02), (24, 0.05, 0.1)])
def test_a_false_hypothesis_is_shown_no_more_often_than_promised_where_the_t_test_does(n, margin, turned):
    """Of all outcomes of a system that is worse by just the margin: those that would pass."""
    truth = multinomial(n, [turned, 1 - 2 * turned - margin, turned + margin])
    exact = by_t = 0.0
    for wins in range(n + 1):
        for losses in range(n + 1 - wins):
            chance = truth.pmf([wins, n - wins - losses, losses])
            if chance > 1e-9:
                hypothesis = paired(wins, n - wins - losses, losses, -margin)
                d = hypothesis.sample.differences
                exact += chance * (p_of_proportion(hypothesis) <= 0.05)
                by_t += chance * (np.ptp(d) > 0 and ttest_1samp(d, -margin, alternative="greater").pvalue <= 0.05)
    assert exact <= 0.05
    assert by_t > 0.05


def test_the_bound_is_that_of_clopper_and_pearson_and_belongs_to_the_test():
    hypothesis = share(17, 20, 0.5)
    bounds = binomtest(17, 20).proportion_ci(0.9, "exact")
    assert (bound_of_proportion(hypothesis), -bound_of_proportion(hypothesis.opposite)) == pytest.approx(
        (bounds.low, bounds.high)
    )
    for hypothesis in (paired(3, 20, 2, 0.0), paired(0, 9, 4, 0.0)):
        for side in (hypothesis, hypothesis.opposite):
            at = OneSidedHypothesis(side.sample, bound_of_proportion(side, 0.9), side.lowest, side.highest)
            assert p_of_proportion(at) == pytest.approx(0.1, abs=1e-6)
    assert bound_of_proportion(paired(0, 0, 4, 0.0)) == pytest.approx(-1)


def test_questions_of_a_session_that_say_the_same_count_once():
    sessions = np.repeat(np.arange(12), 3)
    told = np.repeat(values(10, 2), 3)
    hypothesis = OneSidedHypothesis(Sample(told, sessions), 0.5, 0, 1)
    found = p_of_proportion(hypothesis)
    # twelve sessions of which ten are right; they do not show surely how they hang together, and count as nine
    assert binom.sf(9, 12, 0.5) < found
    assert found == pytest.approx(binom.sf(6, 9, 0.5))
    assert p_of_proportion(OneSidedHypothesis(Sample(told), 0.5, 0, 1)) < found / 50
    assert bound_of_proportion(hypothesis) < bound_of_proportion(OneSidedHypothesis(Sample(told), 0.5, 0, 1))


def test_sessions_never_make_more_of_the_questions_than_there_are():
    told, pairs = np.tile([1.0, 0.0], 10), np.repeat(np.arange(10), 2)  # every session is half right
    mixed = np.array([1.0, 0.0] * 8 + [1.0, 1.0, 0.0, 0.0])
    assert p_of_proportion(OneSidedHypothesis(Sample(mixed, pairs), 0.3, 0, 1)) == pytest.approx(binom.sf(9, 20, 0.3))
    # nothing shows how sessions differ: each counts once
    assert p_of_proportion(OneSidedHypothesis(Sample(told, pairs), 0.3, 0, 1)) == pytest.approx(binom.sf(4, 10, 0.3))
    one = OneSidedHypothesis(Sample(told, np.zeros(20, int)), 0.3, 0, 1)
    assert (p_of_proportion(one), p_of_proportion(one.opposite)) == pytest.approx((1.0, 1.0))


def test_the_sum_is_rounded_against_the_hypothesis():
    sessions = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    hypothesis = OneSidedHypothesis(Sample(np.array([1.0, 1, 1, 1, 1, 1, 0, 0, 0]), sessions), 0.5, 0, 1)
    assert p_of_proportion(hypothesis) + p_of_proportion(hypothesis.opposite) > 1


def test_items_by_hand_and_by_simulation():
    hypothesis = share(18, 20, 0.8)
    assert items_for_proportion(hypothesis) == math.ceil(((1.6449 * 0.4 + 0.8416 * 0.3) / 0.1) ** 2)
    needed = items_for_proportion(hypothesis)
    shown = [right for right in range(needed + 1) if p_of_proportion(share(right, needed, 0.8)) <= 0.05]
    assert binom.sf(min(shown) - 1, needed, 0.9) == pytest.approx(0.8, abs=0.08)  # sums come in steps
    assert items_for_proportion(share(16, 20, 0.8)) is None
    assert items_for_proportion(share(15, 20, 0.8)) is None
    assert items_for_proportion(paired(0, 30, 0, -0.1)) == math.ceil((1.6449 * math.sqrt(0.1 - 0.01) / 0.1) ** 2)
    pairs = OneSidedHypothesis(Sample(np.repeat(values(18, 2), 2), np.repeat(np.arange(20), 2)), 0.8, 0, 1)
    assert items_for_proportion(pairs) > 2 * needed


@pytest.mark.parametrize(
    "told, low, high, of_shares",
    [
        ([0.0, 1], 0, 1, True),
        ([0.0, -1], -1, 0, True),
        ([0.0, 1, -1], -1, 1, True),
        ([0.0, 1 - 1e-13], 0, 1, True),
        ([0.0, 0.5], 0, 1, False),
        ([0.0, 1], 0, math.inf, False),
        ([0.0, 1], 0, 10, False),
        ([math.nan], 0, 1, False),
        ([], 0, 1, False),
    ],
)
def test_what_is_about_shares(told, low, high, of_shares):
    assert is_proportion(OneSidedHypothesis(Sample(np.array(told)), 0.5, low, high)) is of_shares
