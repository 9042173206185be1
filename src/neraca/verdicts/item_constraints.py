"""Aspects of verdicts that are constraints of items."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from neraca.records import Item
from neraca.runs.verdict_table import Ints, VerdictTable


class Constraints:
    """The aspects that are constraints, by item.

    Parameters
    ----------
    items
        The items of the dataset.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._kinds: dict[str, dict[str, int]] = {}
        self.asked: dict[str, int] = {}
        for item in items:
            for name, constraint in item.constraints.items():
                kind = 1 + constraint.asks
                self._kinds.setdefault(name, {})[item.id] = kind
                self.asked[item.id] = self.asked.get(item.id, 0) + kind - 1

    def kinds(self, table: VerdictTable) -> Ints:
        """Return for each verdict 1 if its aspect is a constraint of its item, 2 if that asks for something, else 0."""
        kind_of_verdict = np.zeros(len(table), dtype=np.int64)
        for code, aspect in enumerate(table.aspect.words):
            if kinds := self._kinds.get(aspect):
                of_item = np.array([kinds.get(name, 0) for name in table.item.words])
                rows = table.aspect.codes == code
                kind_of_verdict[rows] = of_item[table.item.codes[rows]]
        return kind_of_verdict
