"""Counts: the values of a metric for each answer of a scorable, or the reason why an answer has none."""

from __future__ import annotations

import inspect
import math
import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from neraca.errors import NeracaError, NoStemmer, SpecError
from neraca.metrics.metric import ARGUMENTS, Metric
from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats

#: What to do if a text cannot be stemmed.
_UNSTEMMED = "Say the language in a column `language`, or of all texts with --language CODE; or leave the stems out"


class Reasoned(NamedTuple):
    """Values of a metric, with reasons for missing ones.

    Attributes
    ----------
    values
        Shape (n,) or (n, w); NaN: no value.
    why
        For each answer the reason for NaN; "": the metric's usual reason.
    """

    values: Floats
    why: Sequence[str]


@dataclass(frozen=True, eq=False)
class Counts:
    """A metric's counts for each of n answers.

    Attributes
    ----------
    values
        Plain values, shape (n,), or counts, shape (n, w).  A row with NaN is unscored.
    reasons
        Unscored row → the reason.
    """

    metric: Metric
    values: Floats
    reasons: Mapping[int, str]

    @classmethod
    def of(
        cls, metric: Metric, values: Any, why: Sequence[str], place_of: Callable[[int, float], str] | None = None
    ) -> Counts:
        """Return counts from a copy of a metric's values; raise `SpecError` for values outside the declared range.

        `place_of` describes the place of a row and its value for the error.
        """
        values = np.array(values, dtype=np.float64)
        values[np.array([bool(reason) for reason in why], dtype=bool)] = np.nan
        undefined = np.isnan(values) if values.ndim == 1 else np.isnan(values).any(axis=1)
        per_answer = cls(metric, values, {}).per_answer
        _check_range(metric, np.where(undefined, np.nan, per_answer), place_of)
        usual_reason = metric.definition.why_undefined
        return cls(metric, values, {row: why[row] or usual_reason for row in np.flatnonzero(undefined).tolist()})

    @classmethod
    def joined(cls, parts: Sequence[Counts]) -> Counts:
        """Concatenate the counts of several parts."""
        if len(parts) == 1:
            return parts[0]
        plain = all(part.values.ndim == 1 for part in parts)
        values = np.concatenate([part.values if plain else part.rows for part in parts])
        reasons: dict[int, str] = {}
        before = 0
        for part in parts:
            reasons.update((before + row, why) for row, why in part.reasons.items())
            before += len(part.values)
        return cls(parts[0].metric, values, reasons)

    @property
    def rows(self) -> Floats:
        """Counts, shape (n, w); a plain value v is (v, 1)."""
        if self.values.ndim > 1:
            return self.values
        return np.column_stack([self.values, np.where(np.isnan(self.values), np.nan, 1.0)])

    @property
    def per_answer(self) -> Floats:
        """The metric's value for each answer alone, shape (n,); NaN if it is unscored or undefined for one answer."""
        return self.values if self.values.ndim == 1 else self.metric.total(self.values)

    @property
    def why(self) -> tuple[str, ...]:
        """For each answer why it is unscored, or ""."""
        return tuple(self.reasons.get(row, "") for row in range(len(self.values)))


def score_metric(metric: Metric, part: Scorable) -> Counts:
    """Score every answer of a scorable, which keeps the result.

    Raise `SpecError` if the scorable lacks a column that the metric needs, or a value is outside the metric's range.
    Raise `NeracaError` if a user's function fails; the error names the answer.
    """
    return part.once(("counts", str(metric)), lambda: _score(metric, part))


def _score(metric: Metric, part: Scorable) -> Counts:
    check_offered(metric, part)
    if metric.view is None:
        return Counts.of(metric, *_one_by_one(metric, part), partial(_place_of, part))
    view = part.view(metric.view)
    try:
        result, why = metric(view), view.unscored
        if isinstance(result, Reasoned):
            why = [first or second for first, second in zip(why, result.why, strict=True)]
            result = result.values
        values = np.asarray(result, dtype=np.float64)
        if metric.empty:
            why = view.empties.reasons(values)
        rows = len(values)
    except NoStemmer as error:
        raise SpecError(f"{metric}: {_texts_in(error.language, part)}{error}. {_UNSTEMMED}") from error
    except NeracaError:
        raise
    except Exception as error:  # a user's code can raise anything
        if metric.built_in:
            raise
        raise SpecError(f"{metric}: failed on {part.name}: {_describe_error(metric, error)}") from error
    if rows != part.n:
        raise SpecError(f"{metric}: it gave {rows} values for {part.n}; it must give one for each answer or query")
    return Counts.of(metric, values, why, partial(_place_of, part))


