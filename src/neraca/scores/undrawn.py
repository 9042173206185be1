"""Leave out answers that were not drawn for a judge, in every metric that reads the judge's verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.counts import Counts
from neraca.metrics.metric import Metric

if TYPE_CHECKING:
    from neraca.scores.drawn_part import DrawnPart
    from neraca.scores.scores import RunScores

#: The reason why an answer that was not drawn has no value.
NOT_DRAWN = "it was not drawn: the judge decided on a random part of the answers"


def without_undrawn(scores: RunScores, counts: Counts, part: DrawnPart) -> Counts:
    """Return counts of a metric of this run, with NaN and a reason for answers that were not drawn."""
    undrawn = ~drawn_rows(scores, part)
    values = counts.values.copy()
    values[undrawn] = np.nan
    return replace(
        counts, values=values, reasons={**counts.reasons, **dict.fromkeys(np.flatnonzero(undrawn).tolist(), NOT_DRAWN)}
    )


def drawn_rows(scores: RunScores, part: DrawnPart) -> NDArray[np.bool_]:
    """Return whether each answer, shape (m,), was drawn; with several trials a question has several answers."""
    return part.drawn if scores.item is None else part.drawn[scores.item]


def part_of_rankings(scores: RunScores) -> DrawnPart | None:
    """Return the part of a run on which its metrics of relevance rest; None if they rest on all answers."""
    return next((part for name, part in scores.draws.items() if "grades" in Metric.of(name).needs), None)
