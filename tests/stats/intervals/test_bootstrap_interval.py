import math

import numpy as np
import pytest
from scipy import stats as reference
from simulation import repeated, slack

from neraca.stats.intervals.bootstrap_interval import bootstrap_interval
from neraca.stats.intervals.interval import interval

THEIRS = {"bca": "BCa", "percentile": "percentile"}
#: Efron and Tibshirani (1993), table 14.1: spatial test A of 26 children.
CHILDREN = [48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41]
#: Efron and Tibshirani (1993), table 3.1: LSAT and GPA of 15 law schools.
LSAT = [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594]
GPA = [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]


def plain(values):
    return np.column_stack([values, np.ones(len(values))])


def share(sums):
    return sums[..., 0] / np.where(sums[..., 1] == 0, np.nan, sums[..., 1])


def variance(sums):
    """The plug-in variance as a total of counts (x, x^2, 1)."""
    return sums[..., 1] / sums[..., 2] - (sums[..., 0] / sums[..., 2]) ** 2


def f1(sums):
    """The micro-average of counts of true positives, false positives and false negatives."""
    return 2 * sums[..., 0] / (2 * sums[..., 0] + sums[..., 1] + sums[..., 2])


def correlation(sums):
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    return (xy - x * y / n) / np.sqrt((xx - x * x / n) * (yy - y * y / n))


def bounds(found):
    return found.low, found.high


@pytest.mark.parametrize("method", THEIRS)
@pytest.mark.parametrize("n, level", [(2, 0.9), (9, 0.95), (40, 0.8), (300, 0.99)])
def test_of_a_mean_it_is_that_of_scipy_from_the_same_resamples(method, n, level):
    values = np.round(1000 * np.random.default_rng(n).lognormal(size=n))  # whose sums are the same in any order
    chance = np.random.default_rng(5)
    theirs = reference.bootstrap(
        (values,), np.mean, n_resamples=1500, confidence_level=level, method=THEIRS[method], rng=chance
    ).confidence_interval
    found = bootstrap_interval(plain(values), level=level, method=method, samples=1500, seed=5)
    assert bounds(found) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
    assert (found.value, found.n, found.method) == (pytest.approx(values.mean()), n, method)


@pytest.mark.parametrize("method", THEIRS)
def test_of_a_total_of_counts_it_is_that_of_scipy_from_the_same_resamples(method):
    counts = np.random.default_rng(2).poisson([3.0, 1.0, 2.0], (25, 3)).astype(float)

    def theirs(*columns, axis):
        return f1(np.stack([column.sum(axis=axis) for column in columns], axis=-1))

    expected = reference.bootstrap(
        (*counts.T,), theirs, paired=True, n_resamples=1500, method=THEIRS[method], rng=np.random.default_rng(8)
    ).confidence_interval
    found = bootstrap_interval(counts, f1, method=method, samples=1500, seed=8)
    assert bounds(found) == pytest.approx((expected.low, expected.high), rel=1e-9)


@pytest.mark.parametrize("method", THEIRS)
def test_of_clusters_it_is_that_of_scipy_over_their_sums(method):
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(12) * 7, rng.integers(1, 5, 12))
    values = rng.exponential(size=len(clusters))
    sums = np.array([[values[clusters == one].sum(), (clusters == one).sum()] for one in np.unique(clusters)])

    def theirs(parts, sizes, axis):
        return parts.sum(axis=axis) / sizes.sum(axis=axis)

    expected = reference.bootstrap(
        (*sums.T,), theirs, paired=True, n_resamples=1500, method=THEIRS[method], rng=np.random.default_rng(1)
    ).confidence_interval
    order = rng.permutation(len(values))
    found = bootstrap_interval(plain(values[order]), clusters=clusters[order], method=method, samples=1500, seed=1)
    assert bounds(found) == pytest.approx((expected.low, expected.high), rel=1e-9)
    assert found.n == len(values)


@pytest.mark.parametrize("method, printed", [("percentile", (100.8, 233.9)), ("bca", (115.8, 259.6))])
def test_the_spatial_data_of_efron_and_tibshirani(method, printed):
    # An Introduction to the Bootstrap (1993), table 14.2: 90 % intervals of the variance, 171.5, from 2,000 samples
    x = np.array(CHILDREN, dtype=float)
    found = bootstrap_interval(np.column_stack([x, x * x, np.ones(26)]), variance, level=0.9, method=method)
    assert found.value == pytest.approx(171.5, abs=0.05)
    assert bounds(found) == pytest.approx(printed, abs=4)  # the error of a quantile of 2,000 samples is about 2


