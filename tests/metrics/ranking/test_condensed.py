import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import METRICS, Metric, metric
from neraca.metrics.ranking.condensed import closed_up
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.ranking import Ranking


def value(name, view):
    return Metric.of(name)(view)[0]


@pytest.mark.parametrize(
    "name, expected",
    [
        # the list is 1, 0, 2
        ("Condensed(P@2)", 1 / 2),
        ("Condensed(P)", 2 / 10),
        ("Condensed(SetP)", 2 / 3),
        ("Condensed(P(rel=2)@3)", 1 / 3),
        ("Condensed(RR(rel=2))", 1 / 3),
        ("Condensed(AP)", (1 + 2 / 3) / 3),
        ("Condensed(nDCG@3)", (1 + 2 / 2) / (2 + 1 / math.log2(3) + 1 / 2)),
        ("Condensed(Judged)", 1),
        ("Condensed(Condensed(RR(rel=2)))", 1 / 3),
    ],
)
def test_by_hand(name, expected):
    view = ranking([None, 1, None, 0, None, 2], unseen=[1])
    assert value(name, view) == pytest.approx(expected)


def test_each_answer_closes_up_for_itself():
    batch = make_scorable(
        [
            (make_item("1", relevant={"a": 1}), make_answer("x a", "1")),
            (make_item("2", relevant={"a": 1}), make_answer("x y", "2")),
            (make_item("3", relevant={"a": 1, "b": 0}), make_answer("b x x a", "3")),
        ]
    )
    view = closed_up(batch.view(Ranking))
    assert view.rank.tolist() == [1, 1, 2, 3]
    assert view.returned.tolist() == [1, 0, 3]
    assert view.returned.dtype == np.int64
    column = score_metric(Metric.of("Condensed(SetP)"), batch)
    np.testing.assert_array_equal(column.rows[:, 0], [1, np.nan, 1 / 3])
    assert column.why == ("", "the metric is not defined for the judged hits", "")


def test_its_name():
    assert str(Metric.of("Condensed( P(rel=2)@5 )")) == "Condensed(P(rel=2)@5)"
    assert Metric.of("Condensed(metric=AP)") == "Condensed(AP)"


@pytest.fixture
def loss():
    @metric("TestLoss", better="lower")
    def test_loss(ranking: Ranking) -> float:
        """For one test."""

    yield "TestLoss"
    del METRICS._objects["TestLoss"]


@pytest.mark.parametrize(
    "name, message",
    [
        ("Condensed(Coverage)", "takes a metric of rankings, such as AP or nDCG@10, not Coverage"),
        ("Condensed(PassRatio)", "takes a metric of rankings"),
        ("Condensed(NumRet)", "takes a metric that is averaged and of which more is better, not NumRet"),
        ("Condensed(TestLoss)", "takes a metric that is averaged and of which more is better, not TestLoss"),
        ("Condensed(nDGC@10)", "did you mean nDCG"),
        ("Condensed(5)", "cannot read '5'"),
    ],
)
def test_metrics_that_it_does_not_take(name, message, loss):
    with pytest.raises(SpecError, match=message):
        value(name, ranking([1]))
