"""Compare systems in folders that `score_parquet` wrote, without holding all rows in memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neraca.comparisons.compare import check_correction, paired_differences, primary_of
from neraca.comparisons.difference import Differences
from neraca.comparisons.pair import TIE, Pair, adjust, difference_of, families_of, pairs_to_compare
from neraca.errors import InputError
from neraca.metrics.metric import Metric
from neraca.scores.engine.score_unit import ROW
from neraca.scores.engine.scored import ScoredFolder
from neraca.scores.engine.sums import Sums
from neraca.scores.unit import few
from neraca.stats.intervals.effect import effect_bounds
from neraca.stats.intervals.interval import Floats, mean
from neraca.stats.moments import Moments
from neraca.stats.tests.paired import Paired, t_result, t_test, trivial

if TYPE_CHECKING:
    import polars as pl


class System(NamedTuple):
    """A system: its name in tables, its folder, and its name in that folder."""

    name: str
    folder: ScoredFolder
    name_in_folder: str

    def column(self, metric: Metric) -> str:
        """Return the column that holds the values of the system."""
        return f"{self.name_in_folder} {metric}" if len(self.folder.systems) > 1 else str(metric)

    def sums(self, metric: Metric) -> Sums:
        """Return the sums over the rows of the system."""
        return self.folder.sums[self.name_in_folder][""][str(metric)]


def compare_folders(
    folders: Sequence[ScoredFolder], *, primary: str = "", correction: str = "holm", against: str = ""
) -> Differences:
    """Compare every two systems in every metric, or each with a baseline, by the paired t-test.

    For a mean over independent rows the test uses every row.  For rows of sessions, and for totals other than means,
    it uses groups of rows (see `neraca.scores.engine.sums`); each group has the same rows in both systems.

    Parameters
    ----------
    folders
        One folder with several systems, or several folders of the same rows: the same ids in the same order.
    primary, correction
        See `compare`.
    against
        Name of the baseline.

    Raises
    ------
    InputError
        If there are fewer than two systems, the folders have different rows or are unfinished, or the baseline is
        unknown.
    SpecError
        If the primary metric or the correction is unknown.
    """
    check_correction(correction)
    systems = _systems(folders)
    _check(folders, systems, against)
    metrics = [metric for metric in folders[0].metrics if all(metric in folder.metrics for folder in folders)]
    if not metrics:
        raise InputError("the folders have no metric in common; score both by the same metrics")
    first = str(primary_of(metrics, primary))
    baseline = [system.name for system in systems].index(against) if against else None
    sums = [
        _PairSums(metric, systems[a], systems[b])
        for metric in metrics
        for a, b in pairs_to_compare(len(systems), baseline)
    ]
    for values in _aligned(folders):
        for pair in sums:
            pair.add(values[pair.a.folder.address], values[pair.b.folder.address])
    level = folders[0].level
    results = [pair.t_test(level) for pair in sums]
    families = families_of([pair.metric for pair in sums], first)
    adjusted = adjust([result.p for result in results], families, correction)
    return Differences(
        difference_of(pair.pair(result, level), result, p, correction, level)
        for pair, result, p in zip(sums, results, adjusted, strict=True)
    )


def _systems(folders: Sequence[ScoredFolder]) -> list[System]:
    """Return all systems; if two have the same name, each gets the name of its folder."""
    uses = Counter(name for folder in folders for name in folder.systems)
    systems = []
    for folder in folders:
        folder_name = folder.address.rstrip("/").replace("\\", "/").rpartition("/")[2]
        for name in folder.systems:
            distinct = f"{folder_name} {name}" if len(folder.systems) > 1 else folder_name
            systems.append(System(name if uses[name] == 1 else distinct, folder, name))
    return systems


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
    first = folders[0]
    for folder in folders[1:]:
        if folder.rows_done != first.rows_done:
            raise InputError(
                f"{first.address} has {first.rows_done:,} rows and {folder.address} {folder.rows_done:,}; folders that "
                "are compared are of the same rows, in the same order"
            )


def _aligned(folders: Sequence[ScoredFolder]) -> Iterator[dict[str, pl.DataFrame]]:
    """Yield some rows of every folder at a time, the same in each; raise `InputError` if their ids differ."""
    streams = [folder.values() for folder in folders]
    frames = [next(stream) for stream in streams]
    rows_before = 0
    while True:
        n = min(map(len, frames))
        parts = [frame[:n] for frame in frames]
        _check_ids(folders, parts, rows_before)
        yield {folder.address: part for folder, part in zip(folders, parts, strict=True)}
        rows_before += n
        frames = [frame[n:] for frame in frames]
        for place, stream in enumerate(streams):
            if not len(frames[place]):
                following = next(stream, None)
                if following is None:
                    return
                frames[place] = following


def _check_ids(folders: Sequence[ScoredFolder], parts: Sequence[pl.DataFrame], rows_before: int) -> None:
    first_ids = parts[0].to_series(0)
    for folder, part in zip(folders[1:], parts[1:], strict=True):
        ids = part.to_series(0)
        if ROW in (first_ids.name, ids.name):
            continue
        same_type = first_ids.dtype == ids.dtype
        if not same_type or (first_ids != ids).any():
            row = int((first_ids != ids).arg_max() or 0) if same_type else 0
            raise InputError(
                f"row {rows_before + row + 1:,} is {first_ids[row]!r} in {folders[0].address} and "
                f"{ids[row]!r} in {folder.address}; sort both files by id, and score them again"
            )


@dataclass
class _PairSums:
    """Two systems in one metric, and sums over the rows so far."""

    metric: Metric
    a: System
    b: System
    moments: Moments = field(default_factory=lambda: Moments.of(np.zeros((0, 1))))
    n: int = 0
    wins: int = 0
    losses: int = 0
    ties: int = 0

    def add(self, a: pl.DataFrame, b: pl.DataFrame) -> None:
        """Add the same rows of both systems."""
        values_a, values_b = a[self.a.column(self.metric)].to_numpy(), b[self.b.column(self.metric)].to_numpy()
        differences: Floats = values_a - values_b
        differences = differences[np.isfinite(differences)]
        gains = differences if self.metric.higher_is_better else -differences
        wins, losses = int((gains > TIE).sum()), int((gains < -TIE).sum())
        self.wins, self.losses = self.wins + wins, self.losses + losses
        self.ties += len(differences) - wins - losses
        self.n += len(differences)
        self.moments += Moments.of(differences[:, None])

    def t_test(self, level: float) -> Paired:
        """Test the difference over rows, or over groups of rows if these have sums."""
        groups = self._groups()
        if groups is not None:
            clusters = np.zeros(len(groups), dtype=np.int64) if few(len(groups), self.n) else None
            return t_test(groups, clusters, level)
        n, average, squares = self.n, float(self.moments.mean[0]), float(self.moments.cross[0, 0])
        if n < 2 or (average == squares == 0):
            result = trivial(np.full(min(n, 2), average), "t")
            if result is not None:
                return replace(result, n=n)
        error = math.sqrt(squares / max(1, n - 1) / n)
        return t_result(average, error, n - 1, n, level)

    def _groups(self) -> Floats | None:
        """Return the contribution of each group of rows to the difference; None if rows themselves are tested."""
        sums_a, sums_b = self.a.sums(self.metric), self.b.sums(self.metric)
        if sums_a.groups is None or sums_b.groups is None or sums_a.filled is None or sums_b.filled is None:
            return None
        filled = sums_a.filled & sums_b.filled
        return paired_differences(self.metric, sums_a.groups[filled], sums_b.groups[filled])

    def pair(self, result: Paired, level: float) -> Pair:
        """Return the pair with all counts, and the effect by the standard error of the test."""
        rows = self.n or min(system.sums(self.metric).n for system in (self.a, self.b))
        observations = result.n if self.a.folder.manifest.columns.get("session") else rows
        spread = self._spread(result, rows)
        bounds = (math.nan, math.nan)
        if spread > 0 and result.error > 0 and result.df:
            bounds = effect_bounds(result.difference, result.error, result.df, spread, level)
        return Pair(
            metric=self.metric,
            a=self.a.name,
            b=self.b.name,
            n=rows,
            sessions=1 if few(observations, rows) else observations,
            wins=self.wins,
            ties=self.ties,
            losses=self.losses,
            effect=result.difference / spread if spread > 0 else 0.0 if result.difference == 0 else math.nan,
            effect_interval=bounds,
        )

    def _spread(self, result: Paired, rows: int) -> float:
        """Return the standard deviation of the contributions of rows to the difference."""
        if self.metric.total is mean and self.n > 1:
            return math.sqrt(float(self.moments.cross[0, 0]) / (self.n - 1))
        return result.error * math.sqrt(rows)
