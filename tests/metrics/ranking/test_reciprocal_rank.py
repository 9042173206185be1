import pytest

from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.reciprocal_rank import reciprocal_rank


def test_golden_value():
    # first relevant at ranks 1, 3, 2 and none
    answers = ([1, 0, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0])
    assert sum(reciprocal_rank(ranking(a, unseen=[1]))[0] for a in answers) / 4 == pytest.approx(0.4583, abs=5e-5)


@pytest.mark.parametrize(
    "grades, at, rel, value",
    [
        ([0, 0, 1], 2, 1, 0),
        ([0, 0, 1], 3, 1, 1 / 3),
        ([1, 2], 0, 2, 1 / 2),
        ([None, -1, 1], 0, 1, 1 / 3),
        ([], 0, 1, 0),
    ],
)
def test_by_hand(grades, at, rel, value):
    assert reciprocal_rank(ranking(grades, unseen=[2]), at=at, rel=rel) == pytest.approx([value])
