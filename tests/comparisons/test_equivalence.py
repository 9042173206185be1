"""Equivalence and non-inferiority: by scipy's one-sided tests, by hand, and by what they promise for many pairs."""

import itertools
import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_verdict
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from scipy.stats import ttest_1samp
from simulation import repeated, slack
from statsmodels.stats.multitest import multipletests

from neraca.comparisons.compare import KNOWN_TESTS, compare
from neraca.comparisons.difference import row
from neraca.comparisons.equivalence import corrected_sides, margins
from neraca.errors import SpecError
from neraca.metrics.metric import Metric, metric
from neraca.scores.score import score
from neraca.scores.trec import trec
from neraca.stats.planning.equivalence_power import items_for_equivalence
from neraca.stats.tests.correction import CORRECTIONS
from neraca.stats.tests.paired import name_of_test

MARGINS = dict.fromkeys(("RR", "RR@1", "P@1", "nDCG@10"), 0.1)


@metric("TestMarginShare", low=0, high=1)
def share(response: str) -> float | None:
    return float(response) if response else None


@metric("TestMarginLoss", better="lower", low=0, high=math.inf)
def loss(response: str) -> float | None:
    return float(response) if response else None


@metric("TestMarginKind", better="neither", low=0, high=1)
def kind(response: str) -> float | None:
    return float(response) if response else None


def runs(folder, sessions=(), **numbers):
    count = max(map(len, numbers.values()))
    items = [make_item(str(n), session=sessions[n] if sessions else None) for n in range(count)]
    return [
        make_run(
            folder / name,
            items,
            [make_answer(item=str(n), text=str(v) and f"{v}{place * ' '}") for n, v in enumerate(values)],
        )
        for place, (name, values) in enumerate(numbers.items())
    ]


def values(seed, shift=0.0, spread=0.05, n=25):
    rng = np.random.default_rng(seed)
    return (0.5 + shift + rng.normal(0, spread, n)).clip(0, 1).round(4)


def one_sided(a, b, margin):
    """That a - b is more than -margin, and less than margin."""
    d = np.array(a) - np.array(b)
    return (
        ttest_1samp(d, -margin, alternative="greater").pvalue,
        ttest_1samp(d, margin, alternative="less").pvalue,
    )


def compared(folder, a, b, name="TestMarginShare", **options):
    """The difference of two runs with these values, by other texts, and what is shown within the margin."""
    (found,) = compare(runs(folder, a=a, b=b), name, **options)
    return found, found.equivalence


def test_without_a_margin_equivalence_is_not_tested(tmp_path):
    found, e = compared(tmp_path, values(1), values(2))
    assert (e, found.bayes, found.equivalent, found.not_worse) == (None, None, False, "")


@pytest.mark.parametrize("name", ["TestMarginShare", "TestMarginLoss"])
def test_they_are_one_sided_t_tests(tmp_path, name):
    a, b = values(1, 0.01), values(2)
    _, e = compared(tmp_path, a, b, name, margin=0.03)
    above, below = one_sided(a, b, 0.03)
    # less is better in TestMarginLoss: there a is not worse if the difference is not too large
    expected = (above, below) if name == "TestMarginShare" else (below, above)
    assert (e.p_a_not_worse, e.p_b_not_worse) == pytest.approx(expected)
    assert e.p_equivalent == pytest.approx(max(above, below))
    d = a - b
    half = student.ppf(0.95, 24) * d.std(ddof=1) / 5
    assert (e.low, e.high) == pytest.approx((d.mean() - half, d.mean() + half))
    assert (e.test, e.correction, e.margin, e.tested) == ("t", "none", 0.03, True)
    assert e.needed == items_for_equivalence(0.03 / d.std(ddof=1))


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_equivalence_is_shown_where_the_interval_lies_within_the_margin(tmp_path, level):
    """TOST at 5 % and the 90 % interval say the same."""
    seen = set()
    for seed in range(6):
        made = runs(tmp_path / str(seed), a=values(seed, 0.01), b=values(seed + 50))
        (found,) = compare(score(made, "TestMarginShare", level=level), margin=0.035)
        e = found.equivalence
        within = e.low > -0.035 and e.high < 0.035
        assert found.equivalent == within == (e.p_equivalent < 1 - level)
        seen.add(within)
    assert True in seen


