import math

import pytest
from scipy.integrate import quad
from scipy.special import ndtri
from scipy.stats import chi, norm, t
from statsmodels.stats.power import TTestPower

from neraca.stats.power import items_needed, power_reached


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


@pytest.mark.parametrize("effect, n", [(0.2, 150), (0.5, 300), (0.8, 45), (1.3, 30), (1.3, 45), (2.0, 30), (3.0, 60)])
@pytest.mark.parametrize("alpha, error", [(0.001, 2e-4), (0.01, 2e-6), (0.05, 2e-6)])
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
