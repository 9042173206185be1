import pytest
from judged_answers import ANA, GONE, judged, outcome, value, verdict_on, why

from neraca.errors import SpecError
from neraca.metrics.rag.answer_relevance import NOT_COMPARED

SAID = judged([("a", 1)], questions=[0.9, 0.5, 0.1])


def test_by_hand():
    assert value("AnswerRelevance", SAID) == pytest.approx(0.5)
    assert value("AnswerRelevance", judged(questions=[0.3])) == pytest.approx(0.3, rel=1e-12)
    assert value("AnswerRelevance", judged(questions=[-0.9, 0.3, 0.3])) == 0, "no less than nothing"
    assert value("AnswerRelevance", judged(questions=[-0.3, 0.9])) == pytest.approx(0.3)


def test_who_declines_does_not_answer():
    assert value("AnswerRelevance", SAID, changes={"answer declines": 1}) == 0
    assert value("AnswerRelevance", judged(declines=1)) == 0
    assert value("AnswerRelevance", SAID, verdict_on("answer", "declines", 1, by=ANA)) == 0
    assert value("AnswerRelevance", SAID, answer={"status": "refused"}) == 0


def test_where_the_judge_failed():
    assert why("AnswerRelevance", SAID, changes={"answer declines": "429"}) == "429"
    assert why("AnswerRelevance", SAID, changes={"answer declines": GONE}) == "llm:m did not judge whether it answers"
    assert why("AnswerRelevance", SAID, changes={"question:2 question": "no"}) == "no"
    assert why("AnswerRelevance", SAID, changes={f"question:{n} question": GONE for n in (1, 2, 3)}) == NOT_COMPARED
    assert why("AnswerRelevance", judged()) == NOT_COMPARED


def test_it_needs_no_claims():
    assert value("AnswerRelevance", SAID, changes={"answer claims": GONE, "answer contexts": GONE}) == pytest.approx(
        0.5
    )


def test_of_several_embeddings_one_must_be_named():
    others = [verdict_on(f"question:{n}", "question", 1, by="embed:f#llm:m") for n in (1, 2, 3)]
    told = r"several judges decided on question: embed:e, embed:f; choose one, in the metric's name \(embed=e\)$"
    with pytest.raises(SpecError, match=told):
        outcome("AnswerRelevance", SAID, *others)
    assert value("AnswerRelevance(embed=f)", SAID, *others) == 1
    assert value("AnswerRelevance(by=llm:m,embed=e)", SAID, *others) == pytest.approx(0.5)
    with pytest.raises(SpecError, match="by=embed:g: it did not judge this; did you mean embed:"):
        outcome("AnswerRelevance(embed=g)", SAID, *others)


def test_each_judge_is_scored_by_its_own_questions():
    """n asked two other questions and its old prompt one; the same embeddings compared them all."""
    others = [verdict_on("answer", "declines", 0, by=by) for by in ("llm:n#old", "llm:n#new")]
    others += [verdict_on(f"question:{n}", "question", 1, by="embed:e#llm:n#new") for n in (1, 2)]
    others += [verdict_on("question:1", "question", 0.2, by="embed:e#llm:n#old")]
    with pytest.raises(SpecError, match=r"several judges decided on .*declines: llm:m, llm:n"):
        outcome("AnswerRelevance", SAID, *others)
    assert value("AnswerRelevance(by=llm:m)", SAID, *others) == pytest.approx(0.5)
    assert value("AnswerRelevance(by=llm:n)", SAID, *others) == 1
    assert value("AnswerRelevance(by=llm:n#old,embed=e)", SAID, *others) == pytest.approx(0.2, rel=1e-12)
    assert value("AnswerRelevance", SAID, *others, by="llm:n") == 1


def test_questions_of_another_judge_are_not_compared():
    stray = [verdict_on("question:1", "question", 1, by=by) for by in ("embed:e#llm:n", "embed:e")]
    assert why("AnswerRelevance", judged(), *stray) == NOT_COMPARED
    assert why("AnswerRelevance(embed=e)", judged(), *stray) == NOT_COMPARED
    assert value("AnswerRelevance", SAID, *stray) == pytest.approx(0.5)
