import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.ranking.compat import compatibility
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.ranking import Ranking


@pytest.mark.parametrize(
    "grades, unseen, at, value",
    [
        # ideal: 2nd hit, 1st hit, the unseen one; they share 0, 2 and 2 documents at depths 1, 2 and 3
        ([1, 2, None], [1], 0, (0 + 1 / 2 * 2 / 2 + 1 / 4 * 2 / 3) / (1 + 1 / 2 + 1 / 4)),
        ([1, 2, None], [1], 2, (1 / 2) / (1 + 1 / 2)),
        ([1, 2, None], [1], 1, 0),
        # down to depth 4 there is nothing new
        ([1, 2, None], [1], 4, (1 / 2 + 1 / 4 * 2 / 3 + 1 / 8 * 2 / 4) / (1 + 1 / 2 + 1 / 4 + 1 / 8 * 3 / 4)),
        # equal grades in the order of the hits: the ideal one begins as the ranking does
        ([1, 1], [1], 0, (1 + 1 / 2 + 1 / 4 * 2 / 3) / (1 + 1 / 2 + 1 / 4)),
        # the best is not there, and they share 0, 1 and 2 documents
        ([1, 1], [2], 0, (1 / 2 * 1 / 2 + 1 / 4 * 2 / 3) / (1 + 1 / 2 + 1 / 4)),
        ([2, 1, 1], [], 0, 1),
        ([None, 0, -1, 1], [], 0, (1 / 8 / 4) / (1 + 1 / 2 / 2 + 1 / 4 / 3 + 1 / 8 / 4)),
        ([1], [], 1000, 1),
        ([0, 0], [], 0, 0),
        ([0], [1], 0, 0),
        ([], [1], 0, 0),
    ],
)
def test_by_hand(grades, unseen, at, value):
    assert compatibility(ranking(grades, unseen), at=at, p=0.5) == pytest.approx([value])


def test_a_document_that_comes_again_is_not_found_again():
    view = make_scorable([(make_item(relevant={"a": 1, "b": 1}), make_answer("a a b"))]).view(Ranking)
    assert compatibility(view, p=0.5) == pytest.approx(
        [(1 + 1 / 2 * 1 / 2 + 1 / 4 * 2 / 3) / (1 + 1 / 2 + 1 / 4 * 2 / 3)]
    )


@pytest.mark.parametrize("p", [0, 1, -0.5, float("nan")])
def test_a_probability_that_is_none(p):
    with pytest.raises(SpecError, match="Compat: p is above 0 and below 1, not"):
        compatibility(ranking([1]), p=p)
