"""Runs that LLM judges have judged: from the verdicts on disk to scores and what the unscored could change."""

import math

import pytest
from builders import make_answer, make_item, make_run
from judged_answers import judged

from neraca.errors import InputError, SpecError
from neraca.metrics.metric import metric
from neraca.metrics.scorable import Scorable
from neraca.records import Verdict
from neraca.scores.score import score

ITEMS = [make_item(f"q{n}", references=("r",), session="s" if n < 3 else None) for n in (1, 2, 3, 4)]
ANSWERS = [make_answer("a b", item.id, text="t") for item in ITEMS]


def claims(item, supported, by="llm:openai:gpt-4o#a1b2c3"):
    """Verdicts on the claims of one answer; "failed" is why there are none."""
    if isinstance(supported, str):
        return [Verdict(item=item, about="answer", aspect="claims", by=by, why=supported)]
    said = [("answer", "claims", len(supported)), ("answer", "contexts", 2)]
    said += [(f"claim:{n}", "supported", yes) for n, yes in enumerate(supported, start=1)]
    return [Verdict(item=item, about=about, aspect=aspect, value=value, by=by) for about, aspect, value in said]


#: 1/2, 1, unscored, unscored.
SAID = [*claims("q1", [1, 0]), *claims("q2", [1, 1]), *claims("q3", "no usable reply")]


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "hybrid", ITEMS, ANSWERS, SAID)


def test_overall(run):
    (found,) = score([run], "Faithfulness").overall()
    assert (found.value, found.n, found.unscored) == (0.75, 2, 2)
    assert (found.lowest, found.highest) == (1.5 / 4, 3.5 / 4)


def test_every_unscored_question_says_why(run):
    told = {row["item"]: row["why"] for row in score([run], "Faithfulness").per_item()}
    assert told == {
        "q1": "",
        "q2": "",
        "q3": "no usable reply",
        "q4": "llm:openai:gpt-4o#a1b2c3 did not judge the claims of the answer",
    }


def test_the_range_without_unscored_is_the_value(tmp_path):
    run = make_run(tmp_path / "whole", ITEMS[:2], ANSWERS[:2], [*claims("q1", [1, 0]), *claims("q2", [1, 1])])
    (found,) = score([run], "Faithfulness").overall()
    assert found.lowest == found.highest == found.value == 0.75


@metric("TestJudgedWeights")
def weighted(part: Scorable) -> list[list[float]]:
    """A mean in which answers weigh differently: how much the missing ones would weigh is not known."""
    return [[1.0, 2.0]] * part.n


@pytest.mark.parametrize("name", ["Rubric(tone)", "PassRatio", "CorpusBLEU", "TestJudgedWeights"])
def test_no_range_of_what_is_no_mean_or_has_no_bounds(run, name):
    (found,) = score([run], name, language="en").overall()
    assert math.isnan(found.lowest)
    assert math.isnan(found.highest)


def test_the_range_of_a_group(tmp_path):
    items = [make_item(f"q{n}", tags={"kind": "x" if n < 3 else "y"}) for n in (1, 2, 3, 4)]
    run = make_run(tmp_path / "r", items, ANSWERS, SAID)
    x, y = score([run], "Faithfulness").by_group("kind")
    assert (x.lowest, x.highest) == (0.75, 0.75)
    assert (y.lowest, y.highest, y.n) == (0, 1, 0)


@pytest.mark.parametrize("by", ["llm", "llm:openai:gpt-4o", "llm:openai:gpt-4o#a1b2c3"])
def test_a_judge_is_named_with_and_without_its_prompt(run, by):
    assert score([run], "Faithfulness", by=by).overall()[0].value == 0.75
    assert score([run], f"Faithfulness(by={by})").overall()[0].value == 0.75


def test_a_judge_who_said_nothing(run):
    with pytest.raises(SpecError, match="did you mean llm:openai:gpt-4o"):
        score([run], "Faithfulness", by="llm:openai:gpt-4")


def test_runs_judged_by_different_models_are_not_compared(tmp_path):
    runs = [
        make_run(tmp_path / name, ITEMS, ANSWERS, claims("q1", [1, 0], by=by))
        for name, by in (("a", "llm:m#1"), ("b", "llm:n#1"))
    ]
    with pytest.raises(SpecError, match=r"several judges .*: llm:m, llm:n"):
        score(runs, "Faithfulness")
    a, b = score(runs, "Faithfulness", by="llm:m").overall()
    assert (a.value, a.n, b.n) == (0.5, 1, 0)


def test_relevance_by_a_model_is_heard_with_any_prompt(tmp_path):
    said = [
        Verdict(item="q1", about="hit:b", aspect="relevance", value=1, by="llm:m#1"),
        Verdict(item="q1", about="hit:a", aspect="relevance", value=0, by="llm:m#1"),
    ]
    run = make_run(tmp_path / "r", ITEMS[:1], ANSWERS[:1], said)
    assert score([run], "RR", relevance="llm:m").overall()[0].value == 0.5


def test_a_withdrawn_verdict_is_not_heard(tmp_path):
    questions = [
        Verdict(item="q1", about=f"question:{n}", aspect="question", value=value, by="embed:e#llm:m", status=status)
        for n, value, status in ((1, 0.4, "decided"), (2, 0.6, "decided"), (3, None, "withdrawn"))
    ]
    declines = Verdict(item="q1", about="answer", aspect="declines", value=0, by="llm:m")
    run = make_run(tmp_path / "r", ITEMS[:1], ANSWERS[:1], [*questions, declines])
    assert score([run], "AnswerRelevance").overall()[0].value == pytest.approx(0.5)


def test_what_a_verdict_can_be_about(tmp_path):
    wrong = Verdict(item="q1", about="sentence:1", aspect="x", value=1, by="llm:m")
    with pytest.raises(InputError, match=r"about 'sentence:1'; it must be answer, .* question:N, session or turn:N"):
        score([make_run(tmp_path / "r", ITEMS, ANSWERS, [wrong])], "RR")


def test_judged_is_what_the_judge_wrote_of_the_usual_example(tmp_path):
    """The builder of the examples and a run on disk say the same."""
    view = judged([("a b", 1), ("", 0)], [("a", 1)], useful=[1, 0])
    run = make_run(tmp_path / "r", view.part.column("items"), view.part.column("answers"), view.verdicts.table)
    found = score([run], "Faithfulness ClaimPrecision ContextRecall ContextPrecision").overall()
    assert [row.value for row in found] == [0.5, 0.5, 1, 1]
