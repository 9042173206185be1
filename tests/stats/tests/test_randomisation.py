import numpy as np
import pytest
from scipy import stats as reference

from neraca.stats.tests import randomisation as module
from neraca.stats.tests.paired import Sample, t_test
from neraca.stats.tests.randomisation import randomisations

# crossed minus self-fertilised maize, in eighths of an inch: Darwin (1876), as tested by Fisher (1935), sec. 21
MAIZE = np.array([49.0, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48])
#: Four standard deviations of a share p of 100,000.
SLACK = 4 / np.sqrt(100_000)


def randomisation(differences, clusters=None, level=0.95, **options):
    (result,) = randomisations([Sample(differences, clusters)], level, **options)
    return result


def test_published_example():
    # Fisher counts 863 of 32,768 ways at 314 or more, so 1,726 of either sign
    found = randomisation(MAIZE)
    assert (found.p, found.test) == (1726 / 32768, "randomisation(exact)")
    assert found.statistic == found.difference == pytest.approx(314 / 15)


def by_scipy(d, **how):
    return reference.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf, **how).pvalue


@pytest.mark.parametrize("n", [2, 3, 6, 12])
def test_few_are_scipys(n):
    d = np.random.default_rng(n).normal(0.5, 1, n).round(1)
    assert randomisation(d).p == pytest.approx(by_scipy(d))


def test_whole_sessions_are_exchanged():
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(9), [1, 4, 2, 2, 6, 3, 5, 1, 2])
    d = rng.normal(0.2, 1, len(clusters)) + rng.normal(size=9)[clusters]
    sums = np.array([d[clusters == number].sum() for number in range(9)])
    assert randomisation(d, clusters).p == pytest.approx(by_scipy(sums))
    assert randomisation(d, clusters).p > 1.5 * randomisation(d).p


def test_by_chance_it_is_near_the_exact_one():
    exact, found = randomisation(MAIZE), randomisation(MAIZE, seed=3, exact=0)
    assert found.test == "randomisation(flips=100000, seed=3)"
    assert found.p == pytest.approx(exact.p, abs=SLACK * np.sqrt(exact.p))
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=0.5)


@pytest.mark.parametrize("sizes", [[3] * 15, [1, 5, 2, 2, 9, 1, 1, 4, 2, 7, 3, 1, 2, 6, 1]])
def test_by_chance_sessions_are_weighed_as_in_the_exact_one(sizes):
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(15), sizes)
    d = rng.normal(1, 1, len(clusters)) + rng.normal(size=15)[clusters]
    exact, found = randomisation(d, clusters), randomisation(d, clusters, exact=0)
    width = exact.high - exact.low
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=0.02 * width)
    assert found.p == pytest.approx(exact.p, abs=SLACK)


@pytest.mark.parametrize("values", [[0.5, 1, 0], [1 / 3, 1 / 7, 0]])
def test_sums_that_are_equal_stay_equal_in_single_precision(values):
    """Shares with many equal sums; scipy's normal limit is not exact enough, so the sums are counted by convolution."""
    d = np.random.default_rng(6).choice([*values, *(-v for v in values)], 40)
    whole = np.rint(d * 42).astype(int)
    chances, total = {0: 1.0}, abs(whole.sum())
    for one in whole:
        grown = {}
        for value, chance in chances.items():
            for sign in (1, -1):
                grown[value + sign * one] = grown.get(value + sign * one, 0) + chance / 2
        chances = grown
    exact = sum(chance for value, chance in chances.items() if abs(value) >= total)
    assert randomisation(d).p == pytest.approx(exact, abs=SLACK / 2)


def test_p_is_never_0_and_counts_what_was_seen():
    assert randomisation(np.full(40, 0.3)).p == 1 / 100_001
    assert randomisation(np.full(40, 0.3), flips=999).p == 1 / 1000


def test_the_seed_decides():
    d = np.random.default_rng(1).normal(0.2, 1, 60)
    assert randomisation(d, seed=1) == randomisation(d, seed=1)
    one, other = randomisation(d, seed=1), randomisation(d, seed=2)
    assert one.p != other.p
    assert one.p == pytest.approx(other.p, abs=2 * SLACK * np.sqrt(one.p))


def test_many_samples_at_once_are_each_as_alone():
    rng = np.random.default_rng(9)
    sizes = [30, 200, 5, 30, 30, 200, 17, 18]
    samples = [Sample(rng.normal(0.1, 1, n)) for n in sizes]
    samples.append(Sample(rng.normal(0.1, 1, 60), np.repeat(np.arange(30), 2)))
    samples.append(Sample(rng.normal(0.1, 1, 60), np.minimum(np.arange(60), 29)))
    samples.append(Sample(np.zeros(30)))
    for sample, found in zip(samples, randomisations(samples, 0.9, 4), strict=True):
        alone = randomisation(sample.differences, sample.clusters, 0.9, seed=4)
        assert found.test == alone.test
        for name in ("difference", "p", "low", "high"):
            assert getattr(found, name) == pytest.approx(getattr(alone, name), abs=1e-5, nan_ok=True)


def test_the_signs_are_fair_also_in_parts():
    parts = list(module._signs(250, 40_000, 5))
    signs = np.concatenate(parts)
    assert len(parts) > 2
    assert signs.shape == (40_000, 250)
    assert set(np.unique(signs)) == {-1, 1}
    assert np.abs(signs.mean(axis=0)).max() < 4.5 / np.sqrt(40_000)
    together = signs.T @ signs / 40_000 - np.eye(250)
    assert np.abs(together).max() < 6 / np.sqrt(40_000)


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_holds_the_shifts_that_the_test_does_not_reject(seed):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(10), rng.integers(1, 4, 10))
    d = rng.exponential(size=len(clusters)) - 0.3
    found = randomisation(d, clusters, 0.9)
    inside = randomisation(d - (found.low + 1e-9), clusters).p, randomisation(d - (found.high - 1e-9), clusters).p
    beyond = randomisation(d - (found.low - 1e-9), clusters).p, randomisation(d - (found.high + 1e-9), clusters).p
    assert min(inside) > 0.1 >= max(beyond)


def test_the_interval_of_many_is_near_that_of_t():
    d = np.random.default_rng(8).normal(0.1, 1, 500)
    found, student = randomisation(d), t_test(d)
    assert (found.low, found.high) == pytest.approx((student.low, student.high), abs=0.006)
    assert found.p == pytest.approx(student.p, abs=0.006)


def test_too_few_ways_leave_no_interval():
    assert np.isnan(randomisation(np.arange(1.0, 6)).low)
    assert randomisation(np.arange(1.0, 7)).low == 1
    assert np.isnan(randomisation(np.arange(1.0, 31), flips=10).low)


def test_sessions_that_cancel_out_are_no_evidence():
    d, clusters = np.tile([1.0, -1.0], 30), np.repeat(np.arange(30), 2)
    assert randomisation(d, clusters).p == 1
    assert randomisation(d[:8], clusters[:8]).p == 1
