import itertools

import numpy as np
import pytest
from scipy import stats as reference

from neraca.stats.tests.wilcoxon import wilcoxon

# Hamilton depression scale of nine patients before and after a tranquilizer: Hollander and Wolfe (1973), table 3.1
BEFORE = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
AFTER = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])


def test_published_example():
    # T+ = 40 of 45, one-sided p .020; confidence 96.1 %: -.786 to -.010 of after minus before (their example 3.4)
    found = wilcoxon(BEFORE - AFTER)
    assert (found.statistic, found.p, found.test) == (40 - 5, pytest.approx(0.0390625, rel=1e-12), "wilcoxon(exact)")
    assert (found.low, found.high) == pytest.approx((0.010, 0.786), abs=5e-4)
    assert found.difference == pytest.approx((BEFORE - AFTER).mean())


@pytest.mark.parametrize("n", [1, 2, 5, 9, 30, 50])
def test_small_samples_without_ties_are_scipys(n):
    d = np.random.default_rng(n).normal(0.4, 1, n)
    found, expected = wilcoxon(d), reference.wilcoxon(d, method="exact")
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)
    assert (n * (n + 1) / 2 - abs(found.statistic)) / 2 == expected.statistic
    assert found.test == "wilcoxon(exact)"


@pytest.mark.parametrize("n", [51, 200, 3000])
@pytest.mark.parametrize("digits", [0, 1, 9])
def test_large_samples_are_scipys_with_ties_and_zeros(n, digits):
    d = np.random.default_rng(n).normal(0.1, 1, n).round(digits)
    kept = d[d != 0]
    if len(kept) <= 50:
        d = np.concatenate([d, kept])
    found, expected = wilcoxon(d), reference.wilcoxon(d, zero_method="wilcox", method="asymptotic")
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (found.n, found.test) == (len(d), "wilcoxon(normal)")


def by_every_sign(scores):
    sums = [abs(np.dot(signs, scores)) for signs in itertools.product([1, -1], repeat=len(scores))]
    return np.mean(np.array(sums) >= abs(scores.sum()) - 1e-9)


def signed_ranks(d):
    return np.sign(d) * reference.rankdata(np.abs(d))


@pytest.mark.parametrize("seed", range(5))
def test_with_ties_p_is_that_of_every_way_of_signs(seed):
    d = np.random.default_rng(seed).integers(-2, 5, 11).astype(float)
    assert wilcoxon(d).p == pytest.approx(by_every_sign(signed_ranks(d[d != 0])), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_sessions_turn_as_a_whole(seed):
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 8, 30)
    d = rng.normal(0.3, 1, 30).round(1)
    kept = d != 0
    ranked = signed_ranks(d[kept])
    sums = np.array([ranked[clusters[kept] == number].sum() for number in np.unique(clusters[kept])])
    found = wilcoxon(d, clusters)
    assert found.p == pytest.approx(by_every_sign(sums), rel=1e-12)
    assert found.statistic == pytest.approx(sums.sum())


@pytest.mark.parametrize("groups", [5, 12, 17])
def test_few_sessions_are_exact_however_long_they_are(groups):
    rng = np.random.default_rng(groups)
    clusters = np.repeat(np.arange(groups), 900)
    d = rng.normal(size=len(clusters)) + 0.3 + rng.normal(0, 0.2, groups)[clusters]
    sums = signed_ranks(d).reshape(groups, 900).sum(axis=1)
    found = wilcoxon(d, clusters)
    ways = np.array(np.meshgrid(*[[1, -1]] * groups)).reshape(groups, -1)
    assert found.p == np.mean(abs(sums @ ways) >= abs(sums.sum()) - 1e-6)
    assert found.test == "wilcoxon(exact)"
    assert np.isnan(found.low) == (groups == 5)


def test_many_sessions_are_normal_with_the_variance_of_rosner_glynn_and_lee():
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(80), 3)
    d = rng.normal(0.1, 1, 240) + rng.normal(size=80)[clusters]
    sums = signed_ranks(d).reshape(80, 3).sum(axis=1)
    found = wilcoxon(d, clusters)
    assert found.p == pytest.approx(2 * reference.norm.sf(abs(sums.sum()) / np.sqrt((sums**2).sum())), rel=1e-12)
    turned = rng.choice([-1, 1], (20_000, 80)) @ sums
    assert found.p == pytest.approx(np.mean(abs(turned) >= abs(sums.sum())), abs=0.015)


def walsh(d):
    i, j = np.triu_indices(len(d))
    return np.sort((d[i] + d[j]) / 2)


@pytest.mark.parametrize("n", [6, 10, 40])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_is_what_scipys_test_does_not_reject(n, level):
    d = np.random.default_rng(n).normal(0.4, 1, n)
    found = wilcoxon(d, level=level)
    means = walsh(d)
    for bound, inwards in ((found.low, 1e-9), (found.high, -1e-9)):
        assert np.abs(means - bound).min() < 1e-12
        assert reference.wilcoxon(d - bound - inwards, method="exact").pvalue > 1 - level
        assert reference.wilcoxon(d - bound + inwards, method="exact").pvalue <= 1 - level


def test_the_interval_of_many_is_that_of_the_ordered_means():
    d = np.random.default_rng(3).normal(0.2, 1, 151).round(2)
    means, n = walsh(d), 151
    half = reference.norm.ppf(0.975) * np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    place = int(np.ceil(n * (n + 1) / 4 - half))
    found = wilcoxon(d)
    assert (found.low, found.high) == pytest.approx((means[place - 1], means[-place]), abs=1e-12)


def test_the_interval_of_sessions_is_wider_than_without_them():
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(40), 5)
    d = rng.normal(0.1, 0.3, 200) + rng.normal(size=40)[clusters]
    alone, together = wilcoxon(d), wilcoxon(d, clusters)
    assert together.high - together.low > 1.5 * (alone.high - alone.low)
    assert together.low < np.median(d) < together.high


def test_where_no_way_of_signs_is_rare_there_is_no_interval():
    few, six = wilcoxon(np.arange(1.0, 6)), wilcoxon(np.arange(1.0, 7))
    assert (few.p, np.isnan(few.low), np.isnan(few.high)) == (2 / 32, True, True)
    assert (six.p, six.low, six.high) == (2 / 64, 1, 6)
    sessions = wilcoxon(np.arange(1.0, 31), np.repeat(np.arange(5), 6))
    assert (sessions.p, np.isnan(sessions.low)) == (2 / 32, True)


def test_rounding_does_not_break_ties():
    d = np.array([0.1, 0.3 - 0.2, 0.1 + 1e-17, -0.3 + 0.2, 0.25, 1e-17])
    assert wilcoxon(d).p == wilcoxon(np.array([0.1, 0.1, 0.1, -0.1, 0.25, 0])).p
