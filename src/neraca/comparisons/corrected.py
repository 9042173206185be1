"""Differences between runs by a judge, corrected by people's labels, and the rules of a gate that rest on them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from neraca.comparisons.compare import TUKEY, primary_of
from neraca.comparisons.difference import Difference
from neraca.comparisons.gate_rule import Rule
from neraca.comparisons.pair import adjust, better_run, families_of
from neraca.number_format import p_value
from neraca.result import Results, Table
from neraca.scores.judge_corrections import (
    CORRECTION_COLUMNS,
    Correction,
    corrected_difference,
    correction_cells,
    correction_row,
)
from neraca.scores.scores import Scores


@dataclass(frozen=True, slots=True)
class CorrectedDifference:
    """Run a minus run b in one metric, by people's labels.

    Attributes
    ----------
    correction
        The judge's difference and the corrected one.
    p_adjusted
        P of the corrected difference, adjusted for the same comparisons as p of the judge's difference.
    better
        The name of the run that is better at the level chosen; "" if the labels do not show one.
    """

    metric: str
    a: str
    b: str
    correction: Correction
    p_adjusted: float
    better: str


class CorrectedDifferences(Results[CorrectedDifference]):
    """A list of corrected differences; prints as a table."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        yield self.table()

    def table(self, alpha: float = 0.05) -> Table:
        """Return the printed table."""
        columns = ["metric", "a − b", *CORRECTION_COLUMNS, "p", "adjusted"]
        rows = [
            [
                *(d.metric, f"{d.a} − {d.b}", *correction_cells(d.correction)),
                *(p_value(d.correction.p, alpha), p_value(d.p_adjusted, alpha)),
            ]
            for d in self
        ]
        return Table(columns, rows, names=2)

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each: {metric, a, b, raw, value, low, high, labels, n, method, why, caution, p, …}."""
        return [
            {
                **{"metric": d.metric, "a": d.a, "b": d.b},
                **correction_row(d.correction),
                **{"p": d.correction.p, "p_adjusted": d.p_adjusted, "better": d.better},
            }
            for d in self
        ]


def corrected_differences(scores: Scores, differences: Sequence[Difference], primary: str = "") -> CorrectedDifferences:
    """Correct each difference that `compare(scores)` found, and adjust p in the same families.

    Raises `SpecError` if the scores were made without people's labels.
    """
    places = {run.name: place for place, run in enumerate(scores.runs)}
    metrics = [next(metric for metric in scores.metrics if metric == d.metric) for d in differences]
    corrections = [
        corrected_difference(scores, metric, places[d.a], places[d.b])
        for metric, d in zip(metrics, differences, strict=True)
    ]
    families = families_of(metrics, str(primary_of(scores.metrics, primary)))
    by = differences[0].correction if differences else "none"
    # Tukey's correction holds only for its own test
    adjusted = adjust([c.p for c in corrections], families, "holm" if by == TUKEY else by)
    alpha = 1 - scores.level
    return CorrectedDifferences(
        CorrectedDifference(d.metric, d.a, d.b, c, p, better_run(metric, d.a, d.b, c.value) if p < alpha else "")
        for metric, d, c, p in zip(metrics, differences, corrections, adjusted, strict=True)
    )


def one_sided(correction: Correction, rule: Rule, level: float) -> tuple[float, float, float, float]:
    """Return p of the rule, p of its opposite, and one-sided bounds of a corrected value at this level.

    All are NaN if nothing was corrected.
    """
    powered = correction.powered
    if powered is None or not powered.df:
        return (math.nan,) * 4
    above = powered.p_above(rule.bound)
    p = (above, 1 - above) if rule.sign > 0 else (1 - above, above)
    return (*p, *powered.bounds_within(rule.range, 2 * level - 1, tested=[rule.bound]))
