"""Scores of one run whose values are given, metric by metric; nothing here computes a metric."""

import numpy as np

from neraca.metrics.counts import Counts
from neraca.metrics.metric import Metric
from neraca.scores.scores import RunScores, Scores
from neraca.scores.unit import clusters_of


def staged(values, sessions=None, level=0.95, name="shop"):
    """`{"ContextRecall": [0.5, None, …]}` as scores; None is unscored."""
    size = len(next(iter(values.values())))
    ids = [f"q{n}" for n in range(size)]
    counts = {}
    for metric in map(Metric.of, values):
        found = [np.nan if value is None else value for value in values[str(metric)]]
        counts[str(metric)] = Counts.of(metric, found, [""] * size)
    clusters = clusters_of(sessions or [None] * size)
    return Scores((RunScores(name, ids, counts, clusters),), tuple(map(Metric.of, values)), level=level)


def around(mean, size=30, step=0.05):
    """Values of this mean, as many above it as below, so that there is some chance in them."""
    return [mean + step * (n % 5 - 2) for n in range(size)]
