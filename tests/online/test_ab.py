"""A/B tests from logs: metrics by hand, users as the unit, the split, guardrails, segments, what came before."""

import math
import random

import numpy as np
import pytest
from online.log_files import CLICK, SEARCH, write_log
from scipy.stats import binomtest, ttest_ind

from neraca.errors import InputError, SpecError
from neraca.online.ab import ab
from neraca.online.experiment import AbOptions
from neraca.online.log_options import LogOptions
from neraca.online.search_log import search_log

DAY = 86_400
AT = 1_767_261_600


def search(user, arm, n=0, at=AT, **other):
    return SEARCH | {"user": user, "session": f"s{user}", "search": f"{user}-{n}", "variant": arm, "time": at} | other


def click(user, n=0, at=AT + 5, rank=1, **other):
    return CLICK | {"user": user, "session": f"s{user}", "search": f"{user}-{n}", "time": at, "rank": rank} | other


def experiment(folder, rows, *metrics, log=None, fields=(), **options):
    path = write_log(folder / "log.csv", rows, [*{name: 0 for row in rows for name in row}, *fields])
    return ab(search_log(path, LogOptions(**(log or {}))), metrics, AbOptions(checks=0, **options))


BY_HAND = [
    # A: ana searches twice, in other words, and clicks after 10 s; budi clicks after 5 and comes back after 20 s
    search("ana", "A", 0, AT, query="red shoes"),
    search("ana", "A", 1, AT + 60, query="red running shoes"),
    click("ana", 1, AT + 70, rank=2),
    search("budi", "A", 0, AT),
    click("budi", 0, AT + 5),
    click("budi", 0, AT + 25, rank=3),
    # B: cita finds nothing; doni clicks after 3 s, and buys twice
    search("cita", "B", 0, AT, shown=""),
    search("doni", "B", 0, AT),
    click("doni", 0, AT + 3),
    {"action": "purchase", "user": "doni", "session": "sdoni", "time": AT + 60, "value": 12},
    {"action": "purchase", "user": "doni", "session": "sdoni", "time": AT + 90, "value": 30},
]


@pytest.mark.parametrize(
    ("metric", "of_a", "of_b"),
    [
        ("click_through", 2 / 3, 1 / 2),
        ("clicks", 3 / 3, 1 / 2),
        ("session_click_through", 2 / 2, 1 / 2),
        ("abandonment", 1 / 3, 1 / 2),
        ("reformulation", 1 / 3, 0),
        ("time_to_first_click", (10 + 5) / 2, 3),
        ("success", 2 / 3, 1 / 2),  # nobody comes back after ana's click, and budi's second; doni stays a minute
        ("no_results", 0, 1 / 2),
        ("searches", 3 / 2, 1),
        ("sessions", 2 / 2, 1),
        ("conversion", 0, 1 / 2),
        ("conversions", 0, 1),
        ("revenue", 0, 21),
        ("click_through@1", 1 / 3, 1 / 1),
        ("click_through@3", 1 / 3, 0),
        ("purchase/search", 0, 2 / 2),
        ("click/user", 3 / 2, 1 / 2),
    ],
)
def test_metrics_are_those_counted_by_hand(tmp_path, metric, of_a, of_b):
    (effect,) = experiment(tmp_path, BY_HAND, metric).effects
    assert (effect.plain.a, effect.plain.b) == pytest.approx((of_a, of_b))


def test_a_mean_over_users_is_tested_as_scipy_does(tmp_path):
    counts = {"A": [1, 2, 2, 5, 1], "B": [3, 4, 2, 6]}
    rows = [
        search(f"{arm}{user}", arm, n, AT + n)
        for arm, of_arm in counts.items()
        for user, searches in enumerate(of_arm)
        for n in range(searches)
    ]
    (effect,) = experiment(tmp_path, rows, "searches", looks="once").effects
    welch = ttest_ind(counts["B"], counts["A"], equal_var=False)
    assert effect.p == pytest.approx(welch.pvalue)
    assert (effect.low, effect.high) == pytest.approx(tuple(welch.confidence_interval()))


