"""Arrange the differences of many metrics as one matrix: metrics by pairs, each cell with effect and p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from neraca.comparisons.difference import Difference
from neraca.metrics.metric import Metric
from neraca.reports.blocks.correlations import shade
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.translation import say

#: If there are more pairs than this, each pair is a row and each metric a column.
WIDE = 6
CAPTION = (
    "The other metrics: size of the effect (Cohen's d_z; 0.2 small, 0.5 medium, 0.8 large) and adjusted p. Bold: a run "
    "is called better. Intervals and counts of every pair: --to FOLDER."
)
#: Cohen's bounds of a large, a medium and a small effect, and the shade of its cell.
SHADES = ((0.8, "deep"), (0.5, "light"), (0.2, "faint"))


@dataclass(frozen=True)
class PairMatrix:
    """Differences by metric and pair.

    Attributes
    ----------
    columns
        The heading of the names of the rows, then that of each other column.
    rows
        A name, then a difference for each column; None if the two runs were not compared in that metric.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Difference | None, ...]], ...]


def pair_matrix(differences: Sequence[Difference], labels: MetricLabels) -> PairMatrix:
    """Arrange differences with metrics as rows, or pairs as rows if there are more than `WIDE`."""
    pairs = list(dict.fromkeys((d.a, d.b) for d in differences))
    metrics = list(dict.fromkeys(d.metric for d in differences))
    cells = {(d.metric, d.a, d.b): d for d in differences}
    names = [f"{a} − {b}" for a, b in pairs]
    if len(pairs) > WIDE:
        rows = [(name, tuple(cells.get((m, *pair)) for m in metrics)) for name, pair in zip(names, pairs, strict=True)]
        return PairMatrix((say("Pair"), *(labels[metric] for metric in metrics)), tuple(rows))
    return PairMatrix(
        (say("Metric"), *names), tuple((labels[m], tuple(cells.get((m, *pair)) for pair in pairs)) for m in metrics)
    )


def effect_shade(difference: Difference) -> str:
    """Return the shade of a difference's cell in a word, by the size of its effect.

    It begins with `minus` if the second run of the pair is the better one.  It is "" if the effect is missing or less
    than small, and for diagnostics.
    """
    metric = Metric.of(difference.metric)
    effect = difference.effect
    if metric.diagnostic or math.isnan(effect):
        return ""
    return shade(effect if metric.higher_is_better else -effect, SHADES)
