"""Sums of a metric: added up in any parts they give what all rows at once give."""

import math

import numpy as np
import pytest

from neraca.metrics.metric import Metric
from neraca.scores.engine.sums import GROUPS, Sums, estimate_sums
from neraca.scores.estimate import Place, estimate

RNG = np.random.default_rng(3)


def rows_of(values):
    values = np.asarray(values, dtype=float)
    return np.column_stack([values, np.where(np.isnan(values), np.nan, 1.0)])


def summed(metric, rows, parts=3, group=None, together=False):
    """The sums of rows that come in so many parts."""
    group = np.arange(len(rows)) % GROUPS if group is None else group
    sums = [
        Sums.of(metric, some, where, together)
        for some, where in zip(np.array_split(rows, parts), np.array_split(group, parts), strict=True)
    ]
    total = sums[0]
    for one in sums[1:]:
        total += one
    return total


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("TokenF1", [0.2, 0.4, math.nan, 0.9]),
        ("TokenF1", RNG.random(1001)),
        ("ExactMatch", [1, 0, 1, 1, math.nan, 0]),
        ("Words", RNG.integers(0, 90, 700)),
        ("NumRet", RNG.integers(0, 10, 700)),
        ("TokenF1", [0.5, 0.5, 0.5]),
        ("TokenF1", [0.5]),
        ("TokenF1", [math.nan]),
    ],
)
def test_means_and_counts_are_as_of_all_rows_at_once(name, values):
    metric, rows = Metric.of(name), rows_of(values)
    found = estimate_sums(metric, summed(metric, rows, 2 if len(rows) > 1 else 1), 0.95, run="a")
    whole = estimate(Place("a"), metric, rows)
    for field in ("value", "low", "high", "lowest", "highest"):
        assert getattr(found, field) == pytest.approx(getattr(whole, field), rel=1e-12, nan_ok=True), field
    assert (found.n, found.unscored, found.method) == (whole.n, whole.unscored, whole.method)


def test_a_ratio_of_few_rows_is_the_jackknife_over_rows():
    metric = Metric.of("WER")
    rows = np.column_stack([RNG.integers(0, 5, 300), RNG.integers(5, 20, 300)]).astype(float)
    found, whole = estimate_sums(metric, summed(metric, rows), 0.95, run="a"), estimate(Place("a"), metric, rows)
    assert [found.value, found.low, found.high] == pytest.approx([whole.value, whole.low, whole.high], rel=1e-12)


def test_a_ratio_of_many_rows_has_nearly_the_interval_of_all_rows():
    # with 509 groups the standard error is known to a share of 1 / sqrt(2 * 508), some 3 %
    metric = Metric.of("WER")
    rows = np.column_stack([RNG.integers(0, 5, 50_000), RNG.integers(5, 20, 50_000)]).astype(float)
    found, whole = estimate_sums(metric, summed(metric, rows, 7), 0.95, run="a"), estimate(Place("a"), metric, rows)
    assert found.value == pytest.approx(whole.value, rel=1e-12)
    assert found.high - found.low == pytest.approx(whole.high - whole.low, rel=0.15)


def refusals(*counts):
    """Rows of TP, FP, FN, TN: so many of each."""
    return np.repeat(np.eye(4), counts, axis=0)


@pytest.mark.parametrize(
    "counts", [(3, 1, 2, 4), (3, 0, 0, 4), (0, 0, 2, 4), (0, 2, 3, 1), (1, 0, 0, 0), (9, 7, 5, 90)]
)
@pytest.mark.parametrize("name", ["RefusalPrecision", "RefusalRecall", "RefusalF1", "QueryPrecision", "QueryAccuracy"])
def test_a_ratio_of_counts_rests_on_the_rows_of_its_denominator_as_in_a_run(name, counts):
    metric, rows = Metric.of(name), refusals(*counts)
    rows = np.vstack([rows, np.full((1, 4), np.nan)])
    total = summed(metric, rows[RNG.permutation(len(rows))])
    whole = estimate(Place("a"), metric, rows)
    for sums in (total, Sums.read(total.plain())):
        found = estimate_sums(metric, sums, 0.95, run="a")
        assert (found.n, found.unscored, found.method) == (whole.n, whole.unscored, whole.method)
        expected = [whole.value, whole.low, whole.high]
        assert [found.value, found.low, found.high] == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_of_4_refusals_3_are_right_and_the_6_answers_say_nothing_about_them():
    metric = Metric.of("RefusalPrecision")
    found = estimate_sums(metric, summed(metric, refusals(3, 1, 2, 4)), 0.95, run="a")
    assert (found.value, found.n, found.unscored, found.method) == (0.75, 4, 6, "wilson")


def test_of_very_many_kinds_of_rows_without_a_value_some_are_taken_to_bear():
    """1,000 kinds are remembered."""
    metric = Metric.of("RefusalPrecision")
    rows = np.vstack([refusals(3, 1, 0, 0), [[0, 0, k, 0] for k in range(1005)]])
    assert estimate_sums(metric, summed(metric, rows), 0.95, run="a").n == 4 + 1005 - 1000


def test_rows_of_a_session_are_one_source_of_chance():
    # 100 sessions of 20 equal rows tell as much as 100 rows
    metric, each = Metric.of("TokenF1"), RNG.random(100)
    rows, group = rows_of(np.repeat(each, 20)), np.repeat(np.arange(100), 20)
    found = estimate_sums(metric, summed(metric, rows, 3, group, together=True), 0.95, run="a")
    whole = estimate(Place("a"), metric, rows_of(each))
    assert (found.n, found.method) == (2000, "t")
    assert [found.value, found.low, found.high] == pytest.approx([whole.value, whole.low, whole.high], rel=1e-9)


def test_of_few_sessions_there_is_no_interval():
    metric = Metric.of("TokenF1")
    found = estimate_sums(metric, summed(metric, rows_of(RNG.random(90)), 3, np.arange(90) % 5, True), 0.95, run="a")
    assert (found.method, math.isnan(found.low)) == ("none", True)


@pytest.mark.parametrize("together", [False, True])
def test_nothing_is_rounded_on_the_way_to_disk(together):
    metric = Metric.of("TokenF1")
    before = summed(metric, rows_of(RNG.random(1000)), 3, together=together)
    after = Sums.read(before.plain())
    assert estimate_sums(metric, after, 0.9, run="a") == estimate_sums(metric, before, 0.9, run="a")
    assert after.plain() == before.plain()
