import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import t as student

from neraca.stats.intervals.prediction_powered import prediction_powered
from neraca.stats.intervals.reference_difference import (
    FEWEST_SESSIONS,
    PeriodMean,
    bucket_share,
    narrowest,
    period_mean,
    reference_difference,
)

NORMAL = NormalDist()
#: So many degrees of freedom that Student's t is normal.
MANY = 10**9
REFERENCE, LATER = PeriodMean(0.8, 0.0004, MANY, 400), PeriodMean(0.7, 0.0004, MANY, 400)


def crossing(a):
    """The chance of Siegmund (1985), in the standard library's normal distribution."""
    return 2 * NORMAL.cdf(-2 * a) + math.exp(-2 * a * a)


def test_variance_by_hand():
    # mean .75; sums of .25 (x - .75): -.125 and twice .0625, squared .0234375, times 3 / 2; W = .5, .25, .25, so that
    # (.375)² / 2 times .25² + .75² is added
    mean = period_mean(np.array([1.0, 0, 1, 1]), np.array([0, 0, 1, 2]), (0, 1))
    assert mean.value == 0.75
    assert mean.variance == pytest.approx(0.0234375 * 1.5 + 0.140625 / 2 * 0.625, rel=1e-12)
    assert (mean.df, mean.sessions) == (2, 3)
    assert mean.sums == pytest.approx(np.array([-0.125, 0.0625, 0.0625]) * math.sqrt(1.5))


def test_without_a_range_nothing_is_imagined():
    mean = period_mean(np.array([1.0, 2, 3, 4]), np.arange(4), (0, math.inf))
    assert mean.variance == pytest.approx(5 / 3 / 4)


def test_strata_get_their_shares_by_hand():
    # .25 of a stratum with 1 and 0, .75 of one with 1 and 1
    mean = period_mean(
        np.array([1.0, 0, 1, 1]), np.arange(4), (0, 1), strata=np.array([0, 0, 1, 1]), shares=np.array([0.25, 0.75])
    )
    assert mean.value == 0.25 * 0.5 + 0.75
    inside = 4 / 3 * 2 * (0.125 * 0.5) ** 2
    imagined = (2 * 0.125**2 + 2 * 0.375**2) ** 2 / 2 * (0.125**2 + 0.875**2)
    assert mean.variance == pytest.approx(inside + imagined, rel=1e-12)


def test_a_stratum_without_a_share_needs_no_item():
    values, shares = np.array([1.0, 0]), np.array([0.0, 1, 0])
    with_gaps = period_mean(values, np.arange(2), strata=np.array([1, 1]), shares=shares)
    plain = period_mean(values, np.arange(2))
    assert (with_gaps.value, with_gaps.variance) == (plain.value, plain.variance)


def test_a_single_session_is_no_error():
    mean = period_mean(np.array([0.5, 1]), np.array([3, 3]), count=9)
    assert (mean.value, mean.df, mean.sessions, len(mean.sums)) == (0.75, 0, 1, 9)


def test_all_since_the_reference_by_hand():
    # V = .0008; the half width is a (V + .0004) / .02, where a leaves a chance of half of 5 %
    found = reference_difference(REFERENCE, LATER)
    a = (found.high + 0.1) * 0.02 / 0.0012
    assert crossing(a) == pytest.approx(0.025, rel=1e-6)
    assert found.low + found.high == pytest.approx(-0.2)
    assert found.p == pytest.approx(2 * crossing(0.1 * 0.02 / 0.0012), rel=1e-6)
    assert (found.error, found.sessions, found.why) == (pytest.approx(math.sqrt(0.0008)), 400, "")


@pytest.mark.parametrize("number, share", [(1, 1 / 4), (2, 1 / 12), (3, 1 / 24)])
def test_a_bucket_by_hand(number, share):
    found = reference_difference(REFERENCE, LATER, number)
    z = 0.1 / math.sqrt(0.0008)
    assert bucket_share(number) == pytest.approx(share)
    assert found.high + 0.1 == pytest.approx(NORMAL.inv_cdf(1 - share * 0.05 / 2) * math.sqrt(0.0008), rel=1e-6)
    assert found.p == pytest.approx(2 * NORMAL.cdf(-z) / share, rel=1e-6)


def test_all_claims_together_spend_no_more_than_the_chance():
    assert 0.5 + sum(map(bucket_share, range(1, 5000))) < 1


@pytest.mark.parametrize("number", [0, 1, 40])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("later", [0.5, 0.65, 0.7, 0.71, 0.72, 0.95])
def test_p_and_interval_agree(number, level, later):
    found = reference_difference(replace(REFERENCE, df=30), replace(LATER, value=later, df=25), number, level=level)
    assert (found.p < 1 - level) == (not found.low <= 0 <= found.high)


