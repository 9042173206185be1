"""The sentences: each case by values whose answer is known, and nobody is better unless the test said so."""

import dataclasses
import math
import re

import numpy as np
from builders import make_scores
from hypothesis import given, settings
from hypothesis import strategies as st

from neraca.comparisons.compare import compare
from neraca.comparisons.difference import Difference
from neraca.reports.report import report
from neraca.reports.sentences.finding import elsewhere, finding
from neraca.reports.sentences.parts import Facts
from neraca.scores.scores import Score


def finding_of(pair, **options):
    found = report(*pair, **options).finding
    return found.headline, " ".join(found.details)


def test_one_run(weighed):
    headline, rest = finding_of(weighed({"solo": [0.2, 0.4, 0.9]}))
    assert headline == "solo reaches Given = 0.500; 95 % interval −0.396 to 1.396, 3 questions."
    assert rest == "This is a single run: whether it is better than another needs a second run."


def test_one_run_of_one_question_has_no_interval(weighed):
    assert (
        finding_of(weighed({"solo": [0.5]}))[0] == "solo reaches Given = 0.500; no interval can be given, 1 question."
    )


def test_one_run_unscored(weighed):
    headline, _ = finding_of(weighed({"solo": [None, None]}))
    assert headline == "Given says nothing about solo: none of 2 questions is scored (no value was given)."


def test_two_runs_told_apart(weighed):
    headline, rest = finding_of(weighed({"new": [0.9, 0.8, 0.7, 0.9, 0.8], "old": [0.4, 0.5, 0.3, 0.2, 0.5]}))
    assert headline == (
        "new is better than old in Given by 0.440; 95 % interval 0.232 to 0.648; p = 0.004, 5 questions."
    )
    assert "new is better on 5, equal on 0 and worse on 0 of 5" in rest
    assert "The values are 0.820 for new and 0.380 for old." in rest


def test_the_better_run_may_be_the_second(weighed):
    headline, rest = finding_of(weighed({"new": [0.4, 0.5, 0.3, 0.2, 0.5], "old": [0.9, 0.8, 0.7, 0.9, 0.8]}))
    assert headline.startswith("old is better than new in Given by 0.440; 95 % interval 0.232 to 0.648;")
    assert "old is better on 5, equal on 0 and worse on 0 of 5, compared with new" in rest


def test_lower_is_better(weighed):
    headline, rest = finding_of(weighed({"slow": [9, 8, 7, 9, 8], "fast": [4, 5, 3, 2, 5]}, metric="Cost"))
    assert headline.startswith("fast is better than slow in Cost by 4.400 (lower is better); 95 % interval 2.322 to")
    assert "fast is better on 5, equal on 0 and worse on 0" in rest


def test_two_runs_not_told_apart_say_how_many_questions_it_takes(weighed):
    headline, rest = finding_of(weighed({"new": [0.9, 0.1, 0.7, 0.4, 0.8], "old": [0.4, 0.5, 0.6, 0.6, 0.5]}))
    assert headline == (
        "The data do not tell new and old apart in Given: new is ahead by 0.060, which may be chance "
        "(95 % interval of the difference −0.393 to 0.513; p = 0.732, 5 questions)."
    )
    assert re.search(r"About \d[\d,]* questions would be needed to see a difference of this size", rest)


def test_lower_is_better_and_not_told_apart(weighed):
    headline, _ = finding_of(weighed({"a": [5, 1, 4], "b": [4, 2, 2]}, metric="Cost"))
    assert "do not tell b and a apart" in headline
    assert "b is ahead by 0.667 (lower is better)" in headline


def test_equal_means_are_not_a_lead(weighed):
    headline, _ = finding_of(weighed({"a": [1, 0, 1, 0], "b": [0, 1, 0, 1]}))
    assert headline.startswith("The data do not tell a and b apart in Given: their value is the same (95 % interval")


def test_ties_throughout(weighed):
    headline, rest = finding_of(weighed({"a": [0.5, 0.7], "b": [0.5, 0.7]}))
    assert headline == "a and b do not differ in Given on any of the 2 questions scored in both."
    assert rest == ""
    assert finding_of(weighed({"c": [0.5], "d": [0.5]}))[0].endswith("on the one question scored in both.")


