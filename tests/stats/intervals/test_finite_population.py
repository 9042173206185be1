import numpy as np
import pytest

from neraca.stats.intervals.finite_population import finite_population_interval
from neraca.stats.intervals.interval import wilson


def test_shares_get_the_interval_of_more_items_and_all_drawn_leaves_nothing_open():
    values = np.array([1.0] * 30 + [0.0] * 10)
    assert finite_population_interval(values, 0.5) == wilson(0.75, 80)
    assert finite_population_interval(values, 1.0) == (0.75, 0.75)


def test_the_interval_of_drawn_clusters_is_of_their_sums():
    # two clusters of sums -1 and 1 around the mean 2.5: se = sqrt(2 / 1 · (4 + 4)) / 4 = 1, with 1 degree of freedom
    values, clusters = np.array([1.0, 2, 3, 4]), np.array([0, 0, 1, 1])
    low, high = finite_population_interval(values, 0.75, clusters)
    assert (low, high) == pytest.approx((2.5 - 12.7062 * 0.5, 2.5 + 12.7062 * 0.5), abs=1e-3)


@pytest.mark.parametrize("kind", ["share", "grade"])
def test_it_holds_the_mean_of_the_population_as_often_as_it_says(kind):
    rng = np.random.default_rng(1)
    population = (rng.random(300) < 0.8) * 1.0 if kind == "share" else rng.beta(2, 1, 300)
    held = 0
    for _ in range(1000):
        low, high = finite_population_interval(rng.choice(population, 150, replace=False), 0.5, limits=(0, 1))
        held += low <= population.mean() <= high
    assert 930 <= held <= 970
