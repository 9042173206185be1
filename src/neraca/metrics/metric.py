"""What a metric is: a pure function of a view, with a canonical name; from a batch it makes counts per answer.

@metric("RR", why_undefined="…")                    # a metric of a view: arrays in, arrays out
def reciprocal_rank(ranking: Ranking, *, at: int = 0, rel: float = 1) -> Floats: ...

@metric("MyScore")                                  # a user's scorer: one answer at a time
def my_score(reference: str, response: str) -> float: ...
"""

from __future__ import annotations

import functools
import inspect
import math
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import numpy as np

from neraca.errors import NeracaError, SpecError
from neraca.metrics.batch import Batch
from neraca.records import Answer, Item
from neraca.registry import Registry, Spec, bind
from neraca.stats.interval import Floats, Total, mean

Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class Definition:
    """A metric as declared, before its parameters are bound.

    Attributes
    ----------
    name, function
        As registered; the function's docstring is the metric's documentation.
    total
        From summed counts to the value over items; the mean where the function gives one value per answer.
    better
        Which way is better.
    low, high
        The range of its values; infinite where it has none.
    why_undefined
        Why a value can be NaN, in words.
    """

    name: str
    function: Callable[..., Any]
    total: Total
    better: Better
    low: float
    high: float
    why_undefined: str


METRICS: Registry[Definition] = Registry("metric", "neraca.metrics")


def metric(
    name: str,
    *,
    total: Total = mean,
    better: Better = "higher",
    low: float = 0.0,
    high: float = 1.0,
    why_undefined: str = "not defined for this answer",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as the metric `name`; see `Definition` for the parameters.

    The function's first parameter says what it works on: annotated with a view, it gets that view of a whole batch
    and returns an array of values, shape (n,), or of counts, shape (n, w), with NaN where a value is not defined.
    Otherwise its positional parameters are named among `query`, `reference`, `response`, `contexts`, `item` and
    `answer`; it is called once per answer (with several references the best one counts) and returns a number, or
    None where it cannot decide.  Keyword-only parameters become parameters of the metric's name.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        source = f"{function.__module__.removeprefix('__main__')}.{function.__qualname__}"
        METRICS.add(name, Definition(name, function, total, better, low, high, why_undefined), source)
        return function

    return register


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


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric with its parameters bound; equal to its canonical name.

    >>> str(Metric.of("nDCG(gains=linear)@10"))
    'nDCG@10'
    """

    spec: Spec
    definition: Definition
    params: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, name: str | Metric) -> Metric:
        """Find a metric by its name; raises `SpecError` with what may have been meant."""
        if isinstance(name, Metric):
            return name
        spec = Spec.parse(name)
        definition = METRICS.get(spec.name)
        canonical, params = bind(spec, definition.function)
        return cls(canonical, definition, tuple(params.items()))

    def __str__(self) -> str:
        return str(self.spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric | str) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def total(self) -> Total:
        """From summed counts, shapes (..., w) -> (...), to the value."""
        return self.definition.total

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger value is better."""
        return self.definition.better == "higher"

    def score(self, batch: Batch) -> Column:
        """Counts and reasons for every answer of the batch."""
        view = _view_of(self.definition.function)
        if view is None:
            return self._score_one_by_one(batch)
        seen = batch.view(view)
        values = np.asarray(self.definition.function(seen, **dict(self.params)), dtype=np.float64)
        return self._column(values, list(seen.unscored))

    def _score_one_by_one(self, batch: Batch) -> Column:
        why = batch.why_not()
        values = np.full(len(batch.pairs), np.nan)
        names = _arguments(self.definition)
        for row, (item, answer) in enumerate(batch.pairs):
            if not why[row]:
                values[row], why[row] = self._score_one(names, item, answer)
        return self._column(values, why)

    def _score_one(self, names: Sequence[str], item: Item, answer: Answer) -> tuple[float, str]:
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
                value = self.definition.function(*arguments, **dict(self.params))
                value = math.nan if value is None else float(value)
            except Exception as error:
                raise NeracaError(f"{self}: failed on item {item.id!r}: {type(error).__name__}: {error}") from error
            if math.isfinite(value):
                scores.append(value)
        if not scores:
            return math.nan, self.definition.why_undefined
        return (max(scores) if self.higher_is_better else min(scores)), ""

    def _column(self, values: Floats, why: list[str]) -> Column:
        rows = np.column_stack([values, np.ones(len(values))]) if values.ndim == 1 else values.copy()
        rows[[bool(reason) for reason in why]] = np.nan
        undefined = np.isnan(rows).sum(axis=1) > 0
        self._check_range(self.total(rows[~undefined]))
        missing = self.definition.why_undefined
        reasons = (reason or (missing if nan else "") for reason, nan in zip(why, undefined, strict=True))
        return Column(self, rows, tuple(reasons))

    def _check_range(self, values: Floats) -> None:
        low, high = self.definition.low, self.definition.high
        outside = values[(values < low - 1e-9) | (values > high + 1e-9)]
        if len(outside):
            raise SpecError(
                f"{self} gave {outside[0]:g}, which is outside its range of {low:g} to {high:g}; "
                f"declare it with low= and high= in @metric"
            )


_ARGUMENTS = frozenset({"query", "reference", "response", "contexts", "item", "answer"})


@functools.cache
def _view_of(function: Callable[..., Any]) -> Any:
    """The view that a metric function works on, or None for a user's scorer of single answers."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    if first is None or first.name in _ARGUMENTS or first.annotation is first.empty:
        return None
    hint = typing.get_type_hints(function)[first.name]
    return hint if hasattr(hint, "of") else None


def _arguments(definition: Definition) -> list[str]:
    parameters = inspect.signature(definition.function).parameters.values()
    names = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    if unknown := [name for name in names if name not in _ARGUMENTS]:
        raise SpecError(
            f"metric {definition.name!r}: cannot give its function {unknown[0]!r}; "
            f"its positional parameters are named among {', '.join(sorted(_ARGUMENTS))}"
        )
    return names