def test_one_question_is_no_test(weighed):
    headline, _ = finding_of(weighed({"a": [0.9], "b": [0.1]}))
    assert headline == (
        "a is ahead of b in Given by 0.800, but no test can be made: only one question is scored in both."
    )


def test_no_spread_is_no_test(weighed):
    headline, _ = finding_of(weighed({"a": [0.75, 0.5, 1], "b": [0.5, 0.25, 0.75]}))
    assert "a is ahead of b in Given by 0.250, but no t-test can be made: the difference is the same" in headline


def test_few_sessions_are_no_test(weighed):
    headline, _ = finding_of(weighed({"a": [0.9, 0.5, 0.4], "b": [0.1, 0.3, 0.2]}, sessions=["s", "s", "t"]))
    assert headline.endswith(
        "no test can be made: 3 questions of fewer than 6 sessions do not show how much is chance."
    )
    headline, _ = finding_of(weighed({"c": [0.9, 0.1, 0.5], "d": [0.1, 0.9, 0.5]}, sessions=["s", "s", "t"]))
    assert headline.startswith("c and d have the same Given, and no test can be made: 3 questions of")


def test_nothing_in_common(weighed):
    headline, _ = finding_of(weighed({"a": [0.9, None], "b": [None, 0.1]}))
    assert headline == "Nothing can be said about a and b: no question is scored in both of them in Given."


def test_all_unscored(weighed):
    headline, _ = finding_of(weighed({"a": [None, None], "b": [None, None]}))
    assert headline == "Nothing can be said of Given: no question is scored in any of the runs: no value was given."


def test_not_compared(weighed):
    scores, _ = weighed({"a": [0.9, 0.8], "b": [0.1, 0.2]})
    assert finding_of((scores, ()))[0] == (
        "a has the highest Given (0.850); the runs were not compared, so that this may be chance."
    )
    scores, _ = weighed({"c": [0.5], "d": [0.5]})
    assert finding_of((scores, ()))[0] == "c and d have the same Given (0.500); the runs were not compared."


def test_values_are_left_out_where_they_belong_to_other_questions(weighed):
    _, rest = finding_of(weighed({"a": [0.9, 0.8, 0.7, 0.9, 0.0], "b": [0.4, 0.5, 0.3, 0.2, None]}))
    assert "The values are" not in rest


def test_a_difference_that_rounds_to_nothing_is_not_written_as_zero(weighed):
    headline, _ = finding_of(weighed({"a": [0.50001, 0.5, 0.50003], "b": [0.5, 0.5, 0.5]}))
    assert "by less than 0.001" in headline
    assert "0.000," not in headline


GOOD, FAIR, POOR = [0.9, 0.8, 0.9, 0.8, 0.85, 0.9], [0.5, 0.6, 0.55, 0.6, 0.5, 0.58], [0.1, 0.2, 0.1, 0.2, 0.15, 0.1]


def test_three_runs_one_winner(weighed):
    headline, rest = finding_of(weighed({"poor": POOR, "good": GOOD, "fair": FAIR}))
    assert headline == (
        "good is better in Given than each of the other runs after Holm's correction: fair (by 0.303) and poor "
        "(by 0.717)."
    )
    assert "Told apart: good better than fair" in rest
    assert "Not told apart" not in rest


def test_three_runs_leader_not_told_from_one(weighed):
    near = [0.91, 0.78, 0.92, 0.79, 0.83, 0.9]
    headline, rest = finding_of(weighed({"good": GOOD, "near": near, "poor": POOR}))
    assert headline == (
        "good has the highest Given (0.858) and is better than poor, "
        "but the data do not show that it is better than near."
    )
    assert "Not told apart: good and near (p = " in rest
    assert "about this many questions would be needed" in rest


