"""What a gate decides: p-values of scipy, outcomes by hand, and how often chance misleads it."""

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_scores
from scipy.stats import ttest_1samp
from statsmodels.stats.power import TTestPower

import neraca
from neraca.comparisons.gate import gate
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric, metric
from neraca.scores import answer_table
from neraca.scores.score import score

A = [32.3, 20.3, 31.4, 25.7, 28.4, 27.3, 29.3, 30.1, 25.5, 28.7, 29.1, 24.8]
B = [32.0, 20.4, 31.2, 25.0, 27.9, 26.9, 29.1, 30.0, 24.4, 28.2, 28.6, 24.6]
D = np.array(A) - np.array(B)


def number(response: str) -> float | None:
    """The number that is the answer."""
    return float(response) if response else None


def ratio(sums):
    with np.errstate(invalid="ignore"):
        return sums[..., 0] / sums[..., 1]


metric("TestGate", high=100)(number)
metric("TestGateShare")(number)
FOUR = [f"TestGate{place}" for place in "ABCD"]
for name in FOUR:
    metric(name, high=100)(number)
metric("TestGateCost", better="lower", high=math.inf)(number)
metric("TestGateRatio", total=ratio)(number)


def scores_of(name, *columns):
    """Scores of runs whose values, or rows of counts, are given."""
    return make_scores({run: {name: values} for run, values in zip(("new", "old"), columns, strict=False)})


def decided(name, *columns, rule, **how):
    (found,) = gate(scores_of(name, *columns), rules=f"{name} {rule}", **how).decisions
    return found


# what is tested


def test_a_difference_is_tested_as_by_scipy_and_the_published_p():
    found = decided("TestGate", A, B, rule="> baseline")
    assert found.p == pytest.approx(0.0013784945927875687 / 2)  # two-sided, of the paired t-test
    assert (found.outcome, found.n, found.sessions, found.test) == ("pass", 12, 12, "t")
    assert found.difference == pytest.approx(D.mean())
    assert (found.value, found.baseline) == pytest.approx((np.mean(A), np.mean(B)))
    bounds = ttest_1samp(D, 0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high))


@pytest.mark.parametrize("bound", [-0.3, 0.1, 0.2, 0.5, 0.6, 0.9])
def test_the_bound_is_taken_off(bound):
    found = decided("TestGate", A, B, rule=f">= {bound:+}")
    p, opposite = (ttest_1samp(D, bound, alternative=side).pvalue for side in ("greater", "less"))
    assert (found.p, found.p_fail) == pytest.approx((p, opposite))
    assert found.outcome == ("pass" if p <= 0.05 else "fail" if opposite <= 0.05 else "undecided")
    assert (found.outcome == "pass") == (found.low > bound)
    assert (found.outcome == "fail") == (found.high < bound)
    assert {0.1: "pass", 0.3: "undecided", 0.9: "fail"}.get(bound, found.outcome) == found.outcome


def test_a_threshold_is_the_same_of_the_values():
    found = decided("TestGate", A, rule="> 25.5")
    assert found.p == pytest.approx(ttest_1samp(A, 25.5, alternative="greater").pvalue)
    bounds = ttest_1samp(A, 0).confidence_interval(0.9)
    assert (found.value, found.low, found.high) == pytest.approx((np.mean(A), bounds.low, bounds.high))
    assert math.isnan(found.baseline)
    assert math.isnan(found.difference)
    with_baseline = decided("TestGate", A, B, rule="> 25.5")
    assert (with_baseline.p, with_baseline.rule.kind) == (found.p, "threshold")


def test_where_less_is_better_everything_is_the_other_way_round():
    found, turned = decided("TestGateCost", B, A, rule="<= -0.1"), decided("TestGate", A, B, rule=">= +0.1")
    assert (found.p, found.p_fail, found.outcome, found.rule.kind) == (
        pytest.approx(turned.p),
        pytest.approx(turned.p_fail),
        "pass",
        "superiority",
    )
    assert (found.low, found.high, found.difference) == pytest.approx((-turned.high, -turned.low, -turned.difference))
    assert decided("TestGateCost", A, rule="< 40").outcome == "pass"
    assert decided("TestGateCost", A, rule="< 20").outcome == "fail"


