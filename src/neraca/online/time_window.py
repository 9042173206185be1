"""Find when an experiment began and ended, whatever a few events with a wrong clock or a stray arm say.

Events are counted in bins of ten minutes, for each arm and for events without an arm.  A few events that stand apart
from all others, before the first or after the last of them, are outside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats

if TYPE_CHECKING:
    import polars as pl

    from neraca.online.log_options import LogOptions

#: Seconds of a bin.
BIN = 600.0
DAY = 86_400.0
#: Fewer events than this say nothing about when others happen.
FEWEST = 20
#: Largest share of events that can be strays: after a gap that is long for the log, and after a very long one.
FEW, SEVERAL = 0.005, 0.2
#: A gap is long from this many days and from this many events that it would usually hold; very long from this many
#: days and from this many times the time in which most events lie.
LONG, VERY_LONG = (4 * DAY, 30.0), (30 * DAY, 2.0)
#: An arm has not begun while this many times as many other events pass as usually between two of its own.
PASSED = 20.0
#: A first event of an arm has strayed, too, if the gap after it is this many times as long as any later one, and this
#: many seconds at least.
LONGEST, HOURS = 5.0, 7200.0


class TimeWindow(NamedTuple):
    """The first and the last time of events that are used, and the start of the experiment (infinity: no arms)."""

    first: float = -math.inf
    last: float = math.inf
    began: float = math.inf

    def is_outside(self, since: float) -> pl.Expr:
        """Return whether an event is outside.  Events of an arm before its start are, unless `since` is set."""
        import polars as pl

        early = pl.col("time") < self.first
        if not math.isfinite(since) and math.isfinite(self.began):
            early |= pl.col("variant").is_not_null() & (pl.col("time") < self.began)
        return early | (pl.col("time") > self.last)


@dataclass
class TimeBins:
    """Numbers of events of a log by arm and time."""

    options: LogOptions
    _bins: pl.DataFrame | None = None

    def add(self, events: pl.DataFrame) -> None:
        """Count events."""
        import polars as pl

        inside = pl.col("time").is_between(self.options.since, self.options.until, closed="left")
        if self.options.arms:
            inside &= pl.col("variant").is_in(list(self.options.arms))
        counted = (
            events.select(arm=pl.when(inside).then("variant"), time="time")
            .group_by("arm", bin=(pl.col("time") / BIN).floor())
            .agg(n=pl.len(), first=pl.col("time").min(), last=pl.col("time").max())
        )
        sums = (pl.col("n").sum(), pl.col("first").min(), pl.col("last").max())
        bins = counted if self._bins is None else pl.concat([self._bins, counted]).group_by("arm", "bin").agg(sums)
        self._bins = bins

    def window(self) -> TimeWindow:
        """Return the window of the events so far."""
        import polars as pl

        if self._bins is None or not len(self._bins):
            return TimeWindow()
        sums = (pl.col("n").sum(), pl.col("first").min(), pl.col("last").max())
        every = _Bins.of(self._bins.group_by("bin").agg(sums))
        first, last = every.first[every.begin()], every.last[every.end()]
        named = self._bins.filter(pl.col("arm").is_not_null(), pl.col("first") >= first, pl.col("first") <= last)
        if not len(named):
            return TimeWindow(float(first), float(last))
        other = _Bins.of(self._bins.filter(pl.col("arm").is_null()))
        arms = [_Bins.of(of_arm) for _, of_arm in named.group_by("arm")]
        large = [arm for arm in arms if arm.n.sum() >= FEWEST] or arms
        robust = not math.isfinite(self.options.since)
        began = min(arm.first[arm.begin(other) if robust else 0] for arm in large)
        return TimeWindow(float(first), float(last), float(began))


class _Bins(NamedTuple):
    """Bins in order of time: the time of the first and of the last event of each, and their number."""

    first: Floats
    last: Floats
    n: Floats

    @classmethod
    def of(cls, bins: pl.DataFrame) -> _Bins:
        ordered = bins.sort("first")
        return cls(*(ordered[name].to_numpy().astype(np.float64) for name in ("first", "last", "n")))

    def begin(self, other: _Bins | None = None) -> int:
        """Return the first bin that is not apart from those after it."""
        if len(self.n) < 2 or self.n.sum() < FEWEST:
            return 0
        before = np.cumsum(self.n)[:-1]
        few = before <= max(1.0, FEW * self.n.sum())
        gaps = self.first[1:] - self.last[:-1]
        apart = self._apart(before, gaps)
        if other is not None:
            later = np.append(np.maximum.accumulate(gaps[::-1])[::-1][1:], 0.0)
            apart |= few & (gaps > np.maximum(HOURS, LONGEST * later))
        if other is not None and len(other.n):
            passed = other.until(self.first[1:]) - other.until(self.last[:-1] + BIN)
            low, high = self.middle()
            usual = (other.until(np.array([high])) - other.until(np.array([low])))[0] / max(1.0, 0.8 * self.n.sum())
            apart |= few & (passed > PASSED * (1 + usual))
        places = np.flatnonzero(apart)
        return int(places[-1]) + 1 if len(places) else 0

    def end(self) -> int:
        """Return the last bin that is not apart from those before it."""
        backwards = _Bins(-self.last[::-1], -self.first[::-1], self.n[::-1])
        return len(self.n) - 1 - backwards.begin()

    def middle(self) -> tuple[float, float]:
        """Return the times before which a tenth of the events lie, and nine tenths."""
        shares = np.cumsum(self.n) / self.n.sum()
        return float(self.first[np.searchsorted(shares, 0.1)]), float(self.last[np.searchsorted(shares, 0.9 - 1e-12)])

    def until(self, times: Floats) -> Floats:
        """Return the number of events in bins that begin before each time."""
        sums = np.concatenate([[0.0], np.cumsum(self.n)])
        result: Floats = sums[np.searchsorted(self.first, times)]
        return result

    def _apart(self, before: Floats, gaps: Floats) -> NDArray[np.bool_]:
        """Return whether each gap parts strays from the others; `before` counts the events before it."""
        low, high = self.middle()
        span, total = max(high - low, BIN), self.n.sum()
        long = gaps > max(LONG[0], LONG[1] * span / (0.8 * total))
        very_long = gaps > max(VERY_LONG[0], VERY_LONG[1] * span)
        few, several = before <= max(1.0, FEW * total), before <= SEVERAL * total
        result: NDArray[np.bool_] = (few & long) | (several & very_long)
        return result
