import math
from itertools import product

import numpy as np
import pytest

from neraca.stats.tests.bootstrap import bootstrap_tests
from neraca.stats.tests.paired import Sample, t_test

SKEWED = np.random.default_rng(12).exponential(size=30) - 0.7


def bootstrap_test(differences, clusters=None, **options):
    (result,) = bootstrap_tests([Sample(differences, clusters)], **options)
    return result


def all_ways(differences, clusters):
    """t* of every way to draw as many sessions as there are, one by one, by the formula; NaN without chance."""
    sessions = [differences[clusters == one] for one in np.unique(clusters)]
    found = []
    for ways in product(range(len(sessions)), repeat=len(sessions)):
        drawn = [sessions[way] for way in ways]
        d = np.concatenate(drawn)
        sums = [float((part - d.mean()).sum()) for part in drawn]
        error = math.sqrt(len(drawn) / (len(drawn) - 1) * sum(one**2 for one in sums)) / len(d)
        found.append((d.mean() - differences.mean()) / error if error > 1e-9 else math.nan)
    return np.array(found)


@pytest.mark.parametrize("level", [0.8, 0.9])
@pytest.mark.parametrize("sizes", [[1] * 6, [3] * 6, [1, 4, 2, 6, 3, 1], [1, 1, 1, 1, 1, 9]])
def test_it_is_that_of_all_ways_but_for_chance(sizes, level):
    clusters = np.random.default_rng(4).permutation(np.repeat(np.arange(6), sizes))
    d = np.random.default_rng(7).normal(0.8, 1, len(clusters)) + np.random.default_rng(8).exponential(size=6)[clusters]
    d[clusters == 2] -= 3
    found, student = bootstrap_test(d, clusters, level=level, resamples=60_000), t_test(d, clusters)
    ways = all_ways(d, clusters)
    unknown = np.isnan(ways).mean()
    above, below = (unknown + side.mean() for side in (ways >= student.statistic, ways <= student.statistic))
    assert found.p == pytest.approx(2 * min(above, below), abs=0.008)
    assert (found.error, found.statistic) == pytest.approx((student.error, student.statistic))
    low, high = (np.nanquantile(ways, share) for share in ((1 - level) / 2, (1 + level) / 2))
    expected = d.mean() - high * student.error, d.mean() - low * student.error
    assert (found.low, found.high) == pytest.approx(expected, abs=0.1 * found.error)


def test_the_interval_follows_the_skew():
    """A long tail to the right: the mean may be further above than below."""
    found, turned = bootstrap_test(SKEWED), bootstrap_test(-SKEWED)
    assert found.high - found.difference > 1.1 * (found.difference - found.low)
    assert turned.difference - turned.low > 1.1 * (turned.high - turned.difference)


def test_what_shows_no_chance_counts_against_a_difference():
    """Of two items half of the draws are one of them twice, and there is no bound; of three 3 of 27."""
    two = bootstrap_test(np.array([1.0, 1.2]))
    assert two.p == pytest.approx(1, abs=0.05)
    assert np.isnan([two.low, two.high]).all()
    three = bootstrap_test(np.array([1.0, 1.2, 1.1]), level=0.7)
    assert three.p == pytest.approx(2 * 3 / 27, abs=0.01)
    assert three.low > 0
    assert np.isnan(bootstrap_test(np.array([1.0, 1.2, 1.1])).low)


@pytest.mark.parametrize("shift", [0.2, 0.35, -0.35])
def test_p_is_where_the_interval_reaches_0(shift):
    d = SKEWED - SKEWED.mean() + shift
    found = bootstrap_test(d)
    assert 0.01 < found.p < 0.9
    at = bootstrap_test(d, level=1 - found.p)
    assert min(abs(at.low), abs(at.high)) < 0.01 * found.error


def test_p_is_near_that_of_t_where_there_are_many():
    d = np.random.default_rng(5).normal(0.05, 1, 800)
    assert bootstrap_test(d).p == pytest.approx(t_test(d).p, abs=0.04)


def test_p_is_at_least_what_the_draws_can_show():
    for d in (np.arange(1.0, 30), -np.arange(1.0, 30)):
        assert 2 / 1000 <= bootstrap_test(d, resamples=999).p < 3 / 1000
    right = np.array([0.2, 0.2, 0.2, 0.2, 0.2, 5] * 5)  # a long tail on the far side must not make p smaller
    assert bootstrap_test(right, resamples=999).p >= 2 / 1000


@pytest.mark.parametrize(
    "d",
    [[1, -1] + [0] * 18, [1, 1, -2] + [0] * 30, [0.1, 0.2, -0.3] * 4, np.arange(-10.0, 11), [5, -1, -1, -1, -1, -1]],
)
def test_a_mean_of_0_is_no_evidence(d):
    """Also where half of the means drawn are 0 themselves."""
    found = bootstrap_test(np.array(d, dtype=float))
    assert found.p > 0.5
    assert not found.low > 0
    assert not found.high < 0


def test_what_is_far_from_0_is_found_whatever_the_skewness():
    for d in (SKEWED + 4, -SKEWED - 4, 4 - SKEWED, SKEWED - 4):
        assert 2 / 10_001 <= bootstrap_test(d).p < 0.002


def test_turning_the_sides_turns_the_interval():
    one, other = bootstrap_test(SKEWED), bootstrap_test(-SKEWED)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert one.p == pytest.approx(other.p)


def test_many_samples_at_once_are_each_as_alone():
    rng = np.random.default_rng(9)
    samples = [Sample(rng.normal(0.1, 1, n)) for n in (30, 200, 30)]
    samples.append(Sample(rng.normal(0.1, 1, 60), np.repeat(np.arange(30), 2)))
    found = bootstrap_tests(samples, 0.9, 4, 2000)
    for sample, one in zip(samples, found, strict=True):
        alone = bootstrap_test(sample.differences, sample.clusters, level=0.9, seed=4, resamples=2000)
        assert (one.p, one.low, one.high) == pytest.approx((alone.p, alone.low, alone.high))
        assert one.test == "bootstrap(samples=2000, seed=4)"


def test_the_seed_decides():
    assert bootstrap_test(SKEWED, seed=1) == bootstrap_test(SKEWED, seed=1)
    assert bootstrap_test(SKEWED, seed=1).low != bootstrap_test(SKEWED, seed=2).low


@pytest.mark.parametrize(
    "d, clusters", [([0.4], None), ([0.1] * 9, None), ([0.1, 0.5], [4, 4]), ([1.0, -1, 1, -1], [0, 0, 1, 1])]
)
def test_where_chance_cannot_be_estimated_there_is_a_difference_but_no_test(d, clusters):
    found = bootstrap_test(np.array(d), None if clusters is None else np.array(clusters))
    assert found.difference == pytest.approx(np.mean(d))
    assert np.isnan([found.low, found.high, found.p, found.error, found.statistic]).all()
