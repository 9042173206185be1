"""Whether two runs are the same: what they answered is equal, and all else that a metric reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from neraca.metrics.metric import Metric
from neraca.scores.scores import RunScores

#: What a system gives, where it was kept.
_ANSWERED = ("response", "hits")


def same_answers(a: RunScores, b: RunScores, metric: Metric) -> bool:
    """Return whether the answers of both runs are equal, and all columns that the metric reads.

    Equal values are not enough: of two systems that differ, every question may happen to have the same value.  Of a
    table of texts only a digest of the responses is kept; all else in it is shared.  False where neither is.
    """
    if list(a.ids) != list(b.ids):
        return False
    if a.scorable is None or b.scorable is None:
        return "responses" in a.facts and a.facts["responses"] == b.facts.get("responses")
    names = {name for each in metric.with_inner() for name in each.needs}
    names |= {name for name in _ANSWERED if a.scorable.offers(name) or b.scorable.offers(name)}
    return bool(names) and all(_equal(a.scorable.column(name), b.scorable.column(name)) for name in names)


def _equal(a: Any, b: Any) -> bool:
    """Return whether two columns, or parts of them, hold the same; NaN is equal to NaN."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if is_dataclass(a):
        return all(_equal(getattr(a, field.name), getattr(b, field.name)) for field in fields(a))
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(_equal(value, b[key]) for key, value in a.items())
    if isinstance(a, Sequence) and not isinstance(a, str | bytes):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b)