def test_the_questions_needed_name_the_pairs_of_the_best_run_and_the_range_of_the_others(weighed):
    """Three runs are near the best, and three pairs of these are open as well."""
    noise = {"b": (5, -4, 3, -6, 2, -4), "c": (-3, 5, -6, 2, 4, -5), "d": (4, 1, -7, 5, -6, -3)}
    wobbly = {name: [x + n / 100 for x, n in zip(GOOD, offsets, strict=True)] for name, offsets in noise.items()}
    scores, differences = weighed({"a": GOOD, **wobbly, "poor": POOR})
    _, rest = finding_of((scores, differences))
    needed = {frozenset((d.a, d.b)): d.needed for d in differences if not d.better}
    others = [n for pair, n in needed.items() if "a" not in pair]
    assert len(others) == 3
    (plan,) = re.findall(r"single t-test: (.*?)\. ", f"{rest} ")
    named, _, of_others = plan.partition("; ")
    assert named.count(" for a and ") == 3
    ends = [f"{n:,}" for n in (min(others), max(others))]
    assert of_others == f"{' to '.join(ends)} for 3 other pairs that the tests do not tell apart either"


def test_three_runs_not_told_apart(weighed):
    runs = {"a": [0.9, 0.1, 0.6, 0.4], "b": [0.4, 0.5, 0.6, 0.3], "c": [0.2, 0.8, 0.3, 0.6]}
    headline, rest = finding_of(weighed(runs))
    assert headline.startswith(
        "The data do not tell the 3 runs apart in Given after Holm's correction: a has the highest"
    )
    assert headline.endswith("which may be chance.")
    assert "Told apart: " not in rest.replace("Not told apart: ", "")


def test_against_a_baseline_every_run_is_in_one_state(weighed):
    near = [0.51, 0.58, 0.57, 0.59, 0.48, 0.6]
    shift = [value + 0.25 for value in FAIR]
    runs = {"good": GOOD, "base": FAIR, "poor": POOR, "near": near, "same": FAIR, "shift": shift}
    scores, differences = weighed(runs, against="base")
    made = report(scores, differences)
    assert made.finding.headline == (
        "Against base in Given after Holm's correction: good (by 0.303) is better; poor (by 0.413) is worse; near is "
        "not told apart from it; same does not differ from it on any question; shift could not be tested."
    )
    rest = " ".join(made.finding.details)
    assert "Not compared" not in rest
    assert "Told apart: 2 of 5 pairs (see the table)." in rest
    assert "No t-test could be made: shift and base (the difference is the same" in rest
    assert made.without_letters == []
    assert not any(cell.letters for row in made.metrics for cell in row.cells)
    facts = dict(made.method.facts)
    assert facts["Compared"] == "each run with base alone; p is corrected for these comparisons"
    assert "Compared" not in dict(report(*weighed({"a": GOOD, "b": FAIR, "c": POOR})).method.facts)


def test_three_equal_runs(weighed):
    headline, _ = finding_of(weighed({"a": [0.5, 0.6], "b": [0.5, 0.6], "c": [0.5, 0.6]}))
    assert headline == "The 3 runs do not differ in Given on any question scored in both."


def test_three_runs_that_cannot_be_tested(weighed):
    headline, rest = finding_of(weighed({"a": [0.5], "b": [0.6], "c": [0.7]}))
    assert headline == "Which of the 3 runs is better in Given could not be tested."
    assert rest == (
        "No test could be made: c and b; c and a; b and a (only one question is scored in both). "
        "To test them, ask more questions."
    )


def test_of_three_runs_what_was_not_tested_is_neither_told_apart_nor_not(weighed):
    scores, differences = weighed(
        {"a": [0.2, 0.4, 0.6], "b": [0.3, 0.5, 0.7], "c": [0.9, 0.1, 0.3]}, metric="Given Cost", primary="Given"
    )
    headline, rest = finding_of((scores, differences))
    assert headline.startswith(
        "No two of the 3 runs are told apart in Given after Holm's correction, and 1 pair could not be tested: b has"
    )
    assert re.search(r"Not told apart: b and c \(p = [^)]*\); c and a \(p = [^)]*\)\. No t-test", rest)
    assert (
        "No t-test could be made: b and a (the difference is the same in every observation, so that its uncertainty "
        "cannot be estimated). To test it, ask more questions, or choose a test that needs no spread, "
        "such as randomisation."
    ) in rest
    assert "In the other metrics, b against a: no test could be made in Cost (a ahead by 0.100): the difference" in rest
    assert "In the other metrics, c against a: none tells them apart." in rest
    assert report(scores, differences).without_letters == [
        "No letters in Given, Cost (runs that share a letter are not told apart by the tests): 1 of 3 pairs could not "
        "be tested (the difference is the same in every observation, so that its uncertainty cannot be estimated)",
    ]


