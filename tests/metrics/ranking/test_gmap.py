import numpy as np
import pytest

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.gmap import SMALLEST, geometric_mean, gmap
from neraca.scores.trec import trec


def test_the_geometric_mean_of_ap():
    # AP 1 and 1/4: the square root of 1/4
    counts = gmap(ranking([1])) + gmap(ranking([0, 0, 0, 1]))
    assert geometric_mean(counts) == pytest.approx([0.5])


def test_nothing_found_counts_as_a_hundred_thousandth():
    counts = gmap(ranking([0], unseen=[1])) + gmap(ranking([1]))
    assert geometric_mean(counts) == pytest.approx([SMALLEST**0.5])
    assert geometric_mean(gmap(ranking([0], unseen=[1]))) == [SMALLEST]


@pytest.mark.parametrize("name, value", [("GMAP@1", 1 / 2), ("GMAP(rel=2)", 1 / 2), ("GMAP", 1)])
def test_its_parameters_are_those_of_ap(name, value):
    metric = Metric.of(name)
    assert metric.total(metric(ranking([1, 2]))) == pytest.approx([value])


def test_a_query_alone_has_its_ap_and_all_have_gm_map():
    """trec_eval's `gm_map` of two queries with AP 1/2 and 1/8 is 1/4."""
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    run = {"1": {"b": 2.0, "a": 1.0}, "2": {**{f"b{n}": 9.0 - n for n in range(7)}, "a": 1.0}}
    scores = trec(qrels, run, ["gm_map"])
    assert scores.mean("GMAP") == pytest.approx(1 / 4)
    assert scores.by_item("GMAP") == pytest.approx({"1": 1 / 2, "2": 1 / 8})
    counts = score_metric(Metric.of("GMAP"), scores.runs[0].scorable)
    np.testing.assert_allclose(counts.per_answer, [1 / 2, 1 / 8])
