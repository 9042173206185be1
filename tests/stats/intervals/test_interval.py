import math

import numpy as np
import pytest
from scipy import stats as reference
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from neraca.stats.intervals.interval import (
    bounded_interval,
    clustered_error,
    interval,
    keep_in_range,
    mean,
    pseudo_values,
    t_quantile,
    wilson,
    within_range,
)


def plain(values):
    return np.column_stack([values, np.ones(len(values))])


def share(sums):
    return sums[..., 0] / np.where(sums[..., 1] == 0, np.nan, sums[..., 1])


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_interval_of_a_mean_is_that_of_scipy(level):
    values = np.random.default_rng(3).normal(size=17)
    expected = reference.ttest_1samp(values, 0).confidence_interval(level)
    found = interval(plain(values), level=level)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert (found.value, found.n, found.method) == (pytest.approx(values.mean()), 17, "t")


@pytest.mark.parametrize(
    "level, df, quantile", [(0.95, 9, 2.262), (0.9, 9, 1.833), (0.95, 1, 12.706), (0.99, 30, 2.750)]
)
def test_quantiles_are_those_of_the_printed_table(level, df, quantile):
    # Student's t, two-sided, as printed in NIST/SEMATECH e-Handbook, table 1.3.6.7.2
    assert t_quantile(level, df) == pytest.approx(quantile, abs=5e-4)


