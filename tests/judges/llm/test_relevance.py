"""Relevance: each hit gets TREC's grade, by a model that is a script."""

import pytest
from builders import make_run
from judges.scripted_model import Script, data_of

from neraca.errors import SpecError
from neraca.judges.judge import judge, make_judge
from neraca.judges.llm.prompt import LANGUAGES, Prompts
from neraca.judges.llm.relevance import RelevanceJudge
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Hit, Item
from neraca.scores.score import score

ITEM = Item(id="q1", query="houses in Medan with a garden")
HITS = (
    Hit(id="L1", text="A house in Medan with a garden."),
    Hit(id="L2", fields={"city": "Medan"}),
    Hit(id="L3"),
    Hit(id="L1", text="A house in Medan with a garden."),
)
ANSWER = Answer(item="q1", text="Here are some.", hits=HITS)


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session:
        yield session


def reply(prompt, repeat):
    """3 for a garden, 1 for Medan, 0 else."""
    text = data_of(prompt)["document"]
    return {"reason": "by its words", "grade": 3 if "garden" in text else int("Medan" in text)}


def judged(session, *answers, item=ITEM, script=None, **settings):
    script = script or Script(reply)
    chosen = RelevanceJudge({"model": "test:script", **settings}, chat=script)
    return list(chosen.judge([(item, answer) for answer in answers], session)), script


def test_a_grade_for_each_hit_by_its_text_or_its_fields(session):
    verdicts, script = judged(session, ANSWER)
    assert [(v.about, v.aspect, v.value, v.status) for v in verdicts] == [
        ("hit:L1", "relevance", 3, "decided"),
        ("hit:L2", "relevance", 1, "decided"),
        ("hit:L3", "relevance", None, "missing"),
    ]
    assert script.calls == 2
    assert verdicts[0].by.startswith("llm:test:script#")


def test_the_model_sees_neither_answer_nor_rank_nor_the_other_hits(session):
    seen = []
    judged(session, ANSWER, script=Script(lambda prompt, repeat: seen.append(data_of(prompt)) or reply(prompt, repeat)))
    assert seen == [
        {"question": ITEM.query, "document": "A house in Medan with a garden."},
        {"question": ITEM.query, "document": '{"city":"Medan"}'},
    ]


def test_the_model_sees_the_earlier_questions_that_a_pool_brings(session):
    seen = []
    script = Script(lambda prompt, repeat: seen.append(data_of(prompt)) or reply(prompt, repeat))
    item = Item(id="q1", query="and with a garden?", extra={"conversation": ["houses in Medan?"]})
    judged(session, Answer(item="q1", hits=HITS[:1]), item=item, script=script)
    assert seen[0]["conversation"] == ["houses in Medan?"]


@pytest.mark.parametrize(
    "answer, count",
    [(Answer(item="q1"), 0), (Answer(item="q1", status="error", hits=HITS), 0), (Answer(item="q1", hits=HITS), 3)],
)
def test_answers_without_hits_get_no_verdict(session, answer, count):
    assert len(judged(session, answer)[0]) == count


def test_a_question_without_words_is_not_asked_about(session):
    verdicts, script = judged(session, ANSWER, item=Item(id="q1", query=""))
    assert {(v.status, v.why) for v in verdicts} == {("missing", "the question has no text")}
    assert script.calls == 0


def test_a_grade_outside_the_scale_is_no_reply(session):
    verdicts, _ = judged(session, ANSWER, script=Script(lambda prompt, repeat: {"reason": "great", "grade": 4}))
    assert verdicts[0].value is None
    assert "grade 4 is not from 0 to 3" in verdicts[0].why


def test_of_several_replies_the_median(session):
    grades = [3, 0, 2]
    script = Script(lambda prompt, repeat: {"reason": "so", "grade": grades[repeat]})
    verdicts, _ = judged(session, ANSWER, script=script, repeats=3, temperature=1.0)
    assert (verdicts[0].value, verdicts[0].why) == (2, "1 of 3 say 2 (0 2 3): so")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prompt_names_all_grades_in_each_language(language):
    text = Prompts(["relevance"]).of("relevance", language).text
    assert [f"- {grade}: " in text for grade in range(4)] == [True] * 4
    assert Prompts(["relevance"]).of("relevance", language).language == language


def test_a_model_is_needed():
    with pytest.raises(SpecError, match="judge relevance needs a model"):
        make_judge("relevance", {})


def test_metrics_take_the_grades_and_say_that_a_model_gave_them(tmp_path, session):
    """The grades 3 and 1 at ranks 1 and 2, nobody knows the third: P@2 is 1."""
    run = make_run(tmp_path / "run", [ITEM], [Answer(item="q1", hits=HITS[:3])])
    judge(run, RelevanceJudge({"model": "test:script"}, chat=Script(reply)), session=session)
    scores = score([run], "P@2 Judged@3")
    assert [row.value for row in scores.overall()] == [1, pytest.approx(2 / 3)]
    assert str(scores.relevance) == "llm (2 hits)"
