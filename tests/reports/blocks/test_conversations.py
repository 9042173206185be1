"""The section of conversations, and the marks of turns in the list of questions."""

import pytest
from drawn import to_html, to_markdown

from neraca import Answer, Item, Verdict, report, score
from neraca.reports.blocks.conversations import section

ITEMS = [Item(id=f"{name}{n}", query=f"question {name}{n}", session=name) for name in "ab" for n in (1, 2)]
ANSWERS = [Answer(item=item.id, text="Yes.") for item in ITEMS]


def verdict(item, about, value, why="", status="decided", aspect="remembers"):
    return Verdict(item=item, about=about, aspect=aspect, by="llm:m#1", value=value, why=why, status=status)


BROKEN = [
    verdict("a2", "session", 0, "turn 2: it asks <again>"),
    verdict("a2", "turn:2", 0, "it asks <again>"),
    verdict("b2", "session", 1, "all of 1 answer"),
]


@pytest.fixture
def scores(folder):
    def make(*verdicts, name="run"):
        return score([folder(name, ITEMS, ANSWERS, verdicts)], "KnowledgeRetention Words")

    return make


def test_broken_conversations_are_listed_with_their_turns(scores):
    undecided = verdict("b2", "session", None, "no reply", "unscored", "consistent")
    found = section(scores(*BROKEN, undecided))
    assert found.sentences == (
        "1 of 2 verdicts on whole conversations say that it broke the criterion.",
        "A judge gave no verdict on 1 conversation.",
    )
    (table,) = found.tables
    assert table.title == "Conversations that broke a criterion (1 of 1)"
    assert table.rows == [["run", "a: question a1", "2", "remembers", "0", "turn 2: it asks <again>"]]


def test_the_report_has_the_section_only_if_conversations_were_judged(scores):
    judged, unjudged = report(scores(*BROKEN)), report(scores(verdict("a2", "answer", 1, aspect="valid"), name="other"))
    assert section(unjudged.scores) is None
    assert ["conversations" in [s.name for s, _ in each.outline] for each in (judged, unjudged)] == [True, False]
    page = to_markdown(judged)
    assert "a: question a1" in page
    assert "it asks <again>" not in to_html(judged), "the words of a judge are text"


def test_a_broken_turn_is_marked_at_its_question(scores):
    checks = {q.id: [c.aspect for c in q.sides[0].replies[0].checks] for q in report(scores(*BROKEN)).questions}
    assert checks == {"a1": [], "a2": ["session remembers", "turn:2 remembers"], "b1": [], "b2": ["session remembers"]}
