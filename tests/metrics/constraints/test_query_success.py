import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable, make_verdict

from neraca.metrics.constraints.query_success import query_confusion, query_success
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.rag.example import checks

TP, FP, FN, TN = np.eye(4).tolist()
NAN = [np.nan] * 4


@pytest.mark.parametrize(
    "hits, expects, status, value, cell",
    [
        ([[1, 1, 0]], "results", "complete", 1, TP),
        ([[1, 0, 0]], "results", "complete", 0, FN),
        ([], "results", "complete", 0, FN),
        ([], "results", "timeout", 0, FN),
        ([[1, 1]], "results", "timeout", 0, FN),
        ([], "none", "complete", 1, TN),
        ([[1, 1]], "none", "complete", 0, FP),
        ([[]], "none", "complete", 0, FP),
        ([], "none", "error", 0, FP),
        ([[1, 1]], "none", "error", 0, FP),
        ([[]], "results", "complete", np.nan, NAN),
        ([[None]], "results", "complete", np.nan, NAN),
        ([[1]], None, "complete", np.nan, NAN),
        ([], None, "complete", np.nan, NAN),
    ],
)
def test_success_and_confusion(hits, expects, status, value, cell):
    view = checks(hits, expects=expects, status=status)
    assert query_success(view) == pytest.approx([value], nan_ok=True)
    assert query_confusion(view)[0] == pytest.approx(cell, nan_ok=True)


@pytest.mark.parametrize("at, value", [(0.74, 1), (0.75, 1), (0.76, 0)])
def test_threshold(at, value):
    assert query_success(checks([[1, 1], [1, 0]]), at=at).tolist() == [value]


def test_a_threshold_that_is_reached_is_not_missed_by_rounding():
    # 3/5, 4/5 and 5/5 of the constraints: a mean of exactly .8, which floats add up to .7999999999999999
    hits = [[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert query_success(checks(hits), at=0.8).tolist() == [1]


def test_a_suspect_answer_is_in_no_cell():
    assert np.isnan(query_confusion(checks([[1]], status="suspect"))).all()


def totals(cells, at=""):
    """The four totals over questions that end in these cells."""
    ways = {"TP": ("results", "a", 1), "FN": ("results", "a", 0), "FP": ("none", "a", 0), "TN": ("none", "", 0)}
    pairs, said = [], []
    for number, cell in enumerate(cells):
        expects, docs, value = ways[cell]
        pairs.append((make_item(str(number), "c", expects=expects), make_answer(docs, str(number))))
        said.append(make_verdict("a", "c", value, item=str(number)))
    batch = make_scorable(pairs, said)
    found = []
    for name in ("QueryPrecision", "QueryRecall", "QueryF1", "QueryAccuracy"):
        metric = Metric.of(name + at)
        found.append(float(metric.total(score_metric(metric, batch).rows.sum(axis=0))))
    return found


def test_totals_by_hand():
    # TP 3, FP 1, FN 2, TN 4
    cells = ["TP"] * 3 + ["FP"] + ["FN"] * 2 + ["TN"] * 4
    assert totals(cells) == pytest.approx([3 / 4, 3 / 5, 6 / 9, 7 / 10])
    assert totals(cells, "(at=1.0)") == totals(cells)


def test_totals_that_are_not_defined():
    assert totals(["TN", "TN"]) == pytest.approx([np.nan, np.nan, np.nan, 1], nan_ok=True)
    assert totals(["FN"]) == pytest.approx([np.nan, 0, 0, 0], nan_ok=True)


def test_the_threshold_is_part_of_the_name():
    metric = Metric.of("QuerySuccess(at=0.8)")
    assert dict(metric.params) == {"at": 0.8}
    assert Metric.of(str(metric)) == metric
    assert str(Metric.of("QuerySuccess(at=0.6)")) == "QuerySuccess"
    batch = make_scorable(
        [(make_item("1", "b c d", expects="results"), make_answer("a"))],
        [make_verdict("a", "b", 1), make_verdict("a", "c", 1), make_verdict("a", "d", 0)],
    )
    assert [score_metric(Metric.of(f"QuerySuccess(at={at})"), batch).rows[0, 0] for at in (0.6, 0.7)] == [1, 0]
