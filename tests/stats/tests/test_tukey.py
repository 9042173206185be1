import itertools

import numpy as np
import pytest
from simulation import repeated, slack

from neraca.stats.tests.paired import Sample
from neraca.stats.tests.randomisation import randomisations
from neraca.stats.tests.tukey import tukey

#: Four standard deviations of a share of .5 of 100,000, the widest.
SLACK = 4 * 0.5 / np.sqrt(100_000)


def systems(seed, n, k, lead=0.0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 1)) + rng.normal(size=(n, k))
    values[:, 0] += lead
    return values


def exchanged_in_every_way(values, clusters):
    """p of each two by listing every exchange, sessions as blocks of rows."""
    k = values.shape[1]
    numbers = np.unique(clusters)
    seen = abs(values.mean(axis=0)[:, None] - values.mean(axis=0))
    larger, ways = np.zeros((k, k)), 0
    for orders in itertools.product(itertools.permutations(range(k)), repeat=len(numbers)):
        turned = values.copy()
        for number, order in zip(numbers, orders, strict=True):
            turned[clusters == number] = values[clusters == number][:, order]
        means = turned.mean(axis=0)
        larger += means.max() - means.min() >= seen - 1e-9
        ways += 1
    return larger / ways


@pytest.mark.parametrize(
    "k, clusters", [(3, [0, 1, 2, 3]), (3, [5, 2, 2, 5, 9, 7, 7]), (2, [0, 0, 1, 2, 3, 4, 4]), (4, [1, 0, 1])]
)
def test_few_are_exchanged_in_every_way(k, clusters):
    clusters = np.array(clusters)
    for values in (systems(k, len(clusters), k, 1), systems(k, len(clusters), k, 1).round(0)):
        found = tukey(values, clusters)
        assert found.p == pytest.approx(exchanged_in_every_way(values, clusters))
        assert (found.n, found.test) == (len(clusters), "tukey(exact)")
        assert found.differences[0, 1] == pytest.approx(values[:, 0].mean() - values[:, 1].mean())


@pytest.mark.parametrize("k, n", [(2, 17), (3, 6), (4, 4), (5, 3), (8, 2)])
def test_by_chance_it_is_near_the_exact_one(k, n):
    """Whose listing shares nothing with the turning of orders."""
    values = systems(n, n, k, 1)
    exact, found = tukey(values), tukey(values, seed=3, exact=0)
    assert (exact.test, found.test) == ("tukey(exact)", "tukey(samples=100000, seed=3)")
    assert found.p == pytest.approx(exact.p, abs=1.5 * SLACK)  # samples that share an order are not independent
    assert found.half == pytest.approx(exact.half, rel=0.03, nan_ok=True)


def test_by_chance_it_is_that_of_drawing_every_order():
    values = systems(1, 40, 5, 0.5)
    clusters = np.arange(40) // 2
    sums = values.reshape(20, 2, 5).sum(axis=1)
    rng = np.random.default_rng(0)
    means = np.array([rng.permuted(sums, axis=1).sum(axis=0) for _ in range(20_000)]) / 40
    ranges = np.ptp(means, axis=1)
    found = tukey(values, clusters)
    expected = (ranges[:, None, None] >= abs(found.differences) - 1e-12).mean(axis=0)
    assert found.p == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(20_000))
    assert found.half == pytest.approx(np.quantile(ranges, 0.95), rel=0.02)


@pytest.mark.parametrize("k, q", [(2, 2.772), (3, 3.314), (10, 4.474), (20, 5.012)])
def test_the_range_of_many_items_is_the_studentised_one(k, q):
    """Tukey's own, with the spread between systems within an item, q sqrt(s^2 / n); q of 5 % as in every table."""
    values = systems(k, 500, k)
    spread = np.sqrt(values.var(axis=1, ddof=1).mean() / 500)
    assert tukey(values, samples=20_000).half == pytest.approx(q * spread, rel=0.02)


@pytest.mark.parametrize("n, tied", [(12, False), (12, True), (80, False), (80, True)])
def test_two_systems_are_the_randomisation_test(n, tied):
    values = systems(n, n, 2, 0.3).round(0 if tied else 9)
    clusters = np.minimum(np.arange(n), 59)
    one = randomisations([Sample(values[:, 0] - values[:, 1], clusters)])[0]
    assert tukey(values, clusters).p[0, 1] == pytest.approx(one.p, abs=0 if n == 12 else 1.5 * SLACK)


@pytest.mark.parametrize("n", [5, 60])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_critical_range_is_where_p_is_small_enough(n, level):
    for seed in range(10):
        found = tukey(systems(seed, n, 3, 0.6), level=level, samples=999)
        apart = found.p <= 1 - level
        assert (apart == (abs(found.differences) > found.half)).all()


def test_p_is_symmetric_and_never_0():
    found = tukey(systems(0, 50, 4, 30), samples=999)
    assert (found.p == found.p.T).all()
    assert (np.diag(found.p) == 1).all()
    assert found.p[0, 1:].tolist() == pytest.approx([1 / 1000] * 3)
    assert (found.differences == -found.differences.T).all()


def test_neither_the_order_of_systems_nor_that_of_items_matters_but_for_chance():
    values, clusters = systems(2, 60, 6, 0.4), np.arange(60) // 3
    rng = np.random.default_rng(1)
    order, items = rng.permutation(6), rng.permutation(60)
    one, other = tukey(values, clusters), tukey(values[items][:, order], 100 - clusters[items])
    assert other.p == pytest.approx(one.p[np.ix_(order, order)], abs=2 * SLACK)
    assert other.half == pytest.approx(one.half, rel=0.02)


