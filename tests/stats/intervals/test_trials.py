import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference
from simulation import repeated, slack

from neraca.stats.intervals.interval import clustered_error
from neraca.stats.intervals.trials import ErrorParts, components, error_parts, flips

NAN = math.nan
#: Six targets, each rated by four judges: Shrout and Fleiss (1979), table 2.
TARGETS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=np.float64
)


def test_published_example():
    found = components(TARGETS)
    # table 3: between targets 11.24, within target 6.26; table 4: ICC(1,1) = .17, ICC(1,4) = .44
    assert found.within == pytest.approx(6.26, abs=0.005)
    assert found.within + 4 * found.between == pytest.approx(11.24, abs=0.005)
    assert (found.icc.value, found.icc_mean.value) == pytest.approx((0.17, 0.44), abs=0.005)
    assert (found.items, found.answers, found.trials) == (6, 24, 4)


def test_the_published_bounds_are_those_of_the_f_distribution():
    # Shrout and Fleiss: F0 = BMS / WMS, FL = F0 / F(5, 18), FU = F0 * F(18, 5), (FL - 1) / (FL + k - 1), ...
    f = reference.f_oneway(*TARGETS).statistic
    low, high = f / reference.f.ppf(0.975, 5, 18), f * reference.f.ppf(0.975, 18, 5)
    found = components(TARGETS)
    assert (found.icc.low, found.icc.high) == pytest.approx(((low - 1) / (low + 3), (high - 1) / (high + 3)))
    assert (found.icc_mean.low, found.icc_mean.high) == pytest.approx((1 - 1 / low, 1 - 1 / high))
    assert (found.icc.method, found.icc.n) == ("f", 6)
    narrow = components(TARGETS, level=0.8)
    assert found.icc.low < narrow.icc.low < found.icc.value < narrow.icc.high < found.icc.high


@given(st.integers(0, 10**6))
def test_unequally_many_trials_are_those_of_the_analysis_of_variance(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, 7)
    sizes[0] = 3
    groups = [rng.normal(rng.normal(), 1, size) for size in sizes]
    values = np.full((8, 4), NAN)  # the last one has no value at all
    for row, group in enumerate(groups):
        values[row, rng.permutation(4)[: len(group)]] = group
    found, f, total = components(values), reference.f_oneway(*groups).statistic, sizes.sum()
    k = (total - (sizes**2).sum() / total) / 6
    within = sum(((group - group.mean()) ** 2).sum() for group in groups) / (total - 7)
    assert found.within == pytest.approx(within)
    assert found.icc.value == pytest.approx((f - 1) / (f + k - 1))
    assert found.between == pytest.approx(max(0, (f - 1) * within / k))
    assert (found.items, found.answers) == (7, total)


def test_trials_that_differ_more_than_questions_leave_no_variance_between_questions():
    found = components(np.array([[0.0, 1, 2], [2, 1, 0.3], [1, 2, 0.1]]))
    assert found.between == 0
    assert found.icc.value < 0
    assert found.icc_mean.value < found.icc.value


def test_questions_of_one_mean_reach_the_lower_end():
    found = components(np.array([[0.0, 1, 2], [2, 1, 0]]))
    assert (found.between, found.icc.value, found.icc_mean.value) == (0, pytest.approx(-1 / 2), -math.inf)


def test_trials_that_never_differ_show_no_chance():
    found = components(np.array([[0.1 + 0.2, 0.3], [0.7, 0.7], [0.2, 0.2]]))  # what only rounding keeps apart is equal
    assert (found.within, found.icc.value, found.icc_mean.value, found.icc.method) == (0, 1, 1, "none")
    assert math.isnan(found.icc.low)
    same = components(np.full((3, 2), 0.7))
    assert (same.within, same.between) == (0, 0)
    assert math.isnan(same.icc.value)
    assert math.isnan(same.icc_mean.value)


