"""Rubric and Aspect: criteria in the user's words, with a model that is a script."""

import tomllib

import pytest
from builders import make_run, make_scorable
from judges.scripted_model import Script, data_of, reason_of

from neraca.errors import SpecError
from neraca.judges.judge import judge, make_judge
from neraca.judges.llm.aspect import AspectJudge
from neraca.judges.llm.rubric import RubricJudge
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.models.model_session import ModelSession
from neraca.models.reply_schema import reply_schema
from neraca.records import Answer, Hit, Item
from neraca.runs.run import Run

ITEM = Item(id="q1", query="How many floors?", references=("", "Three."))
ANSWER = Answer(item="q1", text="Three floors, sir.", hits=(Hit(id="h", text="It has three floors."),))
STUDY = """
[judges.rubric]
model = "a:b"
name = "helpfulness"
criteria = { 1 = "of no use", 3 = "of some use", 5 = "all that\\n is needed" }
"""
RUBRIC = {**tomllib.loads(STUDY)["judges"]["rubric"], "model": "test:script"}
ASPECT = {"model": "test:script", "name": "polite", "criterion": " The answer is polite. "}


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session:
        yield session


def judged(kind, session, settings, reply, pair=(ITEM, ANSWER)):
    script = Script(reply)
    verdicts = list(kind(settings, chat=script).judge([pair], session))
    return verdicts, script


def grades(*given):
    return lambda prompt, repeat: {"reason": f"reason {repeat}", "grade": given[repeat]}


def polite(prompt, repeat):
    return {"reason": "it says sir", "yes": "sir" in data_of(prompt)["answer"]}


def test_a_grade(session):
    (verdict,), script = judged(RubricJudge, session, RUBRIC, grades(4))
    assert (verdict.about, verdict.aspect, verdict.value, reason_of(verdict)) == (
        "answer",
        "helpfulness",
        4,
        "reason 0",
    )
    assert script.prompts[0].system.endswith("\n\n`grades`:\n1: of no use\n3: of some use\n5: all that is needed")
    assert data_of(script.prompts[0]) == {"question": "How many floors?", "answer": "Three floors, sir."}


def test_of_repeats_the_median_and_all_that_were_given(session):
    (verdict,), _ = judged(RubricJudge, session, {**RUBRIC, "repeats": 3}, grades(4, 5, 4))
    assert (verdict.value, reason_of(verdict)) == (4, "2 of 3 say 4 (4 4 5): reason 0")
    (verdict,), _ = judged(RubricJudge, session, {**RUBRIC, "repeats": 5}, grades(1, 5, 3, 5, 1))
    assert (verdict.value, reason_of(verdict)) == (3, "1 of 5 say 3 (1 1 3 5 5): reason 2")


@pytest.mark.parametrize("grade", [0, 6, -1])
def test_a_grade_that_is_not_on_the_scale_is_no_grade(session, grade):
    (verdict,), _ = judged(RubricJudge, session, RUBRIC, grades(grade))
    assert (verdict.value, reason_of(verdict)) == (
        None,
        f"unscored: the reply is wrong: grade {grade} is not from 1 to 5",
    )
    (verdict,), _ = judged(RubricJudge, session, {**RUBRIC, "repeats": 5}, grades(4, 4, 4, grade, grade))
    assert verdict.value == 4
    (verdict,), _ = judged(RubricJudge, session, {**RUBRIC, "repeats": 5}, grades(3, 4, 5, grade, 4))
    assert verdict.value == 4
    (verdict,), _ = judged(RubricJudge, session, {**RUBRIC, "repeats": 3}, grades(4, 5, grade))
    assert verdict.value is None


def test_grades_are_in_their_order_whatever_order_they_are_given_in(session):
    settings = {**RUBRIC, "criteria": {"10": "good", "-2": "bad", 1: "so so"}}
    (verdict,), script = judged(RubricJudge, session, settings, grades(-2))
    assert verdict.value == -2
    assert script.prompts[0].system.endswith("`grades`:\n-2: bad\n1: so so\n10: good")


def test_an_aspect(session):
    (verdict,), script = judged(AspectJudge, session, ASPECT, polite)
    assert (verdict.about, verdict.aspect, verdict.value, reason_of(verdict)) == ("answer", "polite", 1, "it says sir")
    assert script.prompts[0].system.endswith("\n\n`criterion`: The answer is polite.")
    (verdict,), _ = judged(AspectJudge, session, ASPECT, polite, (ITEM, Answer(item="q1", text="Three.")))
    assert verdict.value == 0


@pytest.mark.parametrize("kind, settings", [(RubricJudge, RUBRIC), (AspectJudge, ASPECT)])
def test_what_is_shown_beside_the_answer(kind, settings, session):
    def reply(prompt, repeat):
        return polite(prompt, repeat) if prompt.kind.__name__ == "YesNoReply" else {"reason": "", "grade": 3}

    settings = {**settings, "beside": ["reference", "contexts"]}
    _, script = judged(kind, session, settings, reply)
    data = data_of(script.prompts[0])
    assert (data["reference"], data["contexts"]) == (["Three."], ["It has three floors."])
    (verdict,), script = judged(kind, session, settings, reply, (Item(id="q1", query="?"), ANSWER))
    assert (verdict.value, reason_of(verdict), script.calls) == (None, "not applicable: the item has no reference", 0)
    (verdict,), _ = judged(kind, session, settings, reply, (ITEM, Answer(item="q1", text="Three.")))
    assert reason_of(verdict) == "not applicable: it has no hits"


