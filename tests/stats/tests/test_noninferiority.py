import math

import numpy as np
import pytest
from scipy import stats as reference
from scipy.stats import binom
from simulation import repeated, slack
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.weightstats import ttost_paired

from neraca.stats.tests.noninferiority import OneSidedHypothesis, items_for_mean, p_of_means
from neraca.stats.tests.paired import Sample

A = np.array([32.3, 20.3, 31.4, 25.7, 28.4, 27.3, 29.3, 30.1, 25.5, 28.7, 29.1, 24.8])
B = np.array([32.0, 20.4, 31.2, 25.0, 27.9, 26.9, 29.1, 30.0, 24.4, 28.2, 28.6, 24.6])
GROUPS = np.repeat(np.arange(20), 3)


def p_of(d, bound=0.0, clusters=None, test="t", limits=(-math.inf, math.inf)):
    given = Sample(np.array(d, dtype=float), None if clusters is None else np.array(clusters))
    return p_of_means([OneSidedHypothesis(given, bound, *limits)], test, 3)[0]


@pytest.mark.parametrize("bound", [-0.2, 0.0, 0.3, 0.36666666666, 0.5])
def test_it_is_the_one_sided_test_of_scipy(bound):
    expected = reference.ttest_1samp(A - B, bound, alternative="greater").pvalue
    assert p_of(A - B, bound) == pytest.approx(expected, rel=1e-9)
    opposite = p_of_means([OneSidedHypothesis(Sample(A - B), bound).opposite])[0]
    assert opposite == pytest.approx(reference.ttest_1samp(A - B, bound, alternative="less").pvalue, rel=1e-9)


@pytest.mark.parametrize("margin", [0.3, 0.4, 0.6])
def test_two_of_them_are_the_test_of_equivalence_of_statsmodels(margin):
    p, lower, upper = ttost_paired(A, B, -margin, margin)
    below, above = OneSidedHypothesis(Sample(A - B), -margin), OneSidedHypothesis(Sample(A - B), margin).opposite
    found = p_of_means([below, above])
    assert found == pytest.approx([lower[1], upper[1]], rel=1e-9)
    assert max(found) == pytest.approx(p, rel=1e-9)


def test_sessions_are_those_of_statsmodels():
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(8), [1, 4, 2, 2, 6, 3, 5, 1])
    d = rng.normal(0.2, 1, len(clusters)) + rng.normal(size=8)[clusters]
    fit = OLS(d, np.ones(len(d))).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    for bound in (-0.3, 0.1):
        t = (fit.params[0] - bound) / fit.bse[0]
        assert p_of(d, bound, clusters) == pytest.approx(reference.t.sf(t, 7), rel=1e-9)


@pytest.mark.parametrize("test, slack", [("randomisation", 0.003), ("bootstrap", 0.02), ("t", 1e-9)])
def test_every_test_of_a_mean_can_be_had(test, slack):
    d = np.random.default_rng(1).normal(0.05, 1, 200)
    expected = reference.ttest_1samp(d, -0.05, alternative="greater").pvalue
    assert p_of(d, -0.05, test=test) == pytest.approx(expected, abs=slack)
    assert p_of(-d, 0.05, test=test) == pytest.approx(1 - expected, abs=slack)


def test_exact_ones_are_exact():
    # of 2^5 signs of 1 2 3 4 5 less 0.5 only these have as large a sum; the other way round all have
    assert p_of([1, 2, 3, 4, 5], 0.5, test="randomisation") == 1 / 32
    assert p_of([-1, -2, -3, -4, -5], 0.5, test="randomisation") == pytest.approx(1 - 1 / 32)


@pytest.mark.parametrize("test", ["t", "randomisation", "bootstrap"])
def test_a_higher_bound_is_harder_to_show(test):
    d = np.random.default_rng(2).normal(0.1, 1, 40)
    found = [p_of(d, bound, test=test) for bound in (-0.5, -0.2, 0.0, 0.2, 0.5)]
    assert found == sorted(found)
    assert p_of(d, float(d.mean()), test=test) == pytest.approx(0.5, abs=0.05)


