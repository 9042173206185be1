"""What intervals and tests promise, held to it on data whose truth is known; and shown to notice a wrong method."""

import numpy as np
import pytest
from scipy.stats import binom
from simulation import repeated, slack

from neraca.stats.intervals.interval import interval, wilson
from neraca.stats.tests.correction import holm
from neraca.stats.tests.paired import t_test


def plain(values):
    return np.column_stack([values, np.ones(len(values))])


def ratio(sums):
    return sums[..., 0] / sums[..., 1]


def sessions(rng, groups=15, size=4, shared=1.0):
    """Values of mean 0 of which those of one session have something in common."""
    numbers = np.repeat(np.arange(groups), size)
    return rng.normal(size=groups * size) + shared * rng.normal(size=groups)[numbers], numbers


def coverage(draw, truth, seed, times):
    rng = np.random.default_rng(seed)
    intervals = [draw(rng) for _ in range(times)]
    return np.mean([low <= truth <= high for low, high in intervals])


def bounds(estimate):
    return estimate.low, estimate.high


@repeated
@pytest.mark.parametrize("n", [2, 8, 30])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_t_covers(n, level, times):
    covered = coverage(lambda rng: bounds(interval(plain(rng.normal(3, 2, n)), level=level)), 3, n, times)
    assert covered == pytest.approx(level, abs=slack(times, level))


@pytest.mark.parametrize("p, n", [(0.1, 40), (0.3, 25), (0.5, 60), (0.9, 100)])
def test_wilson_covers(p, n):
    # Wilson is right on the average over p, off by up to .03 at a single one: Brown, Cai and DasGupta (2001)
    shares = [bounds(interval(plain(np.repeat([1.0, 0], [right, n - right])))) for right in range(n + 1)]
    covered = sum(binom.pmf(right, n, p) for right, (low, high) in enumerate(shares) if low <= p <= high)
    assert covered == pytest.approx(0.95, abs=0.03)


@repeated
def test_clustered_covers_and_forgetting_the_clusters_is_noticed(times):
    def right(rng):
        values, numbers = sessions(rng)
        return bounds(interval(plain(values), clusters=numbers))

    def wrong(rng):
        return bounds(interval(plain(sessions(rng)[0])))

    assert coverage(right, 0, 1, times) == pytest.approx(0.95, abs=slack(times))
    assert coverage(wrong, 0, 1, times) < 0.85


@repeated
@pytest.mark.parametrize("groups, size, p", [(5, 8, 0.5), (10, 3, 0.7), (25, 4, 0.6)])
def test_clustered_shares_cover_and_forgetting_the_clusters_is_noticed(groups, size, p, times):
    numbers = np.repeat(np.arange(groups), size)

    def values(rng):  # beta-binomial with an intraclass correlation of .4
        return (rng.random(groups * size) < rng.beta(1.5 * p, 1.5 * (1 - p), groups)[numbers]).astype(float)

    right = coverage(lambda rng: bounds(interval(plain(values(rng)), clusters=numbers)), p, groups, times)
    wrong = coverage(lambda rng: wilson(values(rng).mean(), groups * size), p, groups, times)
    assert 0.95 - slack(times) - 0.01 <= right <= 0.99
    assert wrong < 0.9


@repeated
def test_ratio_of_sums_covers_and_the_mean_of_ratios_is_noticed(times):
    """Long answers are better here, so that the share of all hits is not the mean of the shares."""

    def rows(rng):
        whole = rng.integers(1, 21, 80)
        return np.column_stack([rng.binomial(whole, whole / 25), whole]).astype(float)

    # E[part] / E[whole] with whole uniform on 1..20: (sum w^2 / 25) / sum w = (2870 / 25) / 210
    truth = 2870 / 25 / 210
    right = coverage(lambda rng: bounds(interval(rows(rng), ratio)), truth, 7, times)
    wrong = coverage(lambda rng: bounds(interval(plain(ratio(rows(rng))))), truth, 7, times)
    assert right == pytest.approx(0.95, abs=slack(times) + 0.01)
    assert wrong < 0.5


def rejections(draw, seed, times):
    rng = np.random.default_rng(seed)
    return np.mean([draw(rng) < 0.05 for _ in range(times)])


@repeated
def test_clustered_t_test_keeps_its_level_and_forgetting_the_clusters_is_noticed(times):
    assert rejections(lambda rng: t_test(*sessions(rng)).p, 3, times) == pytest.approx(0.05, abs=slack(times))
    assert rejections(lambda rng: t_test(sessions(rng)[0]).p, 3, times) > 0.05 + slack(times)


@repeated
def test_t_test_reaches_the_power_planned(times):
    # 34 items find an effect of 0.5 with a chance of .808 (see test_power)
    share = rejections(lambda rng: t_test(rng.normal(0.5, 1, 34)).p, 4, times)
    assert share == pytest.approx(0.808, abs=slack(times, 0.808))


def test_holm_keeps_the_level_of_the_family_and_doing_without_is_noticed():
    """The p of tests of what is true are uniform."""
    p = np.random.default_rng(5).random((2000, 5))
    assert np.mean([holm(row).min() < 0.05 for row in p]) == pytest.approx(0.05, abs=slack(2000))
    assert (p.min(axis=1) < 0.05).mean() == pytest.approx(1 - 0.95**5, abs=slack(2000, 0.2262))


@repeated
@pytest.mark.parametrize("n", [3, 5, 8, 20])
def test_intervals_of_ratings_cover_and_cutting_them_off_is_noticed(n, times):
    """Of ratings from 0 to 5 that are mostly 5; an interval is missing where all are 4."""
    rng, p = np.random.default_rng(n), np.array([0, 0, 0.01, 0.04, 0.15, 0.8])
    held, cut, given = 0, 0, 0
    for _ in range(times):
        values = rng.choice(6, n, p=p).astype(float)
        found, free = interval(plain(values), limits=(0, 5)), interval(plain(values), limits=(-np.inf, np.inf))
        given += found.method != "none"
        assert not found.low < 0
        assert not found.high > 5
        held += found.low <= 4.74 <= found.high
        cut += free.low <= 4.74 <= min(5, free.high)
    assert held / given >= 0.95 - slack(times)
    assert cut / times < 0.9
