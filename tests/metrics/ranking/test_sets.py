import numpy as np
import pytest

from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.sets import set_precision, set_recall


def test_golden_value():
    # eight returned, six relevant
    assert set_precision(ranking([1, 1, 1, 0, 1, 1, 0, 1])) == pytest.approx([0.75])


@pytest.mark.parametrize(
    "grades, unseen, rel, precision, recall",
    [
        ([1, 0, 2], [1, 1, 0], 1, 2 / 3, 2 / 4),
        ([1, 0, 2], [1, 2, 0], 2, 1 / 3, 1 / 2),
        ([None, 1], [], 1, 1 / 2, 1),
        ([0, 0], [1], 1, 0, 0),
    ],
)
def test_by_hand(grades, unseen, rel, precision, recall):
    view = ranking(grades, unseen)
    assert set_precision(view, rel=rel) == pytest.approx([precision])
    assert set_recall(view, rel=rel) == pytest.approx([recall])


def test_where_there_is_nothing_to_divide_by():
    assert np.isnan(set_precision(ranking([], unseen=[1])))
    assert set_recall(ranking([], unseen=[1])).tolist() == [0]
    assert np.isnan(set_recall(ranking([0, 0])))
