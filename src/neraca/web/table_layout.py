"""The layout of the table of questions, read from a link: the metric, further columns, and the order of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from neraca.web.question_facts import QuestionFacts

#: Orders other than that of a run's column, which is written `COLUMN|NUMBER OF THE RUN`; `-` before it: the largest
#: first.
DIFFERENCE, QUESTION, TAG = "difference", "question", "tag:"


@dataclass(frozen=True)
class Layout:
    """The layout in a link, as text.

    Attributes
    ----------
    metric
        The metric of the cells; "": the primary one.
    columns
        Further columns: metrics, `seconds`, `cost`, and tags as `tag:category`.
    sort
        The order of the rows; "": that of the data set.
    """

    metric: str = ""
    columns: tuple[str, ...] = ()
    sort: str = ""

    @classmethod
    def of(cls, parameters: Mapping[str, str], columns: Sequence[str]) -> Self:
        """Read the layout from the parameters of a link; `columns` are those that it repeats."""
        return cls(parameters.get("metric", ""), tuple(dict.fromkeys(columns)), parameters.get("sort", ""))

    @property
    def needs_scores(self) -> bool:
        """Whether the order needs scores."""
        return self.key not in ("", QUESTION) and not self.key.startswith(TAG)

    @property
    def key(self) -> str:
        """The column of the order, without its direction."""
        return self.sort.removeprefix("-")

    @property
    def descending(self) -> bool:
        """Whether the largest come first."""
        return self.sort.startswith("-")

    def link(self) -> str:
        """Return the layout as part of the query string of an address."""
        pairs = [("metric", self.metric), ("sort", self.sort)]
        return urlencode([*((name, value) for name, value in pairs if value), *(("column", c) for c in self.columns)])

    def sorted_by(self, key: str, first: str = "-") -> Self:
        """Return the layout sorted by a column; in the other direction if it is sorted by it already."""
        is_first = self.sort == first + key
        return replace(self, sort=("" if first else "-") + key if is_first else first + key)

    def is_sorted_by(self, key: str) -> str:
        """Return `ascending` or `descending` if the rows are in the order of this column, else ""."""
        return ("descending" if self.descending else "ascending") if key and key == self.key else ""

    def exists_in(self, facts: QuestionFacts) -> bool:
        """Return whether the order is that of a run's column or, with several runs, of their differences."""
        column, _, number = self.key.rpartition("|")
        if self.key == DIFFERENCE:
            return True
        return column in facts.columns and number.isdecimal() and int(number) < len(facts.runs)

    def by_scores(self, facts: QuestionFacts, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Put questions in order by differences or by a run's column; those without a value come last."""
        if not self.exists_in(facts):
            return indices
        column, _, number = self.key.rpartition("|")
        values = facts.spread[indices] if self.key == DIFFERENCE else facts.columns[column][int(number)][indices]
        return indices[np.argsort(-values if self.descending else values, kind="stable")]
