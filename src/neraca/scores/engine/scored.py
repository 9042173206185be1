"""A folder of scores of rows without end: what was asked for, what is done, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import msgspec

from neraca import object_stores
from neraca.datasets.parquet import PARQUET
from neraca.metrics.metric import Metric
from neraca.result import Table, Tabular
from neraca.runs.run import SCORED
from neraca.scores.engine.manifest import WorkManifest, begin, units_in
from neraca.scores.engine.score_unit import UNSCORED, VALUES, UnitSums, read_sums
from neraca.scores.engine.sums import estimate_sums
from neraca.scores.score_list import Score, ScoreList
from neraca.scores.scores import is_count

if TYPE_CHECKING:
    import polars as pl

#: Files of an object store that are waited for at a time.
READERS = 16
#: What was asked for, and what it came to.
MANIFEST, SCORES = SCORED, "scores.jsonl"


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
        """Open a folder that was written; raises `InputError`."""
        return cls(address, WorkManifest.read(object_stores.within(address, MANIFEST)), level)

    def begin(self) -> None:
        """Write down what is asked for; raise `RunError` where the folder holds something else."""
        begin(object_stores.within(self.address, MANIFEST), self.manifest)

    @property
    def done(self) -> frozenset[str]:
        """Names of the units that are written."""
        return units_in(object_stores.within(self.address, VALUES))

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics, in the order asked for."""
        return Metric.several(list(self.manifest.metrics))

    @cached_property
    def _totals(self) -> tuple[int, tuple[str, ...], UnitSums]:
        """Rows that are scored, languages, and sums over all of them."""
        rows, languages, total = 0, set[str](), UnitSums()
        files = [object_stores.within(self.address, f"{VALUES}/{name}") for name in sorted(self.done)]
        for unit in _read_several(files, READERS if object_stores.is_remote(self.address) else 1):
            rows += unit["rows"]
            languages |= set(unit["languages"])
            for system, tags in unit["sums"].items():
                for tag, of_tag in tags.items():
                    sums_by_metric = total.setdefault(system, {}).setdefault(tag, {})
                    for metric, sums in of_tag.items():
                        earlier = sums_by_metric.get(metric)
                        sums_by_metric[metric] = sums if earlier is None else earlier + sums
        return rows, tuple(sorted(languages)) or ("",), total

    @property
    def rows_done(self) -> int:
        """Rows that are scored."""
        return self._totals[0]

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages of the rows; "" where nobody said."""
        return self._totals[1]

    @property
    def sums(self) -> UnitSums:
        """System → group of rows, "" for all → metric → sums over all that is done."""
        return self._totals[2]

    @property
    def systems(self) -> list[str]:
        """Names of the systems."""
        return list(self.sums)

    def overall(self) -> ScoreList:
        """Every metric of every system over all rows."""
        return self._scores("")

    def by_group(self, tag: str) -> ScoreList:
        """The same for each value of a column that the rows are grouped by."""
        groups = dict.fromkeys(name for tags in self.sums.values() for name in tags if name.startswith(f"{tag}="))
        return self._listed(score for group in groups for score in self._scores(group))

    def _listed(self, scores: Iterable[Score]) -> ScoreList:
        return ScoreList(scores, counting=[str(metric) for metric in self.metrics if is_count(metric)])

    def _scores(self, group: str) -> ScoreList:
        return self._listed(
            estimate_sums(metric, tags[group][str(metric)], self.level, run=system, group=group)
            for metric in self.metrics
            for system, tags in self.sums.items()
            if group in tags
        )

    def finish(self) -> None:
        """Write what it comes to, for programs."""
        tags = dict.fromkeys(name.partition("=")[0] for of_system in self.sums.values() for name in of_system if name)
        rows = [*self.overall().rows(), *(row for tag in tags for row in self.by_group(tag).rows())]
        lines = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
        object_stores.write_bytes(object_stores.within(self.address, SCORES), lines)
        if not object_stores.is_remote(self.address):  # what a process that was killed leftover half written
            for leftover in object_stores.local_path(self.address).rglob(f".*{PARQUET}.*"):
                leftover.unlink(missing_ok=True)

    def values(self) -> Iterator[pl.DataFrame]:
        """The values row by row, in the order of the rows, a unit at a time; the first column says which row."""
        import polars as pl

        for name in sorted(self.done):
            address = object_stores.within(self.address, f"{VALUES}/{name}")
            yield pl.read_parquet(object_stores.read_bytes(address))

    def unscored(self) -> Iterator[dict[str, Any]]:
        """A row {row, id, system, metric, why} for each value that there is not."""
        import polars as pl

        folder = object_stores.within(self.address, UNSCORED)
        for name in sorted(units_in(folder)):
            yield from pl.read_parquet(object_stores.read_bytes(object_stores.within(folder, name))).iter_rows(
                named=True
            )

    def rows(self) -> list[dict[str, Any]]:
        """A row for every metric of every system over all rows, as `ScoreList.rows`."""
        return self.overall().rows()

    def _tables(self) -> Iterator[Table]:
        yield from self.overall()._tables()


def _read_several(files: Sequence[str], readers: int) -> Iterator[dict[str, Any]]:
    """Return the facts about the units in several files, which are read at the same time."""
    with ThreadPoolExecutor(readers) as pool:
        for start in range(0, len(files), 100 * readers):
            yield from pool.map(read_sums, files[start : start + 100 * readers])


def is_scored(address: str) -> bool:
    """Whether an address is that of a folder of such scores."""
    return object_stores.exists(object_stores.within(address, MANIFEST))
