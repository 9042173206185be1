"""Planning an A/B test, and what totals alone can say."""

import math

import pytest
from online.log_files import SEARCH, write_log
from online.test_ab import AT, DAY, click, search
from statsmodels.stats.power import NormalIndPower

from neraca.errors import SpecError
from neraca.online.ab_counts import compare_counts
from neraca.online.ab_plan import plan_ab
from neraca.online.search_log import search_log
from neraca.reports.online.ab_counts import sentences


def test_a_plan_asks_for_as_many_users_as_the_textbook(tmp_path):
    rows = [search(f"u{n}", "", at=AT + (n // 100) * DAY) for n in range(1000)]
    rows += [click(f"u{n}", at=AT + (n // 100) * DAY + 5) for n in range(0, 1000, 2)]
    plan = plan_ab(search_log(write_log(tmp_path / "log.csv", rows)), ["click_through"], effect=0.1)
    (one,) = plan.plans
    assert (plan.users, len(plan.by_day), one.value) == (1000, 10, 0.5)
    textbook = 2 * NormalIndPower().solve_power(effect_size=0.1, alpha=0.05, power=0.8)
    assert one.users == pytest.approx(textbook, rel=0.002)
    assert one.days == 10 + math.ceil((one.users - 1000) / 100)
    assert 1.5 * one.users < one.users_daily < 2.5 * one.users


@pytest.mark.parametrize("effect", [0, math.nan, -1])
def test_an_effect_that_is_none_is_an_error(tmp_path, effect):
    log = search_log(write_log(tmp_path / "log.csv", [SEARCH]))
    with pytest.raises(SpecError, match="--effect"):
        plan_ab(log, effect=effect)


def test_totals_point_one_way_and_are_no_test():
    counts = compare_counts(["A:clicks=5000,reformulations=1300", "B:clicks=100000,reformulations=58"])
    said = " ".join(sentences(counts))
    assert "20 times the clicks" in said
    assert "22.4 times fewer reformulations" in said
    assert "Both favour B" in said
    assert "No test is possible without users and queries per arm" in said


def test_totals_with_users_are_rates_and_shares_of_users_are_tested():
    counts = compare_counts(["A:users=1000,clicks=900,bought_users=100", "B:users=3000,clicks=1800,bought_users=390"])
    clicks, bought = counts.ratios
    assert (clicks.times, clicks.favours) == (2.0, "A"), "0.9 per user against 0.6"
    assert (bought.effect.a, bought.effect.b) == pytest.approx((0.10, 0.13))
    pooled_free = math.sqrt(0.1 * 0.9 / 999 + 0.13 * 0.87 / 2999)
    assert bought.effect.error == pytest.approx(pooled_free)


@pytest.mark.parametrize("words", [["A:clicks=1"], ["A:clicks", "B:clicks=1"], ["A:x=1", "B:y=1"], ["A:x=-1", "B:x=1"]])
def test_totals_that_cannot_be_read(words):
    with pytest.raises(SpecError, match="--counts"):
        compare_counts(words)
