import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.stats.intervals.interval import interval

PAIRS = [
    (make_item("1", relevant={"a": 1, "b": 2, "z": 1, "c": 0}), make_answer("a x b c a", "1")),
    (make_item("2", relevant={"a": 1}), make_answer("", "2")),
    (make_item("3", relevant={"a": -1, "b": 3}), make_answer("a b", "3")),
    (make_item("4"), make_answer("a b", "4")),
    (make_item("5", relevant={"a": 1, "b": 1}), make_answer("a b", "5", status="error")),
]


@pytest.mark.parametrize(
    "name, values",
    [
        ("NumRet", [5, 0, 2, None, 0]),
        ("NumRel", [3, 1, 1, None, 2]),
        ("NumRel(rel=2)", [1, 0, 1, None, 0]),
        ("NumRelRet", [2, 0, 1, None, 0]),
        ("NumRelRet(rel=2)", [1, 0, 1, None, 0]),
        ("NumRelRet(rel=-1)", [3, 0, 2, None, 0]),
    ],
)
def test_by_hand(name, values):
    """Per answer, and the sum over those that are scored; that of nobody is unscored, a failed one is empty."""
    metric = Metric.of(name)
    column = score_metric(metric, make_scorable(PAIRS))
    np.testing.assert_array_equal(column.rows[:, 0], [np.nan if value is None else value for value in values])
    found = interval(column.rows, metric.total)
    assert found.value == sum(value for value in values if value is not None)
    assert found.n == 4


def test_the_interval_of_a_sum_is_as_wide_as_chance_makes_it():
    # counts 1, 2, 3, 6: s = sqrt(14/3); leaving one out gives (n-1)/sqrt(n) * s, and 3.1824 is t of 3 degrees
    rows = np.array([[1.0, 1], [2, 1], [3, 1], [6, 1]])
    found = interval(rows, Metric.of("NumRet").total)
    assert found.value == 12
    assert found.high - found.value == pytest.approx(3.182446 * 3 / 2 * (14 / 3) ** 0.5, rel=1e-6)
