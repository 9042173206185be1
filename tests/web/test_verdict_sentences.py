"""Verdicts as sentences: values of people's scales have their words."""

from builders import make_verdict

from neraca.records import Verdict
from neraca.web.verdict_sentences import verdict_sentences

WORDS = {("quality", 2.0): "partly right", ("relevance", 1.0): "related", ("relevance", 2.0): "exact"}


def words_of(verdict):
    return WORDS.get((verdict.aspect, verdict.value), "") if verdict.by.startswith("human") else ""


def test_a_value_on_peoples_scale_stands_with_its_words():
    people, judge = (
        Verdict(item="q", about="answer", aspect="quality", by=by, value=2.0) for by in ("human:ana", "llm:m")
    )
    assert [sentence.text for sentence in verdict_sentences([people, judge], words_of)] == [
        "quality: 2: partly right",
        "quality: 2",
    ]


def test_the_grades_of_several_hits_are_counted_in_words():
    grades = {"a": 2.0, "b": 1.0, "c": 2.0, "d": None}
    verdicts = [make_verdict(doc, "relevance", grade, "human:ana", "q") for doc, grade in grades.items()]
    (summary,) = verdict_sentences(verdicts, words_of)
    assert summary.text == "relevance of 4 hits: 1 × 1: related, 2 × 2: exact, 1 without a value"
    assert "hit a: relevance: 2: exact" in [sentence.text for sentence in summary.verdicts]
