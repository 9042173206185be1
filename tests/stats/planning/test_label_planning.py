import numpy as np
import pytest
from simulation import repeated

from neraca.stats.intervals.prediction_powered import prediction_powered
from neraca.stats.planning.label_planning import cheapest_split, expected_width, labels_needed, neyman


@repeated
def test_the_width_is_the_one_that_comes(times):
    rng, rho, widths = np.random.default_rng(1), 0.8, []
    for _ in range(times):
        people = rng.normal(size=300)
        judge = rho * people + np.sqrt(1 - rho**2) * rng.normal(size=300)
        one = prediction_powered(np.where(np.arange(300) < 80, people, np.nan), judge)
        widths.append(one.high - one.low)
    assert np.mean(widths) == pytest.approx(expected_width(80, 300, 1.0, rho), rel=0.03)


def test_all_labelled_is_as_without_a_judge():
    # t with 98 degrees of freedom is 1.984; 2 × 1.984 × .5 / √100
    assert expected_width(100, 100, 0.5, 0.9) == pytest.approx(expected_width(100, 100, 0.5, 0.0)) == 0.1984467


@pytest.mark.parametrize("width, rho", [(0.15, 0.0), (0.1, 0.7), (0.12, 0.95)])
def test_the_least_number_is_found(width, rho):
    n = labels_needed(width, 1000, 0.5, rho)
    assert expected_width(n, 1000, 0.5, rho) <= width + 5e-5
    assert n == 30 or expected_width(n - 1, 1000, 0.5, rho) > width


def test_it_is_never_less_than_what_the_interval_needs_and_none_where_all_are_too_few():
    assert labels_needed(5.0, 100, 0.5, 0.5) == 30
    assert labels_needed(0.01, 100, 0.5, 0.5) is None


@pytest.mark.parametrize("rho, model", [(0.8, 0.01), (0.5, 0.05), (0.9, 0.2), (0.3, 0.5)])
def test_no_other_split_is_cheaper(rho, model):
    """Every number of labels, each with the fewest judged items that still give the width."""
    variance = (0.1 / 2 / 1.959963984540054) ** 2
    alone = int(np.ceil(0.25 / variance))
    costs = [float(alone)]
    for n in range(30, alone + 1):
        left = variance / 0.25 - (1 - rho**2) / n
        if left > 0:
            costs.append(n + model * max(np.ceil(rho**2 / left), n))
    assert cheapest_split(0.1, 0.5, rho, 1.0, model).cost == pytest.approx(min(costs), rel=0.01)


def test_a_judge_that_tells_nothing_or_costs_too_much_is_not_asked():
    assert cheapest_split(0.1, 0.5, 0.0, 1.0, 0.01).items == 0
    assert cheapest_split(0.1, 0.5, 0.4, 1.0, 5.0).items == 0


def test_shares_by_size_and_spread():
    # 3 : 1 by size times spread, of 40 labels
    assert neyman([300, 100], np.array([0.5, 0.5]), 40) == [30, 10]
    assert neyman([100, 100], np.array([0.3, 0.1]), 40) == [30, 10]
    assert neyman([4, 100], np.array([9.0, 0.1]), 40) == [4, 36]
    assert neyman([4, 3], np.array([1.0, 1.0]), 40) == [4, 3]
    assert sum(neyman([50, 60, 70], np.array([0.1, 0.2, 0.3]), 31, 5)) == 31


def test_what_is_always_the_same_needs_the_fewest_labels_and_no_model():
    split = cheapest_split(0.1, 0.0, 0.8, human_cost=2, model_cost=0.01)
    assert (split.labels, split.items, split.cost) == (30, 0, 60)
