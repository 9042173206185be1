"""Folders of scores of Parquet rows, which need not fit into memory: the units scored so far, and their totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import msgspec

from neraca import object_stores
from neraca.metrics.metric import Metric
from neraca.result import Table, Tabular
from neraca.runs.work_folder import SCORED, SCORES, UNSCORED, VALUES, WorkFolder, WorkManifest
from neraca.scores.engine.score_unit import UnitSums, read_sums
from neraca.scores.engine.sums import estimate_sums
from neraca.scores.score_list import Score, ScoreList
from neraca.scores.scores import is_count

if TYPE_CHECKING:
    import polars as pl

#: Number of files that are read from an object store at the same time.
READERS = 16


@dataclass(frozen=True, eq=False, repr=False)
class ScoredFolder(Tabular):
    """Scores of rows in Parquet files; prints as a table.

    Attributes
    ----------
    address
        The address of the folder.
    manifest
        The work that was asked for.
    level
        Confidence of the intervals.
    """

    address: str
    manifest: WorkManifest
    level: float = 0.95

    @classmethod
    def of(cls, address: str, level: float = 0.95) -> Self:
        """Open a folder that was written; raise `InputError`."""
        return cls(address, WorkFolder(address).manifest(SCORED), level)

    @property
    def _folder(self) -> WorkFolder:
        return WorkFolder(self.address)

    def begin(self) -> None:
        """Write the manifest; raise `RunError` if the folder holds other scores."""
        self._folder.begin(SCORED, self.manifest)

    @property
    def done(self) -> frozenset[str]:
        """Names of the units that are written."""
        return frozenset(self._folder.units(VALUES))

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics, in the order asked for."""
        return Metric.several(list(self.manifest.metrics))

    @cached_property
    def _totals(self) -> tuple[int, tuple[str, ...], UnitSums]:
        """The number of scored rows, their languages, and the sums over them."""
        rows, languages, total = 0, set[str](), UnitSums()
        files = [self._folder.address_of(VALUES, name) for name in self._folder.units(VALUES)]
        for unit in _read_several(files, READERS if object_stores.is_remote(self.address) else 1):
            rows += unit["rows"]
            languages |= set(unit["languages"])
            for system, sums_by_group in unit["sums"].items():
                for group, sums_by_metric in sums_by_group.items():
                    totals = total.setdefault(system, {}).setdefault(group, {})
                    for metric, sums in sums_by_metric.items():
                        totals[metric] = totals[metric] + sums if metric in totals else sums
        return rows, tuple(sorted(languages)) or ("",), total

    @property
    def rows_done(self) -> int:
        """Number of rows that are scored."""
        return self._totals[0]

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages of the rows; "": unknown."""
        return self._totals[1]

    @property
    def sums(self) -> UnitSums:
        """System → group of rows ("" for all) → metric → sums over all scored rows."""
        return self._totals[2]

    @property
    def systems(self) -> list[str]:
        """Names of the systems."""
        return list(self.sums)

    def overall(self) -> ScoreList:
        """Return every metric of every system over all rows."""
        return self._scores("")

    def by_group(self, tag: str) -> ScoreList:
        """Return every metric of every system for each value of a grouping column."""
        groups = dict.fromkeys(
            group for groups in self.sums.values() for group in groups if group.startswith(f"{tag}=")
        )
        return self._listed(score for group in groups for score in self._scores(group))

    def _listed(self, scores: Iterable[Score]) -> ScoreList:
        return ScoreList(scores, counting=[str(metric) for metric in self.metrics if is_count(metric)])

    def _scores(self, group: str) -> ScoreList:
        return self._listed(
            estimate_sums(metric, sums_by_group[group][str(metric)], self.level, run=system, group=group)
            for metric in self.metrics
            for system, sums_by_group in self.sums.items()
            if group in sums_by_group
        )

    def finish(self) -> None:
        """Write the scores over all rows and by group as JSON Lines."""
        tags = dict.fromkeys(group.partition("=")[0] for groups in self.sums.values() for group in groups if group)
        rows = [*self.overall().rows(), *(row for tag in tags for row in self.by_group(tag).rows())]
        lines = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
        self._folder.write(lines, SCORES)
        self._folder.remove_unfinished()

    def values(self) -> Iterator[pl.DataFrame]:
        """Yield a table of values for each unit, in the order of the rows; the first column identifies the row."""
        import polars as pl

        for name in self._folder.units(VALUES):
            yield pl.read_parquet(self._folder.read(VALUES, name))

    def unscored(self) -> Iterator[dict[str, Any]]:
        """Yield a row {row, id, system, metric, why} for each missing value."""
        import polars as pl

        for name in self._folder.units(UNSCORED):
            yield from pl.read_parquet(self._folder.read(UNSCORED, name)).iter_rows(named=True)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for every metric of every system over all rows; see `ScoreList.rows`."""
        return self.overall().rows()

    def _tables(self) -> Iterator[Table]:
        yield from self.overall()._tables()


def _read_several(files: Sequence[str], readers: int) -> Iterator[dict[str, Any]]:
    """Yield the facts about the units in these files, in order; `readers` files are read at the same time."""
    with ThreadPoolExecutor(readers) as pool:
        for start in range(0, len(files), 100 * readers):
            yield from pool.map(read_sums, files[start : start + 100 * readers])


def is_scored(address: str) -> bool:
    """Return whether there is a folder of scores at this address."""
    return WorkFolder(address).has(SCORED)