def test_users_are_the_unit_and_not_searches(tmp_path):
    """Two users of each arm search a hundred times; searches as the unit would be sure of a difference."""
    rows = [search(f"{arm}{u}", arm, n, AT + n) for arm in "AB" for u in range(2) for n in range(100)]
    rows += [
        click(f"{arm}{u}", n, AT + n)
        for arm, u, share in (("A", 0, 20), ("A", 1, 60), ("B", 0, 45), ("B", 1, 75))
        for n in range(share)
    ]
    (effect,) = experiment(tmp_path, rows, "click_through", looks="once").effects
    assert effect.effect.difference == pytest.approx(0.2)
    assert effect.p > 0.3


def test_nobody_is_better_where_users_drawn_again_say_that_there_may_be_no_difference(tmp_path):
    """A program in B searches 400 times and never clicks; of 200 people in each arm, those of B click more often."""
    rows = [search(f"{arm}{u}", arm) for arm in "AB" for u in range(200)]
    rows += [click(f"{arm}{u}") for arm, clicked in (("A", 120), ("B", 150)) for u in range(clicked)]
    rows += [search("program", "B", n, AT + 60 * n) for n in range(400)]
    found = experiment(tmp_path, rows, "click_through", looks="once")
    (effect,) = found.effects
    assert effect.effect.difference == pytest.approx(150 / 600 - 0.6)
    assert effect.plain.high < 0 < effect.bootstrap[1]
    assert (effect.contradicted, effect.better) == (True, "")
    assert any("One user has 50 % of all searches (400)" in doubt for doubt in found.doubts)


def test_users_who_came_only_before_the_start_are_counted_by_themselves(tmp_path):
    rows = [search(f"{arm}{u}", arm, 0, AT + 60 * u) for arm in "AB" for u in range(30)]
    rows += [search(f"early{u}", "", 0, AT - DAY - u) for u in range(3)]
    rows += [search("late", "", 0, AT + 600), search("late", "", 1, AT - DAY)]
    rows += [click(f"{arm}{u}", at=AT + 60 * u + 5) for arm in "AB" for u in range(9)]
    found = experiment(tmp_path, rows, "click_through", looks="once")
    counts = {one.reason: (one.n, one.searches) for one in found.exclusions}
    assert counts == {"only_before": (3, 3), "no_arm": (1, 2)}


def test_what_users_did_before_makes_the_interval_narrower(tmp_path):
    rng = random.Random(5)
    rows = []
    for u in range(200):
        arm, habit = "AB"[u % 2], rng.random()
        for n in range(10):
            before = n < 5
            at = AT + n * DAY
            rows.append(search(f"u{u}", "" if before else arm, n, at))
            if rng.random() < habit:
                rows.append(click(f"u{u}", n, at + 5))
    (effect,) = experiment(tmp_path, rows, "click_through").effects
    assert effect.adjusted
    assert effect.effect.error < 0.75 * effect.plain.error
    assert effect.low > effect.effect.difference - 10 * effect.effect.error
    without = experiment(tmp_path, [row for row in rows if row.get("variant") != ""], "click_through")
    assert not without.effects[0].adjusted


def test_a_split_that_chance_would_not_make_comes_first(tmp_path):
    rows = [search(f"u{n}", "A" if n < 130 else "B") for n in range(200)]
    found = experiment(tmp_path, rows, "searches")
    assert found.split.p == pytest.approx(binomtest(130, 200).pvalue)
    assert not found.trusted
    assert experiment(tmp_path, rows, "searches", shares={"A": 0.65, "B": 0.35}).trusted