def test_the_law_schools_of_efron_and_tibshirani():
    # An Introduction to the Bootstrap (1993), sec. 3.2 and 14.3: r = .776, and BCa moves the percentile interval down
    x, y = np.array(LSAT, dtype=float), np.array(GPA)
    rows = np.column_stack([np.ones(15), x, y, x * x, y * y, x * y])
    found = {method: bootstrap_interval(rows, correlation, level=0.9, method=method) for method in THEIRS}
    theirs = reference.bootstrap(
        (x, y),
        lambda a, b, axis: reference.pearsonr(a, b, axis=axis).statistic,
        paired=True,
        confidence_level=0.9,
        n_resamples=10_000,
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert found["bca"].value == pytest.approx(0.776, abs=5e-4)
    assert bounds(found["bca"]) == pytest.approx((theirs.low, theirs.high), abs=1e-6)
    assert found["bca"].low < found["percentile"].low - 0.05
    assert found["bca"].high < found["percentile"].high


def test_by_hand_where_all_resamples_can_be_counted():
    # of the 4 draws of 0 0 0 8, k are the 8 with a chance of C(4, k) 3^(4 - k) / 256: 81, 108, 54, 12, 1
    rows = plain([0.0, 0, 0, 8])
    for level, low, high in ((0.3, 2, 2), (0.5, 0, 4), (0.94, 0, 6), (0.98, 0, 6)):
        assert bounds(bootstrap_interval(rows, level=level, method="percentile")) == (low, high)
    # z0: 81/256 below and half of 108/256 equal to 2: .5273, z0 = .0686; pseudo-values -2 -2 -2 6: a = (216 - 24) /
    # (6 * 48^1.5) = .0962; at 90 % alphas of Phi(.0686 - 1.5763 / 1.1516) = .0967, Phi(.0686 + 1.7135 / .8352) = .983:
    # below 81/256, and between (256 - 13)/256 = .949 and 255/256 = .996
    assert bounds(bootstrap_interval(rows, level=0.9)) == (0, 6)


def test_the_acceleration_is_that_of_the_skewness():
    # exponential values: BCa lies further up than the percentiles on both sides, and turned around further down
    values = np.random.default_rng(6).exponential(size=40)
    bca, percentile = (bounds(bootstrap_interval(plain(values), method=method)) for method in THEIRS)
    assert bca[0] > percentile[0]
    assert bca[1] > percentile[1]
    turned = bootstrap_interval(plain(-values))
    assert bounds(turned) == pytest.approx((-bca[1], -bca[0]), abs=1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1e-6, 1e6, 1e150])
def test_the_unit_of_the_values_does_not_matter(scale):
    values = np.random.default_rng(6).exponential(size=20)
    once, scaled = (bootstrap_interval(plain(values * unit), samples=500) for unit in (1, scale))
    assert bounds(scaled) == pytest.approx((once.low * scale, once.high * scale), rel=1e-9)


def test_the_same_seed_is_the_same_interval_and_another_one_is_near():
    rows = plain(np.random.default_rng(1).random(60))
    assert bootstrap_interval(rows, seed=3) == bootstrap_interval(rows, seed=3)
    one, other = (bootstrap_interval(rows, seed=seed) for seed in (3, 4))
    assert one != other
    assert bounds(one) == pytest.approx(bounds(other), abs=0.005)


def test_unscored_rows_are_left_out_with_their_clusters():
    values = np.array([0.2, np.nan, 0.9, 0.4, np.nan, 0.5, 0.7])
    clusters = np.array([0, 0, 1, 1, 2, 3, 4])
    kept = ~np.isnan(values)
    expected = bootstrap_interval(plain(values[kept]), clusters=clusters[kept])
    assert bootstrap_interval(plain(values), clusters=clusters) == expected
    assert expected.n == 5


def test_one_cluster_for_each_item_changes_nothing():
    rows = plain(np.random.default_rng(1).random(20))
    expected = bounds(bootstrap_interval(rows))
    assert bounds(bootstrap_interval(rows, clusters=np.arange(20))) == pytest.approx(expected)


@pytest.mark.parametrize("method", THEIRS)
@pytest.mark.parametrize(
    "rows, clusters, n",
    [
        (np.empty((0, 2)), None, 0),
        (np.full((3, 2), np.nan), None, 0),
        (plain([0.4]), None, 1),
        (plain([0.4, 0.9, 0.1]), np.array([5, 5, 5]), 3),
        (plain([0.3] * 7), None, 7),
        (plain([0.1, 0.3, 0.3, 0.1]), np.array([0, 0, 1, 1]), 4),
    ],
)
def test_where_nothing_shows_how_much_chance_there_is(method, rows, clusters, n):
    found = bootstrap_interval(rows, clusters=clusters, method=method)
    assert (found.n, found.method) == (n, "none")
    assert all(map(math.isnan, bounds(found)))
    assert math.isnan(found.value) == (n == 0)


def test_a_total_that_is_not_defined_has_no_interval():
    found = bootstrap_interval(np.zeros((3, 2)), share)
    assert (found.n, found.method, math.isnan(found.value)) == (3, "none", True)


