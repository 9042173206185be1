"""Earlier verdicts on an item, looked up item by item, so that a million verdicts need no million records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from neraca.records import Verdict
from neraca.runs.verdict_table import VerdictTable

Place = tuple[str, str]
#: Judges go from item to item; those of so many are kept at hand.
_AT_HAND = 1024


class EarlierVerdicts:
    """The verdicts of a table by item.

    Parameters
    ----------
    table
        The newest of each place, as of `Run.verdicts`.
    """

    def __init__(self, table: VerdictTable) -> None:
        self.table = table
        self._codes = {name: code for code, name in enumerate(table.item.words)}
        self._rows = np.argsort(table.item.codes, kind="stable")
        self._starts = np.searchsorted(table.item.codes[self._rows], np.arange(len(self._codes) + 1))
        self._of_item = lru_cache(_AT_HAND)(self._find)

    def _find(self, item: str) -> Mapping[tuple[int, str], Mapping[Place, int]]:
        found: dict[tuple[int, str], dict[Place, int]] = {}
        if item in self._codes:
            code, table = self._codes[item], self.table
            for row in self._rows[self._starts[code] : self._starts[code + 1]].tolist():
                of_judge = found.setdefault((int(table.trial[row]), table.by[row]), {})
                of_judge[table.about[row], table.aspect[row]] = row
        return found

    def by_judge(self, verdict: Verdict) -> Mapping[Place, int]:
        """(about, aspect) → the row of what the same judge said of the same answer."""
        return self._of_item(verdict.item).get((verdict.trial, verdict.by), {})

    def before(self, verdict: Verdict) -> Verdict | None:
        """Return the earlier verdict of the same judge on the same thing."""
        row = self.by_judge(verdict).get((verdict.about, verdict.aspect))
        return None if row is None else self.table[row]
