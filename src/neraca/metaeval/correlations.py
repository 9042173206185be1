"""Correlations of metrics with each other and with people, as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.number_format import number
from neraca.result import Table, Tabular
from neraca.stats.intervals.interval import Floats

SYMBOLS = {"pearson": "r", "spearman": "rho", "kendall": "tau"}
#: Default name of people's scores.
PEOPLE = "people"
#: Name of the mean of several columns of people's scores.
MEAN = "mean of them"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Correlation of a metric with people's scores of one kind.

    Attributes
    ----------
    value, low, high
        The correlation, above 0 if the metric agrees with people; bounds are NaN if the data allow no interval.
    n
        Number of answers that have both.
    told_apart
        Whether the tests show that it agrees less than the metric that agrees most.
    why
        The reason why there is no interval; "" if there is one.
    """

    metric: str
    human: str
    value: float
    low: float
    high: float
    n: int
    told_apart: bool = False
    why: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Correlations(Tabular):
    """Correlations of metrics with each other and with people; prints as a table.

    Attributes
    ----------
    names
        The metrics, k of them.
    matrix
        Shape (k, k); NaN if a correlation is undefined, and on the diagonal for a metric that never varies.
    n
        Shape (k, k): the number of answers with both scores.
    clusters
        Groups of metrics that all correlate pairwise by at least `at`; a metric unlike all others is alone.
    with_human
        For each kind of people's scores the metrics, best agreement first.
    turned
        Metrics of errors; their sign is changed, so above 0 always means agreement.
    left_out
        For each kind of people's scores the metrics made from these verdicts; they are not correlated with it.
    counting
        Metrics of which more is neither better nor worse; each is a cluster of its own.
    """

    names: tuple[str, ...]
    matrix: Floats
    n: NDArray[np.int64]
    clusters: tuple[tuple[str, ...], ...]
    with_human: tuple[Agreement, ...]
    turned: tuple[str, ...]
    counting: tuple[str, ...]
    method: str
    at: float
    level: float
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def value(self, one: str, other: str) -> float:
        """Return the correlation of two metrics; raise `SpecError` if one is unknown."""
        return float(self.matrix[self._place(one), self._place(other)])

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise SpecError(f"no correlation of {name!r} was computed; {nearest(name, self.names)}")
        return self.names.index(name)

    @property
    def symbol(self) -> str:
        """The coefficient's usual name."""
        return SYMBOLS[self.method]

    @property
    def humans(self) -> tuple[str, ...]:
        """The kinds of people's scores."""
        return tuple(dict.fromkeys(row.human for row in self.with_human))

    def _tables(self) -> Iterator[Table]:
        """Yield the correlations of each metric with earlier ones, by their numbers, and with people's scores."""
        places = range(len(self.names))
        human = {(row.metric, row.human): row.value for row in self.with_human}
        rows = [
            [
                f"{place + 1} {name}",
                *(number(float(self.matrix[place, other]), 2) if other < place else "" for other in places[:-1]),
                *(number(human[name, kind], 2) if (name, kind) in human else "" for kind in self.humans),
            ]
            for place, name in enumerate(self.names)
        ]
        yield Table(["metric", *(str(place + 1) for place in places[:-1]), *self.humans], rows)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row {one, other, value, low, high, n} for each two metrics, and for each metric and people's score.

        Only correlations with people have an interval.
        """
        bare = {"low": None, "high": None}
        pairs = [
            {
                "one": self.names[a],
                "other": self.names[b],
                "value": float(self.matrix[a, b]),
                **bare,
                "n": int(self.n[a, b]),
                "why": "between two metrics none is made",
            }
            for a, b in combinations(range(len(self.names)), 2)
        ]
        people = [
            {"one": row.metric, "other": row.human, "value": row.value, "low": row.low, "high": row.high}
            | {"n": row.n, "why": row.why}
            for row in self.with_human
        ]
        return [*pairs, *people]
