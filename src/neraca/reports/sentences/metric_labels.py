"""Short labels of metrics for headings; the canonical name, with every parameter, stands where a number is defined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from neraca.metrics.metric import Metric
from neraca.registry import Spec
from neraca.reports.counts_and_lists import listed
from neraca.reports.translation import say

#: Canonical names of one or two letters, and the word that a reader of a table expects.
_WORDS = {"P": "Precision", "R": "Recall"}


def metric_labels(metrics: Iterable[Metric | str]) -> dict[str, str]:
    """Return canonical name → label: without parameters except the cutoff and what the metric is about.

    Two metrics whose labels would be the same keep their canonical names.

    >>> metric_labels(["nDCG(empty=correct)@10", "P@5", "AP(rel=2)", "AP", "Rubric(quality)"])
    {'nDCG(empty=correct)@10': 'nDCG@10', 'P@5': 'Precision@5', 'AP(rel=2)': 'AP(rel=2)', 'AP': 'AP', \
'Rubric(quality)': 'Rubric(quality)'}
    """
    specs = [Metric.of(metric).spec for metric in metrics]
    labels = [_label(spec) for spec in specs]
    repetitions = Counter(labels)
    return {
        str(spec): label if repetitions[label] == 1 else str(spec) for spec, label in zip(specs, labels, strict=True)
    }


def _label(spec: Spec) -> str:
    cutoff = {"at": spec.params["at"]} if "at" in spec.params else {}
    return str(Spec(_WORDS.get(spec.name, spec.name), cutoff, spec.values))


def parameters_line(labels: dict[str, str]) -> str:
    """Return the canonical names of metrics whose labels leave out parameters, as a sentence; "" if there are none.

    >>> parameters_line(metric_labels(["nDCG(empty=correct)@10", "P@5"]))
    'With all parameters: nDCG(empty=correct)@10.'
    """
    shortened = [name for name, label in labels.items() if ("(" in name) and name != label]
    if not shortened:
        return ""
    return say("With all parameters: {names}.", names=listed(shortened, at_most=len(shortened)))
