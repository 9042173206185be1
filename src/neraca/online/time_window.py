"""Find when an experiment began and ended, in spite of a few events with a wrong clock or a stray arm.

Events are counted in bins of ten minutes, for each arm and for events without an arm.  A few events far before or far
after all others are strays, which lie outside the window.
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
#: A gap is long if it exceeds these seconds and the time in which this many events usually happen.  It is very long if
#: it exceeds these seconds and this multiple of the time in which most events lie.
LONG, VERY_LONG = (4 * DAY, 30.0), (30 * DAY, 2.0)
#: The first events of an arm are strays if more than this multiple of the usual number of events without an arm happen
#: before the arm's next event.
PASSED = 20.0
#: They are strays, too, if the gap after them is longer than this multiple of any later gap, and than these seconds.
LONGEST, HOURS = 5.0, 7200.0


class TimeWindow(NamedTuple):
    """The first and the last time of events that are used, and the start of the experiment (infinity: no arms).

    `exposed_before` is the number of events before `since` that have an arm already.
    """

    first: float = -math.inf
    last: float = math.inf
    began: float = math.inf
    exposed_before: int = 0

    @property
    def has_untreated_history(self) -> bool:
        """Whether hardly any event before `since` has an arm, so that those before are a history without treatment."""
        return self.exposed_before < FEWEST

    def is_outside(self, since: float) -> pl.Expr:
        """Return whether an event is outside, as events of an arm before the start are unless `since` is set."""
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
    _exposed_before: int = 0

    def add(self, events: pl.DataFrame) -> None:
        """Count events."""
        import polars as pl

        arm = pl.col("variant")
        if math.isfinite(self.options.since) or math.isfinite(self.options.until):
            inside = pl.col("time").is_between(self.options.since, self.options.until, closed="left")
            arm = pl.when(inside).then(arm)
            early = pl.col("variant").is_not_null() & (pl.col("time") < self.options.since)
            self._exposed_before += int(events.select(early.sum()).item())
        if self.options.arms:
            arm = pl.when(pl.col("variant").is_in(list(self.options.arms))).then(arm)
        new_bins = (
            events.select(arm=arm, time="time")
            .group_by("arm", bin=(pl.col("time") / BIN).floor())
            .agg(n=pl.len(), first=pl.col("time").min(), last=pl.col("time").max())
        )
        sums = (pl.col("n").sum(), pl.col("first").min(), pl.col("last").max())
        bins = new_bins if self._bins is None else pl.concat([self._bins, new_bins]).group_by("arm", "bin").agg(sums)
        self._bins = bins

    def window(self) -> TimeWindow:
        """Return the window of the events so far."""
        import polars as pl

        if self._bins is None or not len(self._bins):
            return TimeWindow()
        sums = (pl.col("n").sum(), pl.col("first").min(), pl.col("last").max())
        every = _Bins.of(self._bins.group_by("bin").agg(sums))
        first, last = every.first[every.begin()], every.last[every.end()]
        in_arms = self._bins.filter(pl.col("arm").is_not_null(), pl.col("first") >= first, pl.col("first") <= last)
        if not len(in_arms):
            return TimeWindow(float(first), float(last))
        outside_arms = _Bins.of(self._bins.filter(pl.col("arm").is_null()))
        arms = [_Bins.of(of_arm) for _, of_arm in in_arms.group_by("arm")]
        large = [arm for arm in arms if arm.n.sum() >= FEWEST] or arms
        robust = not math.isfinite(self.options.since)
        began = min(arm.first[arm.begin(outside_arms) if robust else 0] for arm in large)
        return TimeWindow(float(first), float(last), float(began), self._exposed_before)


class _Bins(NamedTuple):
    """Bins in order of time: the time of the first and of the last event of each, and their number."""

    first: Floats
    last: Floats
    n: Floats

    @classmethod
    def of(cls, bins: pl.DataFrame) -> _Bins:
        ordered = bins.sort("first")
        return cls(*(ordered[name].to_numpy().astype(np.float64) for name in ("first", "last", "n")))

    def begin(self, outside_arms: _Bins | None = None) -> int:
        """Return the number of the first bin that holds no strays."""
        if len(self.n) < 2 or self.n.sum() < FEWEST:
            return 0
        before = np.cumsum(self.n)[:-1]
        few = before <= max(1.0, FEW * self.n.sum())
        gaps = self.first[1:] - self.last[:-1]
        stray = self._are_stray(before, gaps)
        if outside_arms is not None:
            later = np.append(np.maximum.accumulate(gaps[::-1])[::-1][1:], 0.0)
            stray |= few & (gaps > np.maximum(HOURS, LONGEST * later))
        if outside_arms is not None and len(outside_arms.n):
            passed = outside_arms.count_before(self.first[1:]) - outside_arms.count_before(self.last[:-1] + BIN)
            low, high = self.middle()
            passed_in_middle = np.diff(outside_arms.count_before(np.array([low, high])))[0]
            usual = passed_in_middle / max(1.0, 0.8 * self.n.sum())
            stray |= few & (passed > PASSED * (1 + usual))
        places = np.flatnonzero(stray)
        return int(places[-1]) + 1 if len(places) else 0

    def end(self) -> int:
        """Return the number of the last bin that holds no strays."""
        backwards = _Bins(-self.last[::-1], -self.first[::-1], self.n[::-1])
        return len(self.n) - 1 - backwards.begin()

    def middle(self) -> tuple[float, float]:
        """Return the times between which the middle 80 % of the events lie."""
        shares = np.cumsum(self.n) / self.n.sum()
        return float(self.first[np.searchsorted(shares, 0.1)]), float(self.last[np.searchsorted(shares, 0.9 - 1e-12)])

    def count_before(self, times: Floats) -> Floats:
        """Return the number of events in bins that begin before each time."""
        sums = np.concatenate([[0.0], np.cumsum(self.n)])
        result: Floats = sums[np.searchsorted(self.first, times)]
        return result

    def _are_stray(self, before: Floats, gaps: Floats) -> NDArray[np.bool_]:
        """Return whether the events before each gap, of which there are `before`, are strays."""
        low, high = self.middle()
        span, total = max(high - low, BIN), self.n.sum()
        long = gaps > max(LONG[0], LONG[1] * span / (0.8 * total))
        very_long = gaps > max(VERY_LONG[0], VERY_LONG[1] * span)
        few, several = before <= max(1.0, FEW * total), before <= SEVERAL * total
        result: NDArray[np.bool_] = (few & long) | (several & very_long)
        return result
