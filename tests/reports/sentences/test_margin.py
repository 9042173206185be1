"""What is said of a margin, each case by values whose answer is known."""

import dataclasses
import math
import re

import numpy as np
import pytest
from drawn import to_html, to_markdown

from neraca.comparisons.compare import compare
from neraca.records import Answer, Item
from neraca.reports.report import report
from neraca.reports.sentences.finding import elsewhere
from neraca.reports.sentences.margin import amount, cell
from neraca.scores.score import score

NOISE = np.random.default_rng(7).normal(0, 0.05, (3, 40))
NOISE = (NOISE - NOISE.mean(axis=1, keepdims=True)).round(4)
BASE = np.linspace(0.2, 0.8, 40).round(4)


def changed(d, **fields):
    """The difference, with something else shown within the margin."""
    return dataclasses.replace(d, equivalence=dataclasses.replace(d.equivalence, **fields))


def finding_of(pair, **options):
    found = report(*pair, **options).finding
    return found.headline, " ".join(found.details)


def test_equivalent(weighed):
    headline, rest = finding_of(weighed({"a": BASE + 0.01 + NOISE[0], "b": BASE + NOISE[1]}, margin=0.1))
    found = re.fullmatch(
        r"a and b are equivalent in Given within ±0\.100 \(TOST p < 0\.001; "
        r"90 % interval of the difference (\S+) to (\S+)\)\.",
        headline,
    )
    low, high = (float(bound.replace("−", "-")) for bound in found.groups())
    assert -0.1 < low < high < 0.1
    assert low + high == pytest.approx(2 * 0.01, abs=0.002)  # around the lead of a
    (back,) = re.findall(r"90 % interval of the difference \S+ to \S+\)", headline)
    assert back in finding_of(weighed({"b2": BASE + NOISE[1], "a2": BASE + 0.01 + NOISE[0]}, margin=0.1))[0], (
        "also in b - a"
    )
    assert "The data do not tell a and b apart in Given: " in rest
    assert "which may be chance (95 % interval of the difference" in rest
    assert "to show that they are equivalent" not in rest


def test_a_real_difference_that_is_too_small_to_matter(weighed):
    headline, rest = finding_of(weighed({"a": BASE + 0.03 + NOISE[0] / 9, "b": BASE}, margin=0.1))
    assert headline.startswith("a is better than b in Given by 0.0")
    assert rest.startswith("The difference is smaller than the margin: a and b are equivalent in Given within ±0.100")


def test_a_real_difference_of_unknown_worth(weighed):
    headline, rest = finding_of(weighed({"a": BASE + 0.03 + NOISE[0] / 9, "b": BASE}, margin=0.03))
    assert headline.startswith("a is better than b in Given by 0.0")
    assert rest.startswith("a and b are not shown to be equivalent within ±0.030 (TOST p = ")
    assert "not worse" not in rest


def test_not_worse(weighed):
    headline, rest = finding_of(weighed({"a": BASE + 0.01 + NOISE[0], "b": BASE + NOISE[1]}, margin=0.02))
    assert re.match(r"a is not worse than b in Given by 0\.020 or more \(one-sided p = 0\.0\d\d\)\.$", headline)
    assert "The data do not tell a and b apart in Given: a is ahead by" in rest
    assert "a and b are not shown to be equivalent within ±0.020" in rest


def test_lower_is_better_and_not_worse(weighed):
    pair = weighed({"a": BASE + 0.01 + NOISE[0], "b": BASE + NOISE[1]}, metric="Cost", margin=0.02)
    assert finding_of(pair)[0].startswith("b is not worse than a in Cost by 0.020 or more (one-sided p = 0.0")


def test_neither_shown(weighed):
    headline, rest = finding_of(weighed({"a": BASE[:9] + NOISE[0, :9], "b": BASE[:9] + NOISE[1, :9]}, margin=0.01))
    assert headline.startswith(
        "The data show neither a difference between a and b in Given nor that they are equivalent within ±0.010: "
    )
    assert "which may be chance" in headline
    assert re.search(r"About \S+ questions would be needed to see a difference of this size \(", rest)
    assert re.search(
        r"About \S+ questions would be needed to show that they are equivalent within ±0\.010 \(4 times", rest
    )


