"""Choose the metrics by which runs are scored for a page: a study's own, the default ones, and one more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neraca.comparisons.compare import primary_of
from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.scores.score import score
from neraca.scores.scores import Scores
from neraca.web.choices import Option


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


#: Metric → the ends of its range in some runs, if it is not the usual one: people rated on a scale that the runs state.
Limits = Mapping[str, tuple[float, float]]


def stated_limits(scores: Scores) -> dict[str, tuple[float, float]]:
    """Return the ranges of metrics that the runs state, such as that of `Rubric(quality)` on a scale of 0 to 10."""
    limits = {str(metric): metric.definition.limits for metric in scores.scored}
    return {name: ends for name, ends in limits.items() if ends != Metric.of(name).definition.limits}


def limits_of(name: str, values: Iterable[float | None], stated: Limits) -> tuple[float, float]:
    """Return the range of a metric, as the runs state it or else the usual one, widened to hold these values."""
    low, high = stated.get(name) or Metric.of(name).definition.limits
    finite = [value for value in values if value is not None and math.isfinite(value)]
    return min([low, *finite]), max([high, *finite])


#: Metrics that a page offers beside the scored ones, if the runs have what they need.
FURTHER = (
    *("nDCG@10", "AP", "RR", "P@5", "P@10", "R@10", "R@100", "RBP", "ERR@10", "Rprec", "Bpref", "Success"),
    *("TokenF1", "TokenRecall", "ROUGE-L", "chrF", "BLEU", "ExactMatch"),
)
#: Those of them that the list of runs offers, for which every run is scored.
LISTED = ("nDCG@10", "AP", "RR", "P@10", "R@100")


def offered_metrics(scored: Sequence[str]) -> list[Option]:
    """Return the scored metrics and those of `FURTHER` that need no more than these; a page scores them if chosen."""
    available = {need for name in scored for need in Metric.of(name).needs}
    further = [name for name in FURTHER if name not in scored and available.issuperset(Metric.of(name).needs)]
    labels = labels_of([*scored, *further])
    return [Option(name, labels[name]) for name in (*scored, *further)]


def score_for_list(measures: Measures, folders: Sequence[Path]) -> Scores:
    """Score runs for the list of runs: if no metrics were named, also by those of `LISTED` that the data allow."""
    scores = measures.score(folders)
    names = [str(metric) for metric in scores.metrics]
    offered = {option.value for option in offered_metrics(names)} - {*names}
    further = [name for name in LISTED if name in offered]
    return score(folders, [*names, *further]) if further and not measures.names else scores


def labels_of(names: Iterable[str]) -> MetricLabels:
    """Return the short labels of metrics, as in a report; a name that is no metric stands for itself."""
    metrics, other_names = [], {}
    for name in dict.fromkeys(names):
        try:
            metrics.append(Metric.of(name))
        except SpecError:  # seconds, cost, or a metric of a plug-in that this server does not load
            other_names[name] = name
    labels = MetricLabels.of(metrics)
    return MetricLabels({**labels.by_metric, **other_names}, labels.shortened)
