import pytest

from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.recall import r_precision, recall

#: An exercise in chapter 8 of Manning, Raghavan and Schütze (2008): twenty hits, eight documents are relevant.
HITS = [1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("at, value", [(1, 1 / 8), (2, 2 / 8), (8, 2 / 8), (11, 4 / 8), (20, 6 / 8), (1000, 6 / 8)])
def test_recall_of_an_exercise(at, value):
    assert recall(ranking(HITS, unseen=[1, 1]), at=at) == pytest.approx([value])


def test_precision_after_as_many_hits_as_are_relevant():
    assert r_precision(ranking(HITS, unseen=[1, 1])) == pytest.approx([2 / 8])
    assert r_precision(ranking(HITS, unseen=[1])) == pytest.approx([2 / 7])
    assert r_precision(ranking(HITS, unseen=[1, 1, 1])) == pytest.approx([3 / 9])


@pytest.mark.parametrize(
    "grades, unseen, rel, at_2, at_r",
    [
        ([2, 1, 2], [0, 2], 2, 1 / 3, 2 / 3),
        ([2, 1, 2], [0, 2], 1, 2 / 4, 3 / 4),
        ([None, 1], [], 1, 1, 0),
        ([-1, 1], [1], 1, 1 / 2, 1 / 2),
        ([0, 0], [], 1, 0, 0),
        ([], [1], 1, 0, 0),
        ([1], [1, 1], 1, 1 / 3, 1 / 3),
    ],
)
def test_by_hand(grades, unseen, rel, at_2, at_r):
    view = ranking(grades, unseen)
    assert recall(view, at=2, rel=rel) == pytest.approx([at_2])
    assert r_precision(view, rel=rel) == pytest.approx([at_r])


def test_without_a_cutoff_it_is_1000():
    assert str(Metric.of("R")) == "R@1000"
    view = ranking([0] * 999 + [1, 1])
    assert recall(view) == pytest.approx([1 / 2])