def test_days_hold_what_was_known_then(tmp_path):
    rows = []
    for n, (user, arm) in enumerate((("a1", "A"), ("a2", "A"), ("b1", "B"), ("b2", "B"))):
        rows += [search(user, arm, 0, AT), search(user, arm, 1, AT + 2 * DAY)]
        rows += [click(user, 0, AT + 5)] * (n % 2) + [click(user, 1, AT + 2 * DAY + 5)] * (arm == "B")
    (effect,) = experiment(tmp_path, rows, "click_through").effects
    assert [day.day for day in effect.days] == [0, 1, 2]
    assert [day.users for day in effect.days] == [4, 4, 4]
    assert [day.difference for day in effect.days] == pytest.approx([0, 0, 3 / 4 - 1 / 4])


def test_a_guardrail_holds_breaks_or_waits(tmp_path):
    rng = np.random.default_rng(1)
    rows = []
    for u in range(400):
        arm = "AB"[u % 2]
        rows.append(search(f"u{u}", arm))
        if rng.random() < (0.5 if arm == "A" else 0.2):
            rows.append(click(f"u{u}"))
    states = [
        experiment(tmp_path, rows, "searches", guards={"click_through": margin}).of("click_through")[0].guard
        for margin in (0.6, 0.3, 0.05)
    ]
    assert states == ["holds", "undecided", "broken"]


def test_three_arms_are_compared_with_the_control_and_corrected(tmp_path):
    rows = [search(f"{arm}{u}", arm) for arm in "ABC" for u in range(30)]
    rows += [click(f"{arm}{u}") for arm, n in (("A", 10), ("B", 18), ("C", 24)) for u in range(n)]
    found = experiment(tmp_path, rows, "click_through", control="B", looks="once")
    assert [(e.control, e.arm) for e in found.effects] == [("B", "A"), ("B", "C")]
    smaller, larger = sorted(e.p for e in found.effects)
    assert sorted(e.p_adjusted for e in found.effects) == pytest.approx([2 * smaller, max(2 * smaller, larger)])


def test_segments_and_users_without_one(tmp_path):
    rows = [search(f"u{n}", "AB"[n % 2], device="phone" if n < 8 else "") for n in range(12)]
    found = experiment(tmp_path, rows, "searches", log={"segments": ("device",)})
    assert [(s.name, s.value, s.users) for s in found.segments] == [("device", "phone", 8), ("device", "", 4)]


def test_what_cannot_be_analysed_says_why(tmp_path):
    rows = [search("u1", "A"), search("u2", "A")]
    with pytest.raises(InputError, match="compares two arms, and the log has only 'A'"):
        experiment(tmp_path, rows)
    with pytest.raises(InputError, match="the log has none"):
        experiment(tmp_path, [search("u1", "")])
    with pytest.raises(SpecError, match="no arm is called 'C'; there are: A, B"):
        experiment(tmp_path, [*rows, search("u3", "B")], control="C")
    with pytest.raises(SpecError, match="no online metric is called 'clickthrough'; did you mean click_through"):
        experiment(tmp_path, rows, "clickthrough")
    with pytest.raises(InputError, match=r"no click was found in 3 searches, .*--column clicked=taps"):
        experiment(tmp_path, [*rows, search("u3", "B", taps="d1")], "click_through")
    (effect,) = experiment(tmp_path, [*rows, search("u3", "B"), click("u1")], "click_through").effects
    assert effect.why == "one_user"
    assert math.isnan(effect.low)
    assert effect.better == ""


@pytest.mark.parametrize("seconds", [0.1, 5.0, 7.3])
def test_a_metric_that_does_not_vary_has_neither_interval_nor_test(tmp_path, seconds):
    """Users search unequally often, also before the test, and click after the same time: the rest is rounding."""
    chance, rows = random.Random(1), []
    for n in range(80):
        for day in range(-3, 4):
            if chance.random() < 0.6:
                at = AT + day * DAY + n
                rows += [search(f"u{n}", "AB"[n % 2] if day >= 0 else "", day, at), click(f"u{n}", day, at + seconds)]
    (e,) = experiment(tmp_path, rows, "time_to_first_click").effects
    assert (e.why, e.adjusted, e.better) == ("no_variance", False, "")
    assert all(map(math.isnan, (e.low, e.high, e.p, *e.bootstrap)))


