"""Differences between systems whose rows never stand in memory together: of folders that `score_parquet` wrote."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neraca.comparisons.compare import TIE, families_of, paired_differences, primary_of
from neraca.comparisons.difference import Difference, Differences
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.scores.engine.score_unit import ROW
from neraca.scores.engine.scored import ScoredFolder
from neraca.scores.engine.sums import Sums
from neraca.scores.unit import few
from neraca.stats.intervals.effect import noncentralities
from neraca.stats.intervals.interval import Floats, mean
from neraca.stats.moments import Moments
from neraca.stats.planning.power import items_needed
from neraca.stats.tests.correction import CORRECTIONS
from neraca.stats.tests.paired import Paired, name_of_test, t_result, t_test, trivial

if TYPE_CHECKING:
    import polars as pl


class System(NamedTuple):
    """One system: its name in tables, the folder that it is in, and what it is called there."""

    name: str
    folder: ScoredFolder
    called: str

    def column(self, metric: Metric) -> str:
        """The column of its values."""
        return f"{self.called} {metric}" if len(self.folder.systems) > 1 else str(metric)

    def sums(self, metric: Metric) -> Sums:
        """The sums over its rows."""
        return self.folder.sums[self.called][""][str(metric)]


def compare_folders(
    folders: Sequence[ScoredFolder], *, primary: str = "", correction: str = "holm", against: str = ""
) -> Differences:
    """Compare every two systems in every metric, or each with a baseline, by the paired t-test.

    Of a mean over independent rows this is the test over all rows.  Where rows are of sessions, and of totals that are
    no means, it is that over groups of rows (see `neraca.scores.engine.sums`), into which the same rows fell in both.

    Parameters
    ----------
    folders
        One with several systems, or several of the same rows, which have the same ids in the same order.
    primary, correction
        As of `compare`.
    against
        Name of the baseline.

    Raises
    ------
    InputError
        There are not two systems, the folders are not of the same rows or not whole, or the baseline is none of them.
    SpecError
        The primary metric or the correction is unknown.
    """
    if correction not in CORRECTIONS:
        raise SpecError(f"no correction is called {correction!r}; known: {', '.join(CORRECTIONS)}")
    systems = _systems(folders)
    _check(folders, systems, against)
    metrics = [metric for metric in folders[0].metrics if all(metric in folder.metrics for folder in folders)]
    if not metrics:
        raise InputError("the folders have no metric in common; score both by the same metrics")
    first = str(primary_of(metrics, primary))
    pairs = [
        _Pair(metric, a, b)
        for metric in metrics
        for a, b in combinations(systems, 2)
        if not against or against in (a.name, b.name)
    ]
    pairs = [pair if pair.a.name != against else _Pair(pair.metric, pair.b, pair.a) for pair in pairs]
    for values in _aligned(folders):
        for pair in pairs:
            pair.add(values[pair.a.folder.address], values[pair.b.folder.address])
    level = folders[0].level
    tested = [pair.tested(level) for pair in pairs]
    adjusted = np.array([result.p for result in tested])
    for family in families_of([pair.metric for pair in pairs], first):
        adjusted[family] = CORRECTIONS[correction](adjusted[family])
    return Differences(
        pair.difference(result, float(p), correction, level)
        for pair, result, p in zip(pairs, tested, adjusted, strict=True)
    )


def _systems(folders: Sequence[ScoredFolder]) -> list[System]:
    """All systems; one that is called like another one has the name of its folder."""
    several = Counter(name for folder in folders for name in folder.systems)
    found = []
    for folder in folders:
        place = folder.address.rstrip("/").replace("\\", "/").rpartition("/")[2]
        for name in folder.systems:
            alone = f"{place} {name}" if len(folder.systems) > 1 else place
            found.append(System(name if several[name] == 1 else alone, folder, name))
    return found


def _check(folders: Sequence[ScoredFolder], systems: Sequence[System], against: str) -> None:
    for folder in folders:
        if folder.rows_done != folder.manifest.rows:
            raise InputError(
                f"{folder.address}: {folder.rows_done:,} of {folder.manifest.rows:,} rows are scored; start the same "
                "`neraca score` again, and the rest is done"
            )
    names = [system.name for system in systems]
    if len(systems) < 2:
        raise InputError("a comparison needs at least two systems: name two folders, or one with several systems")
    if len(set(names)) < len(names):
        raise InputError(f"two folders are called {names[0]}; rename one, so that they can be told apart")
    if against and against not in names:
        raise InputError(f"the baseline {against!r} is none of the systems; these are {', '.join(names)}")
    first, *others = folders
    for folder in others:
        if folder.rows_done != first.rows_done:
            raise InputError(
                f"{first.address} has {first.rows_done:,} rows and {folder.address} {folder.rows_done:,}; folders that "
                "are compared are of the same rows, in the same order"
            )


def _aligned(folders: Sequence[ScoredFolder]) -> Iterator[dict[str, pl.DataFrame]]:
    """Some rows of every folder at a time, the same in each; raise `InputError` where their ids differ."""
    streams = [folder.values() for folder in folders]
    held = [next(stream) for stream in streams]
    done = 0
    while True:
        n = min(map(len, held))
        parts = [frame[:n] for frame in held]
        _check_ids(folders, parts, done)
        yield {folder.address: part for folder, part in zip(folders, parts, strict=True)}
        done += n
        held = [frame[n:] for frame in held]
        for place, stream in enumerate(streams):
            if not len(held[place]):
                following = next(stream, None)
                if following is None:
                    return
                held[place] = following


def _check_ids(folders: Sequence[ScoredFolder], parts: Sequence[pl.DataFrame], done: int) -> None:
    first = parts[0]
    for folder, part in zip(folders[1:], parts[1:], strict=True):
        ids, others = first.to_series(0), part.to_series(0)
        if ROW in (ids.name, others.name):
            continue
        differing = (ids != others).arg_max() if ids.dtype == others.dtype and (ids != others).any() else None
        if differing is None and ids.dtype != others.dtype:
            differing = 0
        if differing is not None:
            raise InputError(
                f"row {done + int(differing) + 1:,} is {ids[differing]!r} in {folders[0].address} and "
                f"{others[differing]!r} in {folder.address}; sort both files by id, and score them again"
            )


@dataclass
class _Pair:
    """Two systems in one metric, and what is known of them so far."""

    metric: Metric
    a: System
    b: System
    moments: Moments = field(default_factory=lambda: Moments.of(np.zeros((0, 1))))
    n: int = 0
    wins: int = 0
    losses: int = 0
    ties: int = 0

    def add(self, a: pl.DataFrame, b: pl.DataFrame) -> None:
        """More rows of both."""
        ours, theirs = a[self.a.column(self.metric)].to_numpy(), b[self.b.column(self.metric)].to_numpy()
        differences: Floats = ours - theirs
        differences = differences[np.isfinite(differences)]
        gains = differences if self.metric.higher_is_better else -differences
        wins, losses = int((gains > TIE).sum()), int((gains < -TIE).sum())
        self.wins, self.losses = self.wins + wins, self.losses + losses
        self.ties += len(differences) - wins - losses
        self.n += len(differences)
        self.moments += Moments.of(differences[:, None])

    def tested(self, level: float) -> Paired:
        """The test of the difference."""
        groups = self._groups()
        if groups is not None:
            one = np.zeros(len(groups), dtype=np.int64)
            return t_test(groups, one if few(len(groups), self.n) else None, level)
        n, middle, squares = self.n, float(self.moments.mean[0]), float(self.moments.cross[0, 0])
        if n < 2 or (middle == squares == 0):
            simple = trivial(np.full(min(n, 2), middle), "t")
            if simple is not None:
                return replace(simple, n=n)
        error = math.sqrt(squares / max(1, n - 1) / n)
        return t_result(middle, error, n - 1, n, level)

    def _groups(self) -> Floats | None:
        """What each group of rows adds to the difference; None where rows themselves are tested."""
        ours, theirs = self.a.sums(self.metric), self.b.sums(self.metric)
        if ours.groups is None or theirs.groups is None or ours.filled is None or theirs.filled is None:
            return None
        both = ours.filled & theirs.filled
        return paired_differences(self.metric, ours.groups[both], theirs.groups[both])

    def difference(self, result: Paired, p_adjusted: float, correction: str, level: float) -> Difference:
        """The difference with everything that is said of it."""
        rows = self.n or min(one.sums(self.metric).n for one in (self.a, self.b))
        observations = result.n if self.a.folder.manifest.columns.get("session") else rows
        spread = self._spread(result, rows)
        effect = result.difference / spread if spread > 0 else 0.0 if result.difference == 0 else math.nan
        low = high = math.nan
        needed = None
        if spread > 0 and result.error > 0:
            bounds = noncentralities(result.difference / result.error, result.n - 1, level)
            low, high = (bound * result.error / spread for bound in bounds)
            needed = items_needed(result.difference / (result.error * math.sqrt(observations)), 1 - level)
        decided = not self.metric.diagnostic and p_adjusted < 1 - level
        better = self.a.name if (result.difference > 0) == self.metric.higher_is_better else self.b.name
        return Difference(
            metric=str(self.metric),
            a=self.a.name,
            b=self.b.name,
            difference=result.difference,
            low=result.low,
            high=result.high,
            p=result.p,
            p_adjusted=p_adjusted,
            effect=effect,
            effect_low=low,
            effect_high=high,
            wins=self.wins,
            ties=self.ties,
            losses=self.losses,
            n=rows,
            test=result.test,
            correction=correction,
            better=better if decided else "",
            needed=None if needed is None else math.ceil(needed * rows / observations),
            sessions=observations,
            statistic=result.statistic,
            df=result.df,
            interval_method="" if math.isnan(result.low) else name_of_test(result.test),
        )

    def _spread(self, result: Paired, rows: int) -> float:
        """Standard deviation of what each row adds to the difference."""
        if self.metric.total is mean and self.n > 1:
            return math.sqrt(float(self.moments.cross[0, 0]) / (self.n - 1))
        return result.error * math.sqrt(rows)
