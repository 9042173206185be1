"""How many items equivalence takes: by published plans of trials, by an integral, and by simulated tests."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi, norm, t, ttest_1samp

from neraca.stats.planning.equivalence_power import equivalence_reached, items_for_equivalence


def integrated(margin, n, df, alpha=0.05):
    """The same over the density of the spread, with any degrees of freedom."""
    limit = t.ppf(1 - alpha, df)

    def shown(spread):
        within = 2 * norm.cdf(margin * math.sqrt(n) - spread * limit) - 1
        return within * chi.pdf(spread * math.sqrt(df), df) * math.sqrt(df)

    return quad(shown, 0, margin * math.sqrt(n) / limit, limit=400)[0]


@pytest.mark.parametrize("variation, subjects", [(0.15, 10), (0.20, 16), (0.25, 24)])
def test_the_integral_plans_as_published(variation, subjects):
    """Diletti, Hauschke and Steinijans (1991), table 1: crossover trials, ratio 1, range 0.8 to 1.25, power 80 %."""
    spread = math.sqrt(2 * math.log(1 + variation**2))
    reached = {n: integrated(math.log(1.25) / spread, n, n - 2) for n in (subjects - 2, subjects)}
    assert reached[subjects - 2] < 0.8 <= reached[subjects]


@pytest.mark.parametrize(
    "margin, n, alpha", [(0.3, 97, 0.05), (0.3, 40, 0.05), (0.5, 36, 0.01), (1, 10, 0.05), (2, 5, 0.05), (3, 3, 0.1)]
)
def test_the_chance_is_that_of_the_integral(margin, n, alpha):
    assert equivalence_reached(margin, n, alpha) == pytest.approx(integrated(margin, n, n - 1, alpha), abs=2e-4)


def test_the_chance_is_that_of_simulated_tests():
    drawn = np.random.default_rng(5).normal(size=(20_000, 12))
    above = ttest_1samp(drawn, -0.8, axis=1, alternative="greater").pvalue
    below = ttest_1samp(drawn, 0.8, axis=1, alternative="less").pvalue
    share = float((np.maximum(above, below) < 0.05).mean())
    assert equivalence_reached(0.8, 12) == pytest.approx(share, abs=0.012)
    assert equivalence_reached(0.75, 12) != pytest.approx(share, abs=0.012)


@pytest.mark.parametrize("margin", [0.1, 0.2, 0.3, 0.5])
def test_items_are_a_few_more_than_by_the_normal_distribution(margin):
    """Lakens (2017): (z.95 + z.90)^2 / margin^2, such as 95.2 for 0.3."""
    rough = (norm.ppf(0.95) + norm.ppf(0.9)) ** 2 / margin**2
    assert rough < items_for_equivalence(margin) < rough + 3


@pytest.mark.parametrize(
    "margin, alpha, power",
    [(0.3, 0.05, 0.8), (0.05, 0.01, 0.9), (1.4, 0.05, 0.5), (9, 0.05, 0.8), (2.5, 0.0001, 0.8), (0.15, 0.0001, 0.05)],
)
def test_items_are_the_fewest(margin, alpha, power):
    n = items_for_equivalence(margin, alpha, power)
    assert equivalence_reached(margin, n, alpha) >= power
    assert n == 2 or equivalence_reached(margin, n - 1, alpha) < power


def test_where_there_is_no_plan():
    assert items_for_equivalence(0) is None
    assert items_for_equivalence(math.nan) is None
    assert items_for_equivalence(1e-5) is None
    assert math.isnan(equivalence_reached(0.3, 1))
    assert math.isnan(equivalence_reached(math.nan, 9))
