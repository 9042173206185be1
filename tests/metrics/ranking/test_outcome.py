import pytest
from builders import make_answer, make_item, make_scorable

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.outcome import Outcomes

JUDGED = {"a": 1, "b": 0}


@pytest.mark.parametrize(
    "item, answer, outcome, success, covered",
    [
        (make_item(relevant=JUDGED), make_answer("b a"), "relevant", 1, 1),
        (make_item(relevant=JUDGED), make_answer("b x"), "none relevant", 0, 1),
        (make_item(relevant=JUDGED), make_answer(""), "false empty", 0, 0),
        (make_item(relevant={}), make_answer(""), "correct empty", 1, 0),
        (make_item(expects="none"), make_answer(""), "correct empty", 1, 0),
        (make_item(expects="none"), make_answer("b"), "none relevant", 0, 1),
        (make_item(expects="results"), make_answer(""), "false empty", 0, 0),
        (make_item(relevant=JUDGED), make_answer("a", status="timeout"), "failed", 0, 0),
        (make_item(expects="none"), make_answer("", status="error"), "failed", 0, 0),
        (make_item(), make_answer("a"), "", None, 1),
        (make_item(), make_answer(""), "", None, 0),
        (make_item(expects="results"), make_answer("a"), "", None, 1),
        (make_item(relevant=JUDGED), make_answer("a", status="suspect"), "", None, None),
    ],
)
def test_outcomes(item, answer, outcome, success, covered):
    batch = make_scorable([(item, answer)])
    assert batch.view(Outcomes).names().tolist() == [outcome]
    for name, value in (("Success", success), ("Coverage", covered)):
        column = score_metric(Metric.of(name), batch)
        assert column.rows[0, 0] == pytest.approx(float("nan") if value is None else value, nan_ok=True)
        assert bool(column.why[0]) == (value is None)


@pytest.mark.parametrize(
    "name, value", [("Success@1", 0), ("Success@2", 1), ("Success(rel=2)@2", 0), ("Success(rel=2)", 1)]
)
def test_cutoff_and_grade(name, value):
    batch = make_scorable([(make_item(relevant={"a": 0, "b": 1, "c": 2}), make_answer("a b c"))])
    assert score_metric(Metric.of(name), batch).rows[0, 0] == value


def test_outcomes_under_a_stricter_grade():
    batch = make_scorable([(make_item(relevant={"a": 1, "b": 2}), make_answer("a"))])
    assert batch.view(Outcomes).names(rel=2).tolist() == ["none relevant"]
