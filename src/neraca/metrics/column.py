"""Scoring a batch: a metric's counts for each answer, and why an answer has none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from neraca.errors import NeracaError, SpecError
from neraca.metrics.batch import Batch
from neraca.records import Answer, Item
from neraca.stats.interval import Floats

if TYPE_CHECKING:
    from neraca.metrics.metric import Metric


class Reasoned(NamedTuple):
    """What a metric of a view returns that knows for each answer why it has no value.

    Attributes
    ----------
    values
        Shape (n,) or (n, w); NaN where there is none.
    why
        For each answer why, or "": then a value that is missing is missing for the metric's usual reason.
    """

    values: Floats
    why: Sequence[str]


@dataclass(frozen=True)
class Column:
    """A metric's counts for each answer of a batch.

    Attributes
    ----------
    rows
        Shape (n, w); a plain value v is (v, 1).  NaN in a row: unscored.
    why
        For each answer why it is unscored, or "".
    """

    metric: Metric
    rows: Floats
    why: tuple[str, ...]

    @classmethod
    def of(cls, metric: Metric, batch: Batch) -> Column:
        """Score every answer of a batch."""
        if metric.view is None:
            return cls.made(metric, *_one_by_one(metric, batch))
        seen = batch.view(metric.view)
        found, why = metric(seen), seen.unscored
        if isinstance(found, Reasoned):
            why = [first or second for first, second in zip(why, found.why, strict=True)]
            found = found.values
        return cls.made(metric, found, why)

    @classmethod
    def made(cls, metric: Metric, values: Floats, why: Sequence[str]) -> Column:
        """From what the metric's function returned; raises `SpecError` for values outside the declared range."""
        values = np.asarray(values, dtype=np.float64)
        rows = np.column_stack([values, np.ones(len(values))]) if values.ndim == 1 else values.copy()
        rows[[bool(reason) for reason in why]] = np.nan
        undefined = np.isnan(rows).sum(axis=1) > 0
        _check_range(metric, metric.total(rows[~undefined]))
        missing = metric.definition.why_undefined
        reasons = (reason or (missing if nan else "") for reason, nan in zip(why, undefined, strict=True))
        return cls(metric, rows, tuple(reasons))


def _one_by_one(metric: Metric, batch: Batch) -> tuple[Floats, list[str]]:
    why = batch.why_not()
    values = np.full(len(batch.pairs), np.nan)
    names = metric.arguments()
    for row, (item, answer) in enumerate(batch.pairs):
        if not why[row]:
            values[row], why[row] = _one(metric, names, item, answer)
    return values, why


def _one(metric: Metric, names: Sequence[str], item: Item, answer: Answer) -> tuple[float, str]:
    if "reference" in names and not item.references:
        return math.nan, "the item has no reference"
    if answer.failed:  # the user got nothing, whatever had come before it failed
        answer = msgspec.structs.replace(answer, text="", hits=())
    contexts = [hit.text for hit in answer.hits]
    known = {"query": item.query, "response": answer.text, "contexts": contexts, "item": item, "answer": answer}
    scores = []
    for reference in item.references if "reference" in names else ("",):
        arguments = [reference if name == "reference" else known[name] for name in names]
        try:
            value = metric(*arguments)
            value = math.nan if value is None else float(value)
        except Exception as error:
            raise NeracaError(f"{metric}: failed on item {item.id!r}: {type(error).__name__}: {error}") from error
        if math.isfinite(value):
            scores.append(value)
    if not scores:
        return math.nan, metric.definition.why_undefined
    return (max(scores) if metric.higher_is_better else min(scores)), ""


def _check_range(metric: Metric, values: Floats) -> None:
    low, high = metric.definition.low, metric.definition.high
    outside = values[(values < low - 1e-9) | (values > high + 1e-9)]
    if len(outside):
        raise SpecError(
            f"{metric} gave {outside[0]:g}, which is outside its range of {low:g} to {high:g}; "
            f"declare it with low= and high= in @metric"
        )
