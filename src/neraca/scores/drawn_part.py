"""The random part of a run's items on which a metric rests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.runs.judge_draw import DrawRecord
from neraca.runs.recorded_draw import read_draw
from neraca.runs.run import Run


@dataclass(frozen=True, eq=False)
class DrawnPart:
    """The random part of n items on which a metric rests.

    Attributes
    ----------
    drawn, possible
        Shape (n,): the items that were drawn, and those that could be drawn.
    records
        Source of verdicts → its draw; usually one.
    """

    drawn: NDArray[np.bool_]
    possible: NDArray[np.bool_]
    records: Mapping[str, DrawRecord]

    @classmethod
    def of(cls, run: Run, source: str, ids: Sequence[str]) -> DrawnPart:
        """Read the draw of a source."""
        record = run.manifest.draws[source]
        draws = read_draw(run, source)
        drawn = np.array([name in draws and draws[name].drawn for name in ids], dtype=bool)
        return cls(drawn, np.array([name in draws for name in ids], dtype=bool), {source: record})

    @property
    def later(self) -> int:
        """The number of items that had no chance to be drawn, such as those that came after the draw."""
        return int((~self.possible).sum())

    def __and__(self, other: DrawnPart) -> DrawnPart:
        """Return the part that both judges saw."""
        records = {**self.records, **other.records}
        return DrawnPart(self.drawn & other.drawn, self.possible & other.possible, records)
