import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtri
from scipy.stats import binom, chi, expon, norm, skew, t, ttest_1samp
from statsmodels.stats.power import TTestPower

from neraca.stats.planning.mcnemar_power import mcnemar_detectable, mcnemar_items, mcnemar_power
from neraca.stats.planning.power import items_needed, power_reached, smallest_effect
from neraca.stats.planning.resampled_power import moved_to, resampled_power
from neraca.stats.tests.paired import t_test


@pytest.mark.parametrize("effect, items", [(0.2, 199), (0.3, 90), (0.5, 34), (0.8, 15)])
def test_golden_values(effect, items):
    # statsmodels TTestPower().solve_power(effect, alpha=.05, power=.8), rounded up: 198.2, 89.1, 33.4, 14.3
    assert items_needed(effect) == items
    assert items_needed(-effect) == items


@pytest.mark.parametrize("effect, n", [(0.05, 2), (0.05, 3000), (0.2, 5), (0.5, 30), (0.5, 3), (1.3, 12), (3.0, 4)])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_power_is_that_of_statsmodels(effect, n, alpha):
    expected = TTestPower().power(effect, n, alpha, alternative="two-sided")
    assert power_reached(effect, n, alpha) == pytest.approx(expected, abs=1e-9)
    assert power_reached(-effect, n, alpha) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "effect, n", [(0.2, 150), (0.5, 300), (0.8, 45), (1.3, 30), (1.3, 45), (2.0, 30), (3.0, 60), (9.3, 2)]
)
@pytest.mark.parametrize("alpha, error", [(0.001, 1e-5), (0.01, 1e-6), (0.05, 1e-6)])
def test_power_is_right_where_the_series_of_the_noncentral_t_ends(effect, n, alpha, error):
    """Many of these are NaN in scipy and statsmodels; the reference integrates over the distribution of the spread."""
    shift, critical = effect * math.sqrt(n), t.ppf(1 - alpha / 2, n - 1)
    spread = chi(n - 1)

    def found_given(s):
        limit = critical * s / math.sqrt(n - 1)
        return spread.pdf(s) * (norm.cdf(shift - limit) + norm.cdf(-shift - limit))

    expected = quad(found_given, spread.ppf(1e-14), spread.isf(1e-14), epsabs=1e-12, limit=200)[0]
    assert power_reached(effect, n, alpha) == pytest.approx(expected, abs=error)


@pytest.mark.parametrize("effect", [0.07, 0.33, 0.9, 2.5])
@pytest.mark.parametrize("alpha, power", [(0.05, 0.9), (0.01, 0.8)])
def test_items_needed_is_the_first_number_that_is_enough(effect, alpha, power):
    n = items_needed(effect, alpha, power)
    assert TTestPower().power(effect, n, alpha) >= power
    assert n == 2 or TTestPower().power(effect, n - 1, alpha) < power


def test_without_effect_the_power_is_the_level():
    assert power_reached(0.0, 40, 0.05) == pytest.approx(0.05)


@pytest.mark.parametrize("effect, n", [(5.0, 200), (50.0, 2), (1e6, 10), (math.inf, 5)])
def test_huge_effects_are_found_for_certain(effect, n):
    assert power_reached(effect, n) == pytest.approx(1.0)


def test_where_nothing_can_be_said():
    assert math.isnan(power_reached(0.5, 1))
    assert math.isnan(power_reached(math.nan, 10))
    for effect in (0.0, math.nan, 1e-9):
        assert items_needed(effect) is None
    assert items_needed(1e300) == 2
    assert items_needed(math.inf) == 2


def test_up_to_ten_million_items_are_told():
    # for so many items the normal approximation ((z(.975) + z(.8)) / d)^2 is exact enough: 8,997,335
    expected = ((ndtri(0.975) + ndtri(0.8)) / 0.000934) ** 2
    assert items_needed(0.000934) == pytest.approx(expected, rel=1e-4)
    assert items_needed(0.00088) is None  # 10,135,691


# the smallest effect


@pytest.mark.parametrize("n", [5, 12, 30, 200, 3000])
@pytest.mark.parametrize("alpha, power", [(0.05, 0.8), (0.01, 0.9), (0.1, 0.5)])
def test_the_smallest_effect_has_that_power_in_statsmodels(n, alpha, power):
    assert TTestPower().power(smallest_effect(n, alpha, power), n, alpha) == pytest.approx(power, abs=1e-6)


def test_the_smallest_effect_is_what_statsmodels_solves_for():
    for n in (8, 30, 120):
        expected = np.squeeze(TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8))
        assert smallest_effect(n) == pytest.approx(float(expected), rel=1e-6)