def test_another_test_than_t_is_told_beside_the_p(weighed):
    values = {"a": BASE[:9] + NOISE[0, :9], "b": BASE[:9] + NOISE[1, :9]}
    headline, rest = finding_of(weighed(values, margin=0.01, test="wilcoxon"))
    assert "interval of the pseudo-median" in headline
    assert re.search(r"\(TOST p = \S+ by t-tests; 90 % interval", rest)
    assert "to show by t-tests that they are equivalent" in rest
    assert "to see a difference" not in rest
    _, rest = finding_of(weighed({f"{k}2": v for k, v in values.items()}, margin=0.01, test="randomisation"))
    assert "TOST p = " in rest
    assert "by t-tests;" not in rest
    assert "to see a difference" not in rest


def test_equal_everywhere(weighed):
    headline, rest = finding_of(weighed({"a": [0.5] * 30, "b": [0.5] * 30}, margin=0.5))
    assert headline == "a and b do not differ in Given on any of the 30 questions scored in both."
    # differences from -20 to 20: (19.5 / 20)^30 = 0.468
    assert rest.startswith("a and b are not shown to be equivalent within ±0.500 (TOST p = 0.468).")
    assert "About 119 questions would be needed to show that they are equivalent" in rest
    _, rest = finding_of(weighed({"c": [0.5] * 300, "d": [0.5] * 300}, margin=0.5))
    assert rest == "c and d are equivalent in Given within ±0.500 (TOST p < 0.001)."
    _, rest = finding_of(weighed({"e": [0.5] * 300, "f": [0.5] * 300}, metric="Cost", margin=0.5))
    assert rest == (
        "Whether e and f are equivalent within ±0.500 cannot be tested. "
        "All differences are equal, and t takes chance from how they differ; the test randomisation can be made."
    )


def test_what_is_shown_needs_no_more_questions(weighed):
    """Luck: a spread by which equivalence is seldom shown with so few questions, and here is."""
    scores, (d,) = weighed({"a": BASE + NOISE[0], "b": BASE + NOISE[1]}, margin=0.1)
    assert "About 900" not in finding_of((scores, [changed(d, needed=900)]))[1]
    assert "About 900" in finding_of((scores, [changed(d, needed=900, shown="", p_equivalent=0.3)]))[1]


def test_wins_and_losses_that_cancel_are_no_equality(weighed):
    """Mean and median of the differences are 0, and so are the bounds of the sign test."""
    headline, _ = finding_of(weighed({"a": [1, 0] + [0.5] * 10, "b": [0, 1] + [0.5] * 10}, test="sign"))
    assert headline.startswith("The data do not tell a and b apart in Given: their value is the same")


def test_what_few_questions_that_differ_show_is_doubted(weighed):
    few = "Fewer than 10 questions differ: from so few a test of means is surer of what is equivalent or not worse"
    for differ, doubted in ((1, True), (9, True), (10, False)):
        a = [0.6] * differ + [0.5] * (60 - differ)
        _, rest = finding_of(weighed({f"a{differ}": a, f"b{differ}": [0.5] * 60}, margin=0.5))
        assert "are equivalent in" in "".join(
            finding_of(weighed({f"c{differ}": a, f"d{differ}": [0.5] * 60}, margin=0.5))
        )
        assert (few in rest) == doubted
    _, rest = finding_of(weighed({"x": [0.6] + [0.5] * 59, "y": [0.5] * 60, "z": [0.5] * 60}, margin=0.5))
    assert f"In some pairs f{few[1:]}" in rest