@pytest.mark.parametrize("name", ["none", "None", "NA"])
def test_a_word_for_nothing_is_a_name_of_an_arm(tmp_path, name):
    rows = [search(f"u{n}", (name, "B", "")[n % 3], 0, AT + n) for n in range(30)] + [click("u0")]
    found = experiment(tmp_path, rows, "click_through", control=name)
    assert found.users == {name: 10, "B": 10}
    assert {one.reason: one.n for one in found.exclusions} == {"no_arm": 10}


def test_the_control_is_the_arm_that_is_called_so(tmp_path):
    rows = [row for u in range(8) for row in (search(f"u{u}", ("new", "old")[u % 2]), click(f"u{u}"))]
    (effect,) = experiment(tmp_path, rows, "click_through", looks="once").effects
    assert (effect.control, effect.arm) == ("old", "new"), "not the first in the alphabet"


@pytest.mark.parametrize(("arm_before", "adjusted"), [("", True), ("A", False)])
def test_searches_in_an_arm_are_no_history(tmp_path, arm_before, adjusted):
    """Nearly all users click as before the start; if the arms were served by then, that is an effect and no habit."""
    rows = []
    for u in range(60):
        arm = "AB"[u % 2]
        rows += [search(f"u{u}", arm_before and arm, at=AT - DAY), search(f"u{u}", arm, 1, AT + u)]
        rows += [click(f"u{u}", at=AT - DAY + 5)] if u % 3 else []
        rows += [click(f"u{u}", 1, AT + u + 5)] if bool(u % 3) != (u % 10 == 0) else []
    log = {"since": AT} if arm_before else {}
    result = experiment(tmp_path, rows, "click_through", log=log, looks="once")
    assert result.effects[0].adjusted == adjusted
    assert any("ran before --since: 60 earlier events" in doubt for doubt in result.doubts) != adjusted


def test_faults_that_one_arm_alone_may_have_are_doubted(tmp_path):
    rows = [row for u in range(40) for row in (search(f"u{u}", "AB"[u % 2]), click(f"u{u}"))]
    lost = [search(f"v{u}", "B", at="soon") for u in range(3)]
    result = experiment(tmp_path, [*rows, *lost], "click_through", looks="once")
    assert any(doubt.startswith("3 events whose time cannot be read") for doubt in result.doubts)
    result = experiment(tmp_path, [*rows, *lost[:1]], "click_through", looks="once")
    assert result.doubts == (), "one of 81 is no pattern"


@pytest.mark.parametrize("clicked", ["d7", ""])
def test_clicks_count_where_the_log_does_not_tell_what_was_shown(tmp_path, clicked):
    """In each arm one of two searches has a click, on a document or on what nobody logged; neither has a rank."""
    searches = [search(f"u{u}", "AB"[u % 2]) | {"shown": ""} for u in range(8)]
    clicks = [click(f"u{u}") | {"rank": "", "document": clicked} for u in range(4)]
    result = experiment(tmp_path, [*searches, *clicks], "click_through", looks="once")
    assert [(e.effect.a, e.effect.b) for e in result.effects] == [(0.5, 0.5)]
    assert (result.contents.clicks, result.contents.unranked) == (4, 4)


def test_tests_of_ratios_that_depend_on_a_few_users_are_doubted(tmp_path):
    """In each arm 10 users search 30 times and 110 once: (300 + 110)^2 / (10 * 900 + 110) = 18.5 effective users."""
    rows = [search(f"u{u}", "AB"[u % 2], n, AT + n) for u in range(240) for n in range(30 if u < 20 else 1)]
    rows += [click(f"u{u}") for u in range(0, 240, 3)]
    doubts = experiment(tmp_path, rows, "click_through searches", looks="once").doubts
    (doubt,) = [doubt for doubt in doubts if "count like" in doubt]
    assert doubt.startswith("click_through: a few users have so many of the events that 120 users of A count like 18.")
    even = [row | {"user": f"{row['user']}-{n % 30}"} for n, row in enumerate(rows)]
    assert not any("count like" in doubt for doubt in experiment(tmp_path, even, "click_through", looks="once").doubts)