@pytest.mark.parametrize("count, n", [(0, 1), (1, 1), (0, 12), (12, 12), (1, 40), (7, 20), (499, 1000)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_is_that_of_statsmodels(count, n, level):
    assert wilson(count / n, n, level) == pytest.approx(proportion_confint(count, n, 1 - level, "wilson"), abs=1e-12)


def test_shares_get_wilson_and_never_leave_the_unit_interval():
    found = interval(plain([1.0] * 12))
    assert (found.method, found.high) == ("wilson", pytest.approx(1))
    assert found.low == pytest.approx(0.7575, abs=5e-5)  # 12 / (12 + 1.96^2), worked by hand


def test_a_ratio_is_no_share_where_items_weigh_differently():
    rows = np.array([[1.0, 1], [0, 1], [3, 3], [1, 1]])
    assert interval(rows, share).method == "t"


def test_the_interval_of_a_ratio_rests_on_the_items_that_its_counts_hold():
    """Three refusals among a hundred answers, all right: Wilson's interval of 3 of 3, not that of 100 of 100."""
    rows = np.array([[1.0, 1]] * 3 + [[0, 0]] * 97)
    found = interval(rows, share, limits=(0, 1))
    assert (found.value, found.n, found.method) == (1.0, 3, "wilson")
    assert (found.low, found.high) == pytest.approx(proportion_confint(3, 3, method="wilson"))


def test_a_total_that_no_single_item_changes_rests_on_all_of_them():
    def spread(sums):
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums[..., 0] / np.where(sums[..., 1] > 1, sums[..., 1], 0)

    assert interval(np.array([[1.0, 1]] * 5), spread, limits=(0, 1)).n == 5


def test_items_that_bear_on_nothing_change_no_interval():
    rng = np.random.default_rng(8)
    rows = np.column_stack([rng.integers(0, 4, 30), np.full(30, 4)]).astype(float)
    padded = np.concatenate([rows, np.zeros((300, 2))])
    assert interval(padded, share, limits=(0, 1)) == interval(rows, share, limits=(0, 1))
    groups = np.concatenate([np.arange(30) // 3, np.arange(300)])
    assert interval(padded, share, groups) == interval(rows, share, np.arange(30) // 3)


def test_one_cluster_per_item_changes_nothing():
    values = np.random.default_rng(4).normal(size=11)
    assert clustered_error(values, np.arange(11)) == pytest.approx(clustered_error(values))
    assert clustered_error(values)[0] == pytest.approx(reference.sem(values))


@pytest.mark.parametrize("sizes", [(3, 3, 3, 3), (1, 5, 2, 9, 4), (2, 1)])
def test_clustered_error_is_that_of_statsmodels(sizes):
    # statsmodels multiplies by G/(G-1) * (n-1)/(n-k); with the constant alone k = 1, so ours is the same
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    values = rng.normal(size=len(clusters)) + rng.normal(size=len(sizes))[clusters]
    fit = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    assert clustered_error(values, clusters) == (pytest.approx(fit.bse[0], rel=1e-10), len(sizes) - 1)


def test_numbers_of_clusters_are_only_names():
    rng = np.random.default_rng(3)
    values, clusters = rng.normal(size=40), rng.integers(0, 15, 40)
    for names in (rng.permutation(15), rng.permutation(15) - 7, rng.permutation(15) * 70):
        assert clustered_error(values, clusters) == clustered_error(values, names[clusters])


def test_pseudo_values_of_a_ratio_by_hand():
    # sums (6, 9): T = 2/3; without each item 5/7, 4/5 and 1/2; 3 T - 2 T(-i) = 4/7, 2/5, 1
    rows = np.array([[1.0, 2], [2, 4], [3, 3]])
    assert pseudo_values(rows, share) == pytest.approx([4 / 7, 2 / 5, 1])


def test_pseudo_value_of_the_one_item_that_defines_the_total_is_the_total():
    # without the first item the ratio is 0/0; without the second it is 1/2 still
    assert pseudo_values(np.array([[1.0, 2], [0, 0]]), share).tolist() == [0.5, 0.5]


def test_interval_of_a_ratio_by_hand():
    # pseudo-values 4/7, 2/5, 1: mean 69/105, s = 0.30905, error s/sqrt 3 = 0.17843, t(2) = 4.30265, centre 6/9
    found = interval(np.array([[1.0, 2], [2, 4], [3, 3]]), share)
    assert found.value == pytest.approx(2 / 3)
    assert (found.high - found.low) / 2 == pytest.approx(4.302653 * 0.17843, abs=5e-5)
    assert (found.high + found.low) / 2 == pytest.approx(2 / 3)


def test_effective_number_of_clustered_shares_by_hand():
    # 1 1 | 0 0 | 1 0: squared error 3/2 * 2/36 = 1/12 against 6/5 * 1.5/36 = 1/20 of independent items; so
    # 6 * 3/5 = 3.6 items, times (t(5) / t(2))^2 = (2.5706 / 4.3027)^2 for the few clusters: 1.28495
    found = interval(plain([1.0, 1, 0, 0, 1, 0]), clusters=np.array([0, 0, 1, 1, 2, 2]))
    assert found.method == "wilson"
    assert (found.low, found.high) == pytest.approx(proportion_confint(0.642475, 1.28495, 0.05, "wilson"), abs=1e-4)


def test_copies_of_an_answer_tell_no_more_than_one():
    values = np.array([1.0, 0, 1, 1, 0, 1, 0, 1, 1, 1])
    once = interval(plain(values))
    copied = interval(plain(np.repeat(values, 5)), clusters=np.repeat(np.arange(10), 5))
    assert copied.value == once.value
    assert once.high - once.low <= copied.high - copied.low <= 1.3 * (once.high - once.low)


def test_agreement_within_all_clusters_counts_clusters():
    # all right in 4 sessions of 3: no spread to estimate from, so 4 independent items and not 12
    found = interval(plain([1.0] * 12), clusters=np.repeat(np.arange(4), 3))
    assert found.low == pytest.approx(proportion_confint(4, 4, 0.05, "wilson")[0])


def test_items_are_not_worth_more_than_one_each_where_a_cluster_holds_opposites():
    # pairs 1 0, 1 0, 1 0, 1 0, 1 1: squared error 5/4 * .8/100 = .01 against 10/9 * 2.4/100 = .0267, so 26.7 items
    # times (t(9) / t(4))^2 = .664 would be 17.7; there are 10
    found = interval(plain([1.0, 0] * 4 + [1.0, 1]), clusters=np.repeat(np.arange(5), 2))
    assert (found.low, found.high) == pytest.approx(proportion_confint(6, 10, 0.05, "wilson"))


def test_opposites_within_clusters_are_not_worth_more_than_all_items():
    found = interval(plain([1.0, 0] * 6), clusters=np.repeat(np.arange(6), 2))
    assert found.high - found.low >= np.diff(proportion_confint(6, 12, 0.05, "wilson"))[0] - 1e-12


def test_nothing_to_estimate_from():
    for rows in (np.empty((0, 2)), np.full((3, 2), np.nan)):
        found = interval(rows, clusters=np.arange(len(rows)))
        assert (found.n, found.method) == (0, "none")
        assert all(math.isnan(bound) for bound in (found.value, found.low, found.high))


def test_a_total_that_is_not_defined():
    found = interval(np.zeros((3, 2)), share)
    assert (found.n, found.method, math.isnan(found.value)) == (3, "none", True)


SHARED = np.array([5, 5, 5])


@pytest.mark.parametrize("values, clusters", [([0.3], None), ([0.3, 0.7, 0.1], SHARED), ([1.0, 0, 1], SHARED)])
def test_one_source_of_chance_has_a_value_but_no_interval(values, clusters):
    found = interval(plain(values), clusters=clusters)
    assert found.value == pytest.approx(np.mean(values))
    assert (found.n, found.method, math.isnan(found.low), math.isnan(found.high)) == (len(values), "none", True, True)


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_observations_give_no_interval_whatever_the_value(value, n):
    found = interval(plain([value] * n), limits=(0, 1))
    assert (found.method, math.isnan(found.low), found.value) == ("none", True, value)
    assert found.why == f"{n} observation{'s' * (n > 1)}; an interval takes at least 3"


def test_three_items_that_are_a_share():
    assert interval(plain([1.0] * 3)).low == pytest.approx(proportion_confint(3, 3, 0.05, "wilson")[0])
    in_two_sessions = interval(plain([1.0, 0, 1, 1]), clusters=np.array([0, 0, 1, 1]), limits=(0, 1))
    assert in_two_sessions.why == "2 observations; an interval takes at least 3"


def test_unscored_rows_are_left_out_with_their_clusters():
    values = np.array([0.2, np.nan, 0.9, 0.4, np.nan, 0.5])
    clusters = np.array([0, 0, 1, 1, 2, 3])
    kept = ~np.isnan(values)
    assert interval(plain(values), clusters=clusters) == interval(plain(values[kept]), clusters=clusters[kept])


def test_unscored_counts_are_left_out_wherever_the_gap_is():
    assert interval(np.array([[1.0, 2], [1, np.nan], [np.nan, 2], [3, 4]]), share).value == pytest.approx(4 / 6)


def test_mean_of_nothing_is_no_number():
    assert math.isnan(mean(np.zeros(2)))
    assert mean(np.array([[3.0, 2], [1, 4]])).tolist() == [1.5, 0.25]


def test_items_that_all_say_the_same_show_no_chance_and_get_no_interval():
    found = interval(np.column_stack([np.full(8, 0.3), np.ones(8)]))
    assert (found.value, found.n, found.method) == (pytest.approx(0.3), 8, "none")
    assert math.isnan(found.low)
    assert math.isnan(found.high)


@pytest.mark.parametrize("good, n", [(15, 22), (7, 49), (99, 297)])
def test_a_share_is_a_share_whatever_its_rounding(good, n):
    """15 of 22: statsmodels proportion_confint(15, 22, method="wilson") = 0.4733, 0.8364."""
    found = interval(plain(np.r_[np.ones(good), np.zeros(n - good)]))
    assert found.method == "wilson"
    assert (found.low, found.high) == pytest.approx(proportion_confint(good, n, method="wilson"))


def wilson_with_t(share, n, df):
    """Wilson's interval by statsmodels, with the quantile of t(df) in place of the normal one."""
    return proportion_confint(share * n, n, 2 * reference.norm.sf(reference.t.ppf(0.975, df)), "wilson")


def test_two_ratings_on_a_scale_of_0_to_5_have_no_interval_and_the_reason_is_said():
    without = interval(plain([2.0, 5]), limits=(-math.inf, math.inf))
    assert (without.value, round(without.low), round(without.high)) == (3.5, -16, 23)
    found = interval(plain([2.0, 5]), limits=(0, 5))
    assert (found.value, found.n, found.method) == (3.5, 2, "none")
    assert math.isnan(found.low)
    assert found.why == "2 observations; an interval takes at least 3"


def test_where_t_leaves_the_scale_it_is_wilsons_with_the_effective_number_of_items():
    # 5 5 4 5: mean 4.75 is .95 of the scale; se .25 is .05 of it: .95 * .05 / .05^2 = 19 items, at most the 4 there are
    found = interval(plain([5.0, 5, 4, 5]), limits=(0, 5))
    low, high = wilson_with_t(0.95, 4, 3)
    assert (found.method, found.low, found.high) == ("bounded", pytest.approx(5 * low), pytest.approx(5 * high))
    # 0 5 5 5 5 5 5 5 by sessions of two: se counts the sessions
    values, sessions = np.array([0.0, 0, 5, 5, 5, 5, 5, 5]), np.repeat(np.arange(4), 2)
    error, df = clustered_error(values, sessions)
    low, high = wilson_with_t(0.75, 0.75 * 0.25 / (error / 5) ** 2, df)
    found = interval(plain(values), clusters=sessions, limits=(0, 5))
    assert (found.low, found.high) == (pytest.approx(5 * low), pytest.approx(5 * high))


def test_where_t_stays_inside_the_range_it_is_kept():
    values = np.random.default_rng(3).beta(3, 3, 20)
    assert interval(plain(values), limits=(0, 1)) == interval(plain(values))


def test_values_that_are_all_the_best_count_as_many_as_their_sessions():
    found = interval(plain([5.0] * 8), clusters=np.repeat(np.arange(4), 2), limits=(0, 5))
    assert (found.low, found.high) == (pytest.approx(5 * wilson_with_t(1, 4, 3)[0]), 5)
    assert interval(plain([4.0] * 8), limits=(0, 5)).why == "all values are equal"


def test_a_range_with_one_end_is_never_left_and_mirrors():
    # p with (1 - p)^2 = 1.5^2 p: p = 4 and 1/4
    assert within_range(1, 1.5, (0, math.inf)) == pytest.approx((0.25, 4))
    assert within_range(-1, 1.5, (-math.inf, 0)) == pytest.approx((-4, -0.25))


def test_one_observation_has_no_interval():
    assert bounded_interval(1, math.nan, 0, 1, (0, 5)).why == "1 observation; an interval takes at least 3"
    assert bounded_interval(1, math.nan, 0, 1).why == "too few observations"


def test_a_value_at_the_end_of_its_range_has_no_interval_where_nothing_says_how_wide():
    assert np.isnan(keep_in_range(1.0, (0.7, 1.3), (0, 1), 9)).all()
    assert np.isfinite(keep_in_range(1.0, (0.7, 1.3), (0, 1), 9, most_c=0.4)).all()


def test_bounds_of_values_without_a_range_are_kept_as_they_are():
    assert keep_in_range(3.0, (1.0, 5.0), (-math.inf, math.inf), 9) == (1.0, 5.0)
    assert keep_in_range(3.0, (3.0, 3.0), (0, 4), 9) == (3.0, 3.0)
