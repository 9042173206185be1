import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference
from scipy.cluster.hierarchy import fcluster, linkage
from simulation import repeated, slack

from neraca.stats.agreement.correlation import (
    METHODS,
    alike,
    correlation,
    correlation_difference,
    kendall,
    kendall_influence,
    pearson,
    pearson_influence,
    ranks,
    spearman,
    spearman_influence,
)

NAN = math.nan
INFLUENCE = {"pearson": pearson_influence, "spearman": spearman_influence, "kendall": kendall_influence}
SCIPY = {
    "pearson": lambda x, y: reference.pearsonr(x, y).statistic,
    "spearman": lambda x, y: reference.spearmanr(x, y).statistic,
    "kendall": lambda x, y: reference.kendalltau(x, y).statistic,
}


def columns(seed, n=60, tied=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = 0.6 * x + rng.normal(size=n)
    return (np.round(x), np.round(1.5 * y)) if tied else (x, y)


# coefficients


def test_published_examples():
    # Anscombe, F. J. (1973), Amer. Statist. 27, 17-21: the first of the four sets, r = .816
    x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    assert pearson(x, y) == pytest.approx(0.81642, abs=1e-5)
    # IQ and hours of television, the example of Wikipedia's article on Spearman's coefficient: -29 / 165
    iq = [106, 86, 100, 101, 99, 103, 97, 113, 112, 110]
    hours = [7, 0, 27, 50, 28, 29, 20, 12, 6, 17]
    assert spearman(iq, hours) == pytest.approx(-29 / 165)


def test_kendall_with_ties_by_hand():
    # of ten pairs two agree, six do not, one is equal in x alone, one in both: (2 - 6) / sqrt((8 + 0)(8 + 1))
    assert kendall([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]) == pytest.approx(-4 / math.sqrt(72))


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_as_scipy(method, tied):
    for seed in range(20):
        x, y = columns(seed, n=4 + 5 * seed, tied=tied)
        if len(set(x)) > 1 and len(set(y)) > 1:
            assert METHODS[method](x, y) == pytest.approx(SCIPY[method](x, y), abs=1e-13)


def test_ranks_are_those_of_scipy():
    for seed in range(5):
        values = columns(seed, tied=True)[0]
        assert (ranks(values) == reference.rankdata(values)).all()
    assert len(ranks(np.zeros(0))) == 0


@pytest.mark.parametrize("method", METHODS)
def test_pairs_with_nan_are_left_out(method):
    x, y = columns(3, 40)
    holes_x, holes_y = x.copy(), y.copy()
    holes_x[[1, 5]], holes_y[[5, 9]] = NAN, NAN
    keep = [n for n in range(40) if n not in (1, 5, 9)]
    found, expected = correlation(holes_x, holes_y, method), correlation(x[keep], y[keep], method)
    assert METHODS[method](holes_x, holes_y) == pytest.approx(expected.value, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert (found.n, found.method) == (37, expected.method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "x, y",
    [([], []), ([1], [2]), ([NAN, 1], [1, NAN]), ([1, 1, 1, 1], [1, 2, 3, 4]), ([1, 2, 3, 4], [0, 0, 0, 0])],
)
def test_undefined(method, x, y):
    assert math.isnan(METHODS[method](x, y))
    found = correlation(x, y, method)
    assert math.isnan(found.value)
    assert (math.isnan(found.low), math.isnan(found.high), found.method) == (True, True, "none")


@pytest.mark.parametrize("method", METHODS)
def test_a_constant_column_cannot_be_moved(method):
    assert np.isnan(INFLUENCE[method](np.ones(4), np.arange(4.0))).all()


def test_a_column_that_varies_by_rounding_alone_is_constant():
    assert math.isnan(pearson([0.1 + 0.2, 0.3, 0.3, 0.3], [1, 2, 3, 4]))
    assert pearson([1e-300, 2e-300, 4e-300], [1e300, 2e300, 4e300]) == 1
    assert pearson([1e308, -1e308, 0], [1, 0, 0.5]) == pytest.approx(1)


def test_infinity_is_a_rank_but_no_number():
    assert math.isnan(pearson([1, 2, math.inf], [1, 2, 3]))
    assert spearman([1, 2, math.inf], [1, 2, 3]) == kendall([-math.inf, 2, math.inf], [1, 2, 3]) == 1


NUMBERS = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=12)


@given(NUMBERS)
def test_laws(pairs):
    x, y = np.array(pairs, float).T
    for method in METHODS.values():
        r = method(x, y)
        if math.isnan(r):
            continue
        assert -1 <= r <= 1
        assert method(y, x) == pytest.approx(r)
        assert method(-x, y) == pytest.approx(-r)
        assert method(3 * x - 7, y) == pytest.approx(r)
        assert method(x, x) == 1
    for method in (spearman, kendall):
        assert method(x**3, y) == pytest.approx(method(x, y), nan_ok=True)


# influence


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_influence_is_what_leaving_out_one_changes(method, tied):
    """To first order: the jackknife's, of which the influence is the limit."""
    x, y = columns(5, 300, tied)
    whole = METHODS[method](x, y)
    jackknife = [299 * (whole - METHODS[method](np.delete(x, n), np.delete(y, n))) for n in range(300)]
    found = INFLUENCE[method](x, y)
    assert found.sum() == pytest.approx(0, abs=1e-10)
    assert np.corrcoef(found, jackknife)[0, 1] > 0.9995
    assert np.std(jackknife) / np.std(found) == pytest.approx(1, abs=0.02)


# intervals


def test_intervals_by_hand():
    # e is orthogonal to x, so that r is .6 exactly; atanh .6 = .693147, se = 1/5: tanh .301154, tanh 1.085140
    rng = np.random.default_rng(1)
    x, e = np.linalg.qr(np.column_stack([np.ones(28), rng.normal(size=(28, 2))]))[0][:, 1:].T
    found = correlation(x, 0.6 * x + 0.8 * e, "pearson")
    assert (found.value, found.n, found.method) == (pytest.approx(0.6), 28, "fisher")
    assert (found.low, found.high) == pytest.approx((0.29237, 0.79508), abs=1e-4)
    # rho = 1 - 6 * 2 / 120 = .9, n = 5: atanh .9 = 1.472219, se = sqrt(1.405 / 2) = .838153,
    # tanh(-.170531) and tanh 3.114969
    found = correlation([1, 2, 3, 4, 5], [1, 3, 2, 4, 5])
    assert (found.value, found.low, found.high) == pytest.approx((0.9, -0.168896, 0.996073), abs=1e-5)
    # tau = .8, n = 5: atanh .8 = 1.098612, se = sqrt .437 = .661060, tanh(-.197041), tanh 2.394265
    found = correlation([1, 2, 3, 4, 5], [1, 3, 2, 4, 5], "kendall")
    assert (found.value, found.low, found.high) == pytest.approx((0.8, -0.194530, 0.983493), abs=1e-5)


def test_pearson_interval_is_that_of_scipy():
    for seed in range(5):
        x, y = columns(seed, 17 + seed)
        theirs = reference.pearsonr(x, y).confidence_interval(0.9)
        found = correlation(x, y, "pearson", level=0.9)
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize("method, least", [("pearson", 4), ("spearman", 4), ("kendall", 5)])
def test_below_the_least_number_there_is_no_interval(method, least):
    x, y = np.arange(float(least)), np.arange(float(least))
    y[0], y[1] = y[1], y[0]
    assert correlation(x, y, method).method == "fisher"
    found = correlation(x[1:], y[1:], method)
    assert (found.n, found.method, math.isnan(found.value)) == (least - 1, "none", False)
    # as many answers as one likes of too few sessions are too few
    some = np.repeat(np.arange(least - 1), 5)
    noise = np.random.default_rng(0).normal(size=len(some))
    assert correlation(noise, noise**2, method, some).method == "none"


@pytest.mark.parametrize("method", METHODS)
def test_a_perfect_correlation_has_no_interval(method):
    found = correlation([1, 2, 3, 4, 5, 6], [-2, -4, -6, -8, -10, -12], method)
    assert (found.value, found.method) == (-1, "none")
    assert math.isnan(found.low)


@pytest.mark.parametrize("method", METHODS)
def test_clusters_that_are_all_alike_show_no_chance(method):
    found = correlation([0, 0, 1, 1] * 6, [0, 1, 0, 1] * 6, method, np.repeat(np.arange(6), 4))
    assert (found.value, found.method) == (pytest.approx(0), "none")


@pytest.mark.parametrize("method", METHODS)
def test_what_is_written_three_times_is_no_surer(method):
    x, y = columns(7, 80)
    once = correlation(x, y, method)
    thrice = correlation(np.repeat(x, 3), np.repeat(y, 3), method, np.repeat(np.arange(80), 3))
    naive = correlation(np.repeat(x, 3), np.repeat(y, 3), method)
    assert thrice.value == pytest.approx(once.value)
    assert thrice.method == ("jackknife" if method == "pearson" else "influence")
    assert thrice.high - thrice.low == pytest.approx(once.high - once.low, rel=0.25)
    assert naive.high - naive.low < 0.75 * (once.high - once.low)
    assert correlation(x, y, method, np.arange(80)) == once


def clustered(rng, groups, size=4, shared=0.8):
    numbers = np.repeat(np.arange(groups), size)
    x, e = (
        math.sqrt(shared) * rng.normal(size=groups)[numbers] + math.sqrt(1 - shared) * rng.normal(size=len(numbers))
        for _ in range(2)
    )
    return x, 0.6 * x + 0.8 * e, numbers


def covered(draw, truth, seed, times):
    rng = np.random.default_rng(seed)
    estimates = [draw(rng) for _ in range(times)]
    return np.mean([estimate.low <= truth <= estimate.high for estimate in estimates])


#: Of a bivariate normal distribution with r = .6: rho = 6/pi asin(.3), tau = 2/pi asin(.6).
TRUTH = {"pearson": 0.6, "spearman": 6 / math.pi * math.asin(0.3), "kendall": 2 / math.pi * math.asin(0.6)}


@repeated
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [10, 60])
def test_interval_covers(method, n, times):
    def draw(rng):
        x = rng.normal(size=n)
        return correlation(x, 0.6 * x + 0.8 * rng.normal(size=n), method)

    assert covered(draw, TRUTH[method], n, times) == pytest.approx(0.95, abs=slack(times))