def test_the_smallest_effect_belongs_to_the_items_needed():
    for effect, items in [(0.2, 199), (0.3, 90), (0.5, 34), (0.8, 15)]:
        assert smallest_effect(items) <= effect < smallest_effect(items - 1)


def test_the_smallest_effect_where_there_is_none():
    assert math.isnan(smallest_effect(1))
    assert math.isnan(smallest_effect(30, 0.05, 0.05))
    assert math.isnan(smallest_effect(30, 0.05, 1.0))


# shares


def test_mcnemar_by_hand():
    # Connor (1987): with .05 and .45 right in one system alone n = (1.95996 sqrt .5 + .84162 sqrt .34)^2 / .16 = 22.01
    assert mcnemar_items(0.4, 0.5) == mcnemar_items(-0.4, 0.5) == 23
    # .15 and .05: (1.95996 sqrt .2 + .84162 sqrt .19)^2 / .01 = (.876521 + .366849)^2 / .01 = 154.6
    assert mcnemar_items(0.1, 0.2) == 155
    # n = 100: (.1 * 10 - .876521) / .435890 = .283280, of which the normal share is .61152
    assert mcnemar_power(0.1, 0.2, 100) == mcnemar_power(-0.1, 0.2, 100) == pytest.approx(0.61152, abs=1e-5)


@pytest.mark.parametrize("difference, disagree", [(0.1, 0.2), (0.05, 0.3), (0.3, 0.4)])
@pytest.mark.parametrize("alpha, power", [(0.05, 0.8), (0.01, 0.9), (0.2, 0.4)])
def test_items_and_smallest_difference_of_shares_belong_to_the_power(difference, disagree, alpha, power):
    n = mcnemar_items(difference, disagree, alpha, power)
    assert mcnemar_power(difference, disagree, n, alpha) >= power > mcnemar_power(difference, disagree, n - 1, alpha)
    smallest = mcnemar_detectable(disagree, n, alpha, power)
    assert mcnemar_power(smallest, disagree, n, alpha) == pytest.approx(power, abs=1e-9)
    assert smallest <= difference < mcnemar_detectable(disagree, n - 1, alpha, power)


@pytest.mark.parametrize("difference, disagree, n", [(0.1, 0.2, 155), (0.1, 0.3, 150), (0.1, 0.5, 300)])
def test_power_of_shares_is_that_of_every_possible_outcome(difference, disagree, n):
    """McNemar's test without correction over all numbers of disagreements and all ways in which they can fall."""
    limit, favour, power = ndtri(0.975), (disagree + difference) / 2 / disagree, 0.0
    for m in range(1, n + 1):
        ahead = np.arange(m + 1)
        found = np.abs(2 * ahead - m) > limit * math.sqrt(m)
        power += binom.pmf(m, n, disagree) * binom.pmf(ahead, m, favour)[found].sum()
    assert mcnemar_power(difference, disagree, n) == pytest.approx(power, abs=0.03)


def test_shares_at_the_edge():
    assert mcnemar_items(0.0, 0.2) is None
    assert mcnemar_items(1e-4, 0.5) is None  # (1.96 sqrt .5 + .84 sqrt .5)^2 / 1e-8 = 392 million
    assert mcnemar_items(1.0, 0.1) == 4  # all questions say so: 1.96^2 = 3.84
    assert (mcnemar_power(1.0, 1.0, 3), mcnemar_power(1.0, 1.0, 4)) == (0.0, 1.0)
    assert mcnemar_power(0.5, 0.2, 40) == mcnemar_power(0.5, 0.5, 40)
    assert math.isnan(mcnemar_detectable(0.1, 10))  # one disagreement is to be expected
    assert math.isnan(mcnemar_detectable(0.3, 1, 0.05, 0.06))


# by resampling


def power_of(values, drawn, **settings):
    return resampled_power(np.asarray(values, float), np.arange(len(values)), drawn, **settings)


def test_moved_differences_keep_their_spread_and_their_ties():
    d = np.array([0.0, 0, 0, 1, 5])
    moved = moved_to(d, np.arange(5), 0.3)
    assert moved.mean() == pytest.approx(0.3)
    assert moved.std() == pytest.approx(d.std(ddof=1))
    assert len(np.unique(moved)) == 3
    assert skew(moved) == pytest.approx(skew(d))
    assert moved_to(d, np.zeros(5, int), 2.0) == pytest.approx(d - 1.2 + 2)


