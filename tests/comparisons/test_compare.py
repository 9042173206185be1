import math

import numpy as np
import pytest
import scipy.stats
from builders import make_answer, make_item, make_run, make_verdict
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from neraca.comparisons.compare import KNOWN_TESTS, compare, primary_of, ranking
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import METRICS, Metric, metric
from neraca.scores.score import score
from neraca.stats.tests.paired_tests import TESTS


@metric("TestGain", low=-math.inf, high=math.inf)
def gain(response: str) -> float | None:
    return float(response.split()[0]) if response else None


@metric("TestCost", better="lower", low=-math.inf, high=math.inf)
def cost(response: str) -> float | None:
    return float(response.split()[-1]) if response else None


@metric("TestSeen", kind="diagnostic", low=-math.inf, high=math.inf)
def seen(response: str) -> float | None:
    return gain(response)


def runs(folder, sessions=(), **numbers):
    """A run for each list of numbers: the answer to the n-th question is its n-th number."""
    count = max(len(values) for values in numbers.values())
    items = [make_item(str(n), session=sessions[n] if sessions else None) for n in range(count)]
    return [
        make_run(folder / name, items, [make_answer(item=str(n), text=str(v)) for n, v in enumerate(values)])
        for name, values in numbers.items()
    ]


def test_golden_value(tmp_path):
    # scipy.stats.ttest_rel: t = 4.244464615962889, and 12 items have an effect of t / sqrt 12
    a = [32.3, 20.3, 31.4, 25.7, 28.4, 27.3, 29.3, 30.1, 25.5, 28.7, 29.1, 24.8]
    b = [32.0, 20.4, 31.2, 25.0, 27.9, 26.9, 29.1, 30.0, 24.4, 28.2, 28.6, 24.6]
    (found,) = compare(runs(tmp_path, a=a, b=b), "TestGain")
    assert found.p == found.p_adjusted == pytest.approx(0.0013784945927875687, rel=1e-12)
    assert found.effect == pytest.approx(4.244464615962889 / math.sqrt(12), rel=1e-12)
    assert (found.better, found.tested) == ("a", True)


def test_by_hand(tmp_path):
    # differences 1, 1, 1, -1: mean 1/2, s = 1, d = .5, which 34 items would find (methods.md)
    (found,) = compare(runs(tmp_path, a=[3, 2, 1, 0], b=[2, 1, 0, 1]), "TestGain")
    assert (found.metric, found.a, found.b, found.test, found.correction) == ("TestGain", "a", "b", "t", "holm")
    assert (found.difference, found.effect, found.n) == (0.5, pytest.approx(0.5), 4)
    assert (found.wins, found.ties, found.losses) == (3, 0, 1)
    # t = .5 / (1 / 2) = 1 with 3 degrees of freedom: p = .391002; t(3) = 3.182446
    assert found.p == found.p_adjusted == pytest.approx(0.391002, abs=1e-6)
    assert (found.low, found.high) == pytest.approx((0.5 - 3.182446 / 2, 0.5 + 3.182446 / 2), abs=1e-6)
    assert (found.better, found.needed) == ("", 34)


def test_sessions_are_one_source_of_chance(tmp_path):
    # mean 1/2; sums of residuals 1/2 (session s), -1/4, -1/4 and three times 0: se = sqrt(6/5 * 3/8) / 7, t = 5.2175
    (found,) = compare(
        runs(tmp_path, ["s", "s", *[None] * 5], a=[1.75, 1.75, 1.25, 1.25, 1.5, 1.5, 1.5], b=[1] * 7), "TestGain"
    )
    t = 3.5 / math.sqrt(6 / 5 * 3 / 8)
    assert found.p == pytest.approx(2 * scipy.stats.t.sf(t, 5))
    assert (found.wins, found.ties, found.losses) == (7, 0, 0)
    # of six sessions an effect of t / sqrt 6; sessions stay as long as they are
    sessions = math.ceil(TTestPower().solve_power(t / math.sqrt(6), alpha=0.05, power=0.8))
    assert found.needed == math.ceil(sessions * 7 / 6)