def _texts_in(language: str, part: Scorable) -> str:
    """Return the place of the first text in a language, here or in another part, and the number of further ones."""
    group = part.group
    with_language = next(other for other in (part, *group.parts) if language in group.languages_of(other))
    codes = group.languages_of(with_language)
    rows = [row for row, code in enumerate(codes) if code == language]
    more = f" (and {len(rows) - 1:,} more of {len(codes):,})" if len(rows) > 1 else ""
    return f"{with_language.column('ids', str(rows[0] + 1))[rows[0]]}{more}: "


def check_offered(metric: Metric, part: Scorable) -> None:
    """Raise `SpecError` if a metric, or one that it is made of, needs a column that the scorable does not offer."""
    for inner in metric.with_inner():
        if any(not part.offers(column) for column in inner.needs):
            raise SpecError(f"{inner} needs more than {part.holds}: {_remedy(inner, part)}")


def _remedy(metric: Metric, part: Scorable) -> str:
    """Return the commands that produce what a metric needs; a table becomes a run by replaying its answers."""
    if "expectations" in metric.needs and not part.offers("expectations"):
        return "add a column with what an answer must contain or be, such as must_contain or max_words"
    ask = "ask with `neraca ask`"
    if part.offers("response") and not part.offers("answers"):
        ask += " (answers of a table: `--target replay:TABLE`)"
    if not metric.definition.judge:
        return f"{ask}, and score the run folder with `neraca score`"
    judge = f"judge the run folder with `neraca judge RUN --judge {metric.definition.judge}`"
    return f"{ask}, {judge}, and score it with `neraca score`"


def _one_by_one(metric: Metric, part: Scorable) -> tuple[Floats, list[str]]:
    """Call a user's function for each answer; the best of several references counts."""
    names = metric.arguments()
    why, values = part.why_not(*(["references"] if "reference" in names else [])), np.full(part.n, np.nan)
    columns = {name: part.column(ARGUMENTS[name]) for name in names}
    failed = part.column("failed", False)
    ids = part.column("ids", "?")
    for row in range(part.n):
        if why[row]:
            continue
        datum_by_name = {name: column[row] for name, column in columns.items()}
        if "contexts" in datum_by_name:
            datum_by_name["contexts"] = [] if failed[row] else list(datum_by_name["contexts"])
        scores = []
        for reference in datum_by_name.get("reference", ("",)):
            arguments = [reference if name == "reference" else datum_by_name[name] for name in names]
            try:
                value = metric(*arguments)
                scores.append(math.nan if value is None else float(value))
            except Exception as error:
                raise NeracaError(f"{metric}: failed on item {ids[row]!r}: {_describe_error(metric, error)}") from error
        finite = [value for value in scores if math.isfinite(value)]
        if finite:
            values[row] = max(finite) if metric.higher_is_better else min(finite)
    return values, why


def _describe_error(metric: Metric, error: Exception) -> str:
    """Describe an error in a user's function, with its file and the innermost line in that file."""
    message = f"{type(error).__name__}: {error}"
    code = getattr(inspect.unwrap(metric.definition.function), "__code__", None)
    if code is None:  # a callable that is not written in Python
        return message
    frames = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in frames if frame.f_code.co_filename == code.co_filename]
    near = os.path.relpath(code.co_filename)
    return f"{message} ({code.co_filename if near.startswith('..') else near} line {[code.co_firstlineno, *lines][-1]})"


def _place_of(part: Scorable, row: int, value: float) -> str:
    """Return the place of a value: system, question, and the authors of verdicts with this value on the answer."""
    place = f" for {part.name}, item {part.column('ids', str(row + 1))[row]!r}"
    if not part.offers("verdicts"):
        return place
    verdicts = part.column("verdicts").on(row, hits=False)
    authors = sorted({verdict.by for verdict in verdicts if verdict.value == value})
    return f"{place} (a verdict by {', '.join(authors)})" if authors else place


def _check_range(metric: Metric, values: Floats, place_of: Callable[[int, float], str] | None) -> None:
    low, high = metric.definition.limits
    outside = np.flatnonzero((values < low - 1e-9) | (values > high + 1e-9))
    if len(outside):
        first, value = int(outside[0]), float(values[outside[0]])
        remedy = "declare it with low= and high= in @metric"
        if metric.definition.range_of is not None:
            remedy = "name its scale, as in Rubric(quality,scale=1-10)"
        place = place_of(first, value) if place_of else ""
        raise SpecError(f"{metric} gave {value:g}{place}, which is outside its range of {low:g} to {high:g}; {remedy}")
