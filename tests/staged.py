"""Scores of one run whose values are given, metric by metric; nothing here computes a metric."""

import numpy as np

from neraca.metrics.batch import Relevance
from neraca.metrics.column import Column
from neraca.metrics.metric import Metric
from neraca.records import Item
from neraca.scores.score import Scores, Sheet


def staged(values, sessions=None, level=0.95, name="shop"):
    """`{"ContextRecall": [0.5, None, …]}` as scores; None is unscored."""
    size = len(next(iter(values.values())))
    items = tuple(Item(id=f"q{n}", query="?", session=(sessions or [None] * size)[n]) for n in range(size))
    columns = {}
    for metric in map(Metric.of, values):
        found = np.array([np.nan if v is None else v for v in values[str(metric)]], dtype=float)
        rows = np.stack([found, np.where(np.isnan(found), np.nan, 1.0)], axis=1)
        columns[str(metric)] = Column(metric, rows, ("",) * size)
    sheet = Sheet(name, None, items, None, np.arange(size), columns)
    return Scores((sheet,), tuple(map(Metric.of, values)), Relevance.of([], []), level)


def around(mean, size=30, step=0.05):
    """Values of this mean, as many above it as below, so that there is some chance in them."""
    return [mean + step * (n % 5 - 2) for n in range(size)]