def test_few_sessions_widen_as_students_t_does():
    few = reference_difference(replace(REFERENCE, df=19), replace(LATER, df=19), 1)
    # Welch: 38 degrees of freedom
    assert few.high + 0.1 == pytest.approx(student.ppf(1 - 0.0125 / 2, 38) * math.sqrt(0.0008), rel=1e-9)
    since = [reference_difference(replace(REFERENCE, df=df), replace(LATER, df=df)) for df in (19, MANY)]
    assert since[0].high > since[1].high
    assert since[0].p > since[1].p


def test_sessions_that_both_periods_share():
    sums = np.array([0.01, 0.01, 0.0])
    reference, later = replace(REFERENCE, sums=sums), replace(LATER, sums=sums[::-1])
    assert reference_difference(reference, later).error ** 2 == pytest.approx(0.0008 - 2 * 0.01 * 0.01, rel=1e-9)


@pytest.mark.parametrize("place", [0, 1])
def test_there_is_no_look_at_few_sessions(place):
    periods = [REFERENCE, LATER]
    periods[place] = replace(periods[place], sessions=FEWEST_SESSIONS - 1)
    found = reference_difference(*periods)
    assert (found.difference, found.why) == (pytest.approx(-0.1), "few")
    assert np.isnan([found.low, found.high, found.p]).all()


def test_values_that_are_all_equal_show_no_chance():
    equal = [period_mean(np.full(30, value), np.arange(30)) for value in (2.0, 3.0)]
    assert reference_difference(*equal).why == "equal"


def test_a_difference_stays_in_its_range():
    ones = period_mean(np.ones(30), np.arange(30), (0, 1))
    most = period_mean(np.array([1.0] * 29 + [0]), np.arange(30), (0, 1))
    found = reference_difference(most, ones, 0, (-1, 1))
    assert found.low < 0 < found.difference < found.high <= 1


def test_the_smallest_difference_is_that_of_endlessly_many_sessions():
    endless = replace(LATER, variance=1e-15, df=MANY)
    found = reference_difference(REFERENCE, endless)
    assert narrowest(REFERENCE) == pytest.approx(found.high - found.difference, rel=1e-4)
    assert math.isnan(narrowest(replace(REFERENCE, sessions=3)))


def test_false_alarms_of_daily_looks():
    """In 100 years without a change, with 20 sessions a day and a reference of a week, at most a few find one."""
    rng, alarms, days, first = np.random.default_rng(5), 0, 365, 140
    for _ in range(100):
        values = (rng.random(first + 20 * days) < 0.9).astype(float)
        reference = replace(period_mean(values[:first], np.arange(first), (0, 1)), sums=None)
        looks = (first + 20 * np.unique(np.geomspace(1, days, 40).astype(int))).tolist()
        later = (period_mean(values[first:end], np.arange(end - first), (0, 1)) for end in looks)
        alarms += any(reference_difference(reference, replace(m, sums=None), 0, (-1, 1)).p < 0.05 for m in later)
    assert alarms <= 9  # at 2.5 % a right method has ten or more once in 5,000 times


def test_a_large_change_is_found_within_days():
    rng, reached = np.random.default_rng(6), 0
    for _ in range(100):
        reference = period_mean((rng.random(200) < 0.9).astype(float), np.arange(200), (0, 1))
        later = period_mean((rng.random(200) < 0.7).astype(float), np.arange(200), (0, 1))
        reached += reference_difference(replace(reference, sums=None), replace(later, sums=None), 0, (-1, 1)).p < 0.05
    assert reached >= 85  # the formula says 96


def test_a_judge_that_gets_worse_is_no_false_alarm_by_peoples_labels():
    """In 100 runs of twenty looks the truth stays, and people label a quarter of what a worsening judge decides."""

    def corrected(labels, values):
        result = prediction_powered(labels, values)
        return PeriodMean(result.value, result.error**2, result.df, result.labels)

    alarms, first, later = 0, 400, 4000
    for seed in range(100):
        rng = np.random.default_rng(seed)
        truth = (rng.random(first + later) < 0.85).astype(float)
        is_right = rng.random(first + later) < np.where(np.arange(first + later) < first, 0.9, 0.7)
        judged = np.where(is_right, truth, 1 - truth)
        labels = np.where(rng.random(first + later) < 0.25, truth, np.nan)
        reference = corrected(labels[:first], judged[:first])
        ends = [first + int(n) for n in np.unique(np.geomspace(200, later, 20).astype(int))]
        looks = (corrected(labels[first:end], judged[first:end]) for end in ends)
        alarms += any(reference_difference(reference, look, 0, (-1, 1)).p < 0.05 for look in looks)
    assert alarms <= 9
