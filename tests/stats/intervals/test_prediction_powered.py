import math

import numpy as np
import pytest
from scipy.special import stdtrit
from simulation import repeated, slack

from neraca.stats.intervals.prediction_powered import prediction_powered, weighted_prediction_powered

NONE = np.nan
LABELS = np.array([0.2, 0.9, 0.4, 1, 0.6, 0.1, 0.7, 0.8] + [NONE] * 12)
VALUES = np.array(
    [0.3, 1, 0.9, 0.8, 0.9, 0.2, 0.5, 1, 0.6, 0.4, 1, 0.9, 0.3, 0.7, 0.8, 0.2, 0.9, 1, 0.5, 0.6],
)
STRATA = np.array([0, 0, 0, 0, 1, 1, 1, 1] + [0] * 7 + [1] * 5)
PAIRS = np.arange(20) // 2


def of(result):
    return result.value, result.error


# The numbers are those of GLIDE (glide-py 0.11.0): PPIMeanEstimator, StratifiedPPIMeanEstimator,
# ClusteredPPIMeanEstimator and ASIMeanEstimator on the arrays above.
@pytest.mark.parametrize(
    "weight, value, error",
    [(1.0, 0.5458333333333333, 0.11433291210655307), (None, 0.5636672473867597, 0.09247366691891233)],
)
def test_as_glide(weight, value, error):
    result = prediction_powered(LABELS, VALUES, weight=weight, small="nothing")
    assert of(result) == pytest.approx((value, error), abs=1e-9)


@pytest.mark.parametrize("weight, value", [(1.0, 0.5458333333333333), (0.5, 0.5666666666666667)])
def test_as_ppi_python(weight, value):
    """ppi_py 0.2.3: ppi_mean_pointestimate, and ppi_mean_ci with lam=.5, whose variances are those of populations."""
    assert prediction_powered(LABELS, VALUES, weight=weight).value == pytest.approx(value, abs=1e-9)
    h, f, rest = LABELS[:8], VALUES[:8], VALUES[8:]
    error = math.sqrt(np.var(h - 0.5 * f) / 8 + np.var(0.5 * rest) / 12)
    assert 2 * 1.959963984540054 * error == pytest.approx(0.73616698 - 0.39716636, abs=1e-8)
    ours = prediction_powered(LABELS, VALUES, weight=0.5, small="nothing").error
    assert ours**2 == pytest.approx(np.var(h - 0.5 * f) / 7 + np.var(0.5 * rest) / 11)


def test_strata_as_glide_and_the_chance_of_how_many_items_each_has():
    result = prediction_powered(LABELS, VALUES, strata=STRATA, small="nothing")
    parts = [np.equal(STRATA, number) for number in (0, 1)]
    each = [prediction_powered(LABELS[rows], VALUES[rows], small="nothing").value for rows in parts]
    between = sum(rows.sum() * (one - result.value) ** 2 for rows, one in zip(parts, each, strict=True)) / 20**2
    within = math.sqrt(result.error**2 - between)
    assert (result.value, within) == pytest.approx((0.5568963963963964, 0.10321774504782413), abs=1e-9)


def test_clusters_as_glide():
    means = [values.reshape(-1, 2).mean(axis=1) for values in (LABELS, VALUES)]
    weight = prediction_powered(*means, small="nothing").weight
    result = prediction_powered(LABELS, VALUES, clusters=PAIRS, weight=weight, small="nothing")
    assert of(result) == pytest.approx((0.5724397590361446, 0.0772770397930677), abs=1e-9)
    assert (result.labels, result.df) == (4, 3)


@pytest.mark.parametrize(
    "weight, value, error",
    [(None, 0.5658864507140369, 0.10847257259500882), (1.0, 0.5377777777777777, 0.12008065299152894)],
)
def test_chances_as_glide(weight, value, error):
    result = weighted_prediction_powered(LABELS, VALUES, np.clip(VALUES / 2, 0.1, 1), weight=weight)
    assert of(result) == pytest.approx((value, error), abs=1e-9)
    assert result.df == 6


def test_all_labelled_is_their_mean_with_its_usual_error():
    result = prediction_powered(LABELS[:8], VALUES[:8])
    assert result.value == pytest.approx(LABELS[:8].mean())
    assert result.weight == 0


def test_a_judge_that_says_the_same_of_everything_leaves_the_labels_alone():
    result = prediction_powered(LABELS, np.full(20, 0.5))
    assert (result.value, result.weight) == (pytest.approx(LABELS[:8].mean()), 0)


def test_a_perfect_judge_is_believed():
    labels = np.where(np.isnan(LABELS), NONE, VALUES)
    assert prediction_powered(labels, VALUES, weight=1.0).value == pytest.approx(VALUES.mean(), abs=0.08)