# where all differences are equal


def test_equal_differences_by_hand():
    # all five right before and wrong now.  That it is worse by 2 %: turned round, all are 1, the bound is .02 and the
    # lowest -1, so that a mean of the bound has 1 with a chance of 1.02 / 2 at most
    worse = OneSidedHypothesis(Sample(np.full(5, -1.0)), -0.02, -1, 1)
    assert p_of_means([worse, worse.opposite]) == pytest.approx([1, 0.51**5])
    # no difference on 30 questions, of which a share of .02 could be lost: .98^30
    same = OneSidedHypothesis(Sample(np.zeros(30)), -0.02, -1, 1)
    assert p_of_means([same, same.opposite]) == pytest.approx([0.98**30, 1])
    # a value of 1 throughout, more than .9 of values from 0 to 1: .9^30
    assert p_of(np.ones(30), 0.9, limits=(0, 1)) == pytest.approx(0.9**30)


def test_equal_differences_are_tested_by_their_signs_if_they_are_exchanged():
    # of 2^12 ways to turn the signs only the observed one has so large a sum, whatever the range
    for limits in ((-math.inf, math.inf), (-1, 1)):
        assert p_of([0.1] * 12, 0.05, test="randomisation", limits=limits) == 2**-12
        assert p_of([0.1] * 12, 0.2, test="randomisation", limits=limits) == 1
        assert p_of([0.1] * 12, 0.1 + 1e-15, test="randomisation", limits=limits) == 1
        assert p_of([0.1] * 12, 0.1 - 1e-15, test="randomisation", limits=limits) == 1  # at the bound but for rounding
    assert p_of([0.1] * 6, test="randomisation", clusters=[0, 0, 1, 1, 2, 2]) == 2**-3
    assert p_of([0.0] * 12, -0.1, test="randomisation", limits=(-1, 1)) == pytest.approx(0.9**12)  # no item differs
    assert p_of([0.0] * 12, -0.1, test="randomisation") == 2**-12
    assert all(math.isnan(p_of([0.1] * 12, 0.05, test=test)) for test in ("t", "bootstrap"))


def test_equal_sessions_count_once():
    clusters = np.repeat(np.arange(6), 5)
    assert p_of(np.zeros(30), -0.02, clusters, limits=(-1, 1)) == pytest.approx(0.98**6)
    assert p_of(np.zeros(3), -0.02, [4, 4, 4], limits=(-1, 1)) == pytest.approx(0.98)


def test_equal_differences_in_the_corners():
    assert math.isnan(p_of(np.full(5, 0.3), 0.1))  # how far down could another one be?
    assert p_of(np.full(5, 0.3), 0.3) == p_of(np.full(5, 0.1), 0.3) == 1
    assert p_of(np.full(5, 0.1 + 0.2), 0.3, limits=(-1, 1)) == pytest.approx(1)
    assert p_of([0.1 + 0.2, 0.3, 0.3], 0.0, limits=(-1, 1)) == pytest.approx((1 / 1.3) ** 3)
    # nothing can be less than -1, so that all mean more than -1 if any does
    for bound in (-1.0, -2.0):
        assert p_of(np.zeros(4), bound, limits=(-1, 1)) == 0
        assert items_for_mean(OneSidedHypothesis(Sample(np.zeros(4)), bound, -1, 1)) == 1
    assert p_of(np.full(4, -1.0), -2.0, limits=(-1, 1)) == 0


