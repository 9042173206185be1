"""Look up earlier verdicts item by item, without making a record of each of a million verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from neraca.records import Verdict
from neraca.runs.verdict_table import VerdictTable

#: About and aspect of a verdict.
Place = tuple[str, str]
#: Number of items whose verdicts are cached; judges go from item to item.
_CACHED_ITEMS = 1024


class EarlierVerdicts:
    """The verdicts of a table by item.

    Parameters
    ----------
    table
        The newest verdicts, from `Run.verdicts`.
    """

    def __init__(self, table: VerdictTable) -> None:
        self.table = table
        self._codes = {name: code for code, name in enumerate(table.item.words)}
        self._rows = np.argsort(table.item.codes, kind="stable")
        self._starts = np.searchsorted(table.item.codes[self._rows], np.arange(len(self._codes) + 1))
        self._of_item = lru_cache(_CACHED_ITEMS)(self._find)

    def _find(self, item: str) -> Mapping[tuple[int, str], Mapping[Place, int]]:
        """Return (trial, by) → (about, aspect) → row in the table, for one item."""
        rows_by_judge: dict[tuple[int, str], dict[Place, int]] = {}
        if item in self._codes:
            code, table = self._codes[item], self.table
            for row in self._rows[self._starts[code] : self._starts[code + 1]].tolist():
                rows = rows_by_judge.setdefault((int(table.trial[row]), table.by[row]), {})
                rows[table.about[row], table.aspect[row]] = row
        return rows_by_judge

    def by_judge(self, verdict: Verdict) -> Mapping[Place, int]:
        """Return (about, aspect) → the row of the verdict by the same judge on the same answer."""
        return self._of_item(verdict.item).get((verdict.trial, verdict.by), {})

    def before(self, verdict: Verdict) -> Verdict | None:
        """Return the earlier verdict of the same judge on the same aspect."""
        row = self.by_judge(verdict).get((verdict.about, verdict.aspect))
        return None if row is None else self.table[row]
