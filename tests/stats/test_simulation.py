"""What intervals and tests promise, held to it on data whose truth is known; and shown to notice a wrong method."""

import numpy as np
import pytest

from neraca.stats.correction import holm
from neraca.stats.interval import interval, wilson
from neraca.stats.paired import t_test

TIMES = 2000
#: Four standard deviations of a share of .95 (or .05) in so many repetitions: a right method fails once in 16,000.
SLACK = 4 * np.sqrt(0.95 * 0.05 / TIMES)


def plain(values):
    return np.column_stack([values, np.ones(len(values))])


def ratio(sums):
    return sums[..., 0] / sums[..., 1]


def sessions(rng, groups=15, size=4, shared=1.0):
    """Values of mean 0 of which those of one session have something in common."""
    numbers = np.repeat(np.arange(groups), size)
    return rng.normal(size=groups * size) + shared * rng.normal(size=groups)[numbers], numbers


def coverage(draw, truth, seed):
    rng = np.random.default_rng(seed)
    found = [draw(rng) for _ in range(TIMES)]
    return np.mean([low <= truth <= high for low, high in found])


def bounds(estimate):
    return estimate.low, estimate.high


@pytest.mark.parametrize("n", [2, 8, 30])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_t_covers(n, level):
    found = coverage(lambda rng: bounds(interval(plain(rng.normal(3, 2, n)), level=level)), 3, n)
    assert found == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / TIMES))


@pytest.mark.parametrize("p, n", [(0.1, 40), (0.3, 25), (0.5, 60), (0.9, 100)])
def test_wilson_covers(p, n):
    # Wilson is right on the average over p, off by up to .02 at a single one: Brown, Cai and DasGupta (2001)
    found = coverage(lambda rng: bounds(interval(plain((rng.random(n) < p).astype(float)))), p, n)
    assert found == pytest.approx(0.95, abs=SLACK + 0.02)


def test_clustered_covers_and_forgetting_the_clusters_is_noticed():
    def right(rng):
        values, numbers = sessions(rng)
        return bounds(interval(plain(values), clusters=numbers))

    def wrong(rng):
        return bounds(interval(plain(sessions(rng)[0])))

    assert coverage(right, 0, 1) == pytest.approx(0.95, abs=SLACK)
    assert coverage(wrong, 0, 1) < 0.85


@pytest.mark.parametrize("groups, size, p", [(5, 8, 0.5), (10, 3, 0.7), (25, 4, 0.6)])
def test_clustered_shares_cover_and_forgetting_the_clusters_is_noticed(groups, size, p):
    numbers = np.repeat(np.arange(groups), size)

    def values(rng):  # beta-binomial with an intraclass correlation of .4
        return (rng.random(groups * size) < rng.beta(1.5 * p, 1.5 * (1 - p), groups)[numbers]).astype(float)

    right = coverage(lambda rng: bounds(interval(plain(values(rng)), clusters=numbers)), p, groups)
    wrong = coverage(lambda rng: wilson(values(rng).mean(), groups * size), p, groups)
    assert 0.95 - SLACK - 0.01 <= right <= 0.99
    assert wrong < 0.9


def test_ratio_of_sums_covers_and_the_mean_of_ratios_is_noticed():
    """Long answers are better here, so that the share of all hits is not the mean of the shares."""

    def rows(rng):
        whole = rng.integers(1, 21, 80)
        return np.column_stack([rng.binomial(whole, whole / 25), whole]).astype(float)

    # E[part] / E[whole] with whole uniform on 1..20: (sum w^2 / 25) / sum w = (2870 / 25) / 210
    truth = 2870 / 25 / 210
    right = coverage(lambda rng: bounds(interval(rows(rng), ratio)), truth, 7)
    wrong = coverage(lambda rng: bounds(interval(plain(ratio(rows(rng))))), truth, 7)
    assert right == pytest.approx(0.95, abs=SLACK + 0.01)
    assert wrong < 0.5


def rejections(draw, seed):
    rng = np.random.default_rng(seed)
    return np.mean([draw(rng) < 0.05 for _ in range(TIMES)])


def test_t_test_keeps_its_level():
    assert rejections(lambda rng: t_test(rng.normal(size=12)).p, 2) == pytest.approx(0.05, abs=SLACK)


def test_clustered_t_test_keeps_its_level_and_forgetting_the_clusters_is_noticed():
    assert rejections(lambda rng: t_test(*sessions(rng)).p, 3) == pytest.approx(0.05, abs=SLACK)
    assert rejections(lambda rng: t_test(sessions(rng)[0]).p, 3) > 0.15


def test_t_test_reaches_the_power_planned():
    # 34 items find an effect of 0.5 with a chance of .808 (see test_power)
    found = rejections(lambda rng: t_test(rng.normal(0.5, 1, 34)).p, 4)
    assert found == pytest.approx(0.808, abs=4 * np.sqrt(0.808 * 0.192 / TIMES))


def test_holm_keeps_the_level_of_the_family_and_doing_without_is_noticed():
    rng = np.random.default_rng(5)
    p = np.array([[t_test(rng.normal(size=10)).p for _ in range(5)] for _ in range(TIMES)])
    assert np.mean([holm(row).min() < 0.05 for row in p]) == pytest.approx(0.05, abs=SLACK)
    assert (p.min(axis=1) < 0.05).mean() == pytest.approx(1 - 0.95**5, abs=4 * np.sqrt(0.2262 * 0.7738 / TIMES))
