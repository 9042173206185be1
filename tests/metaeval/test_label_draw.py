"""Questions drawn for people to label, by each strategy, and the corrections that rest on them."""

import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_scores

from neraca.datasets.table_writer import write_table
from neraca.errors import SpecError
from neraca.metaeval.label_draw import draw_labels, uncertainty_of
from neraca.metaeval.label_plan import LabelPlanOptions, plan_labels
from neraca.metrics.metric import Metric
from neraca.records import Verdict
from neraca.scores.judge_corrections import corrections
from neraca.scores.score import score
from neraca.stats.intervals.prediction_powered import weighted_prediction_powered


def test_a_judge_is_most_uncertain_in_the_middle_and_where_another_judge_says_the_opposite():
    metric = Metric.of("P@5")
    alone = uncertainty_of(metric, [np.array([0.0, 0.5, 0.9, 1.0])], [])
    assert alone == pytest.approx([0, 0.5, 0.3, 0])
    # a second judge: 0 and 1 have the standard deviation 0.5; what it did not decide says nothing
    other = [np.array([1.0, 0.5, np.nan, 1.0])]
    assert uncertainty_of(metric, [np.array([0.0, 0.5, 0.9, 1.0])], [other]) == pytest.approx([0.5, 0.5, 0.3, 0])
    both = uncertainty_of(metric, [np.array([0.5]), np.array([0.9])], [])
    assert both == pytest.approx([np.hypot(0.5, 0.3)])


def test_half_of_the_chance_is_equal_and_the_other_half_grows_with_uncertainty():
    # mean 0.2; weights 0.1 + 0 and 0.1 + 0.25, which add up to 60 · 0.1 + 40 · 0.35 = 20 (30 drawn: 1.5 each)
    uncertainty = np.array([0.0] * 60 + [0.5] * 40)
    draw = draw_labels("uncertain", np.zeros(100), uncertainty, 30, 1)
    assert draw.chances == pytest.approx([0.15] * 60 + [0.525] * 40)
    assert (len(draw.drawn), len(set(draw.drawn))) == (30, 30)
    often = np.zeros(100)
    for seed in range(400):
        often[draw_labels("uncertain", np.zeros(100), uncertainty, 30, seed).drawn] += 1 / 400
    assert often == pytest.approx(draw.chances, abs=0.11)
    assert (often[:60].mean(), often[60:].mean()) == pytest.approx((0.15, 0.525), abs=0.01)


def test_uniform_gives_all_the_same_chance_and_no_strata():
    plan = plan_labels(
        make_scores({"a": {"P@5": [0.0, 1.0] * 60}}), options=LabelPlanOptions(labels=60, strategy="uniform")
    )
    assert {(row["stratum"], row["probability"]) for row in plan.questions} == {("", 0.5)}


def test_unknown_strategies_and_judges_that_show_no_doubt_are_refused():
    with pytest.raises(SpecError, match="stratified, uniform, uncertain, not 'worst'"):
        LabelPlanOptions(strategy="worst")
    scores = make_scores({"a": {"P@5": [0.0, 1.0] * 60}})
    with pytest.raises(SpecError, match="Judge with a second model"):
        plan_labels(scores, options=LabelPlanOptions(strategy="uncertain"))
    opposite = make_scores({"a": {"P@5": [0.0, 1.0] * 30 + [1.0, 0.0] * 30}})
    plan = plan_labels(scores, options=LabelPlanOptions(labels=40, strategy="uncertain"), opinions=[opposite])
    sums = {item: row["probability"] for row in plan.questions for item in [int(row["item"])]}
    assert all(sums[item] < sums[other] for item in range(60) for other in range(60, 120))


def test_corrected_scores_of_uncertain_labels_are_unbiased_and_plain_means_of_them_are_not():
    """A biased graded judge; what it is uncertain of is right less often than the rest."""
    rng = np.random.default_rng(5)
    values = np.round(rng.random(400), 2)
    truth = (rng.random(400) < np.where(abs(values - 0.5) < 0.25, 0.3, 0.8)) * 1.0
    uncertainty = uncertainty_of(Metric.of("P@5"), [values], [])
    corrected, plain, held = [], [], 0
    for seed in range(300):
        draw = draw_labels("uncertain", values, uncertainty, 120, seed)
        labels = np.full(400, np.nan)
        labels[draw.drawn] = truth[draw.drawn]
        result = weighted_prediction_powered(labels, values, draw.chances)
        corrected.append(result.value)
        plain.append(np.nanmean(labels))
        held += result.low <= truth.mean() <= result.high
    error = np.std(corrected) / np.sqrt(300)
    assert np.mean(corrected) == pytest.approx(truth.mean(), abs=3 * error)
    assert np.mean(plain) < truth.mean() - 0.02
    assert held >= 0.93 * 300


@pytest.fixture
def run(tmp_path):
    """160 questions, of which the last ten got no answer; a graded judge, and people who labelled nothing yet."""
    rng = np.random.default_rng(3)
    judge = np.round(rng.random(150), 2)
    items = [make_item(str(n)) for n in range(160)]
    answers = [make_answer(item=str(n), text="an answer") for n in range(150)]
    answers += [make_answer(item=str(n), status="error", error="down") for n in range(150, 160)]
    verdicts = [
        Verdict(item=str(n), about="answer", aspect="valid", by="llm:m", value=float(judge[n])) for n in range(150)
    ]
    return make_run(tmp_path / "run", items, answers, verdicts)


def labelled(run, plan):
    drawn = [row["item"] for row in plan.questions if row["draw"]]
    with run.writing():
        run.add_verdicts(
            Verdict(item=item, about="answer", aspect="valid", by="human:ana", value=float(int(item) % 2))
            for item in drawn
        )


@pytest.mark.parametrize("strategy, method", [("uncertain", "ppi(weighted)"), ("uniform", "ppi")])
def test_from_the_plan_to_the_corrected_score(run, tmp_path, strategy, method):
    """Questions that nobody needs to label keep their value, and do not change how the others are weighed."""
    with run.writing():  # with a first label, the plan knows which questions need none
        run.add_verdicts([Verdict(item="0", about="answer", aspect="valid", by="human:ana", value=1.0)])
    scores = score(run, "Valid", correct="ppi")
    plan = plan_labels(scores, options=LabelPlanOptions(labels=100, strategy=strategy))
    to = tmp_path / "plan.csv"
    write_table(to, plan.questions)
    labelled(run, plan)
    [one] = corrections(score(run, "Valid", correct="ppi", sample=to))
    assert (one.correction.method, one.correction.labels, one.correction.n) == (method, 100, 160)
    chances = {row["item"]: row["probability"] for row in plan.questions}
    assert all(chances[str(n)] == "" for n in range(150, 160))


def test_a_question_that_got_no_chance_and_has_a_value_now_is_not_taken_for_random(run, tmp_path):
    plan = plan_labels(score(run, "Valid"), options=LabelPlanOptions(labels=100, strategy="uncertain"))
    rows = [row | ({"probability": ""} if not row["draw"] and n % 2 else {}) for n, row in enumerate(plan.questions)]
    to = tmp_path / "plan.csv"
    write_table(to, rows)
    labelled(run, plan)
    [one] = corrections(score(run, "Valid", correct="ppi", sample=to))
    assert "gives no chance for" in one.correction.why
