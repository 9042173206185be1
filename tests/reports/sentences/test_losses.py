"""Losses beside the headline: named whatever the correction says, and never removed by another metric."""

import re

import numpy as np
import pytest
from builders import make_scores
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from neraca.comparisons.compare import compare
from neraca.reports.report import report
from neraca.reports.sentences.conclusion import conclude

N = 40
#: Values around 0 with a standard deviation of 1.
NOISE = np.random.default_rng(4).normal(size=(6, N))
NOISE = (NOISE - NOISE.mean(axis=1, keepdims=True)) / NOISE.std(axis=1, ddof=1, keepdims=True)
BASE = 0.6 + NOISE[0] / 50


def moved(p, row, spread=0.1):
    """BASE with differences whose two-sided p is p, above it; for a negative p below it."""
    t = np.sign(p) * student.isf(abs(p) / 2, N - 1)
    return BASE + spread * (NOISE[row] + t / np.sqrt(N))


def scores(*others, primary=0.4):
    """v1 and v2; v2 is ahead in ContextRecall, with this p, and differs in other metrics by these p."""
    names = ("Faithfulness", "ClaimF", "AnswerRelevance", "Valid")
    v2 = {"ContextRecall": moved(primary, 1)} | {
        name: moved(p, place + 2) for place, (name, p) in enumerate(zip(names, others, strict=False))
    }
    return make_scores({"v1": dict.fromkeys(v2, BASE), "v2": v2})


def headline(made, **options):
    return conclude(made, compare(made, **options)).headline


def test_a_loss_stands_in_the_headline_with_its_corrected_p():
    made = scores(-0.017, 0.6)
    d = np.array(made.runs[1].values("Faithfulness")) - BASE
    assert ttest_1samp(d, 0).pvalue == pytest.approx(0.017)
    lost = f"But v2 is worse than v1 in Faithfulness by {-d.mean():.3f} (p = 0.017, 0.034 after Holm's correction)."
    assert headline(made).endswith(lost)
    found = report(made, compare(made)).decision.sentence
    assert found.startswith("No winner: v2 is ahead, ContextRecall 0.6")
    assert found.endswith(
        f"but that may be chance. But v2 is worse than v1 in Faithfulness by {-d.mean():.3f} "
        "(also with all comparisons taken together)."
    )


def test_a_loss_that_the_correction_would_hide_is_named():
    made = scores(-0.03, 0.6, 0.7)
    assert "worse than v1 in Faithfulness" in headline(made)
    assert "(p = 0.030, 0.090 after Holm's correction)" in headline(made)
    found = report(made, compare(made)).decision.sentence
    assert found.endswith("(by this comparison alone, not with all taken together).")
    assert not re.search(r"correction|p [=<]|interval|test|significan", found)
    (line,) = [one for one in conclude(made, compare(made)).details if one.startswith("In the other metrics")]
    assert "none tells them apart" in line


def test_a_further_metric_never_removes_a_loss():
    for others in ((-0.04,), (-0.04, 0.5), (-0.04, 0.5, -0.01), (-0.04, 0.5, -0.01, -0.02)):
        said = headline(scores(*others))
        assert "v2 is worse than v1 in Faithfulness" in said
        assert ("AnswerRelevance" in said) == (len(others) > 2)


@pytest.mark.parametrize("p", [0.001, -0.06])
def test_gains_of_the_run_ahead_and_what_is_not_shown_are_no_losses(p):
    assert " But " not in headline(scores(p))


def test_a_winner_has_losses_too_and_a_diagnostic_is_none():
    said = headline(scores(-0.01, primary=0.001))
    assert said.startswith("v2 is better than v1 in ContextRecall")
    assert "But v2 is worse than v1 in Faithfulness" in said
    made = make_scores(
        {"v1": {"RR": BASE, "Judged@5": BASE}, "v2": {"RR": moved(0.5, 1), "Judged@5": moved(-0.001, 2)}}
    )
    assert " But " not in headline(made)


def test_against_a_baseline_every_run_can_lose():
    runs = {"base": BASE, "a": moved(0.5, 1), "b": moved(-0.04, 2)}
    made = make_scores({name: {"RR": values} for name, values in runs.items()})
    said = headline(made, against="base")
    assert "not told apart" in said
    assert "But b is worse than base in RR" in said  # alone; p is corrected for two runs
    assert "(p = 0.040, 0.080 after Holm's correction)" in said


def test_a_run_that_the_headline_calls_worse_is_not_named_once_more_for_another_metric():
    runs = {name: {"RR": BASE, "Value": BASE} for name in ("base", "a", "b")}
    runs["a"] = {"RR": moved(-0.001, 1), "Value": moved(-0.001, 2)}
    said = headline(make_scores(runs), against="base")
    assert re.search(r"a \(by \S+\) is worse", said)
    assert " But " not in said


def test_ranks_that_point_elsewhere_than_the_mean_are_no_loss():
    """One large fall and many small gains: the mean falls, most questions rise."""
    v2 = BASE + np.array([0.01 + 0.001 * place for place in range(N - 1)] + [-5.0])
    made = make_scores({"v1": {"RR": BASE, "Value": BASE}, "v2": {"RR": moved(0.5, 1), "Value": v2}})
    assert " But " not in headline(made, test="wilcoxon")