@pytest.mark.parametrize("name, shown", [("TestMarginShare", "a not worse"), ("TestMarginLoss", "b not worse")])
def test_which_run_is_not_worse(tmp_path, name, shown):
    made = runs(tmp_path, a=values(1, 0.08, 0.01), b=values(2, 0, 0.01))
    (found,), (back,) = compare(made, name, margin=0.05), compare(made[::-1], name, margin=0.05)
    assert found.equivalence.shown == shown
    assert found.not_worse == back.not_worse == shown[0]
    assert found.equivalence.p_equivalent > 0.95
    assert found.equivalence.p_shown == min(found.equivalence.p_a_not_worse, found.equivalence.p_b_not_worse) < 0.05


def test_sessions_count_once(tmp_path):
    """Ten sessions of three equal questions are ten observations."""
    a, b = values(3, n=10), values(4, n=10)
    sessions = [str(n // 3) for n in range(30)]
    (found,) = compare(runs(tmp_path, sessions, a=np.repeat(a, 3), b=np.repeat(b, 3)), "TestMarginShare", margin=0.1)
    e = found.equivalence
    assert (e.p_a_not_worse, e.p_b_not_worse) == pytest.approx(one_sided(a, b, 0.1))
    assert e.needed == 3 * items_for_equivalence(0.1 / (a - b).std(ddof=1))


@pytest.mark.parametrize("test", sorted({*KNOWN_TESTS} - {"mcnemar"}))
def test_a_test_that_is_not_of_the_mean_leaves_equivalence_to_t(tmp_path, test):
    a, b = values(1), values(2)
    found, e = compared(tmp_path, a, b, margin=0.2, test=test)
    own = test in ("t", "randomisation", "bootstrap")
    assert name_of_test(e.test) == (test if own else "t")
    assert name_of_test(found.test) == test
    if not own:
        assert e.p_equivalent == pytest.approx(max(one_sided(a, b, 0.2)))


@pytest.mark.parametrize("test", KNOWN_TESTS)
def test_what_is_0_or_1_is_counted_out_whatever_the_test(tmp_path, test):
    """30 questions, none lost: that no more than a tenth would be, by 0.9^30; one lost of 30 shows nothing at 0.1."""
    right = [1] * 30
    _, same = compared(tmp_path / "same", right, right, margin=0.1, test=test)
    assert (same.test, same.p_equivalent) == ("shares", pytest.approx(0.9**30))
    _, one_lost = compared(tmp_path / "one", [0, *right[1:]], right, margin=0.1, test=test)
    t = ttest_1samp(np.array([-1.0] + [0] * 29), -0.1, alternative="greater").pvalue
    assert t < 0.05 < one_lost.p_a_not_worse
    assert one_lost.shown == "b not worse"


def test_only_a_test_of_the_mean_says_how_many_questions_a_difference_of_means_needs(tmp_path):
    made = runs(tmp_path, a=values(1, 0.02), b=values(2))
    needed = {test: compare(made, "TestMarginShare", test=test)[0].needed for test in KNOWN_TESTS if test != "mcnemar"}
    assert needed.pop("t") > 25
    assert set(needed.values()) == {None}


@pytest.mark.parametrize("metric_name", ["Success@5", "nDCG@10"])
def test_a_copy_is_equivalent_and_its_equal_values_are_not_tested(tmp_path, metric_name):
    """60 questions whose values are 0 or 1: a test alone gives .98^60 = .298, as of systems that happen to agree."""
    qrels = {f"q{n}": {"d": 1} for n in range(60)}
    ranked = {f"q{n}": {"d" if n % 2 else "x": 1.0} for n in range(60)}
    # another system: the document that nobody judged stands in second place
    other = {f"q{n}": {"d" if n % 2 else "x": 1.0, "y": 0.5} for n in range(60)}
    scores = trec(qrels, {"a": ranked, "copy": ranked, "other": other}, metric_name)
    copy, like, _ = (found.equivalence for found in compare(scores, margin=0.02))
    assert (copy.shown, copy.test, copy.p_equivalent, copy.needed) == ("equivalent", "copy", 0.0, None)
    assert (like.shown, like.test) == ("", "shares" if metric_name == "Success@5" else "t")
    alone = compare(trec(qrels, {"a": ranked, "other": other}, metric_name), margin=0.02)[0].equivalence
    assert alone.p_equivalent == pytest.approx(0.98**60)  # .298


def test_a_metric_with_other_values_is_no_share_because_of_the_questions_at_hand(tmp_path):
    """All values are 0 or 1, of both: of a declared share they are counted out, of another they are not."""
    qrels = {f"q{n}": {"d": 1} for n in range(40)}
    runs = {"a": {f"q{n}": {"d" if n > 3 else "x": 1.0} for n in range(40)}}
    runs["b"] = {f"q{n}": {"d" if n > 5 else "x": 1.0} for n in range(40)}
    found = {d.metric: d.equivalence.test for d in compare(trec(qrels, runs, "RR RR@1 P@1 nDCG@10"), margin=MARGINS)}
    assert found == {"RR": "t", "RR@1": "shares", "P@1": "shares", "nDCG@10": "t"}


def test_equal_everywhere(tmp_path):
    """By hand: none of n questions differs with a chance of at most 0.98^n if the mean were 0.02 away."""
    _, few = compared(tmp_path / "x", [0.5] * 30, [0.5] * 30, margin=0.02)
    assert (few.p_equivalent, few.shown, few.needed) == (pytest.approx(0.98**30), "", 149)
    _, many = compared(tmp_path, [0.5] * 160, [0.5] * 160, margin=0.02)
    assert (many.p_equivalent, many.shown) == (pytest.approx(0.98**160), "equivalent")


def test_where_nothing_is_known_of_the_range_equal_values_show_nothing(tmp_path):
    _, e = compared(tmp_path, [0.5] * 160, [0.5] * 160, "TestMarginLoss", margin=0.02)
    assert (e.tested, e.shown, e.needed) == (False, "", None)


def test_what_a_question_says_on_a_ratio_has_no_known_range(tmp_path):
    """Pseudo-values may lie outside the metric's range, so that equal ones bound nothing."""
    items = [make_item(str(n), "c", expects="results") for n in range(9)]
    passed = [make_verdict("p", "c", 1.0, item=str(n)) for n in range(9)]
    answers = {name: [make_answer("p", str(n), text=name) for n in range(9)] for name in "ab"}
    made = [make_run(tmp_path / name, items, answers[name], passed) for name in "ab"]
    (found,) = compare(made, "PassRatio", margin=0.4)
    assert (found.n, found.p, found.equivalence.shown, found.equivalence.tested) == (9, 1.0, "", False)


@pytest.mark.parametrize("a, b", [(["", ""], ["", ""]), (["", 0.5], [0.5, ""])])
@pytest.mark.parametrize("test", ["t", "tukey", "bootstrap"])
def test_nothing_in_common(tmp_path, a, b, test):
    found, e = compared(tmp_path, a, b, margin=0.1, test=test, bayes=True)
    assert (found.n, found.tested, found.better, found.bayes) == (0, False, "", None)
    assert (e.tested, e.shown, e.needed) == (False, "", None)
    assert all(map(math.isnan, (found.p, e.low, e.high)))


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_questions_show_nothing_within_the_widest_margin(tmp_path, n):
    """Counted out, one pair would be missed with a chance of 1 - 0.97, so that any two systems would be equivalent."""
    _, e = compared(tmp_path, [0.5] * n, [0.5] * n, margin=0.97)
    assert (math.isnan(e.p_equivalent), e.shown, math.isnan(e.low)) == (True, "", True)


def test_three_questions(tmp_path):
    """Equal pairs within the margin: (1 - 0.1)³ of the values that could be would have to be missed."""
    _, e = compared(tmp_path, [0.5] * 3, [0.5] * 3, margin=0.1)
    assert (e.p_equivalent, e.shown) == (pytest.approx(0.9**3), "")


def test_neither_is_worse_where_neither_more_nor_less_is_better(tmp_path):
    found, e = compared(tmp_path, values(1), values(2), "TestMarginKind", margin=0.1, bayes=True)
    assert math.isnan(e.p_a_not_worse)
    assert math.isnan(e.p_b_not_worse)
    assert (e.shown, found.bayes) == ("equivalent", None)


# many pairs

SIDES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6)


@pytest.mark.parametrize("name", CORRECTIONS)
@given(sides=SIDES)
def test_each_side_is_corrected_for_the_worst_choice_of_one_side_of_each_pair(name, sides):
    """The slow way: of all choices of one side of each pair the largest corrected p."""
    above, below = np.array(sides).T
    found = corrected_sides(above, below, CORRECTIONS[name])
    worst = np.zeros((2, len(sides)))
    for chosen in itertools.product((0, 1), repeat=len(sides)):
        p = CORRECTIONS[name](np.array([pair[side] for pair, side in zip(sides, chosen, strict=True)]))
        for place, side in enumerate(chosen):
            worst[side, place] = max(worst[side, place], p[place])
    assert np.allclose(found, worst)
    assert np.allclose(np.maximum(*found), CORRECTIONS[name](np.maximum(above, below)))


def test_two_sides_of_one_pair_are_one_comparison():
    above, below = corrected_sides(np.array([0.03]), np.array([0.04]), CORRECTIONS["bonferroni"])
    assert (above[0], below[0]) == (0.03, 0.04)


def test_what_cannot_be_tested_weakens_nothing():
    nan = math.nan
    above, below = corrected_sides(np.array([0.01, nan, nan]), np.array([0.02, 1, nan]), CORRECTIONS["bonferroni"])
    assert np.allclose(above, [0.01, nan, nan], equal_nan=True)
    assert np.allclose(below, [0.02, 1, nan], equal_nan=True)


@repeated
def test_few_false_findings_among_many_pairs(times):
    """All at the boundary, whichever side: at most 5 % of families show what is false; uncorrected far more do."""
    rng = np.random.default_rng(2)
    false = {"holm": 0, "none": 0}
    for _ in range(times):
        true_side = rng.integers(0, 2, 4)
        p = np.where(true_side[None] == np.arange(2)[:, None], rng.random((2, 4)), rng.random((2, 4)) ** 8)
        for name in false:
            sides = np.array(corrected_sides(p[0], p[1], CORRECTIONS[name]))
            false[name] += bool((sides[true_side, np.arange(4)] < 0.05).any())
    assert false["holm"] / times < 0.05 + slack(times)
    assert false["none"] / times > 0.05 + slack(times)


def test_pairs_are_corrected_within_the_family_that_has_a_margin(tmp_path):
    numbers = {name: values(seed, shift) for seed, (name, shift) in enumerate([("a", 0.01), ("b", 0), ("c", 0.02)])}
    made = runs(tmp_path, **numbers)
    raw = [max(one_sided(numbers[a], numbers[b], 0.04)) for a, b in ("ab", "ac", "bc")]
    found = compare(made, "TestMarginShare TestMarginLoss", margin=0.04, primary="TestMarginShare")
    wanted = multipletests(raw, method="holm")[1]
    assert [d.equivalence.p_equivalent for d in found[:3]] == pytest.approx(wanted)
    assert {d.equivalence.correction for d in found[:3]} == {"holm"}
    assert [d.equivalence for d in found[3:]] == [None] * 3
    named = compare(made, "TestMarginShare TestMarginLoss", margin={"TestMarginShare": 0.04}, correction="bonferroni")
    assert [d.equivalence.p_equivalent for d in named[:3]] == pytest.approx([min(1, 3 * p) for p in raw])
    every = compare(made, "TestMarginShare TestMarginLoss", margin={"TestMarginShare": 0.04, "TestMarginLoss": 0.04})
    assert [d.equivalence.p_equivalent for d in every] == pytest.approx([*wanted, *wanted])
    # a number alone is the margin of the primary metric, which is the first one where none was declared
    assert compare(made, "TestMarginShare TestMarginLoss", margin=0.04) == found


def test_margins_by_metric():
    known = [Metric.of("AP"), Metric.of("nDCG@10"), Metric.of("TestMarginLoss")]
    assert margins(None, known, "AP") == {}
    assert margins(0.1, known, "AP") == {"AP": 0.1}
    assert margins({"nDCG(gains=linear)@10": 0.1, "TestMarginLoss": 9}, known, "AP") == {
        "nDCG@10": 0.1,
        "TestMarginLoss": 9,
    }


@pytest.mark.parametrize(
    "margin", [0, -0.1, math.nan, math.inf, True, "0.1", {"TestMarginShare": None}, {"TestMarginShare": 0}]
)
def test_what_is_no_margin(tmp_path, margin):
    with pytest.raises(SpecError, match="a margin is the largest difference that does not matter, more than 0"):
        compare(runs(tmp_path, a=[0.1, 0.2], b=[0.2, 0.2]), "TestMarginShare", margin=margin)


def test_margins_that_make_no_sense(tmp_path):
    made = runs(tmp_path, a=[0.1, 0.2], b=[0.2, 0.2])
    with pytest.raises(SpecError, match=r"a margin of 1 is as wide as all of TestMarginShare \(1\)"):
        compare(made, "TestMarginShare", margin=1)
    with pytest.raises(
        SpecError, match="a margin for TestMarginLoss, which is not among the metrics scored: TestMarginShare"
    ):
        compare(made, "TestMarginShare", margin={"TestMarginLoss": 0.1})
    with pytest.raises(SpecError, match="no metric is called 'TestMarginShar'; did you mean TestMarginShare"):
        compare(made, "TestMarginShare", margin={"TestMarginShar": 0.1})
    with pytest.raises(SpecError, match="give the margin from which it does"):
        compare(made, "TestMarginShare", bayes=True)


# all runs at once


def test_tukey_is_of_the_items_scored_in_all_runs(tmp_path):
    made = runs(
        tmp_path, a=[0.9, 0.8, 0.9, 0.7, 0.9, ""], b=[0.1, 0.2, 0.1, 0.3, 0.2, 0.9], c=[0.2, 0.1, "", 0.2, 0.3, 1]
    )
    found = compare(made, "TestMarginShare", test="tukey")
    assert [d.n for d in found] == [4, 4, 4]
    assert found[0].difference == pytest.approx((0.8 + 0.6 + 0.4 + 0.7) / 4)
    assert {d.correction for d in found} == {"tukey"}
    assert [d.p for d in found] == [d.p_adjusted for d in found]
    assert (found[0].better, found[1].better, found[2].better) == ("a", "a", "")
    # the intervals hold together: all are as wide, but that two differences of 0.625 and 0.55 more would be above 1
    assert len({round(d.difference - d.low, 12) for d in found}) == 1
    assert [d.high - d.difference < d.difference - d.low - 1e-9 for d in found] == [True, True, False]
    assert all(d.high < 1 for d in found)


def test_tukey_of_two_runs_is_the_randomisation_test(tmp_path):
    made = runs(tmp_path, a=values(1, 0.02, n=11), b=values(2, n=11))
    (tukey,), (random,) = (compare(made, "TestMarginShare", test=test) for test in ("tukey", "randomisation"))
    assert tukey.p == pytest.approx(random.p)  # all 2^11 ways in both
    assert (tukey.difference, tukey.wins, tukey.n) == (random.difference, random.wins, random.n)


def test_tukey_tests_each_metric_by_itself(tmp_path):
    made = runs(tmp_path, a=values(1, 0.05), b=values(2), c=values(3))
    alone = compare(made, "TestMarginShare", test="tukey")
    assert compare(made, "TestMarginShare TestMarginLoss", test="tukey", correction="none")[:3] == alone
    assert [d.better for d in compare(made, "TestMarginLoss", test="tukey")][:1] == ["b"]
    assert compare(made, "TestMarginShare", test="tukey", seed=5) != alone


# chances


@pytest.mark.parametrize("name, likely", [("TestMarginShare", "a"), ("TestMarginLoss", "b")])
def test_chances_point_to_the_better_run(tmp_path, name, likely):
    made = runs(tmp_path, a=values(1, 0.3), b=values(2))
    bayes = compare(made, name, margin=0.05, bayes=True)[0].bayes
    assert (bayes.chance_a if likely == "a" else bayes.chance_b) > 0.99
    assert bayes.chance_a + bayes.chance_equivalent + bayes.chance_b == pytest.approx(1)
    assert compare(made, name, margin=0.9, bayes=True)[0].bayes.chance_equivalent > 0.99


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "mcnemar"])
def test_swapped_is_the_comparison_the_other_way_round(tmp_path, test):
    """Every number is that of a comparison whose runs are named in the other order."""
    shares = [0.9, 0.2, 0.7, 0.8, 0.65, 0.6, 0.5, 0.95], [0.3, 0.4, 0.2, 0.75, 0.1, 0.2, 0.5, 0.35]
    yes_no = [1, 0.0, 1, 1, 1, 1, 0.0, 1], [0.0, 1, 0.0, 1, 0.0, 0.0, 0.0, 0.0]
    x, y = runs(tmp_path, **dict(zip("xy", yes_no if test == "mcnemar" else shares, strict=True)))
    how = {"test": test, "margin": 0.1, "bayes": test != "mcnemar"}
    (found,), (expected,) = compare([x, y], "TestMarginShare", **how), compare([y, x], "TestMarginShare", **how)
    turned = row(found.swapped())
    for column, value in row(expected).items():
        loose = 0.01 if column.startswith("chance") else 1e-9
        right = pytest.approx(value, abs=loose, nan_ok=True) if isinstance(value, float) else value
        assert turned[column] == right, column