def test_nothing_to_say(weighed):
    assert finding_of(weighed({"a": [0.9, None], "b": [None, 0.1]}, margin=0.1)) == (
        "Nothing can be said about a and b: no question is scored in both of them in Given.",
        "To test it, score the same questions in both.",
    )
    _, rest = finding_of(weighed({"c": [0.9, 0.5, 0.4], "d": [0.1, 0.3, 0.2]}, sessions=["s", "s", "t"], margin=0.1))
    assert rest == (
        "To test it, ask in six sessions or more, or take each question as one observation (--unit question). "
        "Whether c and d are equivalent within ±0.100 cannot be tested."
    )


def test_chances_in_words(weighed):
    _, rest = finding_of(weighed({"a": BASE + NOISE[0], "b": BASE + NOISE[1]}, margin=0.1, bayes=True))
    assert rest.endswith(
        "Bayesian signed-rank test: the chance that questions mostly favour a by more than 0.100 is < 1 %, that they "
        "mostly differ by no more than that > 99 %, and that they mostly favour b by more < 1 %."
    )


@pytest.mark.parametrize("margin, written", [(0.02, "0.020"), (0.0005, "0.0005"), (0.12345, "0.12345"), (2, "2.000")])
def test_a_margin_is_written_as_given(margin, written):
    assert amount(margin) == written


# three runs and more


def test_three_runs_two_of_them_equivalent(weighed):
    headline, rest = finding_of(
        weighed({"a": BASE + NOISE[0], "b": BASE + NOISE[1], "poor": BASE - 0.3 + NOISE[2]}, margin=0.1)
    )
    assert "is better than poor, but the data do not show that it is better than" in headline
    assert re.search(
        r"Equivalent within ±0\.100: a and b \(p = [^;]*; TOST p < 0\.001 after Holm's correction\)\.", rest
    )
    assert "Not told apart" not in rest
    assert "Neither" not in rest


def test_three_runs_all_equivalent(weighed):
    values = {name: BASE + noise for name, noise in zip("abc", NOISE, strict=True)}
    headline, rest = finding_of(weighed(values, margin=0.1, bayes=True))
    assert headline.startswith(
        "The data do not tell the 3 runs apart in Given after Holm's correction, and show that any two are equivalent "
        "within ±0.100: "
    )
    assert "neither / the second: a and c < 1 % / > 99 % / < 1 %; a and b" in rest


def test_three_runs_neither_shown(weighed):
    values = {name: BASE[:8] + noise[:8] for name, noise in zip("abc", NOISE, strict=True)}
    scores, differences = weighed(values, margin=0.01)
    headline, rest = finding_of((scores, differences))
    assert "show that any two are equivalent" not in headline
    assert "Neither told apart nor shown to be equivalent within ±0.010: a and b (p = " in rest
    told = [changed(d, shown="a not worse", p_a_not_worse=0.01) for d in differences]
    assert "Not worse by 0.010 or more: a than b (one-sided p = 0.010 after Holm's" in finding_of((scores, told))[1]


def test_three_equal_runs(weighed):
    headline, rest = finding_of(weighed({name: [0.5] * 30 for name in "abc"}, margin=0.5, test="tukey"))
    assert headline == "The 3 runs do not differ in Given on any question scored in all runs."
    assert rest.startswith(
        "Neither told apart nor shown to be equivalent within ±0.500: a and b (equal on all 30 questions; TOST p = "
    )


def test_groups_of_runs(weighed):
    values = {"a": BASE, "b": BASE + NOISE[0], "c": BASE + NOISE[1], "top": BASE + 0.4 + NOISE[2]}
    pair = weighed(values)
    assert "Groups in which no two are told apart: {a, b, c}." in finding_of(pair)[1]
    made = report(*pair)
    (row,) = made.metrics
    assert {cell.score.run: cell.letters for cell in row.cells} == {"a": "b", "b": "b", "c": "b", "top": "a"}
    assert [cell.tied for cell in row.cells] == [False] * 4
    two = report(*weighed({"x": BASE, "y": BASE + NOISE[0]}))
    (row,) = two.metrics
    assert [cell.letters for cell in row.cells] == ["", ""]
    assert sorted((cell.best, cell.tied) for cell in row.cells) == [(False, True), (True, False)]