def test_asked_once_nothing_can_be_said():
    for values in (np.zeros((4, 1)), np.array([[1.0, NAN], [NAN, 2]]), np.full((3, 2), NAN), np.zeros((0, 3))):
        assert components(values) is None
        assert error_parts(values) is None
        assert error_parts(np.array(TARGETS)[: len(values)], values) is None


def test_a_single_question_shows_its_trials_alone():
    found = components(np.array([[1.0, 3]]))
    assert (found.within, found.items, found.answers, found.trials) == (2, 1, 2, 2)
    assert math.isnan(found.between)
    assert math.isnan(found.icc.value)
    parts = error_parts(np.array([[1.0, 3]]))
    assert math.isnan(parts.error)
    assert math.isnan(parts.share)


# simulation


def drawn(rng, items=20, trials=3, between=1.0, within=1.0):
    return rng.normal(size=(items, 1)) * math.sqrt(between) + rng.normal(size=(items, trials)) * math.sqrt(within)


@repeated
@pytest.mark.parametrize("between, within", [(1, 1), (0, 1), (4, 1)])
def test_the_interval_covers(between, within, times):
    rng = np.random.default_rng(1)
    truth, mean_truth = between / (between + within), between / (between + within / 3)
    parts = [components(drawn(rng, 20, 3, between, within)) for _ in range(times)]
    covered = np.mean([one.icc.low <= truth <= one.icc.high for one in parts])
    assert covered == pytest.approx(0.95, abs=slack(times))
    covered = np.mean([one.icc_mean.low <= mean_truth <= one.icc_mean.high for one in parts])
    assert covered == pytest.approx(0.95, abs=slack(times))
    # a checker that would not notice another truth is none
    assert np.mean([one.icc.low <= truth - 0.35 <= one.icc.high for one in parts]) < 0.95 - slack(times)


def talks(rng, trials=2):
    """60 questions in 20 sessions; a chance of the session's trial is shared by its three questions."""
    sessions = np.repeat(np.arange(20), 3)
    own = rng.normal(size=(60, 1)) + rng.normal(size=(20, 1))[sessions]
    return own + rng.normal(size=(60, trials)) + 1.5 * rng.normal(size=(20, trials))[sessions], sessions


@repeated
def test_the_part_of_trials_is_right_on_the_average_also_by_sessions(times):
    rng = np.random.default_rng(2)
    samples = [talks(rng) for _ in range(times)]
    found = [error_parts(values, clusters=sessions) for values, sessions in samples]
    chance = np.array([one.error**2 * one.share for one in found])
    truth = 1 / (60 * 2) + 1.5**2 / (20 * 2)  # of questions alone, and of whole conversations
    assert chance.mean() == pytest.approx(truth, abs=4 * chance.std() / math.sqrt(times))
    whole = np.array([one.error**2 for one in found])
    assert whole.mean() == pytest.approx(truth + 1 / 60 + 1 / 20, abs=4 * whole.std() / math.sqrt(times))
    # without the sessions it would be far too small
    assert np.mean([error_parts(values).error ** 2 for values, _ in samples]) < 0.6 * whole.mean()


def test_twice_the_trials_or_questions_have_the_standard_error_that_was_told():
    rng = np.random.default_rng(3)
    parts = [error_parts(drawn(rng, 30, 2), drawn(rng, 30, 2, within=3)) for _ in range(200)]
    trials = [error_parts(drawn(rng, 30, 4), drawn(rng, 30, 4, within=3)).error ** 2 for _ in range(200)]
    items = [error_parts(drawn(rng, 60, 2), drawn(rng, 60, 2, within=3)).error ** 2 for _ in range(200)]
    assert np.mean([one.with_more(trials=2) ** 2 for one in parts]) == pytest.approx(np.mean(trials), rel=0.08)
    assert np.mean([one.with_more(items=2) ** 2 for one in parts]) == pytest.approx(np.mean(items), rel=0.08)


# parts of the standard error


