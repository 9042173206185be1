"""Choose the metrics by which runs are scored for a page: a study's own, the default ones, and one more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neraca.comparisons.compare import primary_of
from neraca.metrics.metric import Metric
from neraca.scores.score import score
from neraca.scores.scores import Scores


@dataclass(frozen=True)
class Measures:
    """The metrics of a page.

    Attributes
    ----------
    names
        Canonical names; (): the default metrics of the runs.
    primary
        The metric by which runs are ranked; it is scored even if it is not among the others.  "": the first that is no
        diagnostic.
    """

    names: tuple[str, ...] = ()
    primary: str = ""

    def score(self, folders: Sequence[Path]) -> Scores:
        """Score runs together by these metrics; raise the errors of `score`."""
        scores = score(folders, self.names)
        if self.primary and Metric.of(self.primary) not in scores.metrics:
            scores = score(folders, [*scores.metrics, self.primary])
        return scores

    def primary_of(self, scores: Scores) -> str:
        """Return the canonical name of the primary metric of these scores."""
        return str(primary_of(scores.metrics, self.primary))