@pytest.mark.parametrize("status", ["complete", "error"])
def test_an_answer_that_says_nothing(status, session):
    empty = Answer(item="q1", status=status)
    (verdict,), script = judged(RubricJudge, session, RUBRIC, grades(5), (ITEM, empty))
    assert (verdict.value, reason_of(verdict), script.calls) == (1, "the answer is empty", 0)
    (verdict,), script = judged(AspectJudge, session, ASPECT, polite, (ITEM, empty))
    assert (verdict.value, reason_of(verdict), script.calls) == (0, "the answer is empty", 0)


def test_another_criterion_or_name_is_another_judge():
    """So that judging by one criterion withdraws nothing that was said by another."""
    made = [
        AspectJudge(ASPECT),
        AspectJudge({**ASPECT, "name": "courteous"}),
        AspectJudge({**ASPECT, "criterion": "It is rude."}),
        RubricJudge(RUBRIC),
        RubricJudge({**RUBRIC, "criteria": {1: "bad", 5: "good"}}),
        RubricJudge({**RUBRIC, "name": "clarity"}),
    ]
    assert len({one.by for one in made}) == len(made)
    assert AspectJudge({**ASPECT, "repeats": 3, "beside": ["contexts"]}).by == made[0].by


def test_the_metrics_read_it(session):
    (grade,), _ = judged(RubricJudge, session, RUBRIC, grades(4))
    (yes,), _ = judged(AspectJudge, session, ASPECT, polite)
    batch = make_scorable([(ITEM, ANSWER)], [grade, yes])
    assert score_metric(Metric.of("Rubric(helpfulness)"), batch).rows[0][0] == 4
    assert score_metric(Metric.of("Aspect(polite)"), batch).rows[0][0] == 1


@pytest.mark.parametrize(
    "name, changes, told",
    [
        ("rubric", {"criteria": {}}, "needs two grades at least"),
        ("rubric", {"criteria": {1: "bad"}}, "needs two grades at least"),
        ("rubric", {"criteria": {1: "bad", 2: " "}}, "what each of them means"),
        ("rubric", {"criteria": {"1": "bad", 1: "good"}}, "needs two grades"),
        ("rubric", {"criteria": {"1.5": "bad", "2": "good"}}, "'1.5' is no whole number"),
        ("rubric", {"criteria": {"good": "bad", "2": "good"}}, "'good' is no whole number"),
        ("rubric", {"name": ""}, "needs a name"),
        ("rubric", {"name": "a,b"}, "needs a name"),
        ("rubric", {"name": "valid"}, "'valid' is a word of other judges"),
        ("aspect", {"name": "preferred:b"}, "needs a name"),
        ("aspect", {"name": "claims"}, "is a word of other judges"),
        ("aspect", {"criterion": " "}, "judge aspect needs a criterion"),
        ("aspect", {"beside": ["everything"]}, "judge aspect: beside"),
        ("aspect", {"criteria": {}}, "no setting 'criteria'; did you mean criterion"),
    ],
)
def test_settings_that_cannot_be(name, changes, told):
    with pytest.raises(SpecError, match=told):
        make_judge(name, {**{"rubric": RUBRIC, "aspect": ASPECT}[name], **changes})


@pytest.mark.parametrize("name", ["polite", "is polite", "höflich", "v2.0", "non-toxic", "مهذب"])
def test_names_that_a_metric_can_have(name):
    assert make_judge("aspect", {**ASPECT, "name": name})
    assert str(Metric.of(f"Aspect({name})")) == f"Aspect({name})"


def test_the_schema_names_the_grades(session):
    _, script = judged(RubricJudge, session, RUBRIC, grades(4))
    schema = reply_schema(script.prompts[0].kind).schema
    assert schema["properties"]["grade"] == {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    wide = {**RUBRIC, "criteria": {"0": "bad", "1000": "good"}}
    _, script = judged(RubricJudge, session, wide, grades(4))
    assert reply_schema(script.prompts[0].kind).schema["properties"]["grade"] == {"type": "integer"}


def test_the_words_of_a_criterion_are_kept_in_the_run(session, tmp_path):
    run = make_run(tmp_path / "run", [ITEM], [ANSWER])
    asked = AspectJudge(ASPECT, chat=Script(polite))
    judge(run, asked, session=session)
    judge(run, RubricJudge(RUBRIC, chat=Script(grades(4))), session=session)
    assert [*Run(run.path).manifest.criteria.values()] == [
        "The answer is polite.",
        "1: of no use\n3: of some use\n5: all that is needed",
    ]
    assert asked.by in Run(run.path).manifest.criteria