def test_parts_by_hand():
    a, b = np.array([[1.0, 3], [5, 7], [2, 2]]), np.array([[0.0, 0], [1, 1], [2, 4]])
    found = error_parts(a, b)
    # a: MSw = 4 / 3, times 3 halves, over 9; b: MSw = 2 / 3
    chance = (4 / 3 + 2 / 3) * 1.5 / 9
    assert found.error == pytest.approx(clustered_error(np.array([2.0, 5, -1]))[0])
    assert found.share == pytest.approx(chance / found.error**2)
    assert found.with_more() == pytest.approx(found.error, rel=1e-12)
    assert (found.items, found.with_more(items=4)) == (3, pytest.approx(found.error / 2))


def test_unequal_trials_count_as_they_are():
    found = error_parts(np.array([[1.0, 3, NAN], [5, 7, 6], [2, NAN, NAN], [NAN, NAN, NAN]]))
    within = (2 + 2) / (6 - 3)
    assert found.items == 3
    assert found.error**2 * found.share == pytest.approx(within * (1 / 2 + 1 / 3 + 1) / 9)


def test_questions_alone_and_as_sessions_of_one_are_the_same():
    values = np.array([[1.0, 3, 2], [5, 7, NAN], [2, 2.5, 9]])
    alone, single = error_parts(values), error_parts(values, clusters=np.array([4, 2, 9]))
    assert (alone.error, alone.share) == pytest.approx((single.error, single.share))


def test_trials_cannot_be_more_than_all():
    found = error_parts(np.array([[0.0, 2], [2, 0.1], [1, 0.9]]))
    assert (found.share, found.with_more(trials=math.inf)) == (1, 0)


def test_where_nothing_varies_there_is_nothing_to_share():
    found = error_parts(np.full((3, 2), 0.7))
    assert found.error == 0
    assert math.isnan(found.share)
    assert math.isnan(found.with_more(trials=2))
    steady = error_parts(np.array([[1.0, 1], [2, 2]]), clusters=np.array([0, 1]))
    assert (steady.share, steady.error) == (0, 0.5)


def test_new_questions_gain_at_least_what_new_trials_gain():
    for share in (0.0, 0.3, 1.0):
        parts = ErrorParts(0.2, share, 9)
        assert parts.with_more(items=2) <= parts.with_more(trials=2) + 1e-12


# flips


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, NAN]), min_size=4, max_size=4), min_size=1, max_size=8))
def test_flips_are_the_pairs_of_trials_that_disagree(rows):
    shares = []
    for row in rows:
        pairs = list(combinations([value for value in row if not math.isnan(value)], 2))
        if pairs:
            shares.append(sum(one != other for one, other in pairs) / len(pairs))
    found = flips(np.array(rows))
    assert found.n == len(shares)
    assert found.value == pytest.approx(np.mean(shares) if shares else NAN, nan_ok=True)
    assert math.isnan(found.low) or 0 <= found.low <= found.value <= found.high <= 1


def test_two_trials_have_wilsons_interval():
    found = flips(np.array([[1.0, 0]] * 3 + [[1, 1]] * 7))
    assert (found.value, found.method) == (0.3, "wilson")
    assert (found.low, found.high) == pytest.approx(reference.binomtest(3, 10).proportion_ci(method="wilson"))
    never = flips(np.ones((10, 3)))
    assert (never.value, never.low) == (0, 0)
    assert never.high == pytest.approx(reference.binomtest(0, 10).proportion_ci(method="wilson").high)


def test_sessions_make_the_share_of_flips_less_sure():
    passed = np.array([[1.0, 0, 1], [1, 0, 0], [1, 1, 1], [0, 0, 0]] * 5)
    together = flips(passed, np.repeat(np.arange(10), 2))
    alone = flips(passed)
    assert together.value == alone.value == pytest.approx(1 / 3)
    assert together.low < alone.low
    assert together.high > alone.high