def test_a_leader_that_could_not_be_tested_against_one_run(weighed):
    headline, _ = finding_of(weighed({"good": GOOD, "poor": POOR, "shift": [value - 0.01 for value in GOOD]}))
    assert headline == (
        "good has the highest Given (0.858) and is better than poor, but no test could be made against shift."
    )


def test_where_no_pair_could_be_tested_in_any_metric_one_sentence_says_so(weighed):
    runs = {"a": [0.9, 0.5, 0.4], "b": [0.1, 0.3, 0.2], "c": [0.2, 0.7, 0.1]}
    scores, differences = weighed(runs, metric="Given Cost", sessions=["s", "s", "t"])
    assert elsewhere(differences, "Given") == (
        "In the other metrics, no pair could be tested: 3 questions of fewer than 6 sessions do not show how much is "
        "chance.",
    )
    made = report(scores, differences)
    assert not any(cell.tied or cell.letters for row in made.metrics for cell in row.cells)
    text = " ".join(made.without_letters)
    assert "3 of 3 pairs could not be tested" in text


def test_of_many_pairs_the_other_metrics_say_how_many_are_told_apart(weighed):
    _, differences = weighed(dict.fromkeys("abcdef", GOOD), metric="Given Cost")
    told = elsewhere(differences, "Given")
    assert told == ("Pairs told apart in the other metrics: 0 of 15 in Cost (see the table).",)
    d = dataclasses.replace(differences[0], better="a")
    names = [f"P@{k}" for k in range(1, 9)]  # all that a sentence counts it names
    (told,) = elsewhere([dataclasses.replace(d, metric=name) for name in names], "Given")
    assert told.endswith("a is better in P@1, P@2, P@3, P@4, P@5, P@6, P@7 and P@8.")


def test_pairs_that_were_not_compared_are_counted(weighed):
    scores, differences = weighed({"a": GOOD, "b": FAIR, "c": POOR})
    headline, rest = finding_of((scores, differences[:1]))
    assert headline.startswith("a has the highest Given (0.858) and is better than b, but the data do not show")
    assert "Not compared: 2 pairs." in rest


def test_a_leader_by_value_that_loses_in_pairs_is_told(weighed):
    runs = {"easy": [0.9, 0.9, None, None, None], "hard": [0.95, 0.99, 0.1, 0.2, 0.1], "c": [0.5, 0.4, 0.3, 0.3, 0.3]}
    scores, differences = weighed(runs)
    differences = [dataclasses.replace(d, better="hard" if d.b == "hard" else "") for d in differences]
    headline, _ = finding_of((scores, differences))
    assert headline == ("easy has the highest Given (0.900), but on the questions scored in both hard is better.")


def test_shared_lead(weighed):
    headline, _ = finding_of(weighed({"a": GOOD, "b": GOOD, "c": POOR}))
    assert headline == "a and b share the highest Given (0.858), and the tests tell only some of the runs apart."


def test_a_result_that_correction_takes_away_is_not_told(weighed):
    scores, differences = weighed({"a": GOOD, "b": FAIR})
    spoiled = [dataclasses.replace(d, p=0.03, p_adjusted=0.06, better="") for d in differences]
    headline, rest = finding_of((scores, spoiled))
    assert "do not tell a and b apart" in headline
    assert "p = 0.030, 0.060 after Holm's correction" in headline
    assert "needed" not in rest


