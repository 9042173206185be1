import pytest
from builders import make_answer, make_item, make_scorable

from neraca.metrics.ranking.bpref import binary_preference
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.ranking import Ranking


@pytest.mark.parametrize(
    "grades, unseen, rel, value",
    [
        # R = 5, N = 4: 1 - 1/4, 1 - 3/4, 1 - 3/4
        ([0, 1, 0, 0, 1, None, 1], [1, 1, 0], 1, 1.25 / 5),
        # R = 2, N = 4: only the first two that are wrong count, 1 - 1/2 and 1 - 2/2
        ([0, 1, 0, 0, 1, None], [0], 1, 0.5 / 2),
        ([1, 1, 0, 0], [], 1, 1),
        ([None, None, 1], [0], 1, 1),
        # a negative grade is no judgement: neither above the relevant one nor one of the N
        ([-1, 0, 1], [-1, 0, 0, 1], 1, (1 - 1 / 2) / 2),
        ([0, 1], [-1, -1, 1, 1], 1, (1 - 1 / 1) / 3),
        ([1, 2], [2], 2, (1 - 1 / 1) / 2),
        ([1, 2], [1, 2], 2, (1 - 1 / 2) / 2),
        ([0, 0], [], 1, 0),
        ([0], [1], 1, 0),
        ([], [1], 1, 0),
    ],
)
def test_by_hand(grades, unseen, rel, value):
    assert binary_preference(ranking(grades, unseen), rel=rel) == pytest.approx([value])


def test_a_document_that_comes_again_is_not_judged_again():
    view = make_scorable([(make_item(relevant={"a": 0, "b": 1, "c": 0, "d": 1}), make_answer("a a b"))]).view(Ranking)
    assert binary_preference(view) == pytest.approx([(1 - 1 / 2) / 2])