def test_what_an_item_adds_to_all_systems_does_not_matter():
    values = systems(3, 30, 4, 0.5)
    one, other = tukey(values), tukey(values + 7 * np.arange(30)[:, None])
    assert (other.p, other.half) == (pytest.approx(one.p), pytest.approx(one.half))


@pytest.mark.parametrize("size", [1e-300, 1e-9, 1e9, 1e307])
def test_the_unit_does_not_matter(size):
    values = systems(4, 25, 3, 0.5).round(2)
    one, other = tukey(values), tukey(values * size)
    assert other.p == pytest.approx(one.p)
    assert other.differences / size == pytest.approx(one.differences)
    assert other.half / size == pytest.approx(one.half)


def test_the_seed_decides():
    values = systems(5, 40, 4, 0.4)
    assert (tukey(values, seed=1).p == tukey(values, seed=1).p).all()
    assert (tukey(values, seed=1).p != tukey(values, seed=2).p).any()


def test_sums_that_are_equal_stay_equal():
    """Shares of 0.1, 0.2 and 0.3 as of 1, 2 and 3, whose sums have no rounding."""
    whole = np.random.default_rng(7).integers(0, 4, (200, 3)).astype(float)
    assert tukey(whole / 10).p.tolist() == tukey(whole).p.tolist()


@pytest.mark.parametrize("n", [1, 4, 60])
def test_no_difference_anywhere_is_no_evidence(n):
    for value in (0.0, 0.3):
        found = tukey(np.full((n, 3), value), np.arange(n) // 2)
        assert (found.p == 1).all()
        assert (found.differences.tolist(), found.half) == ([[0.0] * 3] * 3, 0)
    assert (tukey(np.array([[0.1 + 0.2, 0.3]] * n)).p == 1).all()


def test_sessions_that_cancel_out_are_no_evidence():
    found = tukey(np.tile([[1.0, 0, 0], [0, 1, 1]], (30, 1)), np.repeat(np.arange(30), 2))
    assert (found.p == 1).all()
    assert np.isnan(found.half)


def test_one_session_shows_nothing():
    found = tukey(systems(1, 5, 9, 3), np.zeros(5, int))
    assert np.isnan([*found.p[0], found.half]).all()
    assert tukey(systems(1, 1, 30)).test == "tukey(exact)"


def test_too_few_ways_leave_no_range():
    # of the six orders of the second item one agrees with the first on best and worst
    found = tukey(np.array([[1.0, 0.5, 0]] * 2))
    assert found.p[0, 2] == pytest.approx(1 / 6)
    assert np.isnan(found.half)
    # of 36 orders .05 leaves room for one, that with a range of 1; the next is (1 + 1 + .5) / 3
    assert tukey(np.array([[1.0, 0.5, 0]] * 3)).half == pytest.approx(2.5 / 3)
    assert np.isnan(tukey(systems(1, 40, 3), samples=10).half)
    assert tukey(systems(1, 40, 3), samples=10).p.min() >= 1 / 11


def test_no_items_no_systems_and_no_numbers():
    none = tukey(np.empty((0, 3)))
    assert (none.n, none.p.shape) == (0, (3, 3))
    assert np.isnan([*none.differences.flat, *none.p.flat, none.half]).all()
    assert tukey(np.empty((4, 0))).p.shape == (0, 0)
    assert tukey(np.empty((4, 0)), np.array([0, 0, 1, 1])).differences.shape == (0, 0)
    alone = tukey(np.array([[0.2], [0.5]]))
    assert (alone.differences.tolist(), alone.p.tolist(), alone.half) == ([[0]], [[1]], 0)
    infinite = tukey(np.array([[1.0, np.inf], [0, 1]]))
    assert np.isnan([*infinite.p.flat, infinite.half]).all()


# how often at least one of the pairs is called different, and at least one interval misses

SESSIONS = np.repeat(np.arange(20), 3)


def normal(rng):
    return rng.normal(size=(25, 1)) + rng.normal(size=(25, 5)), None


def shares(rng):
    return (rng.normal(size=(40, 1)) + rng.normal(size=(40, 4)) > 1).astype(float), None


def sessions(rng):
    """In a session all items lean to the same system."""
    return rng.normal(size=(60, 4)) + rng.normal(size=(20, 4))[SESSIONS], SESSIONS


def skewed(rng):
    return rng.exponential(size=(30, 1)) * rng.exponential(size=(30, 5)), None


def of_the_first(rng):
    """One system better than the rest, which do not differ; what is asked is of these."""
    values = rng.normal(size=(25, 5))
    values[:, 0] += 3
    return values, None


def scattered(rng):
    """Equal means, but one system scatters five times as far as the rest."""
    return rng.normal(size=(25, 8)) * [5, 1, 1, 1, 1, 1, 1, 1], None


def called_different(draw, times, among=slice(None), forget=False):
    rng = np.random.default_rng(11)
    different = 0
    for seed in range(times):
        values, clusters = draw(rng)
        p = tukey(values, None if forget else clusters, seed=seed, samples=399).p[among, among]
        different += bool((p <= 0.05).any())
    return different / times


@repeated
@pytest.mark.parametrize("draw, least", [(normal, 0.05), (shares, 0.035), (sessions, 0.05), (skewed, 0.05)])
def test_it_keeps_its_level_over_all_pairs(draw, least, times):
    assert max(0, least - slack(times)) < called_different(draw, times) < 0.05 + slack(times)


@repeated
def test_forgetting_the_sessions_is_noticed(times):
    assert called_different(sessions, times, forget=True) > 0.05 + 2 * slack(times)


def test_a_system_that_differs_makes_the_others_safer():
    assert called_different(of_the_first, 200, slice(1, None)) < 0.01


def test_unequal_spread_breaks_it_as_the_docstring_says():
    assert called_different(scattered, 200) > 0.1
    assert called_different(scattered, 200, slice(1, None)) < 0.01
