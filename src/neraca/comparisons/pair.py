"""Two runs in one metric, as a paired test takes them."""

from __future__ import annotations

from dataclasses import dataclass

from neraca.metrics.metric import Metric
from neraca.stats.paired import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Run a minus run b in one metric.

    Attributes
    ----------
    sample
        The paired differences of the items scored in both, and their sessions.
    wins, ties, losses
        Items on which a is better, equal, worse.
    """

    metric: Metric
    a: str
    b: str
    sample: Sample
    wins: int
    ties: int
    losses: int
