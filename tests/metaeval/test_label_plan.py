import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_scores

from neraca.datasets.sample_table import read_sample
from neraca.datasets.table_writer import write_table
from neraca.errors import InputError, SpecError
from neraca.metaeval.label_plan import ASSUMED, LabelPlanOptions, plan_labels
from neraca.records import Verdict
from neraca.reports.sentences.label_plan import sentences
from neraca.scores.judge_corrections import corrections
from neraca.scores.score import score
from neraca.stats.planning.label_planning import expected_width

RNG = np.random.default_rng(1)
SHARES = (RNG.random(300) < 0.7) * 1.0
VALUES = np.round(RNG.beta(2, 1, 300), 1)


def drawn(plan):
    return [row for row in plan.questions if row["draw"]]


def test_each_stratum_is_drawn_with_the_chance_that_is_written():
    plan = plan_labels(make_scores({"a": {"P@5": VALUES}}), options=LabelPlanOptions(labels=60))
    assert len(drawn(plan)) == plan.labels == 60
    assert [row["draw"] for row in drawn(plan)] == list(range(1, 61))
    for stratum in {row["stratum"] for row in plan.questions}:
        of_stratum = [row for row in plan.questions if row["stratum"] == stratum]
        share = sum(bool(row["draw"]) for row in of_stratum) / len(of_stratum)
        assert all(row["probability"] == pytest.approx(share) for row in of_stratum)
    ordered = sorted(plan.questions, key=lambda row: VALUES[int(row["item"])])
    assert [row["stratum"] for row in ordered] == sorted(row["stratum"] for row in plan.questions)


def test_of_shares_there_are_two_strata_and_another_seed_draws_others():
    scores = make_scores({"a": {"P@5": SHARES}})
    plans = [plan_labels(scores, options=LabelPlanOptions(labels=60, seed=seed)) for seed in (0, 1, 0)]
    assert {row["stratum"] for row in plans[0].questions} == {"1", "2"}
    assert plans[0].questions == plans[2].questions != plans[1].questions


def test_without_labels_it_is_reckoned_with_what_is_assumed():
    plan = plan_labels(make_scores({"a": {"P@5": SHARES}}), options=LabelPlanOptions(width=0.2))
    assert (plan.pilot, plan.correlation) == (0, ASSUMED)
    assert plan.spread == pytest.approx(SHARES.std(ddof=1))
    assert expected_width(plan.labels, 300, plan.spread, ASSUMED) <= 0.2
    assert "Too few people labelled yet" in " ".join(sentences(plan, "plan.csv"))


def test_of_several_runs_it_is_about_the_difference_that_needs_most():
    noisy = RNG.permutation(SHARES)
    plan = plan_labels(make_scores({"a": {"P@5": SHARES}, "b": {"P@5": SHARES * 0.9}, "c": {"P@5": noisy}}))
    assert plan.of in ("a − c", "b − c")
    assert plan.labels == 30


def test_a_width_that_no_labels_give_is_said_and_all_are_drawn():
    plan = plan_labels(make_scores({"a": {"P@5": SHARES}}), options=LabelPlanOptions(width=0.01))
    assert (plan.needed, plan.labels) == (None, 300)
    assert "Ask more questions" in sentences(plan, "p.csv")[0]


def test_costs():
    scores = make_scores({"a": {"P@5": SHARES}})
    plan = plan_labels(scores, options=LabelPlanOptions(width=0.1, human_cost=1.0, model_cost=0.01))
    assert plan.split is not None
    assert plan.split.cost == pytest.approx(plan.split.labels + 0.01 * plan.split.items)
    assert "Cheapest for this width" in " ".join(sentences(plan, "p.csv"))
    dear = plan_labels(scores, options=LabelPlanOptions(width=0.1, human_cost=1.0, model_cost=9.0))
    assert "no judge" in " ".join(sentences(dear, "p.csv"))


@pytest.mark.parametrize(
    "options", [{"width": 0.0}, {"labels": 12}, {"human_cost": 0.0, "width": 0.1}, {"human_cost": 1.0}]
)
def test_what_cannot_be_wished(options):
    with pytest.raises(SpecError):
        LabelPlanOptions(**options)


def test_what_cannot_be_planned():
    with pytest.raises(InputError, match="20 questions can be labelled"):
        plan_labels(make_scores({"a": {"P@5": VALUES[:20]}}))
    with pytest.raises(SpecError, match="no mean"):
        plan_labels(make_scores({"a": {"NumRet": VALUES}}))
    with pytest.raises(SpecError, match="was not scored"):
        plan_labels(make_scores({"a": {"P@5": VALUES}}), "RR")


@pytest.fixture
def run(tmp_path):
    """80 questions in sessions of two; a judge that calls half of the wrong answers right."""
    rng = np.random.default_rng(3)
    truth = (rng.random(80) < 0.6) * 1.0
    judge = np.where(rng.random(80) < 0.4, 1.0, truth)
    items = [make_item(str(n), session=f"s{n // 2}") for n in range(80)]
    said = [("llm:m", judge), ("human:ana", truth)]
    verdicts = [
        Verdict(item=str(n), about="answer", aspect="valid", by=by, value=float(values[n]))
        for by, values in said
        for n in range(80 if by == "llm:m" else 40)
    ]
    return (
        make_run(tmp_path / "run", items, [make_answer(item=str(n), text="an answer") for n in range(80)], verdicts),
        truth,
        judge,
    )


def test_labels_at_hand_are_learned_from(run):
    folder, truth, judge = run
    plan = plan_labels(score([folder], "Valid", correct="ppi", unit="question"))
    assert plan.pilot == 40
    assert plan.correlation == pytest.approx(np.corrcoef(truth[:40], judge[:40])[0, 1])
    assert plan.spread == pytest.approx(truth[:40].std(ddof=1))


def test_from_the_plan_to_the_corrected_score(run, tmp_path):
    """Who labels what was drawn gets a stratified correction."""
    folder, truth, _ = run
    plan = plan_labels(score([folder], "Valid", correct="ppi"), options=LabelPlanOptions(labels=40))
    to = tmp_path / "plan.csv"
    write_table(to, plan.questions)
    assert sum(draw.drawn for draw in read_sample(to).values()) == 40
    with folder.writing():
        folder.add_verdicts(
            Verdict(
                item=row["item"], about="answer", aspect="valid", by="human:ana", value=truth.tolist()[int(row["item"])]
            )
            for row in drawn(plan)
        )
    (one,) = corrections(score([folder], "Valid", correct="ppi", sample=to, unit="question"))
    strata = {row["item"]: row["stratum"] for row in plan.questions}
    chosen = {row["item"] for row in drawn(plan)}
    by_hand = sum(
        np.mean([truth[n] for n in range(80) if strata[str(n)] == s and str(n) in chosen])
        * sum(name == s for name in strata.values())
        for s in set(strata.values())
    )
    assert one.correction.method == "ppi(stratified)"
    assert one.correction.value == pytest.approx(by_hand / 80)


def test_the_table_marks_what_was_drawn():
    plan = plan_labels(make_scores({"a": {"P@5": SHARES}}), options=LabelPlanOptions(labels=45))
    assert plan.table().columns[0] == "labels"
    assert [row[0] for row in plan.table().rows if row[2]] == ["45"]
    assert "width of the interval" in str(plan)
    assert plan.rows()[0]["draw"] == 1
