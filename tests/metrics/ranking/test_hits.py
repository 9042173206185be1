import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.hits import hit_confusion, unjudged_hits
from neraca.metrics.ranking.ranking import Ranking


@pytest.mark.parametrize(
    "grades, unseen, rel, table",
    [
        ([1, 0, None, 1], [1, 0, 0, 0], 1, [2, 1, 1, 3]),
        ([2, 1, 0], [2, 1, 0], 2, [1, 2, 1, 2]),
        ([], [1, 0], 1, [0, 0, 1, 1]),
        ([None], [], 1, [0, 0, 0, 0]),
        ([1, 1], [], 1, [2, 0, 0, 0]),
    ],
)
def test_by_hand(grades, unseen, rel, table):
    assert hit_confusion(ranking(grades, unseen), rel).tolist() == [table]


def test_a_document_returned_again_is_a_false_positive_and_takes_nothing_from_the_pool():
    pair = (make_item(relevant={"a": 1, "b": 1, "c": 0, "d": 0}), make_answer("a a c c"))
    assert hit_confusion(make_scorable([pair]).view(Ranking)).tolist() == [[1, 3, 1, 1]]


def test_correct_empties_count_and_what_nobody_judged_does_not():
    batch = make_scorable(
        [
            (make_item("1", relevant={"x": 0, "y": 0}), make_answer("", "1")),
            (make_item("2"), make_answer("a", "2")),
            (make_item("3", relevant={"a": 1}), make_answer("a", "3", status="suspect")),
        ]
    )
    found = hit_confusion(batch.view(Ranking))
    assert found[0].tolist() == [0, 0, 0, 2]
    assert np.isnan(found[1:]).all()


def test_what_nobody_judged_is_no_false_positive_and_is_counted():
    """Unjudged: z, y, and u, which stands in a pool without a judgement."""
    items = make_item("1", relevant={"a": 1, "b": 0, "u": -1}), make_item("2")
    pairs = [(items[0], make_answer("a b z u y", "1")), (items[1], make_answer("a", "2"))]
    ranking = make_scorable(pairs).view(Ranking)
    assert hit_confusion(ranking)[0].tolist() == [1, 1, 0, 0]
    assert unjudged_hits(ranking)[0] == 3
    assert np.isnan(unjudged_hits(ranking)[1])