def test_few_users_and_a_few_busy_ones_are_doubted(tmp_path):
    rows = [row for u in range(8) for row in (search(f"u{u}", "AB"[u % 2]), click(f"u{u}"))]
    result = experiment(tmp_path, rows, "click_through", looks="once")
    assert [doubt.partition(".")[0] for doubt in result.doubts] == ["Users of A: 4", "Users of B: 4"]
    assert result.effects[0].p_permuted == 1.0, "all users have one click"
    rows = [search(f"u{u}", "AB"[u % 2], n, AT + n) for u in range(200) for n in range(60 if u < 4 else 1)]
    result = experiment(tmp_path, [*rows, click("u5")], "click_through", looks="once")
    assert any(doubt.startswith("4 of 200 users have 55 % of all searches") for doubt in result.doubts), "240 of 436"


@pytest.mark.parametrize(
    ("arms", "at", "log", "message"),
    [
        ("AB", "soon", {}, r"8 of 8 events cannot be used: .* \(the first: row 2: time soon\); write seconds"),
        ("AB", AT, {"since": AT + 90 * DAY}, "between --since and --until; .* are from 2026-01-01 to 2026-01-01"),
        (["", ""], AT, {}, "the log has none: 'variant' is empty in every search; name the field"),
        (["A", ""], AT, {}, r"the log has only 'A' \(4 searches have an empty one\); name the field"),
    ],
)
def test_an_error_about_arms_names_its_cause(tmp_path, arms, at, log, message):
    rows = [search(f"u{u}", arms[u % 2], at=at) for u in range(8)]
    with pytest.raises(InputError, match=message):
        experiment(tmp_path, rows, "click_through", log=log)


def test_users_whose_empty_arm_is_called_otherwise_are_named(tmp_path):
    rows = [search(f"u{u}", arm, n, AT + n) for u in range(8) for n, arm in enumerate(("NA", "AB"[u % 2]))]
    with pytest.raises(
        InputError, match=r"8 users in more than one arm.* 'variant' must hold the same arm in all rows"
    ):
        experiment(tmp_path, rows, "searches")


def test_few_users_are_better_only_if_exchanging_them_between_the_arms_confirms_it(tmp_path):
    rows = [row for u in range(6) for row in (search(f"u{u}", "AB"[u % 2]), search(f"u{u}", "AB"[u % 2], 1, AT + 9))]
    clicks = [click("u0", n, AT + 20) for n in range(1)] + [
        click(f"u{u}", n, AT + 20) for u in (1, 3, 5) for n in (0, 1)
    ]
    (effect,) = experiment(tmp_path, [*rows, *clicks], "click_through", looks="once").effects
    assert effect.p_adjusted < 0.05, "by Welch's t"
    assert effect.p_permuted == pytest.approx(2 / 20), "of the 20 divisions that of the arms and its mirror image"
    assert effect.better == ""
    more = [row for u in range(20, 26) for row in (search(f"u{u}", "AB"[u % 2]), *[click(f"u{u}")] * (u % 2))]
    (effect,) = experiment(tmp_path, [*rows, *clicks, *more], "click_through", looks="once").effects
    assert (effect.better, effect.p_permuted < 0.05) == ("B", True)


def test_orders_whose_users_have_other_names_than_those_who_search_are_no_orders_of_nobody(tmp_path):
    order = {"action": "purchase", "time": AT + 60, "value": 12}
    stray = [order | {"user": "U-doni"}, order | {"user": "U-cita"}]
    with pytest.raises(
        InputError, match=r"2 events are of users in no arm \(user U-\w+: conversion\); name users in the"
    ):
        experiment(tmp_path, BY_HAND[:9] + stray, "revenue")
    result = experiment(tmp_path, BY_HAND + stray, "revenue")
    assert result.effects[0].plain.b == (12 + 30) / 2, "of cita and doni"
    assert {one.reason: (one.n, one.searches) for one in result.exclusions}["no_arm_event"] == (2, 0)
