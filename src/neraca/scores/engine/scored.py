"""A folder of scores of rows without end: what was asked for, what is done, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import msgspec

from neraca import stores
from neraca.datasets.parquet import PARQUET
from neraca.errors import InputError, RunError
from neraca.metrics.metric import Metric
from neraca.result import Table, Tabular
from neraca.scores.engine.score_unit import UNSCORED, VALUES, UnitSums, read_sums
from neraca.scores.engine.sums import estimate_sums
from neraca.scores.score_list import Score, ScoreList
from neraca.scores.scores import is_count

if TYPE_CHECKING:
    import polars as pl

#: Files of an object store that are waited for at a time.
READERS = 16
#: What was asked for, and what it came to.
MANIFEST, SCORES = "scored.json", "scores.jsonl"


class ScoredManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder of scores is made of; another command into the same folder must have the same.

    Attributes
    ----------
    metrics
        Canonical names.
    columns
        What each column that is read was taken for.
    settings
        What else shapes the values: language, relevance, by, unit.
    sources
        Name, size, rows and checksum of the footer of each file, in their order.
    neraca
        The version that computed.
    """

    metrics: tuple[str, ...]
    columns: dict[str, Any]
    settings: dict[str, Any]
    sources: tuple[tuple[str, int, int, int], ...]
    neraca: str
    v: int = 1

    @property
    def rows(self) -> int:
        """Rows in all files."""
        return sum(source[2] for source in self.sources)


@dataclass(frozen=True, eq=False, repr=False)
class ScoredFolder(Tabular):
    """Scores of rows in Parquet files; prints as a table.

    Attributes
    ----------
    address
        Of the folder.
    manifest
        What was asked for.
    level
        Confidence of the intervals.
    """

    address: str
    manifest: ScoredManifest
    level: float = 0.95

    @classmethod
    def of(cls, address: str, level: float = 0.95) -> Self:
        """Open a folder that was written; raises `InputError`."""
        where = stores.within(address, MANIFEST)
        try:
            return cls(address, msgspec.json.decode(stores.read_bytes(where), type=ScoredManifest), level)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise InputError(f"{where}: cannot be read: {error}") from error

    def begin(self) -> None:
        """Write down what is asked for; raise `RunError` where the folder holds something else."""
        where = stores.within(self.address, MANIFEST)
        if not stores.exists(where):
            stores.write_bytes(where, msgspec.json.format(msgspec.json.encode(self.manifest)))
            return
        both = (ScoredFolder.of(self.address).manifest, self.manifest)
        before, asked = (msgspec.json.decode(msgspec.json.encode(one)) for one in both)
        for name, now in asked.items():
            if before[name] != now:
                raise RunError(
                    f"{self.address} holds scores of something else: {name} {_differing(before[name], now)}; choose "
                    "another folder with --out, or delete this one"
                )

    @property
    def done(self) -> frozenset[str]:
        """Names of the units that are written."""
        there = stores.listed(stores.within(self.address, VALUES), PARQUET) if self._is_there(VALUES) else []
        return frozenset(one.address.replace("\\", "/").rpartition("/")[2] for one in there)

    def _is_there(self, folder: str) -> bool:
        address = stores.within(self.address, folder)
        return stores.is_remote(address) or stores.local_path(address).is_dir()

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics, in the order asked for."""
        return Metric.several(list(self.manifest.metrics))

    @cached_property
    def _known(self) -> tuple[int, tuple[str, ...], UnitSums]:
        """Rows that are scored, languages, and sums over all of them."""
        rows, languages, total = 0, set[str](), UnitSums()
        files = [stores.within(self.address, f"{VALUES}/{name}") for name in sorted(self.done)]
        for unit in _read_several(files, READERS if stores.is_remote(self.address) else 1):
            rows += unit["rows"]
            languages |= set(unit["languages"])
            for system, tags in unit["sums"].items():
                for tag, of_tag in tags.items():
                    known = total.setdefault(system, {}).setdefault(tag, {})
                    for metric, sums in of_tag.items():
                        known[metric] = known[metric] + sums if metric in known else sums
        return rows, tuple(sorted(languages)) or ("",), total

    @property
    def rows_done(self) -> int:
        """Rows that are scored."""
        return self._known[0]

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages of the rows; "" where nobody said."""
        return self._known[1]

    @property
    def sums(self) -> UnitSums:
        """System → group of rows, "" for all → metric → sums over all that is done."""
        return self._known[2]

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
        stores.write_bytes(stores.within(self.address, SCORES), lines)
        if not stores.is_remote(self.address):  # what a process that was killed left half written
            for left in stores.local_path(self.address).rglob(f".*{PARQUET}.*"):
                left.unlink(missing_ok=True)

    def values(self) -> Iterator[pl.DataFrame]:
        """The values row by row, in the order of the rows, a unit at a time; the first column says which row."""
        import polars as pl

        for name in sorted(self.done):
            address = stores.within(self.address, f"{VALUES}/{name}")
            yield pl.read_parquet(stores.read_bytes(address))

    def unscored(self) -> Iterator[dict[str, Any]]:
        """A row {row, id, system, metric, why} for each value that there is not."""
        import polars as pl

        if self._is_there(UNSCORED):
            for one in stores.listed(stores.within(self.address, UNSCORED), PARQUET):
                yield from pl.read_parquet(stores.read_bytes(one.address)).iter_rows(named=True)

    def rows(self) -> list[dict[str, Any]]:
        """A row for every metric of every system over all rows, as `ScoreList.rows`."""
        return self.overall().rows()

    def _tables(self) -> Iterator[Table]:
        yield from self.overall()._tables()


def _read_several(files: Sequence[str], readers: int) -> Iterator[dict[str, Any]]:
    """What each file says of its unit; so many are waited for at a time."""
    with ThreadPoolExecutor(readers) as pool:
        for start in range(0, len(files), 100 * readers):
            yield from pool.map(read_sums, files[start : start + 100 * readers])


def is_scored(address: str) -> bool:
    """Whether an address is that of a folder of such scores."""
    return stores.exists(stores.within(address, MANIFEST))


def _differing(before: Any, now: Any) -> str:
    """Where two values differ, in a line."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        name = next(name for name in {**before, **now} if before.get(name) != now.get(name))
        return f"{name} {_differing(before.get(name), now.get(name))}"
    if isinstance(before, list) and isinstance(now, list) and len(before) != len(now):
        return f"were {len(before):,} and are {len(now):,}"
    if isinstance(before, list) and isinstance(now, list):
        return next(_differing(old, new) for old, new in zip(before, now, strict=True) if old != new)
    return f"was {msgspec.json.encode(before).decode()} and is {msgspec.json.encode(now).decode()}"