def test_the_bound_of_equal_differences_is_never_exceeded():
    """Among all distributions with a mean of the bound, the one that makes equal differences likeliest."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        low, seen = sorted(rng.uniform(-1, 1, 2))
        bound = rng.uniform(low, seen)
        n = int(rng.integers(1, 6))
        p = p_of(np.full(n, seen), bound, limits=(low, 1))
        # a chance q of the value seen, and the rest at one lower value so that the mean is the bound
        other = rng.uniform(low, bound)
        q = (bound - other) / (seen - other)
        assert q**n <= p + 1e-12
        assert ((bound - low) / (seen - low)) ** n == pytest.approx(p)


def test_without_items_or_chance_there_is_nothing_to_say():
    assert math.isnan(p_of([]))
    assert math.isnan(p_of([0.1, 0.5], 0, [7, 7]))
    assert math.isnan(p_of([1.0, -1, 1, -1], -0.02, [0, 0, 1, 1]))
    assert math.isnan(p_of([0.4]))
    assert p_of([0.4], 0, limits=(-1, 1)) == pytest.approx(1 / 1.4)
    assert p_of_means([]) == []


def test_a_hypothesis_knows_how_far_it_is_shown():
    hypothesis = OneSidedHypothesis(Sample(np.array([0.1, 0.3])), -0.1, -1, 2)
    assert hypothesis.lead == pytest.approx(0.3)
    assert not hypothesis.constant
    assert hypothesis.largest_share == pytest.approx(0.9 / 1.2)
    back = hypothesis.opposite
    assert (back.bound, back.lowest, back.highest) == (0.1, -2, 1)
    assert back.sample.differences.tolist() == [-0.1, -0.3]
    assert math.isnan(OneSidedHypothesis(Sample(np.array([]))).lead)
    assert not OneSidedHypothesis(Sample(np.array([]))).constant


# items to show it


def test_items_needed_by_published_numbers():
    # one-sided 5 %, 80 %: 27 for d = .5 and 156 for d = .2 (G*Power 3.1: t test of one mean, one tail)
    for effect, expected in ((0.5, 27), (0.2, 156)):
        d = np.array([-1.0, 1] * 5)
        d = d / d.std(ddof=1) + effect
        assert items_for_mean(OneSidedHypothesis(Sample(d - 0.02), -0.02)) == expected


@repeated
def test_items_needed_do_show_it(times):
    d = np.random.default_rng(4).normal(0.0, 1, 50)
    needed = items_for_mean(OneSidedHypothesis(Sample(d - d.mean()), -0.3))
    drawn = np.random.default_rng(1).normal(0, d.std(ddof=1), (times, needed))
    assert share_rejected(map(Sample, drawn), -0.3) == pytest.approx(0.8, abs=slack(times, 0.8))


def test_items_come_in_sessions():
    rng = np.random.default_rng(6)
    d = np.repeat(rng.normal(0.3, 1, 20), 3)  # nothing new within a session
    alone = items_for_mean(OneSidedHypothesis(Sample(d[::3])))
    assert items_for_mean(OneSidedHypothesis(Sample(d, GROUPS))) == 3 * alone
    same = OneSidedHypothesis(Sample(np.zeros(60), GROUPS), -0.02, -1, 1)
    assert items_for_mean(same) == 3 * 149


def test_items_are_not_told_where_they_would_not_help():
    assert items_for_mean(OneSidedHypothesis(Sample(np.array([])))) is None
    assert items_for_mean(OneSidedHypothesis(Sample(np.array([-0.1, -0.3])))) is None
    assert items_for_mean(OneSidedHypothesis(Sample(np.zeros(3)))) is None
    assert items_for_mean(OneSidedHypothesis(Sample(np.full(3, 0.2)))) is None  # no lowest known
    assert (
        items_for_mean(OneSidedHypothesis(Sample(np.full(3, 0.1 + 0.2)), 0.3, -1, 1)) is None
    )  # above by rounding alone
    assert items_for_mean(OneSidedHypothesis(Sample(np.array([0.1, 0.5])), 0, -1, 1)) is not None
    assert items_for_mean(OneSidedHypothesis(Sample(np.array([0.1, 0.5]), np.array([1, 1])), 0, -1, 1)) is None


# a false hypothesis is seldom shown

MARGIN = 0.1


def normal(rng):
    return rng.normal(0, 0.3, 20), None


def ties(rng):
    """Differences of P@5, mostly 0."""
    return rng.choice([-0.4, -0.2, 0, 0.2, 0.4], 60, p=[0.05, 0.15, 0.6, 0.15, 0.05]), None


def sessions(rng):
    return rng.normal(0, 0.15, 60) + rng.normal(0, 0.15, 20)[GROUPS], GROUPS


def skewed_up(rng):
    return 0.3 * (rng.exponential(size=60) - 1), None


def skewed_down(rng):
    return 0.3 * (1 - rng.exponential(size=60)), None


def drawn(draw, mean, times, forget=False):
    """Samples whose true mean is this."""
    rng = np.random.default_rng(12)
    made = [draw(rng) for _ in range(times)]
    return [Sample(d + mean, None if forget else clusters) for d, clusters in made]


def share_rejected(samples, bound, test="t"):
    return np.mean([p <= 0.05 for p in p_of_means([OneSidedHypothesis(sample, bound) for sample in samples], test)])


@repeated
@pytest.mark.parametrize(
    "draw, least, most",
    [
        (normal, 0.05, 0.05),
        (ties, 0.05, 0.05),
        (sessions, 0.05, 0.05),
        (skewed_up, 0.02, 0.05),  # by t, skewness makes one side safer
        (skewed_down, 0.05, 0.09),  # and the other less safe
    ],
)
def test_what_is_worse_by_the_margin_is_seldom_called_not_worse(draw, least, most, times):
    share = share_rejected(drawn(draw, -MARGIN, times), -MARGIN)
    assert max(0, least - slack(times)) < share < most + slack(times)


@pytest.mark.parametrize("test, most", [("randomisation", 0.05), ("bootstrap", 0.05)])
def test_nor_by_other_tests_of_the_mean(test, most):
    samples = drawn(lambda rng: (rng.normal(0, 0.3, 15), None), -MARGIN, 200)
    assert 0 < share_rejected(samples, -MARGIN, test) < most + slack(200)


@repeated
@pytest.mark.parametrize("draw", [normal, ties, sessions])
@pytest.mark.parametrize("mean", [-0.3, 0.3])
def test_what_differs_by_the_margin_is_seldom_called_equivalent(draw, mean, times):
    sides = [
        side
        for sample in drawn(draw, mean, times)
        for side in (OneSidedHypothesis(sample, -0.3), OneSidedHypothesis(sample, 0.3).opposite)
    ]
    p = np.array(p_of_means(sides)).reshape(-1, 2).max(axis=1)
    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=slack(times))


@repeated
def test_forgetting_the_sessions_is_noticed(times):
    assert share_rejected(drawn(sessions, -MARGIN, times, forget=True), -MARGIN) > 0.05 + slack(times)


def test_a_p_of_both_sides_and_another_bound_would_be_noticed():
    samples = drawn(normal, -MARGIN, 200)
    both_sides = 2 * np.array(p_of_means([OneSidedHypothesis(sample, -MARGIN) for sample in samples]))
    right = share_rejected(samples, -MARGIN)
    assert (both_sides <= 0.05).mean() < 0.7 * right
    assert share_rejected(samples, 0.0) < 0.5 * right
    assert share_rejected(samples, -2 * MARGIN) > 2 * right


def test_what_is_not_worse_is_found():
    assert share_rejected(drawn(normal, 0.1, 200), -MARGIN) > 0.8 - slack(200, 0.8)


def test_where_few_questions_are_lost_the_t_test_is_too_sure_as_the_docstring_says():
    """Of 150 questions k are lost; the t-test calls that not worse by 2 % where k is 0 or 1."""
    p = p_of_means([OneSidedHypothesis(Sample(np.repeat([-1.0, 0], [k, 150 - k])), -0.02, -1, 1) for k in range(10)])
    chance = binom.pmf(range(10), 150, 0.02) @ (np.array(p) <= 0.05)
    assert chance == pytest.approx(0.98**150 + 150 * 0.02 * 0.98**149)
    assert chance > 0.19