def test_a_total_that_is_too_often_not_defined_has_no_interval():
    # without any of k of 12 items that define it: (1 - k / 12)^12 is .35 for one, .0317 for three, .0077 for four
    for k, method in ((1, "none"), (3, "none"), (4, "percentile")):
        rows = np.zeros((12, 2))
        rows[:k] = np.column_stack([np.arange(k), np.full(k, 4)])
        found = bootstrap_interval(rows, share, method="percentile")
        assert found.method == method, k
        assert found.value == pytest.approx((k - 1) / 8)
        assert math.isnan(found.low) == (method == "none")


def test_resampled_totals_on_one_side_only_have_no_bca_interval():
    def largest(sums):  # of flags: a resample never has more different items than there are
        return (sums > 0).sum(axis=-1).astype(float)

    assert bootstrap_interval(np.eye(8), largest).method == "bca"  # some resamples hold all 8, and equal ones are half
    assert bootstrap_interval(np.eye(60), largest).method == "none"
    assert bootstrap_interval(np.eye(60), largest, method="percentile").method == "percentile"


def test_a_total_that_no_single_item_moves_is_bounded_without_acceleration():
    # the middle one of three groups of 10: without any one item it is 10 still, so that BCa has only its bias
    rows = np.repeat(np.eye(3), 10, axis=0)
    bca, percentile = (bootstrap_interval(rows, middle, method=method) for method in THEIRS)
    assert (bca.method, bca.value) == ("bca", 10)
    assert bounds(bca) == bounds(percentile) == (8, 12)


def middle(sums):
    return np.median(sums, axis=-1)


def test_the_ends_of_the_formula_are_the_ends_of_the_resamples():
    # one outlier, and a level so far out that a (z0 + z) comes to more than 1, where all is above
    found = bootstrap_interval(plain([0.0] * 60 + [1.0]), level=1 - 1e-12)
    assert found.low == 0
    assert found.high >= 5 / 61  # of 10,000 resamples 36 or so hold it five times or more


def covered(draw, truth, seed, times):
    """Shares of the intervals that lie below and around the truth."""
    rng = np.random.default_rng(seed)
    low, high = np.array([bounds(draw(rng)) for _ in range(times)]).T
    return (high < truth).mean(), ((low <= truth) & (truth <= high)).mean()


@repeated
@pytest.mark.parametrize("method", THEIRS)
def test_it_covers_the_mean_of_normal_values(method, times):
    def draw(rng):
        return bootstrap_interval(plain(rng.normal(size=50)), method=method, samples=800)

    # without t's quantiles it is .94 of 50
    assert covered(draw, 0, 1, times)[1] == pytest.approx(0.95, abs=slack(times) + 0.012)


@repeated
@pytest.mark.parametrize("n, share_held", [(10, 0.9), (20, 0.92)])
def test_with_few_items_it_is_too_sure_as_the_file_says(n, share_held, times):
    _, held = covered(lambda rng: bootstrap_interval(plain(rng.normal(size=n)), samples=800), 0, n, times)
    assert held == pytest.approx(share_held, abs=slack(times))


@repeated
def test_of_skewed_values_it_misses_more_evenly_than_t(times):
    def draw(rng):
        return plain(rng.lognormal(size=50))

    truth = math.exp(0.5)
    bca = covered(lambda rng: bootstrap_interval(draw(rng), samples=800), truth, 2, times)
    percentile = covered(lambda rng: bootstrap_interval(draw(rng), method="percentile", samples=800), truth, 2, times)
    t = covered(lambda rng: interval(draw(rng)), truth, 2, times)
    assert bca[0] < percentile[0] < t[0] + 0.02  # of 2.5 % that should lie below the truth
    assert bca[0] < t[0] - 0.01
    assert bca[1] > 0.88


@repeated
def test_whole_clusters_cover_and_forgetting_them_is_noticed(times):
    numbers = np.repeat(np.arange(25), 4)

    def draw(rng):
        return plain(rng.exponential(size=100) + rng.exponential(size=25)[numbers])

    right = covered(lambda rng: bootstrap_interval(draw(rng), clusters=numbers, samples=800), 2, 3, times)
    wrong = covered(lambda rng: bootstrap_interval(draw(rng), samples=800), 2, 3, times)
    assert right[1] == pytest.approx(0.94, abs=slack(times) + 0.015)
    assert wrong[1] < 0.85


@repeated
def test_a_ratio_of_sums_covers(times):
    def draw(rng):
        whole = rng.integers(1, 21, 60)
        return np.column_stack([rng.binomial(whole, whole / 25), whole]).astype(float)

    truth = 2870 / 25 / 210
    _, held = covered(lambda rng: bootstrap_interval(draw(rng), share, samples=800), truth, 7, times)
    assert held == pytest.approx(0.945, abs=slack(times) + 0.01)
