"""Look up which records meet constraints, by the very checks that judge the answers later."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from neraca.generation.records_table import Records
from neraca.judges.rules.constraint import CheckContext, prepare
from neraca.judges.rules.geo import locator
from neraca.judges.rules.numbers import read_number
from neraca.judges.rules.phrases import Synonyms
from neraca.records import Constraint

#: Number of looked-up constraints kept in memory.
KEPT = 2_000


class RecordSearch:
    """Finds the records that meet constraints, as the judge `rules` would decide with its default settings."""

    def __init__(self, records: Records) -> None:
        self._records = records
        reading = partial(read_number, language=records.language)
        self._context = CheckContext(Synonyms({}), {}, locator(), reading)
        self._found: dict[tuple[str, bytes], NDArray[np.bool_]] = {}

    def meeting(self, constraints: Mapping[str, Constraint]) -> NDArray[np.bool_]:
        """Return for each record whether it meets all constraints; shape (number of records,)."""
        met = np.ones(len(self._records), dtype=bool)
        for name, constraint in constraints.items():
            met = met & self._meeting(name, constraint)
        return met

    def ids(self, constraints: Mapping[str, Constraint]) -> list[str]:
        """Return the ids of the records that meet all constraints, in the order of the table."""
        return [self._records.hits[place].id for place in np.flatnonzero(self.meeting(constraints))]

    def _meeting(self, name: str, constraint: Constraint) -> NDArray[np.bool_]:
        key = name, msgspec.msgpack.encode(constraint)
        if key not in self._found:
            if len(self._found) >= KEPT:
                self._found.clear()
            check = prepare(name, constraint, self._context)
            self._found[key] = np.array([check is None or check(hit).value == 1 for hit in self._records.hits])
        return self._found[key]