def test_half_labels_keep_a_width_where_judge_and_people_never_differ():
    values = np.tile([1.0, 1, 0, 1], 25)
    labels = np.where(np.arange(100) < 40, values, NONE)
    result = prediction_powered(labels, values)
    # by hand: 42 labels of which one half each is 1 as 0, 0 as 1; lambda is their covariance over the variance of all
    counts, h, f = (
        np.append(np.ones(40), [0.5] * 4),
        np.append(values[:40], [0, 0, 1, 1]),
        np.append(values[:40], [0, 1, 0, 1]),
    )
    lam = np.cov(h, f, aweights=counts, ddof=0)[0, 1] * 42 / 41 / np.var(values, ddof=1) / (1 + 42 / 60)
    apart = h - lam * f
    mean = (counts * apart).sum() / 42
    squared = (counts * (apart - mean) ** 2).sum() / 42 / 40 + np.var(lam * values[40:], ddof=1) / 60
    assert result.value == pytest.approx(values.mean(), abs=1e-9)
    assert (result.centre, result.error) == pytest.approx((mean + lam * 0.75, math.sqrt(squared)))
    assert result.low < 0.75 < result.high


def test_few_or_equal_labels_have_no_interval():
    assert math.isnan(prediction_powered(LABELS[6:], VALUES[6:]).low)
    assert math.isnan(prediction_powered(np.full(9, 0.5), np.full(9, 0.5)).low)
    assert math.isnan(weighted_prediction_powered(LABELS[6:], VALUES[6:], np.full(14, 0.2)).low)
    assert math.isnan(prediction_powered(LABELS[7:], VALUES[7:], small="nothing").p())


def test_a_stratum_without_a_label_is_refused():
    with pytest.raises(ValueError, match="stratum"):
        prediction_powered(LABELS, VALUES, strata=np.arange(20) // 10)


def test_p_and_the_interval_say_the_same():
    result = prediction_powered(LABELS, VALUES, level=0.9)
    assert result.p_above(result.low) == pytest.approx(0.05)
    shifted = prediction_powered(LABELS - result.low, VALUES, level=0.9)
    assert shifted.p() == pytest.approx(0.1)


def judged(rng, n, labels, miss, false):
    """Shares of 1 of .7: what people say of some, and what a judge says that misses 1 and finds false 1 so often."""
    truth = (rng.random(n) < 0.7) * 1.0
    values = np.where(rng.random(n) < np.where(truth == 1, miss, false), 1 - truth, truth)
    return np.where(np.arange(n) < labels, truth, NONE), values


@repeated
def test_it_covers_where_the_judge_is_badly_biased_and_the_raw_mean_does_not(times):
    rng = np.random.default_rng(1)
    covered, raw = 0, 0
    for _ in range(times):
        labels, values = judged(rng, 300, 60, 0.05, 0.6)
        result = prediction_powered(labels, values)
        covered += result.low <= 0.7 <= result.high
        raw += abs(values.mean() - 0.7) <= 1.96 * values.std() / math.sqrt(300)
    assert covered / times == pytest.approx(0.955, abs=slack(times))
    assert raw / times < 0.2


def by_strata(rng):
    labels, values = judged(rng, 300, 300, 0.05, 0.4)
    chosen = np.zeros(300, bool)
    for value, count in ((0, 15), (1, 45)):
        rows = np.flatnonzero(values == value)
        chosen[rng.choice(rows, min(count, len(rows)), replace=False)] = True
    return prediction_powered(np.where(chosen, labels, NONE), values, strata=values.astype(int))


def by_chances(rng):
    labels, values = judged(rng, 300, 300, 0.05, 0.4)
    chances = np.where(values == 1, 0.3, 0.5)
    return weighted_prediction_powered(np.where(rng.random(300) < chances, labels, NONE), values, chances)


def by_sessions(rng):
    labels, values = judged(rng, 100, 40, 0.05, 0.4)
    return prediction_powered(np.repeat(labels, 3), np.repeat(values, 3), clusters=np.repeat(np.arange(100), 3))


@repeated
@pytest.mark.parametrize("method", [by_strata, by_chances, by_sessions])
def test_every_way_to_draw_covers(method, times):
    rng = np.random.default_rng(2)
    results = [method(rng) for _ in range(times)]
    covered = np.mean([one.low <= 0.7 <= one.high for one in results])
    assert covered > 0.94 - slack(times)
    assert np.mean([one.value for one in results]) == pytest.approx(0.7, abs=0.03)


@repeated
def test_forgetting_the_sessions_is_noticed(times):
    rng, covered = np.random.default_rng(2), 0
    for _ in range(times):
        labels, values = judged(rng, 100, 40, 0.05, 0.4)
        one = prediction_powered(np.repeat(labels, 3), np.repeat(values, 3))
        covered += one.low <= 0.7 <= one.high
    assert covered / times < 0.85


def test_bounds_within_a_range_hold_the_value_and_are_cut_where_half_labels_are_added():
    people = np.array([1.0] * 29 + [0] + [NONE] * 30)
    result = prediction_powered(people, np.ones(60))
    low, high = result.bounds_within((0, 1), 0.95)
    assert result.half_labels
    assert low <= result.value <= high == 1
    cut = prediction_powered(LABELS, VALUES, small="leverage")
    least, most = cut.bounds_within((0, 1), 0.95)
    quantile = stdtrit(cut.df, 0.975)
    assert (least, most) == pytest.approx((cut.centre - quantile * cut.error, cut.centre + quantile * cut.error))
    known = prediction_powered(np.array([1.0, 1, 1, NONE]), np.ones(4), small="nothing")
    assert np.isnan(known.bounds_within((0, 1), 0.95)).all() or known.df
