"""Decide whether the ranks of a log count from 0 or from 1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neraca.online.message import Message

if TYPE_CHECKING:
    import polars as pl

#: Actions whose rank counts; other events may have any number in its place.
RANKED = ("click", "impression")
#: Ranks below this are counted one by one.
MOST = 1000
#: Ranks count from 0 only if at least this many events have rank 0, and at least this share of those with rank 1.
FEWEST, SHARE = 5, 0.5
#: Ranks count from 1 if as many events as this share of those at the last place but one of the longest list have a rank
#: equal to its length.
AT_THE_END = 0.1


@dataclass
class RankNumbering:
    """Numbers of clicks and impressions by rank.

    Attributes
    ----------
    option
        The number of the first rank, if it is set; None: the counts decide.
    counts
        Numbers of events with each rank from 0, shape (MOST,).
    longest
        Length of the longest list of documents shown.
    zeros, example
        Number of events with rank 0 while `option` is None, and the first of them.
    """

    option: int | None = None
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(MOST, dtype=np.int64))
    longest: int = 0
    zeros: int = 0
    example: str = ""

    @property
    def lowest(self) -> int:
        """The lowest rank that can be right."""
        return self.option or 0

    def note_zeros(self, rows: pl.DataFrame) -> None:
        """Count rows with rank 0, which are left out if ranks count from 1; `rows` has `line`, `rank` and `action`."""
        import polars as pl

        if self.option is None and (rows["rank"] == 0).any():
            zeros = rows.filter(pl.col("rank") == 0, pl.col("action").is_in(RANKED))
            self.zeros += len(zeros)
            if len(zeros) and not self.example:
                self.example = Message("row {row:,}", row=zeros["line"][0])

    def add(self, events: pl.DataFrame) -> None:
        """Count events; `shown` holds lists or their lengths."""
        import polars as pl

        if self.option is not None:
            return
        ranks = events["rank"]
        if ranks.null_count() < len(ranks):
            ranks = ranks.filter(events["action"].is_in(RANKED) & (ranks < MOST)).drop_nulls()
            self.counts += np.bincount(ranks.to_numpy(), minlength=MOST)
        shown = events["shown"]
        lengths = shown.list.len() if isinstance(shown.dtype, pl.List) else shown
        self.longest = max(self.longest, int(lengths.max() or 0))  # type: ignore[arg-type]

    @property
    def first(self) -> int:
        """The number of the first rank, 0 or 1."""
        if self.option is not None:
            return self.option
        zeros, ones = int(self.counts[0]), int(self.counts[1])
        if zeros < FEWEST or zeros < SHARE * ones:
            return 1
        if not 0 < self.longest < MOST:
            return 0
        last, beyond = self.counts[self.longest - 1 : self.longest + 1]
        return int(beyond > AT_THE_END * last)


def from_one(events: pl.DataFrame, first_rank: int) -> pl.DataFrame:
    """Return the events with ranks from 1.  If ranks count from 1, leave out clicks and impressions at rank 0."""
    import polars as pl

    if first_rank == 0:
        return events.with_columns(pl.col("rank") + 1)
    zero = events["rank"] == 0
    return events.filter(~(zero.fill_null(False) & events["action"].is_in(RANKED))) if zero.any() else events
