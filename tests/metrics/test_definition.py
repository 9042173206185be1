"""Metrics of verdicts name the judge that writes them, and there is such a judge."""

from neraca.judges.judge import JUDGES
from neraca.metrics.metric import METRICS


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
