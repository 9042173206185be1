import numpy as np
import pytest
from scipy import stats as reference

from neraca.stats.bootstrap import bootstrap_tests
from neraca.stats.paired import Sample, t_test

SKEWED = np.random.default_rng(12).exponential(size=30) - 0.7


def bootstrap_test(differences, clusters=None, **options):
    (result,) = bootstrap_tests([Sample(differences, clusters)], **options)
    return result


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("d", [SKEWED, -SKEWED, np.random.default_rng(3).normal(0.2, 1, 200)])
def test_the_interval_is_scipys_but_for_chance(d, level):
    expected = reference.bootstrap((d,), np.mean, confidence_level=level, n_resamples=100_000, batch=5000, rng=1)
    found = bootstrap_test(d, level=level, resamples=100_000)
    bounds = expected.confidence_interval
    assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high), abs=0.06 * found.error)
    assert abs((found.low + found.high) / 2 - d.mean()) > 0.08 * found.error or len(d) == 200  # it follows the skew


@pytest.mark.parametrize("sizes", [[1, 4, 2, 6, 3], [1, 1, 1, 1, 12]])
@pytest.mark.parametrize("level", [0.4, 4])
def test_sessions_are_drawn_as_a_whole(sizes, level):
    rng = np.random.default_rng(4)
    clusters = rng.permutation(np.repeat(np.arange(25), sizes * 5))
    d = rng.normal(level, 1, 80) + rng.exponential(size=25)[clusters]
    sums, sizes = np.bincount(clusters, d), np.bincount(clusters)
    expected = reference.bootstrap(
        (sums, sizes), lambda s, n, axis: s.sum(axis) / n.sum(axis), paired=True, n_resamples=50_000, batch=5000, rng=1
    ).confidence_interval
    found = bootstrap_test(d, clusters, resamples=50_000)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.06 * found.error)
    assert found.error == t_test(d, clusters).error


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
    assert found.p > 0.85
    assert found.low < 0 < found.high


def test_a_mean_of_0_of_skewed_differences_has_a_p_below_1():
    """The interval of median bias z0 reaches the mean at 2 Phi(-|z0|)."""
    d = SKEWED - SKEWED.mean()
    means = np.random.default_rng(3).choice(d, (20_000, 30)).mean(axis=1)
    bias = reference.norm.ppf((means < 0).mean())
    assert bootstrap_test(d).p == pytest.approx(2 * reference.norm.sf(abs(bias)), abs=0.03)
    assert 0.9 < bootstrap_test(d).p < 1


def test_all_means_on_one_side_are_rare_whatever_the_skewness():
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
