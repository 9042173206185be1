"""The checks of its question that an answer does not meet, in words, beside the metric Expectations."""

from __future__ import annotations

from collections.abc import Iterable

from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.metrics.text.expectations import ExpectationChecks
from neraca.scores.scores import RunScores

#: The name of the column that says which checks failed, and why.
FAILED_CHECKS = "failed_checks"


def has_checks(metrics: Iterable[Metric]) -> bool:
    """Return whether one of these metrics, or a metric that it is made of, is about checks of answers."""
    return any(metric.view is ExpectationChecks for outer in metrics for metric in outer.with_inner())


def failed_checks(part: Scorable) -> list[str]:
    """Return for each answer the checks that it does not meet, with the reasons; "" without any."""
    return part.view(ExpectationChecks).failed


def failed_by_item(run: RunScores) -> dict[int, str]:
    """Return place of an item (from 0) → its failed checks, of several answers each reason once; {} without checks."""
    if run.scorable is None or not has_checks(counts.metric for counts in run.counts.values()):
        return {}
    reasons_by_item: dict[int, dict[str, None]] = {}
    items = range(run.scorable.n) if run.item is None else run.item.tolist()
    for item, reasons in zip(items, run.scorable.view(ExpectationChecks).failures, strict=True):
        for reason in filter(None, reasons):
            reasons_by_item.setdefault(item, {})[reason] = None
    return {item: "; ".join(reasons) for item, reasons in reasons_by_item.items()}


def failed_of_answer(run: RunScores, row: int | None) -> list[str]:
    """Return the failed checks of an answer; `row` is its row in the scorable, None if none was kept."""
    if run.scorable is None or row is None or not has_checks(counts.metric for counts in run.counts.values()):
        return []
    return list(filter(None, run.scorable.view(ExpectationChecks).failures[row]))
