"""Clicks count only where they are asked for, and stand beside people where judges are compared."""

import pytest
from builders import make_answer, make_item, make_run, make_verdict

import neraca
from neraca.verdicts.source import matches


def test_clicks_must_be_asked_for():
    assert not matches("clicks:coec", "")
    assert matches("clicks:coec", "clicks")
    assert matches("clicks:coec", "clicks:coec")
    assert not matches("clicks:coec", "clicks:pbm")


@pytest.fixture
def run(tmp_path):
    """Two questions with two hits each; clicks find the second of each, a person the first of the first."""
    items = [make_item("1"), make_item("2")]
    answers = [make_answer("a b", item=item.id) for item in items]
    verdicts = [
        make_verdict(doc, "relevance", float(doc == "b"), "clicks:coec", item)
        for item in ("1", "2")
        for doc in ("a", "b")
    ]
    verdicts += [make_verdict(doc, "relevance", float(doc == "a"), "human:Ana") for doc in ("a", "b")]
    return make_run(tmp_path / "run", items, answers, verdicts)


def test_relevance_is_by_clicks_only_where_asked(run):
    by_clicks = neraca.score(run, "RR", relevance="clicks")
    assert by_clicks.runs[0].values("RR").tolist() == [0.5, 0.5]
    assert by_clicks.relevance.by_source == [("clicks", 4)]
    auto = neraca.score(run, "RR")
    assert auto.relevance.by_source == [("human", 2)]


def test_clicks_can_be_held_against_people(run):
    found = neraca.agreement(run.items, run.verdicts(), judges=["clicks", "human"])
    assert [(row.judges, row.agreement.n, row.agreement.value) for row in found] == [
        (("clicks:coec", "human:Ana"), 2, 0)
    ]