def test_losses_of_one_run_in_one_metric_are_one_clause_however_many_runs_are_better():
    names = [f"r{number}" for number in range(6)]
    runs = {name: {"ContextRecall": BASE, "Faithfulness": moved(0.001, number)} for number, name in enumerate(names)}
    runs["last"] = {"ContextRecall": BASE, "Faithfulness": BASE}
    made = make_scores(runs)
    said = headline(made)
    assert said.count("worse") == 1
    assert "But last is worse than r0, r1 and 4 more in Faithfulness by up to " in said
    worst = max(d.p_adjusted for d in compare(made) if d.metric == "Faithfulness" and "last" in (d.a, d.b))
    assert f"(the largest: p = 0.001, {worst:.3f} after Holm's correction)." in said


#: x has six of ten right but for one more or less, and never the first; y has the first alone.
UNTESTED = {
    "x": {"P@10": [0.5, 0.6, 0.7] * 4, "P@1": [0.0] * 12, "RR": [0.5] * 12, "Judged@1": [0.0] * 12},
    "y": {"P@10": [0.1] * 12, "P@1": [1.0] * 12, "RR": [1.0] * 12, "Judged@1": [1.0] * 12},
}
LOST = (
    "But x is worse than y in P@1 by 1.000 on all 12 questions (which a t-test cannot test: use --test randomisation) "
    "and x is worse than y in RR by 0.500 on all 12 questions (which a t-test cannot test: use --test randomisation)."
)


def test_a_loss_on_every_question_stands_in_the_headline_though_no_t_test_can_be_made():
    made = make_scores(UNTESTED)
    assert headline(made).startswith("x is better than y in P@10 by 0.500;")
    assert headline(made).endswith(LOST)  # and not Judged@1, a diagnostic
    lost = LOST.replace("P@1", "Precision@1")
    assert (
        report(made, compare(made)).decision.sentence
        == f"x is better than y: Precision@10 0.600, 0.500 above y. {lost}"
    )
    exact = headline(made, test="randomisation", correction="none")
    assert exact.endswith("in P@1 by 1.000 (p < 0.001) and x is worse than y in RR by 0.500 (p < 0.001).")


def test_a_lead_that_no_test_supports_has_its_losses_beside_it():
    made = make_scores({"x": {"P@10": [0.6] * 12, "P@1": [0.0] * 12}, "y": {"P@10": [0.1] * 12, "P@1": [1.0] * 12}})
    assert headline(made).startswith("x is ahead of y in P@10 by 0.500, but no t-test can be made")
    assert "But x is worse than y in P@1 by 1.000 on all 12 questions" in headline(made)


def test_of_three_runs_an_untested_loss_is_named_too():
    made = make_scores(UNTESTED | {"z": UNTESTED["y"] | {"RR": [1.0, 0.5] * 6}})
    said = headline(made)
    assert "x is worse than y and z in P@1 by up to 1.000 on all 12 questions (which a t-test cannot test" in said
    assert "x is worse than y in RR by 0.500 on all 12 questions (which a t-test" in said
    assert "x is worse than z in RR by 0.250 (p = " in said


@pytest.mark.parametrize(("x", "y"), [([0.5, 0.6], [1.0, 1.1]), ([0.5] * 12, [0.5] * 12)])
def test_two_questions_and_no_difference_are_no_loss(x, y):
    ahead = {"x": [0.5, 0.6, 0.7] * 4, "y": [0.1] * 12}
    lacking = [np.nan] * (12 - len(x))
    made = make_scores(
        {"x": {"P@10": ahead["x"], "Value": x + lacking}, "y": {"P@10": ahead["y"], "Value": y + lacking}}
    )
    assert " But " not in headline(made)


def test_where_two_runs_are_equal_the_loss_of_either_is_named():
    made = make_scores({"v1": {"RR": BASE, "Value": BASE}, "v2": {"RR": BASE, "Value": moved(-0.001, 1)}})
    assert "But v2 is worse than v1 in Value by " in headline(made)
    made = make_scores({"v1": {"RR": BASE, "Value": moved(-0.001, 1)}, "v2": {"RR": BASE, "Value": BASE}})
    assert "But v1 is worse than v2 in Value by " in headline(made)


def test_very_many_losses_are_counted_by_metric_and_none_is_left_out():
    """Four of eight runs with one ContextRecall are worse on every question, in two metrics by 0.1 and 0.2."""
    values = {
        f"run{n}": {"ContextRecall": BASE, "Faithfulness": BASE - 0.1 * (n > 3), "ClaimF": BASE - 0.2 * (n > 3)}
        for n in range(8)
    }
    made = make_scores(values)
    lost = "4 runs in Faithfulness by up to 0.100 and 4 runs in ClaimF by up to 0.200. The table of differences"
    for text in (headline(made), report(made, compare(made)).decision.sentence):
        assert lost in text
        assert "is worse than" not in text
    few = make_scores({name: values[name] for name in ("run2", "run3", "run4")})
    assert headline(few).count("run4 is worse than run2 and run3") == 2, "two clauses are read"
