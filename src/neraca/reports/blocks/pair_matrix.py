"""The differences of many metrics as one matrix: metrics by pairs, each cell with effect and p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from neraca.comparisons.difference import Difference
from neraca.metrics.metric import Metric
from neraca.reports.translation import say

#: More pairs than these stand below each other, with the metrics side by side.
WIDE = 6
CAPTION = (
    "The other metrics: size of the effect (Cohen's d_z; 0.2 small, 0.5 medium, 0.8 large) and adjusted p. Bold: a run "
    "is called better. Intervals and counts of every pair: --to FOLDER."
)
#: Cohen's bounds of a small, a medium and a large effect, the largest first, and how dark such a cell is.
SHADES = ((0.8, "deep"), (0.5, "light"), (0.2, "faint"))


@dataclass(frozen=True)
class PairMatrix:
    """Differences in two directions.

    Attributes
    ----------
    columns
        The heading of the names of the rows, then that of each other column.
    rows
        A name, then a difference for each column; None where the two were not compared in that metric.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Difference | None, ...]], ...]


def pair_matrix(differences: Sequence[Difference]) -> PairMatrix:
    """Arrange differences: metrics below each other, or pairs where there are more than `WIDE`."""
    pairs = list(dict.fromkeys((d.a, d.b) for d in differences))
    metrics = list(dict.fromkeys(d.metric for d in differences))
    cells = {(d.metric, d.a, d.b): d for d in differences}
    names = [f"{a} − {b}" for a, b in pairs]
    if len(pairs) > WIDE:
        below = [(name, tuple(cells.get((m, *pair)) for m in metrics)) for name, pair in zip(names, pairs, strict=True)]
        return PairMatrix((say("Pair"), *metrics), tuple(below))
    return PairMatrix(
        (say("Metric"), *names), tuple((m, tuple(cells.get((m, *pair)) for pair in pairs)) for m in metrics)
    )


def effect_shade(difference: Difference) -> str:
    """Return the shade of a difference's cell in a word, by the size of its effect.

    It begins with `minus` where the second run of the pair is the better one.  "" below a small effect, without one,
    and of a diagnostic.
    """
    metric = Metric.of(difference.metric)
    effect = difference.effect
    if metric.diagnostic or math.isnan(effect):
        return ""
    step = next((word for least, word in SHADES if abs(effect) >= least), "")
    return f"minus {step}" if step and (effect > 0) != metric.higher_is_better else step
