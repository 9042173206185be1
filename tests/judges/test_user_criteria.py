"""A judge by the user's own criterion brings its metric, and its scale bounds the interval."""

from math import sqrt

import pytest
from builders import make_run
from judges.scripted_model import Script, data_of

from neraca import compare
from neraca.errors import InputError, SpecError
from neraca.judges.judge import judge
from neraca.judges.llm.aspect import AspectJudge
from neraca.judges.llm.rubric import RubricJudge
from neraca.metrics.metric import Metric
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.scores.score import score

ITEMS = [Item(id=str(n), query="How many floors?", references=("Three floors.",)) for n in range(6)]


def answered(folder, name):
    return make_run(folder / name, ITEMS, [Answer(item=item.id, text=f"Three, says {item.id}.") for item in ITEMS])


def graded(run, folder, criteria, name="help", low=False):
    """Let a judge give each answer the best grade of these criteria, or the lowest to the first."""
    grade = max(criteria)

    def reply(prompt, repeat):
        first = low and data_of(prompt)["answer"].endswith("0.")
        return {"reason": "so", "grade": min(criteria) if first else grade}

    settings = {"model": "test:script", "name": name, "criteria": criteria}
    with ModelSession(folder / "cache.sqlite") as session:
        judge(run, RubricJudge(settings, chat=Script(reply)), session=session)
    return Run(run.path)


def test_a_rubric_is_scored_by_default_within_its_scale(tmp_path):
    run = graded(answered(tmp_path, "a"), tmp_path, {1: "of no use", 5: "all that is needed"}, low=True)
    scores = score(run)
    assert next(iter(map(str, scores.metrics))) == "Rubric(help)"
    (total,) = (row for row in scores.overall() if row.metric == "Rubric(help)")
    assert total.value == pytest.approx((5 * 5 + 1) / 6)
    assert total.high <= 5
    spread = sqrt(sum((value - total.value) ** 2 for value in (1, 5, 5, 5, 5, 5)) / 5 / 6)
    assert total.value + 2.57 * spread > 5, "an interval without the scale would leave it"
    assert run.manifest.scale_words["help"] == {
        "1": "of no use",
        **dict.fromkeys("234", ""),
        "5": "all that is needed",
    }


def test_a_criterion_of_yes_and_no_is_scored_by_default(tmp_path):
    run = answered(tmp_path, "a")
    settings = {"model": "test:script", "name": "polite", "criterion": "The answer is polite."}
    script = Script(lambda prompt, repeat: {"reason": "so", "yes": True})
    with ModelSession(tmp_path / "cache.sqlite") as session:
        judge(run, AspectJudge(settings, chat=script), session=session)
    graded(run, tmp_path, {1: "no", 3: "yes"})
    names = [str(metric) for metric in score(Run(run.path)).metrics]
    assert names[:2] == ["Aspect(polite)", "Rubric(help)"]


def test_a_second_scale_of_one_name_is_refused_before_any_call(tmp_path):
    run = graded(answered(tmp_path, "a"), tmp_path, {1: "no", 5: "yes"})
    before = (run.path / "verdicts.jsonl").read_bytes()
    settings = {"model": "test:script", "name": "help", "criteria": {1: "no", 10: "yes"}}
    script = Script(lambda prompt, repeat: {"reason": "so", "grade": 10})
    with (
        ModelSession(tmp_path / "cache.sqlite") as session,
        pytest.raises(InputError, match="by help from 1 to 5, and this judge grades from 1 to 10"),
    ):
        judge(run, RubricJudge(settings, chat=script), session=session)
    assert script.prompts == []
    assert (run.path / "verdicts.jsonl").read_bytes() == before


def test_runs_graded_on_two_scales_are_compared_by_shares_alone(tmp_path):
    old = graded(answered(tmp_path, "old"), tmp_path, {1: "no", 5: "yes"})
    new = graded(answered(tmp_path, "new"), tmp_path, {0: "no", 10: "yes"})
    with pytest.raises(SpecError, match=r"help was graded on different scales \(old 1 to 5, new 0 to 10\)"):
        compare(score([old, new], "Rubric(help)"))
    shares = score([old, new])
    assert str(shares.metrics[0]) == "Rubric(help,share=true)"
    assert [row.value for row in score(new, "Rubric(help,share=true)").overall()] == [1]


def test_quality_within_the_usual_scale_of_people_states_none(tmp_path):
    run = graded(answered(tmp_path, "a"), tmp_path, {1: "no", 5: "yes"}, name="quality")
    assert run.manifest.scales == {}


def test_quality_beyond_the_usual_scale_is_refused_beside_grades_on_it(tmp_path):
    run = graded(answered(tmp_path, "a"), tmp_path, {1: "no", 3: "yes"}, name="quality")
    with pytest.raises(InputError, match="by quality from 0 to 5, and this judge grades from 0 to 10"):
        graded(run, tmp_path, {0: "no", 10: "yes"}, name="quality")
    fresh = graded(answered(tmp_path, "b"), tmp_path, {0: "no", 10: "yes"}, name="quality")
    assert fresh.manifest.scales == {"quality": "0-10"}


def test_grades_below_zero_have_a_scale(tmp_path):
    run = graded(answered(tmp_path, "a"), tmp_path, {-2: "harmful", 2: "helpful"}, low=True)
    assert run.manifest.scales == {"help": "-2-2"}
    (total,) = score(run, "Rubric(help)").overall()
    assert total.value == pytest.approx((5 * 2 - 2) / 6)
    assert total.high <= 2
    ends = Metric.of("Rubric(help,scale=-2-2)").definition
    assert (ends.low, ends.high) == (-2, 2)
