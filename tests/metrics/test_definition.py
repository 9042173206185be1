"""Metrics of verdicts name the judge that writes them, and there is such a judge."""

from neraca.judges.judge import JUDGES
from neraca.metrics.metric import METRICS, Metric


def test_each_metric_of_verdicts_names_a_judge_that_exists():
    unnamed = []
    for name in METRICS.names():
        definition = METRICS.get(name)
        home = definition.function.__module__
        reads_verdicts = "verdicts" in getattr(definition.function, "__annotations__", {}) or ".constraints." in home
        if reads_verdicts and home.startswith("neraca.") and definition.judge not in JUDGES.names():
            unnamed.append(name)
    assert unnamed == []
    assert METRICS.get("Similarity").judge == "similarity"


def test_differences_reach_from_the_least_minus_the_largest_value_to_the_opposite():
    assert Metric.of("Value(low=1,high=5)").definition.limits_of_difference == (-4, 4)
    assert Metric.of("P@5").definition.limits_of_difference == (-1, 1)