@repeated
@pytest.mark.parametrize("method", METHODS)
def test_clustered_interval_covers_and_forgetting_the_clusters_is_noticed(method, times):
    def right(rng):
        x, y, numbers = clustered(rng, 60)
        return correlation(x, y, method, numbers)

    def wrong(rng):
        return correlation(*clustered(rng, 60)[:2], method)

    assert covered(right, TRUTH[method], 1, times) == pytest.approx(0.94, abs=slack(times))
    assert covered(wrong, TRUTH[method], 1, times) < 0.94 - slack(times)


@repeated
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("groups, shared", [(10, 0.8), (20, 1)])
def test_few_strong_clusters_are_covered_too(method, groups, shared, times):
    """Pearson's r by its influence would be in 90 % of them."""

    def draw(rng):
        x, y, numbers = clustered(rng, groups, shared=shared)
        return correlation(x, y, method, numbers)

    assert covered(draw, TRUTH[method], groups, times) == pytest.approx(0.95, abs=slack(times) + 0.015)


def test_pearson_leaves_out_one_cluster_after_the_other():
    x, y, numbers = clustered(np.random.default_rng(5), 9)
    numbers, x = 100 - 3 * numbers, 1e200 * x
    without = [np.corrcoef(x[numbers != one] / 1e200, y[numbers != one])[0, 1] for one in np.unique(numbers)]
    error = np.std(np.arctanh(without)) * math.sqrt(8)
    found = correlation(x, y, "pearson", numbers, 0.9)
    assert (math.atanh(found.high) - math.atanh(found.low)) / 2 == pytest.approx(reference.t.ppf(0.95, 8) * error)


