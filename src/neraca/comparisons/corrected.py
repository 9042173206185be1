"""Differences between runs by a judge, corrected by people's labels; and rules of a gate decided by them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neraca.comparisons.compare import TUKEY, families_of, primary_of
from neraca.comparisons.difference import Difference
from neraca.comparisons.gate_rule import Rule
from neraca.metrics.metric import Metric
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
from neraca.stats.tests.correction import CORRECTIONS


@dataclass(frozen=True, slots=True)
class CorrectedDifference:
    """Run a minus run b in one metric, by people's labels.

    Attributes
    ----------
    correction
        The judge's difference and the corrected one.
    p_adjusted
        Its p, corrected for the same comparisons as that of the judge's difference.
    better
        The name of the run that is better at the level chosen, "" where the labels do not tell.
    """

    metric: str
    a: str
    b: str
    correction: Correction
    p_adjusted: float
    better: str


class CorrectedDifferences(Results[CorrectedDifference]):
    """Corrected differences one below the other; prints as a table."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        yield self.table()

    def table(self, alpha: float = 0.05) -> Table:
        """Names of columns and rows of text."""
        columns = ["metric", "a − b", *CORRECTION_COLUMNS, "p", "adjusted"]
        rows = [
            [
                *(one.metric, f"{one.a} − {one.b}", *correction_cells(one.correction)),
                *(p_value(one.correction.p, alpha), p_value(one.p_adjusted, alpha)),
            ]
            for one in self
        ]
        return Table(columns, rows, names=2)

    def rows(self) -> list[dict[str, Any]]:
        """A flat row for each: {metric, a, b, raw, value, low, high, labels, n, method, why, caution, p, …}."""
        return [
            {
                **{"metric": one.metric, "a": one.a, "b": one.b},
                **correction_row(one.correction),
                **{"p": one.correction.p, "p_adjusted": one.p_adjusted, "better": one.better},
            }
            for one in self
        ]


def corrected_differences(scores: Scores, differences: Sequence[Difference], primary: str = "") -> CorrectedDifferences:
    """Correct each difference that `compare(scores)` found; p is adjusted in the same families.

    Raises `SpecError` where the scores were not made with people's labels beside them.
    """
    places = {run.name: place for place, run in enumerate(scores.runs)}
    metrics = [next(metric for metric in scores.metrics if metric == d.metric) for d in differences]
    found = [
        corrected_difference(scores, metric, places[d.a], places[d.b])
        for metric, d in zip(metrics, differences, strict=True)
    ]
    p = np.array([one.p for one in found], dtype=np.float64)
    for family in families_of(metrics, str(primary_of(scores.metrics, primary))):
        names = {differences[place].correction for place in family}
        for name in names:  # those of tukey are of its own
            p[family] = CORRECTIONS["holm" if name == TUKEY else name](p[family])
    return CorrectedDifferences(
        CorrectedDifference(d.metric, d.a, d.b, one, each, _better(metric, d, one, each, 1 - scores.level))
        for metric, d, one, each in zip(metrics, differences, found, p.tolist(), strict=True)
    )


def _better(metric: Metric, d: Difference, one: Correction, p: float, alpha: float) -> str:
    if metric.diagnostic or not p < alpha:
        return ""
    return d.a if (one.value > 0) == metric.higher_is_better else d.b


def one_sided(correction: Correction, rule: Rule, level: float) -> tuple[float, float, float, float]:
    """How surely a corrected value keeps a rule: p of that, p of its opposite, and one-sided bounds at this level.

    All are NaN if nothing was corrected.
    """
    powered = correction.powered
    if powered is None or not powered.df:
        return (math.nan,) * 4
    above = powered.p_above(rule.bound)
    p = (above, 1 - above) if rule.sign > 0 else (1 - above, above)
    return (*p, *powered.bounds_within(rule.range, 2 * level - 1, tested=[rule.bound]))
