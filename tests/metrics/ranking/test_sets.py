import numpy as np
import pytest

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.sets import set_f, set_precision, set_recall


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
    assert np.isnan(Metric.of("SetP")(ranking([], unseen=[1])))
    assert Metric.of("SetP(empty=expected)")(ranking([], unseen=[1])).tolist() == [0]
    assert set_recall(ranking([], unseen=[1])).tolist() == [0]
    assert np.isnan(set_recall(ranking([0, 0])))


def test_f_of_an_exercise():
    # An exercise in chapter 8 of Manning, Raghavan and Schütze (2008): six of twenty hits are relevant, two missing.
    hits = [1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    assert set_f(ranking(hits, unseen=[1, 1])) == pytest.approx([2 * 0.3 * 0.75 / (0.3 + 0.75)])


@pytest.mark.parametrize(
    "beta, value", [(0, 1 / 2), (1, 2 / 5), (2, 5 * 1 / 6 / (4 / 2 + 1 / 3)), (0.5, 5 / 24 / (11 / 24))]
)
def test_the_weight_of_recall(beta, value):
    # P = 1/2, R = 1/3: (1 + b^2) / 6 over b^2 / 2 + 1/3
    assert set_f(ranking([1, 0], unseen=[1, 1]), beta=beta) == pytest.approx([value])


def test_f_is_0_where_only_one_of_precision_and_recall_is_defined():
    assert set_f(ranking([], unseen=[1])).tolist() == [0]
    assert set_f(ranking([0, 0])).tolist() == [0]
    assert set_f(ranking([1], unseen=[2]), rel=2).tolist() == [0]
    assert np.isnan(set_f(ranking([])))
    assert np.isnan(set_f(ranking([], unseen=[1]), rel=2))


@pytest.mark.parametrize("beta", [-1, float("inf"), float("nan")])
def test_a_weight_that_is_none(beta):
    with pytest.raises(SpecError, match="SetF: beta is a number from 0, not"):
        set_f(ranking([1]), beta=beta)