@pytest.mark.parametrize(
    "x, y",
    [
        ([0.1] * 8 + [0.3, 0.7], [5, 2, 3, 1, 4, 2, 6, 3, 8, 7]),  # x varies in the last session alone
        ([5, 2, 3, 1, 4, 2, 6, 3, 8, 7], [0, 0, 0, 0, 0, 0, 0, 0, 3, 9]),  # or y
        ([1, 2, 3, 4, 5, 6, 7, 8, 1, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]),  # all others are on a line
    ],
)
def test_a_cluster_without_which_there_is_no_correlation_leaves_no_interval(x, y):
    found = correlation(x, y, "pearson", np.arange(10) // 2)
    assert (found.method, math.isnan(found.value), math.isnan(found.low)) == ("none", False, True)


@repeated
def test_kendall_covers_where_people_give_one_to_five(times):
    """The short formula does so in 90 % of the cases only."""

    def rated(rng, n):
        x = rng.normal(size=n)
        return x, np.clip(np.round(1.2 * (0.6 * x + 0.8 * rng.normal(size=n))) + 3, 1, 5)

    truth = kendall(*rated(np.random.default_rng(0), 20_000))
    held = covered(lambda rng: correlation(*rated(rng, 40), "kendall"), truth, 2, times)
    assert held == pytest.approx(0.95, abs=slack(times))


# two correlations with the same thing


def williams(x, other, y):
    """Williams' test of two dependent correlations, p value; Steiger (1980), formula 7."""
    n = len(y)
    a, b, c = np.corrcoef(x, y)[0, 1], np.corrcoef(other, y)[0, 1], np.corrcoef(x, other)[0, 1]
    size = 1 - a * a - b * b - c * c + 2 * a * b * c
    below = 2 * (n - 1) / (n - 3) * size + ((a + b) / 2) ** 2 * (1 - c) ** 3
    return 2 * reference.t.sf(abs((a - b) * math.sqrt((n - 1) * (1 + c) / below)), n - 3)


def three(rng, n, first=0.6, second=0.6, both=0.7):
    lower = np.linalg.cholesky([[1, first, second], [first, 1, both], [second, both, 1]])
    y, x, other = lower @ rng.normal(size=(3, n))
    return x, other, y


def test_difference_agrees_with_williams_test():
    rng = np.random.default_rng(3)
    for _ in range(20):
        x, other, y = three(rng, 2000, 0.6, 0.57)
        found = correlation_difference((x, other), y, "pearson")
        assert found.difference == pytest.approx(np.corrcoef(x, y)[0, 1] - np.corrcoef(other, y)[0, 1])
        assert reference.norm.isf(found.p / 2) == pytest.approx(reference.norm.isf(williams(x, other, y) / 2), abs=0.25)


@repeated
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [15, 60])
def test_difference_keeps_its_level(method, n, times):
    rng = np.random.default_rng(n)
    draws = [three(rng, n) for _ in range(times)]
    share = np.mean([correlation_difference((x, other), y, method).p < 0.05 for x, other, y in draws])
    assert 0 < share < 0.05 + slack(times)