def test_uncorrected(weighed):
    scores, differences = weighed({"a": GOOD, "b": FAIR, "c": POOR}, correction="none")
    made = report(scores, differences)
    assert "correction" not in made.finding.headline
    assert any("3 comparisons are not corrected" in note for note in made.notes)


def test_other_metrics(weighed):
    scores, differences = weighed({"a": GOOD, "b": POOR}, metric="Given Cost")
    assert elsewhere(differences, "Given") == ("In the other metrics, a against b: b is better in Cost.",)
    assert elsewhere([dataclasses.replace(d, better="") for d in differences], "Given") == (
        "In the other metrics, a against b: none tells them apart.",
    )
    other = dataclasses.replace(differences[1], metric="Other", better="")
    assert elsewhere([*differences, other], "Given") == (
        "In the other metrics, a against b: b is better in Cost; 1 of 2 metrics does not tell.",
    )
    assert "No primary metric was declared; the first one scored, Given, stands for it here." in report(scores).notes


def test_a_diagnostic_is_in_no_sentence_on_other_metrics(weighed):
    _, (d,) = weighed({"a": GOOD, "b": POOR})
    assert elsewhere([d, *(dataclasses.replace(d, metric=name) for name in ("Coverage", "Judged@10"))], "Given") == ()
    score = [Score(name, "", "Coverage", value, 0, 1, 6, 0, "t") for name, value in (("a", 1.0), ("b", 0.5))]
    headline = finding(Facts("Coverage", True, score, [dataclasses.replace(d, metric="Coverage", better="")])).headline
    assert headline == "Coverage, a diagnostic by which no run is called better, is 1.000 for a and 0.500 for b."


def test_the_interval_says_what_it_is_of(weighed):
    better, worse = [0.9, 0.8, 0.7, 0.9, 0.8, 0.75, 0.95], [0.4, 0.5, 0.3, 0.2, 0.5, 0.45, 0.3]
    for test, what in (("wilcoxon", " of the pseudo-median"), ("sign", " of the median"), ("randomisation", "")):
        headline, _ = finding_of(weighed({f"new {test}": better, f"old {test}": worse}, test=test))
        assert f"; 95 % interval{what} 0." in headline
        assert "p = 0.016" in headline
    headline, _ = finding_of(weighed({"a": [0.9, 0.1, 0.7], "b": [0.4, 0.5, 0.6]}, test="sign"))
    assert "which may be chance (no interval of the median; p = 1.000, 3 questions)" in headline


def test_a_test_that_points_elsewhere_than_the_mean(weighed):
    values = {"a": [0.6] * 12 + [0.0], "b": [0.5] * 12 + [3.0]}
    headline, _ = finding_of(weighed(values, test="sign"))
    assert headline == (
        "The sign test and the mean do not point to the same run in Given, so that neither b nor a is called better: "
        "the mean of b is ahead by 0.138; p = 0.003, 13 questions."
    )
    headline, rest = finding_of(weighed({"d": values["a"], "e": values["b"], "c": [0.1] * 13}, test="wilcoxon"))
    assert "is better" not in headline.partition("and is better")[0]
    assert "The test and the mean do not point to the same run: e and d (p = " in rest


def test_the_method_says_which_test_and_how(weighed):
    pair = weighed({"a": list(np.linspace(0, 1, 20)), "b": [0.3] * 20}, test="randomisation", seed=9)
    facts = dict(report(*pair).method.facts)
    assert facts["Test"] == "randomisation test, two-sided (flips = 100000, seed = 9)"
    assert facts["Intervals of differences"].startswith("each for its own")
    facts = dict(report(*weighed({"c": [1, 2, 3], "d": [2, 1, 1]}, test="wilcoxon")).method.facts)
    assert facts["Test"].startswith("Wilcoxon's signed-rank test")
    assert facts["Intervals of differences"].startswith("of the pseudo-median; each for its own")


