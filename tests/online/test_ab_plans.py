"""Planning an A/B test, and what totals alone can say."""

import math

import numpy as np
import pytest
from online.log_files import SEARCH, write_log
from online.test_ab import AT, DAY, click, search
from scipy.stats import chisquare
from statsmodels.stats.power import NormalIndPower

from neraca.errors import InputError, SpecError
from neraca.online.ab_counts import compare_counts
from neraca.online.ab_metrics import online_metric
from neraca.online.ab_plan import plan_ab, plan_metric
from neraca.online.search_log import search_log
from neraca.online.user_course import GROUPS, UserCourse, unbiased_variance
from neraca.reports.formats.terminal import to_screen
from neraca.reports.online.ab_counts import counts_document
from neraca.reports.online.ab_plan import ab_plan_document
from neraca.stats.daily_moments import daily_moments
from neraca.stats.intervals.confidence_sequence import half_width
from neraca.stats.moments import Moments
from neraca.stats.tests.delta_method import ratio, ratio_variance


def printed(counts):
    """Return the output of `neraca ab --counts`."""
    return to_screen(counts_document(counts), 0, 0)


def test_a_plan_asks_for_as_many_users_as_the_textbook(tmp_path):
    rows = [search(f"u{n}", "", at=AT + (n // 100) * DAY) for n in range(1000)]
    rows += [click(f"u{n}", at=AT + (n // 100) * DAY + 5) for n in range(0, 1000, 2)]
    plan = plan_ab(search_log(write_log(tmp_path / "log.csv", rows)), ["click_through"], effect=0.1)
    (one,) = plan.plans
    assert (plan.users, len(plan.by_day), one.value) == (1000, 10, pytest.approx(0.5))
    spread = math.sqrt((0.25 + 0.55 * 0.45) / 2)  # of the arm without the effect and of that with it
    textbook = 2 * NormalIndPower().solve_power(effect_size=0.05 / spread, alpha=0.05, power=0.8)
    assert one.users == pytest.approx(textbook, rel=0.005), "the jackknife adds 2 parts in 1,000 on average"
    assert one.days == 10 + math.ceil((one.users - 1000) / 100)
    assert 1.5 * one.users < one.users_daily < 2.5 * one.users


@pytest.mark.parametrize("effect", [0, math.nan, -1])
def test_an_effect_that_is_none_is_an_error(tmp_path, effect):
    log = search_log(write_log(tmp_path / "log.csv", [SEARCH]))
    with pytest.raises(SpecError, match="--effect"):
        plan_ab(log, effect=effect)


def test_totals_point_one_way_and_are_no_test():
    counts = compare_counts(["A:clicks=5000,reformulations=1300", "B:clicks=100000,reformulations=58"])
    said = printed(counts)
    assert "20 times the clicks" in said
    assert "22.4 times fewer reformulations" in said
    assert "Both favour B" in said
    assert "No test is possible without users and queries per arm" in said


def test_totals_with_users_are_rates_and_shares_of_users_are_tested():
    words = ["A:users=1000,clicks=900,bought_users=100", "B:users=3000,clicks=1800,bought_users=390"]
    counts = compare_counts(words, {"A": 1, "B": 3})
    clicks, bought = counts.ratios
    assert (clicks.times, clicks.favours) == (pytest.approx(2 / 3), "A"), "0.9 per user against 0.6"
    assert (bought.effect.a, bought.effect.b) == pytest.approx((0.10, 0.13))
    pooled_free = math.sqrt(0.1 * 0.9 / 999 + 0.13 * 0.87 / 2999)
    assert bought.effect.error == pytest.approx(pooled_free)


def test_the_interval_of_totals_has_the_level_that_was_asked_for():
    words = ["A:users=1000,clicked_users=200", "B:users=1000,clicked_users=250"]
    (ratio,) = compare_counts(words, level=0.99).ratios
    error = math.sqrt(0.2 * 0.8 / 999 + 0.25 * 0.75 / 999)
    assert (ratio.effect.low, ratio.effect.high) == pytest.approx(
        (0.05 - 2.578 * error, 0.05 + 2.578 * error), abs=1e-4
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("A:clicks=1", "takes two arms"),
        ("A:clicks B:clicks=1", "cannot read"),
        ("A:clicks=-1 B:clicks=1", "clicks must be a number, at least 0"),
        ("A:clicks=1,clicks=2 B:clicks=1", "clicks is given twice"),
        ("A:cliks=1 B:cliks=2", "no count is called 'cliks'; did you mean clicks\\? .*\\+cliks=… or -cliks=…"),
        ("A:clicks=1,users=2 B:clicks=2", "A has users, B has not"),
        ("A:users=1 B:users=2", "nothing to compare"),
        ("A:users=0,clicks=1 B:users=2,clicks=1", "users must be above 0"),
        ("A:users=1.5,clicks=1 B:users=2,clicks=1", "users must be a whole number"),
        ("A:users=9,clicked_users=10 B:users=9,clicked_users=1", "10 clicked_users of 9 users are impossible"),
        ("A:queries=9,reformulations=10 B:queries=9,reformulations=1", "cannot exceed searches"),
    ],
)
def test_totals_that_cannot_be_read_or_be(words, message):
    with pytest.raises(SpecError, match=message):
        compare_counts(words.split())


@pytest.mark.parametrize(("shares", "message"), [({"C": 1}, "no arm is called 'C'"), ({"A": 1}, "of every arm")])
def test_shares_that_do_not_fit_the_totals(shares, message):
    with pytest.raises(SpecError, match=message):
        compare_counts(["A:users=1,clicks=1", "B:users=1,clicks=1"], shares)


def test_counts_of_ones_own_say_which_direction_is_better():
    counts = compare_counts(["A:+saved=4,-calls=4,impressions=4", "B:+saved=5,-calls=5,impressions=5"])
    assert [(r.name, r.favours) for r in counts.ratios] == [("saved", "B"), ("calls", "A"), ("impressions", "")]


def test_rates_are_per_search_for_what_happens_in_searches_and_per_user_for_the_others():
    counts = compare_counts(
        ["A:users=100,queries=200,clicks=50,orders=5", "B:users=100,queries=400,clicks=80,orders=6"]
    )
    clicks, orders = counts.ratios
    assert (clicks.per, clicks.rates, clicks.favours) == ("search", (0.25, 0.2), "A")
    assert (orders.per, orders.rates, orders.favours) == ("user", (0.05, 0.06), "B")
    assert "They do not point one way" in printed(counts)


def test_users_who_do_not_divide_as_planned_come_first_and_favour_nobody():
    words = ["A:users=1000,clicks=400", "B:users=1300,clicks=900"]
    counts = compare_counts(words)
    assert counts.split.p == pytest.approx(chisquare([1000, 1300]).pvalue)
    lines = printed(counts).splitlines()
    assert lines[0].startswith("Before you trust it: Users divide 1,000 to 1,300")
    assert lines[-1].startswith("Do not trust these totals yet: users divide 1,000 to 1,300")
    assert [r.favours for r in counts.ratios] == [""]
    planned = compare_counts(words, {"A": 10, "B": 13})
    assert planned.ratios[0].favours == "B"
    assert "as planned (sample-ratio check, p = 1.000)" in printed(planned)


def test_a_test_of_few_users_is_doubted():
    few = compare_counts(["A:users=12,clicked_users=5", "B:users=13,clicked_users=9"])
    assert [(doubt.kind, doubt.arm, doubt.value) for doubt in few.doubts] == [("few_users", "B", 4)], "4 did not click"
    assert not compare_counts(["A:users=100,clicked_users=20", "B:users=100,clicked_users=30"]).doubts


def test_totals_that_people_do_not_make_are_doubted():
    counts = compare_counts(["A:queries=9000,clicks=5000", "B:queries=9000,clicks=100000"])
    doubts = " ".join(text for text in printed(counts).splitlines() if "Doubtful: " in text)
    assert "B has 11 clicks per search, more than people make" in doubts
    assert "the arms differ by a factor of 20 in clicks" in doubts
    assert [row["doubts"] for row in counts.rows()] == [["many_clicks", "far_apart"]]
    plausible = compare_counts(["A:queries=9000,clicks=5000", "B:queries=9000,clicks=6000"])
    assert not plausible.doubts


def course(days, variance, users, values=None, within=None):
    of_share = None if within is None else np.array(within, float)
    return UserCourse(np.array(users, float), np.array(variance, float), np.array(values or [1.0] * days), of_share)


def test_users_who_differ_vary_more_in_the_better_arm_than_single_events_do():
    """Of the variance .05 of a share of .25, .03 is that of single events, p (1 - p), and .02 that between users."""
    plan = course(1, [0.05], [1000], [0.25], within=[0.03]).plan(1000, 0.2, 0.05)
    variance_b = 0.02 * 1.2**2 + 0.03 * (0.3 * 0.7) / (0.25 * 0.75)
    assert plan.variance == pytest.approx((0.05 + variance_b) / 2)


def test_beyond_the_log_information_grows_as_in_its_second_half():
    """Information: 100, then 50, 70, 90, 110 as 100 users come a day; after 200 more it is 150."""
    log = course(5, [1, 200 / 50, 300 / 70, 400 / 90, 500 / 110], [100, 200, 300, 400, 500])
    assert log.variance_at(700) == pytest.approx(700 / 150)
    assert log.variance_at(400) == pytest.approx(400 / 90)


def test_a_plan_takes_the_variance_of_the_day_on_which_it_ends():
    """Ratios of users vary less the longer they come: with variance 4 on day 1 and 1 on day 2 the last day decides."""
    plan = plan_metric(online_metric("clicks"), course(2, [4, 1], [100, 1000]), 0.2, (0.05, 0.8))
    constant = plan_metric(online_metric("clicks"), course(2, [1, 1], [100, 1000]), 0.2, (0.05, 0.8))
    early = plan_metric(online_metric("clicks"), course(1, [4], [100]), 0.2, (0.05, 0.8))
    assert constant.users < plan.users < early.users
    assert constant.users == pytest.approx(4 * 2.8016**2 / 0.2**2 * (1 + 1.2**2) / 2, rel=0.01)


def test_history_leaves_less_variance_and_needs_fewer_users():
    whole = course(2, [1, 1], [500, 1000])
    with_history = plan_metric(
        online_metric("clicks"), whole.with_history(np.array([0.5]), whole.looks), 0.1, (0.05, 0.8)
    )
    plain = plan_metric(online_metric("clicks"), whole, 0.1, (0.05, 0.8))
    assert with_history.users == pytest.approx(plain.users / 2, rel=0.01)


def test_information_of_a_few_busy_users_is_not_overestimated():
    """The truth is the variance of 200,000 users; 400 logs of 500 of them say on average what it is."""
    rng = np.random.default_rng(3)
    logs, users = 400, 500
    searches = np.ceil(rng.gamma(0.5, 8, logs * users))
    clicks = rng.binomial(searches.astype(int), rng.beta(1, 2, logs * users))
    rows = np.column_stack([clicks, searches]).astype(float)
    whole = Moments.of(rows)
    truth = ratio(whole) ** 2 / ratio_variance(whole)
    plain, corrected = [], []
    for log in rows.reshape(logs, users, 2):
        at = np.arange(users)
        groups = daily_moments(at % GROUPS, at, np.zeros(users, dtype=int), log, arms=GROUPS, days=1)
        value = log[:, 0].sum() / log[:, 1].sum()
        plain.append(value**2 / ratio_variance(Moments.of(log)))
        corrected.append(value**2 / unbiased_variance(groups, ratio_variance)[0])
    print(np.mean(plain) / truth, np.mean(corrected) / truth)
    assert np.mean(plain) > 1.02 * truth
    assert np.mean(corrected) == pytest.approx(truth, rel=0.025)
    one_group = daily_moments(0 * at, at, 0 * at, log, arms=1, days=1)
    assert unbiased_variance(one_group, ratio_variance)[0] == pytest.approx(ratio_variance(Moments.of(log)))


def test_history_explains_less_as_more_users_are_new():
    """The shares .4 and .5 of the last two days of four grow by .1 a day: .6, .7, and at most 1."""
    whole = course(10, [1] * 10, range(100, 1100, 100))
    later = whole.with_history(np.array([0.6, 0.4, 0.4, 0.5]), whole.looks).variance
    assert later.tolist() == pytest.approx([0.6, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0])
    constant = whole.with_history(np.array([0.6, 0.6, 0.6, 0.5]), whole.looks).variance
    assert constant.tolist() == [0.6] * 3 + [0.5] * 7


def test_daily_looks_find_the_effect_by_the_planned_end_as_often_as_planned():
    """Simulated here by 2,000 independent tests of normal values, looked at at the end of each of ten days."""
    users = np.arange(1, 11) * 300.0
    plan = plan_metric(online_metric("clicks"), course(10, [1] * 10, users), 0.15, (0.05, 0.8))
    ends = np.append(users[users < plan.users_daily], plan.users_daily)
    spread = (1 + 1.15**2) / 2
    steps = np.diff(ends, prepend=0) / 4
    noise = np.random.default_rng(5).standard_normal((2000, len(ends)))
    means = np.cumsum(noise * np.sqrt(steps * spread) + 0.15 * steps, axis=1) / (ends / 4)
    halves = [half_width(2 * math.sqrt(spread / n), int(n), plan.users_daily) for n in ends]
    found = (np.abs(means) > halves).any(axis=1).mean()
    assert found == pytest.approx(0.8, abs=0.03)


def test_who_came_before_makes_a_second_plan(tmp_path):
    """Each user has a habit of clicking, before as after, and comes every second day."""
    rng = np.random.default_rng(4)
    rows = []
    for u, habit in enumerate(rng.beta(0.5, 0.5, 120)):
        for day in range(u % 2, 12, 2):
            rows.append(search(f"u{u}", "", day, AT + day * DAY))
            rows += [click(f"u{u}", day, AT + day * DAY + 5)] * int(rng.random() < habit)
    plan = plan_ab(search_log(write_log(tmp_path / "log.csv", rows)), ["click_through"], effect=0.2)
    assert [p.cuped for p in plan.plans] == [False, True]
    assert plan.plans[1].users < 0.8 * plan.plans[0].users


def test_a_plan_names_what_its_log_cannot_measure(tmp_path):
    rows = [{"user": f"u{n}", "time": AT + n % 9 * DAY, "query": "a b", "shown": "d1 d2"} for n in range(90)]
    rows = [row | {"clicked_documents": "d1" if n % 3 else "[]"} for n, row in enumerate(rows)]
    log = search_log(write_log(tmp_path / "log.csv", rows, [*rows[0]]))
    plan = plan_ab(log, effect=0.2)
    assert [*plan.unmeasured] == ["success", "time_to_first_click"]
    assert [*dict.fromkeys(p.metric.name for p in plan.plans)] == ["click_through", "reformulation", "searches"]
    assert "success and time_to_first_click are not measured: no click has a time" in to_screen(
        ab_plan_document(plan), 0, 0
    )
    with pytest.raises(InputError, match="success cannot be measured: no click has a time"):
        plan_ab(log, ["success"], effect=0.2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("A:users=4.000,clicks=5 B:users=4000,clicks=6", "users=4.000 may have dots .*; write 4000, or 4 if you"),
        ("A:revenue=1.250.000 B:revenue=5", "revenue=1.250.000 may have dots between thousands; write 1250000$"),
        ("A:queries=100,clicked_users=200 B:queries=1,clicked_users=1", "200 clicked_users of 100 searches are imp"),
        ("A:clicks=5,clicked_users=6 B:clicks=9,clicked_users=6", "6 clicked_users of 5 clicks are impossible"),
        ("A:users=4,000,clicks=5 B:users=4000,clicks=6", "without marks between thousands"),
        ("A:clicks=4.5 B:clicks=5", "clicks must be a whole number"),
    ],
)
def test_totals_that_are_misread_or_impossible_are_refused(words, message):
    with pytest.raises(SpecError, match=message):
        compare_counts(words.split())


def test_revenue_and_counts_of_your_own_have_decimals():
    assert [r.a for r in compare_counts(["A:revenue=1.5,+hours=0.125", "B:revenue=2,+hours=1"]).ratios] == [1.5, 0.125]