@pytest.mark.parametrize("effect, n", [(0.0, 20), (0.5, 34), (0.3, 90), (0.8, 8)])
def test_of_normal_differences_the_simulated_power_is_that_of_the_formula(effect, n):
    normal = norm.ppf((np.arange(1, 401) - 0.5) / 400)
    moved = moved_to(normal / normal.std(ddof=1), np.arange(400), effect)
    # 4 standard errors of a share of 5,000, and what 400 different values are from normal ones
    assert power_of(moved, n) == pytest.approx(power_reached(effect, n), abs=4 * math.sqrt(0.25 / 5000) + 0.01)


def test_the_test_that_is_simulated_is_the_one_that_compare_makes():
    """The same resamples, made one by one with whole sessions and given to the t-test itself."""
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(9), [1, 4, 2, 3, 1, 5, 2, 2, 4])
    d = moved_to(np.exp(rng.normal(size=24)) + rng.normal(size=9)[clusters], clusters, 0.6)
    members = [d[clusters == g] for g in range(9)]
    again, hits = np.random.default_rng(11), 0
    for counts in again.multinomial(12, np.full(9, 1 / 9), size=400):
        chosen = np.repeat(np.arange(9), counts)
        numbers = np.repeat(np.arange(12), [len(members[g]) for g in chosen])
        hits += t_test(np.concatenate([members[g] for g in chosen]), numbers).p < 0.05
    assert resampled_power(d, clusters, 12, seed=11, simulations=400) == hits / 400


def test_a_skewed_distribution_is_not_found_as_often_as_the_formula_says():
    """Exponential differences: with a mean above 0 few large values carry it, and t is smaller than of normal ones."""
    d = expon.ppf((np.arange(1, 501) - 0.5) / 500)
    up, down = (power_of(moved_to(sign * d, np.arange(500), 0.5), 15) for sign in (1, -1))
    rng, found = np.random.default_rng(8), {}
    for sign in (1, -1):
        drawn = sign * (rng.exponential(size=(20_000, 15)) - 1) + 0.5
        found[sign] = (ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean()
    assert (up, down) == (pytest.approx(found[1], abs=0.04), pytest.approx(found[-1], abs=0.04))
    assert down - up > 0.08  # the formula gives both the same


def test_whole_sessions_are_drawn():
    """Five answers of a session that all say the same are worth one; forgetting it would promise far too much."""
    d = moved_to(np.repeat(norm.ppf((np.arange(1, 41) - 0.5) / 40), 5), np.repeat(np.arange(40), 5), 0.3)
    right = resampled_power(d, np.repeat(np.arange(40), 5), 40)
    wrong = resampled_power(d, np.arange(200), 200)
    assert right == pytest.approx(power_reached(0.3, 40), abs=0.04)
    assert wrong > right + 0.4


def test_resampling_is_repeatable_and_may_be_done_in_parts():
    d = moved_to(np.arange(10.0), np.arange(10), 1.0)
    assert power_of(d, 12, seed=1) == power_of(d, 12, seed=1) != power_of(d, 12, seed=2)
    d = moved_to(np.random.default_rng(2).normal(size=1000), np.arange(1000), 0.5)
    drawn = [np.repeat(d, n) for n in np.random.default_rng(1).multinomial(20, np.full(1000, 1 / 1000), size=4001)]
    at_once = (ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean()
    assert power_of(d, 20, seed=1, simulations=4001) == at_once


def test_resampling_shares_is_exact_where_it_can_be_counted():
    """Two differences of -1 or 1 never differ enough; of six, five and one give t = 2 / 3 / .298 = 2.236 < 2.571."""
    even = np.array([0.5, 0.0, 0.5])
    assert resampled_power(np.array([-1.0, 0, 1]), np.arange(3), 6, even) == 0
    # of nine with one against: mean 7/9, s = .667, t = 3.5 > 2.306; with two against 5/9, s = .882, t = 1.89
    weights = np.array([0.1, 0.0, 0.9])
    expected = binom.pmf(8, 9, 0.9) + binom.pmf(1, 9, 0.9)
    found = resampled_power(np.array([-1.0, 0, 1]), np.arange(3), 9, weights, simulations=20_000)
    assert found == pytest.approx(expected, abs=4 * math.sqrt(0.25 / 20_000))


def test_too_little_to_draw_from():
    assert math.isnan(power_of([0.0, 1, 2, 3], 10))
    assert math.isnan(power_of([0.0, 1, 2, 3, 4], 1))
    assert power_of([0.0] * 5, 10) == 0
    assert power_of([1.0] * 5, 10) == 0  # nothing shows chance: no test, nothing found


@pytest.mark.parametrize("alpha", [1e-17, 1e-300])
def test_no_effect_is_found_at_a_level_that_is_no_different_from_none(alpha):
    """1 - alpha/2 is 1, so that the critical t is infinite."""
    assert math.isnan(smallest_effect(20, alpha))