@pytest.mark.parametrize("method", METHODS)
def test_difference_that_is_there_is_found_and_has_a_sign(method):
    x, other, y = three(np.random.default_rng(9), 300, 0.8, 0.3, 0.4)
    found = correlation_difference((x, other), y, method)
    back = correlation_difference((other, x), y, method)
    assert found.p < 1e-6
    assert found.difference == pytest.approx(-back.difference)
    assert found.p == pytest.approx(back.p)
    assert found.low < found.difference < found.high


def test_difference_with_clusters_is_less_sure():
    rng = np.random.default_rng(11)
    x, other, y = (np.repeat(column, 5) for column in three(rng, 40, 0.7, 0.5))
    sessions = np.repeat(np.arange(40), 5)
    assert correlation_difference((x, other), y, "spearman", sessions).p > correlation_difference((x, other), y).p


def test_difference_in_the_corners():
    x, other, y = three(np.random.default_rng(2), 30)
    assert correlation_difference((x, x), y).p == 1
    assert math.isnan(correlation_difference((x, np.ones(30)), y).p)
    assert math.isnan(correlation_difference((x[:3], other[:3]), y[:3]).p)
    x[4], other[7], y[9] = NAN, NAN, NAN
    assert correlation_difference((x, other), y).n == 27


# clusters of columns


def test_complete_linkage_is_that_of_scipy():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        hidden = rng.normal(size=(3, 50))
        table = np.corrcoef(
            hidden[rng.integers(0, 3, 9)] * rng.choice([-1, 1], (9, 1)) + 0.4 * rng.normal(size=(9, 50))
        )
        near = 1 - np.abs(table)[np.triu_indices(9, 1)]
        for at in (0.5, 0.8, 0.9):
            labels = fcluster(linkage(near, "complete"), 1 - at, "distance")
            theirs = sorted(tuple(np.flatnonzero(labels == label)) for label in set(labels))
            assert alike(table, at) == theirs


def test_every_two_of_a_group_reach_the_bound():
    # a is like b and b like c, but a is not like c: b goes with c, to which it is nearer
    table = np.array([[1, 0.91, 0.5], [0.91, 1, -0.92], [0.5, -0.92, 1]])
    assert alike(table) == [(0,), (1, 2)]
    assert alike(table, 0.92) == [(0,), (1, 2)]
    assert alike(table, 0.93) == [(0,), (1,), (2,)]


def test_groups_in_the_corners():
    assert alike(np.zeros((0, 0))) == []
    assert alike(np.array([[NAN]])) == [(0,)]
    assert alike(np.array([[1, NAN], [NAN, 1]])) == [(0,), (1,)]
    assert alike(np.ones((4, 4))) == [(0, 1, 2, 3)]
    # equally near: the first two are joined first, and the third is too far from one of them
    assert alike(np.array([[1, 0.95, 0.1], [0.95, 1, 0.95], [0.1, 0.95, 1]])) == [(0, 1), (2,)]