def test_tukey_in_words(weighed):
    values = {"a": BASE, "b": BASE + NOISE[0], "top": BASE + 0.4 + NOISE[2]}
    made = report(*weighed(values, test="tukey"))
    assert made.finding.headline.startswith(
        "top is better in Given than each of the other runs after Tukey's correction for all pairs: a (by 0."
    )
    facts = dict(made.method.facts)
    assert facts["Test"].startswith("randomised Tukey HSD test of all runs at once")
    assert facts["Intervals of differences"] == "all intervals of a metric hold together"
    for text in (to_markdown(made), to_html(made)):
        assert "The intervals of a metric hold together, on the questions scored in all runs." in text
        assert "one comparison alone" not in text


# tables and method


def test_the_report_has_a_column_and_the_method_where_there_is_a_margin(weighed):
    runs = [each.scorable.column("run") for each in weighed({"a": BASE + NOISE[0], "b": BASE + NOISE[1]})[0].runs]
    scores = score(runs, "Given Cost", level=0.9)
    made = report(scores, compare(scores, margin={"Given": 0.1}, bayes=True), primary="Given")
    assert "| equivalent (±0.100, p < 0.001) |" in to_markdown(made)
    assert to_markdown(made).count("Within the margin") == 1
    assert "</span> equivalent (±0.100, p &lt; 0.001)</td>" in to_html(made)
    facts = dict(made.method.facts)
    assert facts["Margin"] == "Given ±0.100"
    assert "At 10 % the interval of the same comparison is the 80 % one" in facts["Equivalent, not worse"]
    assert "paired t-test, one-sided" in facts["Equivalent, not worse"]
    assert "Benavoli" in facts["Chances"]
    assert facts["n needed (t)"].endswith("by a single t-test at 10 %, if it is real")
    plain = report(scores, compare(scores))
    assert "Within the margin" not in to_markdown(plain) + to_html(plain)
    assert not {"Margin", "Chances"} & dict(plain.method.facts).keys()


def test_cells(weighed):
    (d,) = weighed({"a": BASE + NOISE[0], "b": BASE + NOISE[1]}, margin=0.1)[1]
    assert cell(dataclasses.replace(d, equivalence=None), 0.05) == "–"
    assert cell(changed(d, p_equivalent=math.nan), 0.05) == "no test"
    assert cell(changed(d, shown="", p_equivalent=0.3), 0.05) == "not shown (±0.100, p 0.300)"
    assert cell(changed(d, shown="b not worse", p_b_not_worse=0.02), 0.05) == "b not worse (±0.100, p 0.020)"


def test_other_metrics_tell_what_is_equivalent(weighed):
    runs = {"a": BASE + NOISE[0], "b": BASE + NOISE[1]}
    _, differences = weighed(runs, metric="Given Cost", margin={"Given": 0.1, "Cost": 0.1})
    assert elsewhere(differences, "Given") == (
        "In the other metrics, a against b: equivalent in Cost (within ±0.100).",
    )


def test_a_copy_is_equivalent_without_a_test(folder):
    items = [Item(id=f"q{n}", query=f"question {n}", references=("a b",)) for n in range(30)]
    answers = [Answer(item=f"q{n}", text="a") for n in range(30)]
    scores = score([folder(name, items, answers) for name in ("v1", "v2", "v3")], "TokenF1")
    headline, rest = finding_of((scores, compare(scores, margin=0.02)))
    assert headline == "The 3 runs do not differ in TokenF1 on any question scored in both."
    assert "v1 and v2 (what was scored is the same in both)" in rest
    (pair,) = compare(two := score([folder(name, items, answers) for name in ("w1", "w2")], "TokenF1"), margin=0.02)
    assert finding_of((two, [pair]))[1].startswith(
        "w1 and w2 are equivalent in TokenF1 within ±0.020 (what was scored is"
    )
    assert cell(pair, 0.05) == "equivalent (±0.020, the same answers)"
