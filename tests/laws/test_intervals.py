"""Laws of intervals: none leaves the range of its metric, each holds its value, and a missing one has a reason."""

import math

import numpy as np
import pytest
from builders import make_item
from hypothesis import example, given, settings
from hypothesis import strategies as st

import neraca
from neraca.metaeval.judge_confusion import judges_beside_people
from neraca.metaeval.raters import raters
from neraca.online.view_probability import view_probability
from neraca.records import Verdict
from neraca.stats.intervals.prediction_powered import prediction_powered
from neraca.stats.intervals.trials import components, flips
from neraca.stats.tests.mcnemar import mcnemar

DRAWN = settings(max_examples=12)
SLACK = 1e-9
GRADES = st.sampled_from([0.0, 0.0, 1.0, 2.5, 4.0, 5.0, 5.0])
#: Two systems on the same 1 to 9 questions, and the session of each question.
TABLES = st.integers(1, 9).flatmap(
    lambda n: st.tuples(
        st.lists(GRADES, min_size=n, max_size=n),
        st.lists(GRADES, min_size=n, max_size=n),
        st.lists(st.sampled_from(["", "s", "t"]), min_size=n, max_size=n),
    )
)


def check(value, low, high, limits, why, of=""):
    """An interval lies in its range and holds its value; a missing one has a reason."""
    assert (math.isnan(low), math.isnan(high)) in ((True, True), (False, False)), of
    if math.isnan(low):
        assert why, of
        return
    assert not why, of
    assert limits[0] - SLACK <= low <= high <= limits[1] + SLACK, of
    assert low - SLACK <= value <= high + SLACK, of


def check_rows(rows, names, limits):
    for row in rows:
        for name in names:
            check(row[name], row[f"{name}_low"], row[f"{name}_high"], limits, row[f"{name}_why"], row)


@DRAWN
@given(TABLES, st.sampled_from(["t", "bca", "percentile"]))
@example(([5.0, 5, 0], [0.0, 0, 5], ["", "", ""]), "t")
@example(([3.0, 4], [4.0, 2.5], ["", ""]), "t")  # t would give 3.5, -2.9 to 9.9
@example(([5.0, 5], [0.0, 0], ["", ""]), "t")
def test_scores_differences_equivalence_and_gates_stay_within_the_range(table, intervals):
    new, old, sessions = table
    for metric, most in (("Value(low=0,high=5)", 5.0), ("Value(low=0)", math.inf)):
        scores = neraca.values({"new": new, "old": old}, metric, sessions=sessions, intervals=intervals)
        for row in scores.overall().rows():
            check(row["value"], row["low"], row["high"], (0.0, most), row["why"], row)
        for test in ("t", "wilcoxon", "sign"):
            for row in neraca.compare(scores, test=test, margin=0.9).rows():
                names = row["low"], row["high"], (-most, most), row["why_no_interval"], row
                inside = row["low"] <= row["difference"] <= row["high"]  # a sign test is of the median
                check(row["difference"] if inside or test == "t" else row["low"], *names)
                check(
                    row["margin_low"],
                    row["margin_low"],
                    row["margin_high"],
                    names[2],
                    row["margin_why_no_interval"],
                    row,
                )
        for rule in (f"{metric} >= 2", f"{metric} >= -0.5"):
            (decision,) = neraca.gate(scores, rules=rule).decisions
            limits = (-most, most) if decision.rule.relative else (0.0, most)
            amount = decision.difference if decision.rule.relative else decision.value
            check(amount, decision.low, decision.high, limits, decision.why_no_interval, decision)
            if not math.isnan(decision.low) and decision.outcome in ("fail", "undecided"):
                assert decision.low <= decision.rule.bound + SLACK, "the interval shows no more than the test"


@DRAWN
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 4))
def test_chances_of_repeated_trials_are_shares(seed, items, trials):
    chance = np.random.default_rng(seed)
    passed = (chance.random((items, trials)) < chance.choice([0, 0.1, 0.5, 1])).astype(float)
    for sessions in (None, np.arange(items) // 2):
        found = flips(passed, sessions)
        check(found.value, found.low, found.high, (0, 1), found.why)
    parts = components(passed)
    for icc in (parts.icc, parts.icc_mean):
        check(icc.value, icc.low, icc.high, (-math.inf, 1), icc.why)


@DRAWN
@given(st.integers(0, 10**6), st.integers(1, 9))
def test_what_is_said_of_raters_and_judges_stays_within_the_range(seed, n):
    chance = np.random.default_rng(seed)
    items = [make_item(str(place), session=f"s{place // 2}") for place in range(n)]
    right = chance.choice([0.1, 0.5, 1.0])
    verdicts = [
        Verdict(
            item=item.id,
            about="answer",
            aspect="valid",
            by=by,
            value=float(chance.random() < right),
            at=f"2026-01-0{day}T00:00:{place:02d}Z",
        )
        for day in (1, 2)
        for place, item in enumerate(items)
        for by in ("human:ana", "human:budi", "human:citra", "llm:m")
    ]
    rows = raters(items, [verdicts]).rows()
    check_rows(rows, ("again", "gold", "others"), (0, 1))
    check_rows(rows, ("drift",), (-1, 1))
    rows = [row | {"agree": row["agree"]} for row in judges_beside_people(items, verdicts).rows()]
    check_rows(rows, ("agree", "sensitivity", "specificity"), (0, 1))
    check_rows(rows, ("bias",), (-1, 1))
    for one in neraca.agreement(items, verdicts, samples=99):
        for part in (one.agreement, one.kappa, one.ac1, one.alpha):
            check(part.value, part.low, part.high, (-math.inf, 1), part.why) if not math.isnan(part.value) else None


@DRAWN
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(1, 4))
def test_shares_of_sessions_and_their_differences_stay_within_the_range(seed, sessions, size):
    chance = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(sessions), size)
    d = chance.choice([-1.0, 0, 1], len(clusters), p=[0.05, 0.15, 0.8])
    found = mcnemar(d, clusters)
    if not math.isnan(found.low):
        check(found.difference, found.low, found.high, (-1, 1), "")
    views = view_probability(clusters, np.tile(np.arange(size), sessions), (chance.random(len(d)) < 0.9).astype(float))
    for bounded in (views.views, views.continuation):
        known = ~np.isnan(bounded.low)
        assert (bounded.low[known] >= 0).all()
        assert (bounded.high[known] <= 1).all()


@DRAWN
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.02, 0.5, 0.98, 1.0]))
def test_corrected_scores_stay_within_the_range(seed, share):
    chance = np.random.default_rng(seed)
    people = chance.choice([0.0, 1, 2.5, 5], 60, p=[(1 - share) / 3] * 3 + [share])
    judge = np.where(chance.random(60) < 0.9, people, chance.choice([0.0, 5], 60))
    labels = np.where(np.arange(60) < 30, people, np.nan)
    found = prediction_powered(labels, judge, small="leverage")
    low, high = found.bounds_within((0, 5), 0.95)
    check(min(max(found.value, 0), 5), low, high, (0, 5), "" if found.df else "the labels show no chance")


def test_the_issue_of_two_ratings():
    """Mean 3.5 of ratings 2 and 5 on a scale of 0 to 5: Student's t would say -16 to 23."""
    (score,) = neraca.values({"a": [2.0, 5.0]}, "Value(low=0,high=5)").overall()
    assert (score.value, score.why) == (3.5, "2 observations; an interval takes at least 3")
    assert pytest.approx(-15.56, abs=0.01) == 3.5 - 12.7062 * 1.5
    assert score.interval == "none (n < 3)"
