import numpy as np
import pytest

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.precision import precision

R = [1, 1, 0, 0, 1, 0, 1, 0, 0, 1]


def test_golden_value():
    assert precision(ranking(R), at=5) == pytest.approx([0.6])


@pytest.mark.parametrize(
    "grades, at, of, value",
    [
        ([1, 1], 5, "k", 2 / 5),
        ([1, 1], 5, "returned", 1),
        ([1, 0, 1, 1], 3, "returned", 2 / 3),
        ([], 5, "k", 0),
        ([None, 1], 2, "k", 1 / 2),
        ([-1, 1], 2, "k", 1 / 2),
    ],
)
def test_by_hand(grades, at, of, value):
    assert precision(ranking(grades, unseen=[1]), at=at, of=of) == pytest.approx([value])


def test_nothing_returned_is_no_precision_of_what_was_returned():
    assert np.isnan(Metric.of("P(of=returned)")(ranking([], unseen=[1])))
    assert Metric.of("P(of=returned,empty=expected)")(ranking([], unseen=[1])).tolist() == [0]


@pytest.mark.parametrize("rel, value", [(1, 3 / 4), (2, 2 / 4), (3, 1 / 4), (4, 0), (0.5, 3 / 4)])
def test_the_grade_that_is_needed(rel, value):
    assert precision(ranking([3, 2, 1, 0]), at=4, rel=rel) == pytest.approx([value])


def test_an_unknown_word():
    with pytest.raises(SpecError, match="of is k or returned, not 'all'"):
        precision(ranking([1]), of="all")