def test_fewer_than_six_sources_of_chance_are_not_tested(tmp_path):
    """Fifteen questions of five sessions that all agree, by every test; each question for itself, they are tested."""
    made = runs(tmp_path, [str(n // 3) for n in range(15)], a=[1, 1, 0, 1, 1] * 3, b=[0] * 15)
    for test in KNOWN_TESTS:
        (found,) = compare(made, "TestGain", test=test, margin=0.5, bayes=True)
        assert (found.tested, found.equivalence.tested, found.bayes, found.needed) == (False, False, None, None)
        assert np.isnan([found.low, found.high, found.effect_low, found.equivalence.low]).all()
        assert found.difference == pytest.approx(0.8)
    assert compare(made, "TestGain", unit="question")[0].p < 0.001


def test_runs_that_do_not_differ_do_so_whatever_the_sources_of_chance(tmp_path):
    (found,) = compare(runs(tmp_path, ["s"] * 4 + ["t"] * 4, a=range(8), b=range(8)), "TestGain")
    assert found.identical


@pytest.mark.parametrize("name, better", [("TestGain", "high"), ("TestCost", "low")])
def test_which_way_is_better(tmp_path, name, better):
    made = runs(tmp_path, high=[5, 6, 7, 8.1], low=[1, 2, 3, 4])
    found, back = compare(made, name)[0], compare(made[::-1], name)[0]
    assert found.difference == pytest.approx(4.025)
    assert back.difference == pytest.approx(-4.025)
    assert found.better == back.better == better
    assert (found.wins, found.losses) == (back.losses, back.wins) == ((4, 0) if name == "TestGain" else (0, 4))
    assert ranking(score(made, name), name) == [better, "low" if better == "high" else "high"]


def test_without_evidence_nobody_is_better(tmp_path):
    (found,) = compare(runs(tmp_path, a=[5, 1, 4], b=[1, 5, 3]), "TestGain")
    assert found.p > 0.05
    assert found.better == ""


def noisy(seed, shift):
    return (np.random.default_rng(seed).normal(size=12) + shift).round(3)


def test_without_a_declared_one_the_first_metric_is_primary_and_the_others_are_a_second_family(tmp_path):
    made = runs(tmp_path, a=noisy(1, 0), b=noisy(2, 0.9), c=noisy(3, 1.2))
    found = compare(made, "TestGain TestCost")
    assert [(d.metric, d.a, d.b) for d in found] == [
        (name, a, b) for name in ("TestGain", "TestCost") for a, b in ("ab", "ac", "bc")
    ]
    p = [d.p for d in found]
    holm = [adjusted for own in (p[:3], p[3:]) for adjusted in multipletests(own, method="holm")[1]]
    assert [d.p_adjusted for d in found] == pytest.approx(holm)
    assert found == compare(made, "TestGain TestCost", primary="TestGain")
    assert [d.p_adjusted for d in compare(made, "TestGain TestCost", correction="none")] == p


def test_the_primary_metric_is_a_family_of_its_own(tmp_path):
    made = runs(tmp_path, a=noisy(1, 0), b=noisy(2, 0.9), c=noisy(3, 1.2))
    found = compare(made, "TestCost TestGain", primary="TestGain")
    p = np.array([d.p for d in found])
    for family in (slice(0, 3), slice(3, 6)):
        adjusted = [d.p_adjusted for d in found[family]]
        assert adjusted == pytest.approx(multipletests(p[family], method="holm")[1])


def test_a_single_primary_comparison_is_not_corrected(tmp_path):
    made = runs(tmp_path, a=noisy(1, 0), b=noisy(2, 0.9))
    gain_, cost_ = compare(made, "TestGain TestCost", primary="TestGain")
    assert gain_.p_adjusted == gain_.p
    assert cost_.p_adjusted == cost_.p


def test_a_diagnostic_is_never_better_and_weakens_no_other_metric(tmp_path):
    made = runs(tmp_path, a=noisy(1, 0), b=noisy(2, 0.9), c=noisy(3, 9))
    alone = compare(made, "TestGain TestCost", margin={"TestGain": 0.1})
    among = compare(made, "TestSeen TestGain TestCost", margin={"TestGain": 0.1, "TestSeen": 0.1})
    assert [d for d in among if d.metric != "TestSeen"] == alone  # so TestGain is primary in both
    diagnosed = [d for d in among if d.metric == "TestSeen"]
    assert [d.p_adjusted for d in diagnosed] == pytest.approx(multipletests([d.p for d in diagnosed], method="holm")[1])
    assert min(d.p_adjusted for d in diagnosed) < 0.001
    assert not any(d.better or d.not_worse for d in diagnosed)
    assert any(d.better for d in alone)


def test_the_first_metric_that_is_no_diagnostic_is_primary():
    names = Metric.several("Judged@10 Words RR AP")
    assert [str(primary_of(names)), str(primary_of(names[:2])), str(primary_of(names, "AP"))] == [
        *("RR", "Judged@10", "AP")
    ]
    diagnostics = {"Coverage", "Judged", "Residual", "NumRet", "NumRel", "NumRelRet", "Words", "LengthRatio"}
    found = {n for n in METRICS.names() if METRICS.get(n).kind == "diagnostic" or METRICS.get(n).better == "neither"}
    assert diagnostics | {"SelfKnowledge"} <= found
    assert not {"P", "nDCG", "Success", "ROUGE-L", "Faithfulness", "PassRate", "ToolCallF1"} & found


def test_correction_can_take_the_winner_away(tmp_path):
    # differences with t = 3.1 or so: p is .0128 alone, and 3 times as much among three
    base = np.arange(10.0)
    better = base + np.tile([0.1, 0.9, -0.2, 0.8, 0.4], 2)
    made = runs(tmp_path, a=better, b=base, c=base)
    alone, among = compare(made[:2], "TestGain")[0], compare(made, "TestGain TestCost")[0]
    assert alone.p == among.p
    assert 0.01 < alone.p < 0.05
    assert (alone.better, among.better) == ("a", "")


def test_ratios_are_compared_as_totals(tmp_path):
    """Three hits of one question outweigh one hit of another, in the difference as in the totals."""
    items = [make_item(str(n), "c", expects="results") for n in range(4)]
    hits = {"a": ["p p2", "p", "f f2 f3", "p f"], "b": ["p", "f p", "f", "p p2 p3 f"]}
    made = [
        make_run(
            tmp_path / name,
            items,
            [make_answer(docs, str(n)) for n, docs in enumerate(answers)],
            [
                make_verdict(d, "c", float(d[0] == "p"), item=str(n))
                for n, docs in enumerate(answers)
                for d in docs.split()
            ],
        )
        for name, answers in hits.items()
    ]
    (found,) = compare(made, "PassRatio")
    # a passes 2 1 0 1 of 2 1 3 2; b passes 1 1 0 3 of 1 2 1 4
    assert found.difference == pytest.approx(4 / 8 - 5 / 8)
    assert (found.low + found.high) / 2 == pytest.approx(-1 / 8)
    # alone: 1 : 1, 1 : 1/2, 0 : 0, 1/2 : 3/4
    assert (found.wins, found.ties, found.losses, found.n) == (1, 2, 1, 4)
    # jackknife by hand: without each item a is 2/6, 3/7, 4/5, 3/6 and b 4/7, 4/6, 5/7, 2/4, so the pseudo-values
    # 4 T - 3 T(-i) are 1, 5/7, -2/5, 1/2 and 11/14, 1/2, 5/14, 1; their differences
    d = np.array([1 - 11 / 14, 5 / 7 - 1 / 2, -2 / 5 - 5 / 14, 1 / 2 - 1])
    assert found.high - found.low == pytest.approx(2 * 3.182446 * d.std(ddof=1) / 2, rel=1e-6)


def test_equal_runs(tmp_path):
    (found,) = compare(runs(tmp_path, a=[1, 2, 3], b=[1, 2, 3]), "TestGain")
    assert (found.difference, found.low, found.high, found.p, found.effect) == (0, 0, 0, 1, 0)
    assert (found.wins, found.ties, found.losses, found.better, found.needed) == (0, 3, 0, "", None)


def test_what_is_a_tie_does_not_depend_on_rounding(tmp_path):
    made = runs(tmp_path, a=[0.1 + 0.2, 1.1], b=[0.3, 1])
    for order, tally in ((made, (1, 1, 0)), (made[::-1], (0, 1, 1))):
        (found,) = compare(order, "TestGain")
        assert (found.wins, found.ties, found.losses) == tally


def assert_untested(found):
    assert all(math.isnan(value) for value in (found.low, found.high, found.p, found.p_adjusted, found.effect))
    assert (found.better, found.needed) == ("", None)


def test_the_same_difference_everywhere_cannot_be_tested(tmp_path):
    (found,) = compare(runs(tmp_path, a=[1.5, 2.5, 3.5], b=[1, 2, 3]), "TestGain")
    assert (found.difference, found.wins, found.n) == (0.5, 3, 3)
    assert_untested(found)


def test_a_single_item_cannot_be_tested(tmp_path):
    (found,) = compare(runs(tmp_path, a=[1], b=[0.25]), "TestGain")
    assert (found.difference, found.wins, found.n) == (0.75, 1, 1)
    assert_untested(found)


@pytest.mark.parametrize("name", ["TestGain", "RR", "PassRatio", "QueryF1", "QuerySuccess"])
def test_nothing_scored_at_all(tmp_path, name):
    (found,) = compare(runs(tmp_path, a=["", ""], b=["", ""]), name)
    assert (found.n, found.wins, found.ties, found.losses) == (0, 0, 0, 0)
    assert math.isnan(found.difference)
    assert_untested(found)


def test_only_items_scored_on_both_sides_are_compared(tmp_path):
    (found,) = compare(runs(tmp_path, a=[9, "", 2, 4, 6], b=["", 5, 1, 2, 3]), "TestGain")
    assert (found.n, found.difference) == (3, 2)


def test_a_comparison_that_cannot_be_made_does_not_weaken_the_others(tmp_path):
    made = runs(tmp_path, a=noisy(1, 0), b=noisy(2, 0.9), c=[""] * 12)
    found = compare(made, "TestGain")
    assert [d.n for d in found] == [12, 0, 0]
    assert found[0].p_adjusted == found[0].p


def test_what_cannot_be_asked(tmp_path):
    made = runs(tmp_path, a=[1, 2], b=[2, 1])
    with pytest.raises(InputError, match="at least two runs"):
        compare(made[:1], "TestGain")
    with pytest.raises(
        SpecError, match="no test is called 'u'; known: t, wilcoxon, sign, randomisation, bootstrap, mcnemar"
    ):
        compare(made, "TestGain", test="u")
    with pytest.raises(SpecError, match="no correction is called 'fdr'; known: holm, bh, bonferroni, none"):
        compare(made, "TestGain", correction="fdr")
    with pytest.raises(SpecError, match="a seed is a whole number from 0, not -1"):
        compare(made, "TestGain", test="randomisation", seed=-1)
    with pytest.raises(SpecError, match="primary metric TestCost is not among those scored: TestGain"):
        compare(made, "TestGain", primary="TestCost")
    with pytest.raises(SpecError, match="no metric is called"):
        compare(made, "TestGain", primary="TestGame")


def test_scores_need_not_be_made_twice(tmp_path):
    made = runs(tmp_path, a=[1, 2, 4], b=[2, 1, 1])
    assert compare(score(made, "TestGain"), primary="TestGain") == compare(made, "TestGain", primary="TestGain")


def test_the_level_decides_how_wide_and_how_sure(tmp_path):
    made = runs(tmp_path, a=[1, 2, 3, 4, 5.0], b=[0.2, 2.1, 1.9, 3.0, 3.6])
    usual, strict = compare(score(made, "TestGain"))[0], compare(score(made, "TestGain", level=0.99))[0]
    # t(4) = 2.776445 and 4.604095
    assert (strict.high - strict.low) / (usual.high - usual.low) == pytest.approx(4.604095 / 2.776445, rel=1e-6)
    assert 0.01 < usual.p < 0.05
    assert (usual.better, strict.better) == ("a", "")


def test_ranking(tmp_path):
    scores = score(runs(tmp_path, none=["", ""], low=[1, 2], high=[3, 4], middle=[2, 3]), "TestGain TestCost")
    assert ranking(scores, "TestGain") == ["high", "middle", "low"]
    assert ranking(scores, "TestCost") == ["low", "middle", "high"]


def test_ranking_compares_on_the_same_questions(tmp_path):
    """a answers the easy one alone: 3 over one question; b has 4 there and 2 over both."""
    scores = score(runs(tmp_path, a=[3, ""], b=[4, 0]), "TestGain")
    assert [row.value for row in scores.overall()] == [3, 2]
    assert ranking(scores, "TestGain") == ["b", "a"]
    assert ranking(score(runs(tmp_path / "x", a=["", ""], b=["", ""]), "TestGain"), "TestGain") == []


def test_the_items_needed_follow_the_level(tmp_path):
    """d_z = 1 / sqrt 2.5; statsmodels TTestPower().solve_power(.6325, alpha=.05 and .01, power=.8) = 21.6 and 32.6."""
    made = runs(tmp_path, a=[1, 2, 3, -1, 0], b=[0, 0, 0, 0, 0])
    assert compare(score(made, "TestGain"))[0].needed == 22
    assert compare(score(made, "TestGain", level=0.99))[0].needed == 33


@pytest.mark.parametrize("test", TESTS)
def test_every_test_sees_the_same_differences(tmp_path, test):
    """Also those of rounding: .3 - (.1 + .2) is a tie."""
    a, b = [1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0.3], [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0.1 + 0.2]
    if test == "mcnemar":
        a, b = a[:-1], b[:-1]
    (found,) = compare(runs(tmp_path, a=a, b=b), "TestGain", test=test)
    ties = len(a) - 9
    assert (found.difference, found.wins, found.ties, found.losses) == (pytest.approx(7 / len(a)), 8, ties, 1)
    assert found.test.partition("(")[0] == test
    # eight wins of nine: 2 (1 + 9) / 512; of ranks too, as all sizes are equal
    p = 20 / 512 if test not in ("t", "bootstrap") else found.p
    assert found.p == pytest.approx(p)
    if test in ("t", "randomisation"):  # to draws without the loss, which show no chance, the bootstrap gives no bound
        assert (found.better, found.low > 0) == ("a", True)


def test_how_a_number_was_drawn_is_told_and_the_seed_decides(tmp_path):
    rng = np.random.default_rng(3)
    made = runs(tmp_path, a=rng.normal(0.4, 1, 25).round(3), b=rng.normal(0, 1, 25).round(3), c=rng.random(25))
    scores = score(made, "TestGain TestCost")
    for test, how in (("randomisation", "flips=100000"), ("bootstrap", "samples=10000")):
        one, same = compare(scores, test=test, seed=7), compare(scores, test=test, seed=7)
        other = compare(scores, test=test)
        assert one == same
        assert {d.test for d in one} == {f"{test}({how}, seed=7)"}
        assert {d.test for d in other} == {f"{test}({how}, seed=0)"}
        assert [d.p for d in one] != [d.p for d in other]
        assert [d.p for d in one] == pytest.approx([d.p for d in other], abs=0.03)
        # the same values under two names: all pairs see the same draws
        assert [d.p for d in one[:3]] == pytest.approx([d.p for d in one[3:]], rel=1e-12)


def test_sessions_reach_every_test(tmp_path):
    """Six sessions that agree: 2 of 64 ways of signs, though there are eighteen items."""
    made = runs(tmp_path, [str(n // 3) for n in range(18)], a=np.arange(18) % 3 + 1.5, b=[1] * 18)
    for test in ("wilcoxon", "sign", "randomisation"):
        assert compare(made, "TestGain", test=test)[0].p == 2 / 64


def test_nobody_is_better_where_ranks_and_mean_point_to_different_runs(tmp_path):
    made = runs(tmp_path, a=[1.1] * 20 + [0.0], b=[1.0] * 20 + [9.0])
    for order in (made, made[::-1]):
        for test in ("sign", "wilcoxon"):
            (found,) = compare(order, "TestGain", test=test)
            assert found.p < 0.01
            assert (found.better, abs(found.difference)) == ("", pytest.approx(7 / 21))
    assert compare(made[:1] + runs(tmp_path / "x", c=[1.0] * 21), "TestGain", test="sign")[0].better == "a"


def test_mcnemar_is_of_shares(tmp_path):
    made = runs(tmp_path, a=[1, 0, 1, 1], b=[0, 0, 1, 0.25])
    with pytest.raises(
        SpecError, match=r"mcnemar is of values that are 0 or 1 .* TestGain has others \(such as 0.25\)"
    ):
        compare(made, "TestGain", test="mcnemar")
    (found,) = compare(runs(tmp_path / "x", a=[1, 0, 1, 1], b=[0, 0, 1, 0]), "TestGain", test="mcnemar")
    assert (found.p, found.test, found.n) == (0.5, "mcnemar", 4)


def test_runs_are_scored_as_asked(tmp_path):
    made = runs(tmp_path, a=[1, 2, 3, 4, 5.0], b=[0.2, 2.1, 1.9, 3.0, 3.6])
    assert compare(made, "TestGain", level=0.99) == compare(score(made, "TestGain", level=0.99))


def test_against_a_baseline_each_other_run_is_compared_with_it_alone(tmp_path):
    made = runs(tmp_path, a=noisy(1, 0), base=noisy(2, 0.9), c=noisy(3, 1.2))
    every = {(d.a, d.b): d for d in compare(made, "TestGain")}
    found = compare(made, "TestGain", against="base")
    assert [(d.a, d.b) for d in found] == [("a", "base"), ("c", "base")]
    assert found[0].p == every["a", "base"].p
    assert found[1].difference == pytest.approx(-every["base", "c"].difference)  # run - baseline
    # Holm's correction over these two alone
    assert [d.p_adjusted for d in found] == pytest.approx(multipletests([d.p for d in found], method="holm")[1])
    assert compare(made, "TestGain", against=tmp_path / "base") == found
    assert compare(score(made, "TestGain"), against="base") == found


def test_a_baseline_is_one_of_the_runs_and_not_for_a_test_of_all(tmp_path):
    made = runs(tmp_path / "v1", old=[1, 2], new=[2, 1])
    made += runs(tmp_path / "v2", old=[3, 2])
    assert {d.b for d in compare(made, "TestGain", against=tmp_path / "v2" / "old")} == {"old 2"}
    with pytest.raises(InputError, match="the baseline 'best' is none of the runs; these are old 1, new, old 2"):
        compare(made, "TestGain", against="best")
    with pytest.raises(SpecError, match="the test tukey compares every two runs; with a baseline use t"):
        compare(made, "TestGain", test="tukey", against="new")