def test_metric_that_is_not_defined_over_the_questions():
    nan = float("nan")
    scores = [Score(name, "", "F", nan, nan, nan, 3, 0, "none") for name in "ab"]
    assert finding(Facts("F", True, scores[:1])).headline == "F is not defined over the 3 scored questions of a."
    assert finding(Facts("F", True, scores)).headline == "F is not defined for any of the runs."
    half = [scores[0], Score("b", "", "F", 0.5, nan, nan, 3, 0, "t")]
    undefined = dict.fromkeys(("difference", "low", "high", "p", "p_adjusted", "effect"), nan)
    counts = {"wins": 0, "ties": 3, "losses": 0, "n": 3, "sessions": 3}
    gap = Difference(
        metric="F", a="a", b="b", test="t", correction="holm", better="", needed=None, **undefined, **counts
    )
    assert (
        finding(Facts("F", True, half, [gap])).headline
        == "F is not defined over the 3 questions scored in both a and b."
    )


VALUES = st.sampled_from([None, 0.0, 0.25, 0.5, 1.0])


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(
        st.lists(st.sampled_from([None, 0.0, 0.25, 0.5, 1.0]), min_size=6, max_size=6), min_size=2, max_size=4
    ),
    lower=st.booleans(),
)
def test_nobody_is_called_better_unless_the_test_said_so(values, lower):
    scores = _in_memory({f"r{n}": column for n, column in enumerate(values)}, "Cost" if lower else "Given")
    differences = compare(scores)
    metric = scores.metrics[0]
    found = finding(Facts(str(metric), metric.higher_is_better, scores.overall(), differences))
    text = re.sub("not show that it is better than.*", "", " ".join((found.headline, *found.details)))
    named = set(re.findall(r"(r\d) (?:is )?better than (r\d)", text))
    assert named <= {(d.better, d.b if d.better == d.a else d.a) for d in differences if d.better}
    if "than each of the other" in found.headline:
        assert sum(d.better == found.headline.split()[0] for d in differences) == len(values) - 1
    if not any(d.better for d in differences):
        assert not re.search(r"is better (than|in)|[Tt]old apart: (?<!Not told apart: )", text)
    assert not re.search(r"\bnan\b|None", text)


OFTEN_EQUAL = st.sampled_from([None, 0.0, 0.25, 0.5, 0.5, 0.5, 1.0])


@settings(max_examples=80, deadline=None)
@given(
    values=st.lists(st.lists(OFTEN_EQUAL, min_size=8, max_size=8), min_size=2, max_size=4),
    lower=st.booleans(),
    margin=st.sampled_from([0.1, 0.6, 5.0]),
    test=st.sampled_from(["t", "sign", "wilcoxon", "tukey"]),
)
def test_nothing_is_called_equivalent_or_not_worse_that_was_not_shown(values, lower, margin, test):
    scores = _in_memory({f"r{n}": column for n, column in enumerate(values)}, "Cost" if lower else "Given")
    differences = compare(scores, margin=margin, test=test)
    metric = scores.metrics[0]
    found = finding(Facts(str(metric), metric.higher_is_better, scores.overall(), differences))
    text = " ".join((found.headline, *found.details))
    equivalent = set(re.findall(r"(r\d) and (r\d) are equivalent in", text))
    for listed in re.findall(r"Equivalent within [^:]*: ([^.]*(?:\.\d[^.]*)*)\.", text):
        equivalent |= set(re.findall(r"(r\d) and (r\d) \(", listed))
    assert equivalent <= {(d.a, d.b) for d in differences if d.equivalent}
    if len(values) == 2 and differences[0].equivalent:
        assert equivalent
    not_worse = set(re.findall(r"(r\d) is not worse than (r\d)", text))
    assert not_worse <= {(d.not_worse, d.other(d.not_worse)) for d in differences if d.not_worse}
    for d in differences:
        same = d.n and all(
            x is None or y is None or x == y for x, y in zip(values[int(d.a[1])], values[int(d.b[1])], strict=True)
        )
        assert f"{d.a} and {d.b} do not differ" not in text or same
    assert not re.search(r"\bnan\b|None|–", text)


def _in_memory(runs, name):
    return make_scores({run: {name: [math.nan if v is None else v for v in values]} for run, values in runs.items()})
