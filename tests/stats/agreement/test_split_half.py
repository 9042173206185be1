import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats as reference

from neraca.stats.agreement.rank_correlation import tau_ap
from neraca.stats.agreement.split_half import split_half
from neraca.stats.intervals.interval import mean


def plain(values):
    """Systems below each other, shape (k, n), as counts."""
    return np.stack([values, np.ones_like(values)], axis=-1)


def ratio(sums):
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[..., 0] / sums[..., 1]


def every_split(rows, total, clusters):
    """All halves of the sessions, one after the other: tau, AP correlation, swaps of each pair, and the best."""
    k, numbers = len(rows), np.unique(clusters)
    taus, aps, swaps, best = [], [], np.zeros((k, k)), []
    splits = list(combinations(numbers, len(numbers) // 2))
    for chosen in splits:
        half = np.isin(clusters, chosen)
        one, other = ([float(total(system[part].sum(axis=0))) for system in rows] for part in (half, ~half))
        taus.append(reference.kendalltau(one, other).statistic)
        aps.append((float(tau_ap(one, other)) + float(tau_ap(other, one))) / 2)
        for a, b in combinations(range(k), 2):
            if (one[a] > one[b]) != (other[a] > other[b]):
                swaps[a, b] += 1 / len(splits)
        best.append(np.argmax(one) == np.argmax(other))
    return np.mean(taus), np.mean(aps), swaps + swaps.T, np.mean(best)


@pytest.mark.parametrize("groups", [7, 8])
@pytest.mark.parametrize("total", [mean, ratio])
def test_random_halves_are_near_all_halves(groups, total):
    rng = np.random.default_rng(groups)
    clusters = rng.permutation(np.repeat(np.arange(groups), rng.integers(1, 4, groups)))
    values = rng.random((4, len(clusters))) + np.array([[0.4], [0.1], [0], [0.2]])
    rows = plain(values) if total is mean else np.stack([values, rng.random(values.shape) + 0.5], axis=-1)
    tau, ap, swaps, best = every_split(rows, total, clusters)
    found = split_half(rows, total, clusters, splits=20_000)
    slack = 4 / math.sqrt(20_000)
    assert (found.tau, found.tau_ap, found.best) == pytest.approx((tau, ap, best), abs=slack)
    assert found.pairs == pytest.approx(swaps, abs=slack)
    assert found.swaps == pytest.approx(swaps.sum() / 12, abs=slack)
    assert found.tau == pytest.approx(1 - 2 * found.swaps)
    assert (found.n, found.groups, found.splits) == (len(clusters), groups, 20_000)


def test_items_without_sessions_stand_alone():
    rows = plain(np.random.default_rng(1).random((3, 9)))
    alone, numbered = split_half(rows), split_half(rows, clusters=np.arange(9) * 3)
    assert (alone.tau, alone.best) == (numbered.tau, numbered.best)
    assert (alone.pairs == numbered.pairs).all()


def test_sessions_stay_together():
    # the second is better in one of two sessions and worse in the other: halves always disagree
    values = np.array([[0.0, 0, 0, 0], [1, 1, -1, -1]])
    found = split_half(plain(values), clusters=np.array([0, 0, 1, 1]))
    assert (found.tau, found.swaps, found.best) == (-1, 1, 0)
    assert split_half(plain(values)).swaps < 1


@pytest.mark.parametrize("gap", [0.0, 0.3, 1.0])
def test_known_gaps(gap):
    """Differences of n questions are normal with mean gap and variance 2: halves swap with chance 2 q (1 - q)."""
    rng, n, times = np.random.default_rng(5), 20, 200
    q = reference.norm.cdf(gap / math.sqrt(2 / (n / 2)))
    found = [
        split_half(plain(rng.normal(size=(2, n)) + np.array([[gap], [0]])), splits=100).swaps for _ in range(times)
    ]
    assert np.mean(found) == pytest.approx(2 * q * (1 - q), abs=4 * np.std(found) / math.sqrt(times))
    # a checker that would not notice twice as many questions is none
    full = reference.norm.cdf(gap / math.sqrt(2 / n))
    if gap:
        assert np.mean(found) > 2 * full * (1 - full) + 4 * np.std(found) / math.sqrt(times)


def test_systems_that_never_differ_swap_as_a_coin_does():
    values = np.random.default_rng(2).random((1, 11)).repeat(3, axis=0)
    found = split_half(plain(values))
    assert (found.tau, found.tau_ap, found.swaps) == (0, 0, 0.5)
    assert found.best == pytest.approx(1 / 3)
    assert np.diag(found.pairs).tolist() == [0, 0, 0]


def test_equal_means_of_unequal_numbers_are_equal_whatever_rounding_says():
    values = np.array([[0.1, 0.2, 0.3] * 2, [0.3, 0.2, 0.1] * 2])
    found = split_half(plain(values), clusters=np.array([0, 0, 0, 1, 1, 1]))
    assert found.swaps == 0.5


def test_a_half_without_a_total_has_no_order():
    rows = np.array([[[1.0, 1], [0, 0]], [[0.0, 1], [0, 0]]])  # the second item counts nothing
    found = split_half(rows, ratio)
    assert (found.tau, found.swaps, found.best) == (0, 0.5, 0.5)


def test_that_splits_are_made_in_parts_changes_nothing():
    values = np.random.default_rng(3).random((2, 9000))
    first = np.random.default_rng(1).random((500, 9000)).argsort(axis=1) < 4500
    lead = values[0] - values[1]
    halves = first @ lead, ~first @ lead
    assert split_half(plain(values), splits=500, seed=1).swaps == (halves[0] * halves[1] < 0).mean()


def test_the_seed_makes_the_splits():
    rows = plain(np.random.default_rng(4).random((3, 10)))
    assert split_half(rows, seed=1).tau == split_half(rows, seed=1).tau
    assert split_half(rows, seed=1).tau != split_half(rows, seed=2).tau


@pytest.mark.parametrize("shape", [(1, 9), (3, 1), (3, 0)])
def test_too_little_to_split(shape):
    assert split_half(plain(np.zeros(shape))) is None


def test_one_session_cannot_be_split():
    assert split_half(plain(np.zeros((3, 4))), clusters=np.array([7, 7, 7, 7])) is None