def test_questions_of_a_session_are_tested_as_one(tmp_path):
    rng = np.random.default_rng(1)
    told = {name: rng.uniform(20, 30, 24).round(2) for name in ("new", "old")}
    items = [make_item(str(n), session=str(n // 3)) for n in range(24)]
    for name, values in told.items():
        make_run(tmp_path / name, items, [make_answer(item=str(n), text=str(v)) for n, v in enumerate(values)])
    (found,) = gate(tmp_path / "new", tmp_path / "old", "TestGate >= -1.5").decisions
    sessions = (told["new"] - told["old"]).reshape(8, 3).mean(axis=1)
    assert found.p == pytest.approx(ttest_1samp(sessions, -1.5, alternative="greater").pvalue)
    assert (found.n, found.sessions) == (24, 8)


def test_a_total_that_is_no_mean_is_tested_by_leaving_out_each_question():
    new, old = (
        np.array([[1.0, 2], [3, 3], [0, 4], [2, 5], [1, 1]]),
        np.array([[1.0, 3], [1, 3], [0, 1], [2, 6], [1, 4]]),
    )

    def left_out(rows):
        n = len(rows)
        without = [np.delete(rows, place, axis=0).sum(axis=0) for place in range(n)]
        whole = rows[:, 0].sum() / rows[:, 1].sum()
        each = np.array([n * whole - (n - 1) * top / bottom for top, bottom in without])
        return each + whole - each.mean()

    found = decided("TestGateRatio", new, old, rule=">= -0.1")
    assert (found.value, found.baseline) == pytest.approx((7 / 15, 5 / 17))
    assert found.p == pytest.approx(ttest_1samp(left_out(new) - left_out(old), -0.1, alternative="greater").pvalue)
    alone = decided("TestGateRatio", new, rule="> 0.2")
    assert alone.p == pytest.approx(ttest_1samp(left_out(new), 0.2, alternative="greater").pvalue)
    undefined = decided("TestGateRatio", np.zeros((3, 2)), rule="> 0.2")
    assert (undefined.outcome, undefined.n) == ("incomplete", 3)


def test_questions_that_a_ratio_does_not_hold_prove_nothing():
    """One refusal among 100 answers, and it is right: that shows no precision above .9, however many refuse nothing."""
    one_right = np.array([[1.0, 1]] + [[0, 0]] * 99)
    alone = decided("TestGateRatio", one_right, rule="> 0.9")
    assert (alone.outcome, alone.value, alone.n, alone.unscored) == ("undecided", 1.0, 1, 99)
    none_right = np.concatenate([np.zeros((98, 2)), [[0, 1], [0, 1]]])
    against = decided("TestGateRatio", one_right, none_right, rule=">= baseline")
    assert (against.n, against.unscored) == (3, 97)  # those that one of the two holds


def test_other_tests_of_the_mean():
    d = D[:9] - 0.1
    ways = np.array(list(itertools.product([1, -1], repeat=9))) @ d
    found = decided("TestGate", A[:9], B[:9], rule="> +0.1", test="randomisation")
    assert found.p == pytest.approx((np.abs(ways) >= abs(d.sum()) - 1e-9).mean() / 2)
    assert found.test == "randomisation(exact)"
    drawn = decided("TestGate", A, B, rule="> +0.1", test="bootstrap", seed=3)
    assert drawn.p == pytest.approx(ttest_1samp(D, 0.1, alternative="greater").pvalue, abs=0.02)
    assert drawn == decided("TestGate", A, B, rule="> +0.1", test="bootstrap", seed=3)
    assert "seed=3" in drawn.test


def test_the_level():
    how = {"rule": ">= +0.45"}
    p = ttest_1samp(D, 0.45, alternative="less").pvalue
    scores = scores_of("TestGate", A, B)
    for level in (1 - p - 0.01, 1 - p + 0.01):
        found = gate(replace(scores, level=level), rules="TestGate >= +0.45")
        assert found.outcome == ("fail" if level < 1 - p else "undecided")
        bounds = ttest_1samp(D, 0).confidence_interval(2 * level - 1)
        assert found.decisions[0].high == pytest.approx(bounds.high)
    assert decided("TestGate", A, B, **how).p_fail == pytest.approx(p)


def test_questions_needed_are_those_of_a_one_sided_t_test():
    for bound, side in ((0.3, 1), (0.45, -1)):
        found = decided("TestGate", A, B, rule=f"> +{bound}")
        effect = side * (D.mean() - bound) / D.std(ddof=1)
        needed = TTestPower().solve_power(effect, alpha=0.05, power=0.8, alternative="larger")
        assert (found.outcome, found.needed) == ("undecided", math.ceil(float(np.squeeze(needed))))
    assert decided("TestGate", A, B, rule="> +0.1").needed is None


# shares


def test_a_share_near_one_is_not_believed_as_the_t_test_would():
    right = np.array([1.0] * 29 + [0])
    found = decided("TestGateShare", right, rule="> 0.9")
    assert (found.outcome, found.test) == ("undecided", "shares")
    assert found.p == pytest.approx(0.9**30 + 30 * 0.1 * 0.9**29)
    assert ttest_1samp(right, 0.9, alternative="greater").pvalue < 0.05
    assert found.needed > 30
    assert found.low == pytest.approx(0.8514, abs=1e-4)  # Clopper and Pearson, 29 of 30, one-sided 95 %


def test_total_outage_fails():
    """Right on every question, then on none: were it a chance of 0.51 each time, 0.51^n."""
    for n, outcome in ((4, "undecided"), (5, "fail"), (30, "fail")):
        found = decided("TestGateShare", np.zeros(n), np.ones(n), rule=">= -0.02")
        assert (found.outcome, found.p_fail) == (outcome, pytest.approx(0.51**n))
    assert decided("TestGateShare", np.zeros(4), np.ones(4), rule=">= -0.02").needed >= 5
    assert decided("TestGate", np.full(9, 3.0), np.full(9, 90.0), rule=">= -1").outcome == "fail"


# no question differs


def test_where_no_question_differs_a_rule_that_allows_it_passes():
    same = np.linspace(0.2, 0.9, 30)
    for rule, outcome in ((">= -0.02", "pass"), (">= +0", "pass"), ("> +0", "undecided"), (">= +0.1", "fail")):
        found = decided("TestGateShare", same, same, rule=rule)
        assert (found.outcome, found.same, found.difference) == (outcome, True, 0)
    found = decided("TestGateShare", same, same, rule=">= -0.02")
    assert math.isnan(found.p)  # 0.98^30 = 0.55 would not show it, and a pass beside it reads as a mistake
    assert (found.test, found.by_equality) == ("none", True)
    assert (found.low, found.high) == pytest.approx((0.05 ** (1 / 30) - 1, 1 - 0.05 ** (1 / 30)))
    assert decided("TestGateCost", same, same, rule="<= +1").outcome == "pass"
    # a rule that demands a difference of 0.1 fails: with a chance of 0.9^30 none of them would show one
    assert decided("TestGateShare", same, same, rule=">= +0.1").p_fail == pytest.approx(0.9**30)
    assert decided("TestGateShare", same[:3], same[:3], rule=">= -0.02").outcome == "pass"


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_questions_pass_no_rule_unless_it_is_observed_or_the_run_is_a_copy(tmp_path, n):
    few = decided("TestGateShare", [0.4] * n, [0.4] * n, rule=">= -0.99")
    assert (few.outcome, few.n, math.isnan(few.p), math.isnan(few.low)) == ("undecided", n, True, True)
    assert decided("TestGateShare", [0.4] * n, [0.4] * n, rule=">= -0.02 observed").outcome == "pass"
    (copied,) = gate(*folders(tmp_path, [0.4] * n, [0.4] * n), "TestGateShare >= -0.02").decisions
    assert (copied.outcome, copied.copy) == ("pass", True)


def test_a_decision_says_how_its_interval_was_made():
    assert decided("TestGate", A, B, rule="> baseline").interval_method == "t"
    assert decided("TestGateShare", [0.4] * 9, [0.4] * 9, rule=">= -0.1").interval_method == "exact"
    assert decided("TestGateShare", [0.4], [0.4], rule=">= -0.1").interval_method == ""


def test_one_question_decides_nothing():
    found = decided("TestGate", [3.0], [2.0], rule="> baseline")
    assert (found.outcome, found.n) == ("undecided", 1)
    assert math.isnan(found.low)
    assert decided("TestGateCost", [3.0, 4.0], [2.0, 2.0], rule="<= +0.5").outcome == "undecided"


# several rules


def test_all_rules_must_pass_and_that_needs_no_correction():
    rules = [f"TestGate > +{bound}" for bound in (0.16, 0.17, 0.18, 0.19, 0.2)]
    found = gate(scores_of("TestGate", A, B), rules=rules)
    assert found.outcome == "pass"
    assert max(decision.p for decision in found.decisions) > 0.05 / 5
    mixed = gate(scores_of("TestGate", A, B), rules=[*rules, "TestGate >= +0.45"])
    assert [decision.outcome for decision in mixed.decisions] == ["pass"] * 5 + ["undecided"]
    assert mixed.outcome == "undecided"


def test_rules_that_hold_do_not_shield_one_that_is_broken():
    """With a p of .031 alone, Holm's correction for three rules would let the regression pass as undecided."""
    rng = np.random.default_rng(3)
    noise = rng.normal(0, 1, 40)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    # a t of -1.92 at the margin: the one-sided p of 39 degrees of freedom is .031
    d = -0.05 + 0.3 * (noise - 1.92 / math.sqrt(40))
    p = ttest_1samp(d, -0.05, alternative="less").pvalue
    assert 0.0305 < p < 0.0315
    old = np.linspace(40, 60, 40)
    runs = {"new": {"TestGateA": old + d, "TestGateB": old, "TestGateC": old + 1 + noise / 9}}
    runs["old"] = dict.fromkeys(("TestGateA", "TestGateB", "TestGateC"), old)
    broken, *held = (f"{name} >= baseline - 0.05" for name in ("TestGateA", "TestGateB", "TestGateC"))
    alone, together = (gate(make_scores(runs), rules=rules) for rules in ([broken], [*held, broken]))
    assert [found.outcome for found in (alone, together)] == ["fail", "fail"]
    assert [one.outcome for one in together.decisions] == ["pass", "pass", "fail"]
    for found in (alone, together):
        one = found.decisions[-1]
        assert one.p_fail == pytest.approx(p)
        assert one.high < -0.05  # as the table shows it


def test_an_observed_rule_is_decided_by_the_number_alone():
    def seen(new, old, rule, **how):
        return decided("TestGateShare", new, old, rule=f"{rule} observed", **how)

    old = [0.75, 0.25]
    worse = seen([0.5, 0.25], old, ">= baseline - 0.05")
    assert (worse.outcome, worse.difference, worse.test) == ("fail", -0.125, "none")
    assert all(map(math.isnan, (worse.p, worse.p_fail, worse.p_worst)))
    assert seen([0.75, 0.25], old, ">= baseline - 0.05").outcome == "pass"
    # at the bound: 0.7 - 0.75 is -0.05 but for rounding
    assert [seen([0.7], [0.75], f"{sign} -0.05").outcome for sign in (">=", ">")] == ["pass", "fail"]
    assert [seen([0.5, 0.7], old, f"> {bound}").outcome for bound in (0.59, 0.61)] == ["pass", "fail"]
    cost = [decided("TestGateCost", [3.0], [2.5], rule=f"<= +{most} observed").outcome for most in (0.5, 0.4)]
    assert cost == ["pass", "fail"]
    assert seen([math.nan], [0.5], ">= -0.05").outcome == "incomplete"


def test_what_is_lost_can_turn_what_was_observed(tmp_path):
    rule = "TestGateShare >= -0.05 observed"
    lost = gate(*folders(tmp_path / "1", [None, 0.6, 0.6], [0.5, 0.6, 0.6]), rule)  # -0.5 / 3 with the lost one as 0
    assert (lost.outcome, lost.decisions[0].difference, lost.decisions[0].lost) == ("undecided", 0.0, 1)
    little = gate(*folders(tmp_path / "2", [None, 0.6, 0.6], [0.1, 0.6, 0.6]), rule)  # -0.1 / 3
    assert little.outcome == "pass"


def test_an_average_is_that_of_the_table_of_a_chat_page(tmp_path):
    items = [make_item(str(n), references=("a house with two floors",)) for n in range(8)]
    for name, words in (("new", "a house with floors"), ("old", "a house with two floors")):
        make_run(tmp_path / name, items, [make_answer(item=str(n), text=words) for n in range(8)])
    rules = ["Average > 0.2", "Average >= baseline - 0.05 observed"]
    found = gate(tmp_path / "new", tmp_path / "old", rules)
    metrics = Metric.several(answer_table.DEFAULT)
    values = [score(tmp_path / "new", str(each)).overall()[0].value for each in metrics]
    assert found.decisions[0].value == pytest.approx(sum(values) / 6)
    assert [one.outcome for one in found.decisions] == ["pass", "fail"]


def test_more_rules_never_turn_fail_into_pass():
    rng, failed = np.random.default_rng(5), 0
    for _ in range(20):
        old = rng.normal(50, 8, (4, 20)).clip(0, 100)
        runs = {"new": dict(zip(FOUR, old + rng.normal(-1, 2, (4, 20)), strict=True))}
        scores = make_scores(runs | {"old": dict(zip(FOUR, old, strict=True))})
        outcomes = [gate(scores, rules=[f"{name} >= -0.3" for name in FOUR[:many]]).outcome for many in (1, 2, 3, 4)]
        first = outcomes.index("fail") if "fail" in outcomes else len(outcomes)
        assert set(outcomes[first:]) <= {"fail"}
        failed += first < len(outcomes) - 1
    assert failed > 2


def test_the_worst_outcome_is_that_of_the_gate():
    found = gate(scores_of("TestGate", A, B), rules=["TestGate > 20", "TestGate >= +0.9", "TestGate >= +0.45"])
    assert [decision.outcome for decision in found.decisions] == ["pass", "fail", "undecided"]
    assert found.outcome == "fail"


def test_chance_misleads_no_more_often_than_promised():
    """One worse by just the margin passes one time of twenty; one that only just keeps four rules fails 1 - .95^4."""
    rng = np.random.default_rng(11)
    passed, failed, times = 0, 0, 100
    for _ in range(times):
        old = rng.normal(50, 8, 25).clip(0, 100)
        worse = gate(scores_of("TestGate", old - 1 + rng.normal(0, 2, 25), old), rules="TestGate >= -1")
        passed += worse.outcome == "pass"
        moved = rng.normal(0, 2, (4, 25))
        runs = {"new": dict(zip(FOUR, old + moved, strict=True)), "old": dict.fromkeys(FOUR, old)}
        failed += gate(make_scores(runs), rules=[f"{name} >= +0" for name in FOUR]).outcome == "fail"
    false_alarms = 1 - 0.95**4
    assert 0 < passed / times <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / times)
    assert failed / times == pytest.approx(false_alarms, abs=4 * math.sqrt(false_alarms * (1 - false_alarms) / times))


# what is not scored


def folders(folder, new, old, sessions=None):
    """Runs whose answers are numbers; None: the answer may not be whole; "": nobody asked; "!": it failed."""
    items = [make_item(str(n), session=sessions and sessions[n]) for n in range(len(new))]
    status = {None: "suspect", "!": "timeout"}
    for name, values in (("new", new), ("old", old)):
        answers = [
            make_answer(item=str(n), text="" if v in status else str(v), status=status.get(v, "complete"))
            for n, v in enumerate(values)
            if v != ""
        ]
        make_run(folder / name, items, answers)
    return folder / "new", folder / "old"


def test_what_is_lost_counts_as_the_worst(tmp_path):
    old = [0.5, 0.6, 0.4, 0.5, 0.7, 0.5, 0.6, 0.5, 0.4, 0.6, 0.5, 0.6]
    new = [value + 0.1 + 0.01 * (n % 3) for n, value in enumerate(old)]
    whole = gate(*folders(tmp_path / "1", new, old), "TestGateShare >= -0.02")
    assert (whole.outcome, whole.decisions[0].lost, whole.decisions[0].unscored) == ("pass", 0, 0)
    found = gate(*folders(tmp_path / "2", [None, None, None, *new[3:]], old), "TestGateShare >= -0.02")
    (decision,) = found.decisions
    assert (decision.outcome, decision.n, decision.unscored, decision.lost) == ("undecided", 9, 3, 3)
    assert decision.p < 0.001
    d = [b - a for a, b in zip(old[3:], new[3:], strict=True)] + [-value for value in old[:3]]
    assert decision.p_worst == pytest.approx(ttest_1samp(d, -0.02, alternative="greater").pvalue)
    assert (decision.needed, "whole" in decision.why_unscored) == (None, True)
    # with few enough of them the rule is shown all the same, and so is a threshold
    one = gate(*folders(tmp_path / "3", [None, *new[1:]], [0.0, *old[1:]]), "TestGateShare >= -0.02")
    assert (one.outcome, one.decisions[0].lost) == ("pass", 1)
    assert gate(*folders(tmp_path / "4", [None, *new[1:]], old), "TestGateShare > 0.5").outcome == "undecided"
    assert gate(tmp_path / "4/new", rules="TestGateShare > 0.5").outcome == "pass"  # nobody knows of the lost one


def test_what_has_no_worst_value_cannot_be_made_up_for(tmp_path):
    old = [5.0, 6, 4, 5, 7, 5, 6]
    found = gate(*folders(tmp_path, [None, *(value - 1 - 0.1 * value for value in old[1:])], old), "TestGateCost <= +1")
    (decision,) = found.decisions
    assert (decision.outcome, decision.p < 0.01, math.isnan(decision.p_worst)) == ("undecided", True, True)


def test_what_the_baseline_lacks_is_left_out_and_said(tmp_path):
    found = gate(*folders(tmp_path, [0.5, 0.6, 0.4, 0.3], [None, 0.6, 0.4, 0.3]), "TestGateShare >= -0.02")
    (decision,) = found.decisions
    assert (decision.outcome, decision.n, decision.unscored, decision.lost) == ("pass", 3, 1, 0)
    assert "whole" in decision.why_unscored


def test_identical_answers_do_not_hide_what_is_lost(tmp_path):
    found = gate(*folders(tmp_path, [None, 0.6, 0.4, 0.4], [0.6, 0.6, 0.4, 0.4]), "TestGateShare >= -0.02")
    assert (found.outcome, found.decisions[0].same) == ("undecided", True)


def test_what_is_not_defined_in_a_trec_run_says_why():
    found = decided("TestGate", [*A[:9], math.nan], [*B[:9], 3], rule="> baseline")
    assert (found.n, found.unscored, found.lost, found.why_unscored) == (9, 1, 1, "not defined for this answer")


def test_a_broken_run_does_not_pass_in_silence(tmp_path):
    rule = "TestGateShare >= -0.02"
    nothing = gate(*folders(tmp_path / "1", [None] * 3, [0.5] * 3), rule)
    assert (nothing.outcome, nothing.decisions[0].outcome, nothing.lacking) == ("incomplete", "incomplete", {})
    assert math.isnan(nothing.decisions[0].value)
    unasked = gate(*folders(tmp_path / "2", [0.5, 0.5, ""], [0.5] * 3), rule)
    assert (unasked.outcome, unasked.lacking) == ("incomplete", {"new": 1})
    first = gate(*folders(tmp_path / "3", [0.5] * 3, ["!"] * 3), "TestGateShare > 0.1")
    assert (first.outcome, first.lacking) == ("incomplete", {"old": 3})
    # some that failed count as empty, and are no reason not to decide
    some = gate(*folders(tmp_path / "4", [0.5, 0.5, "!"], [0.5] * 3), rule)
    assert (some.outcome, some.lacking) == ("undecided", {})
    # a regression that is shown is one, whatever is missing
    fallen = gate(*folders(tmp_path / "5", [*[0.1, 0.11, 0.12] * 4, ""], [0.9] * 13), rule)
    assert (fallen.outcome, fallen.lacking) == ("fail", {"new": 1})


# what is given


def test_from_scores_folders_texts_and_trec_runs(tmp_path):
    new, old = folders(tmp_path, [0.5, 0.7, 0.4, 0.9], [0.4, 0.5, 0.3, 0.9])
    rules = ["TestGateShare >= -0.02", "TestGateShare > 0.3"]
    found = neraca.gate(new, old, rules)
    assert found == gate(score([new, old], "TestGateShare"), rules=rules)
    assert (found.run, found.baseline, found.level) == ("new", "old", 0.95)
    assert gate(new, rules=rules[1], level=0.9).level == 0.9
    texts = neraca.text(["x y z"] * 3, {"x": ["x y z"] * 3, "y": ["x"] * 3}, "TokenRecall", language="en")
    assert gate(texts, rules="TokenRecall >= -0.02").decisions[0].difference == pytest.approx(2 / 3)
    qrels = {f"q{n}": {"d": 1} for n in range(4)}
    runs = {name: {query: {"d": 1.0} for query in qrels} for name in ("x", "y")}
    assert gate(neraca.trec(qrels, runs, "RR"), rules="RR >= baseline").outcome == "pass"


def test_rows_are_flat_and_fit_into_json():
    rows = [
        decision.row()
        for decision in gate(scores_of("TestGate", A, B), rules=["TestGate >= -1", "TestGate > 3"]).decisions
    ]
    assert [row["kind"] for row in rows] == ["non-inferiority", "threshold"]
    wanted = "rule metric kind outcome value baseline difference bound low high p p_fail n needed"
    assert set(wanted.split()) <= rows[0].keys()
    json.dumps(rows)


@pytest.mark.parametrize(
    "given, error, told",
    [
        ({"rules": "TestGate >= 1"}, None, ""),
        ({"rules": []}, SpecError, "needs a rule"),
        ({"rules": "RR > 0.5"}, SpecError, "rule 'RR > 0.5': not scored; these are: TestGate"),
        (
            {"rules": "TestGate > 1", "test": "wilcoxon"},
            SpecError,
            "about means, and the test wilcoxon is not",
        ),
        ({"rules": "TestGate > 1", "test": "x"}, SpecError, "no test is called 'x'; of means there are t, r"),
        ({"rules": "TestGate > 1", "seed": -1}, SpecError, "whole number from 0"),
        ({"rules": "TestGate > 1", "baseline": "runs/old"}, SpecError, "give them alone"),
        ({"rules": "TestGate > 1", "level": 0.9}, SpecError, "give them alone"),
    ],
)
def test_what_cannot_be_asked(given, error, told):
    if error is None:
        gate(scores_of("TestGate", A, B), **given)
        return
    with pytest.raises(error, match=told):
        gate(scores_of("TestGate", A, B), **given)


def test_what_cannot_be_asked_of_these_runs(tmp_path):
    new, old = folders(tmp_path / "1", [0.5, 0.7], [0.4, 0.5])
    with pytest.raises(
        SpecError, match=r"rule 'RR > \+0' is about the difference from a baseline; name one \(--against"
    ):
        gate(new, rules=["RR > 0.5", "RR > baseline"])
    with pytest.raises(SpecError, match=r"above 0\.5, such as 0\.95, not 0\.5"):
        gate(new, rules="RR > 0.5", level=0.5)
    with pytest.raises(InputError, match="there are 3"):
        gate(score([new, old, new], "TestGateShare"), rules="TestGateShare > 0.5")
    other = make_run(tmp_path / "2", [make_item("x")], [make_answer(item="x", text="1")])
    with pytest.raises(InputError, match="answer different questions"):
        gate(new, other, "TestGateShare > baseline")


# what one run rightly leaves empty


def refusing(folder):
    """Two runs right on 12 questions with a result; on 12 that have none, `good` returns nothing and `junk` a hit."""
    items = [make_item(str(n), relevant={"d": 1.0} if n < 12 else {}) for n in range(24)]
    for name, on_none in (("good", ""), ("junk", "x")):
        make_run(folder / name, items, [make_answer("d" if n < 12 else on_none, str(n)) for n in range(24)])
    return folder / "good", folder / "junk"


@pytest.mark.parametrize("rule", ["P@1 >= -0.1", "P@1 >= baseline observed"])
def test_junk_in_place_of_a_right_empty_answer_fails_a_rule_on_the_difference(tmp_path, rule):
    good, junk = refusing(tmp_path)
    found = gate(junk, good, [rule, "P@1 > 0.7 observed"])
    relative, threshold = found.decisions
    assert [d.outcome for d in found.decisions] == ["fail", "fail"]
    assert (relative.outcome_in_both, relative.value, relative.n, relative.settled) == ("pass", 1.0, 12, 12)
    assert (relative.value_alone, relative.baseline_alone) == (0.5, 1.0) == (threshold.value, 1.0)
    again = relative.with_empties
    assert (str(again.rule.metric), again.n, again.value, again.baseline) == ("P(empty=correct)@1", 24, 0.5, 1.0)
    assert again.outcome == "fail"
    assert relative.row()["difference_with_empties"] == -0.5


def test_right_empty_answers_of_the_run_are_not_lost_to_the_junk_of_the_baseline(tmp_path):
    good, junk = refusing(tmp_path)
    (found,) = gate(good, junk, "P@1 >= -0.1").decisions
    assert (found.outcome, found.lost, found.settled, found.with_empties.difference) == ("pass", 0, 12, 0.5)


def test_a_loss_on_answerable_questions_is_not_made_up_for_by_right_empty_answers(tmp_path):
    """`new` is wrong on 10 of 20 questions with a result and right on 40 that have none, where `old` returns junk."""
    items = [make_item(str(n), relevant={"d": 1.0} if n < 20 else {}) for n in range(60)]
    for name, answers in (("new", ["x"] * 10 + ["d"] * 10 + [""] * 40), ("old", ["d"] * 20 + ["x"] * 40)):
        make_run(tmp_path / name, items, [make_answer(docs, str(n)) for n, docs in enumerate(answers)])
    (found,) = gate(tmp_path / "new", tmp_path / "old", "P@1 >= -0.1").decisions
    assert (found.outcome, found.outcome_in_both, found.with_empties.outcome) == ("fail", "fail", "pass")
    assert found.with_empties.difference == pytest.approx(50 / 60 - 20 / 60)
