import pytest

from neraca.metrics.ranking.subtopic_recall import subtopic_recall
from neraca.metrics.ranking.subtopics import Subtopics


@pytest.mark.parametrize("at, value", [(1, 1 / 3), (2, 1 / 3), (4, 2 / 3), (5, 1), (20, 1)])
def test_by_hand(at, value):
    view = Subtopics.judged([list("aabxc")], [{"a": "1", "b": "12", "c": "3"}])
    assert subtopic_recall(view, at=at) == pytest.approx([value])


@pytest.mark.parametrize("at", [5, 10, 20])
def test_as_printed_by_pyndeval(at):
    # the example in the documentation of pyndeval 0.0.8, cut after the fourth digit
    view = Subtopics.judged([list("ADEB")], [{"A": "a", "B": "b", "D": "b", "C": "c"}])
    assert subtopic_recall(view, at=at) == pytest.approx([0.6666], abs=1e-4)


def test_a_subtopic_without_a_relevant_document_does_not_count():
    assert subtopic_recall(Subtopics.judged([["a"]], [{"a": "1", "b": ""}])).tolist() == [1]


def test_nothing_relevant_and_nothing_returned():
    assert subtopic_recall(Subtopics.judged([["a"], []], [{}, {"a": "1"}])).tolist() == [0, 0]
