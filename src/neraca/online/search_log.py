"""A log of a live search system as searches, some users at a time, whatever its size."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from neraca.datasets.log_reader import LogTable
from neraca.datasets.log_tables import all_tables
from neraca.errors import InputError
from neraca.online.event_columns import EventFields, event_fields
from neraca.online.events import events_of, schema
from neraca.online.exclusions import Exclusion, Exclusions
from neraca.online.log_options import LogOptions
from neraca.online.searches import UserEvents, user_events

if TYPE_CHECKING:
    import polars as pl

#: With more events than these a log is divided by user, into so many parts on disk.
IN_MEMORY, PARTS = 500_000, 64


class SearchLog:
    """The searches of a log; each iteration reads it anew.

    Iterating yields the data frames `UserEvents.searches`, each with all searches of some users.

    Parameters
    ----------
    sources
        Files or databases, as of `log_tables`; all of them are one log.
    options
        How it is read.
    progress
        Called with the events read so far.

    Raises
    ------
    InputError, SpecError
        A source is not there or cannot be read, or a field that is needed is missing.
    """

    def __init__(
        self,
        sources: Sequence[Path | str],
        options: LogOptions | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> None:
        self.options = options or LogOptions()
        self._progress = progress
        self._tables = all_tables(sources, self.options.query, self.options.delimiter)
        if not self._tables:
            raise InputError("name a log: a file or a database")
        self._excluded = Exclusions()
        self.events = 0
        #: When the experiment began: the first event that names an arm, and not before `options.since`.
        self.began = math.inf
        _ = self.fields

    @cached_property
    def fields(self) -> list[tuple[LogTable, EventFields]]:
        """Each table, and which of its fields plays which role."""
        return [(table, self._fields(table)) for table in self._tables]

    def _fields(self, table: LogTable) -> EventFields:
        columns = table.columns
        several = len(self._tables) > 1
        wanted = {role: name for role, name in self.options.columns.items() if not several or name in columns}
        segments = {name: name for name in self.options.segments if not several or name in columns}
        return event_fields(columns, {**wanted, **segments}, table.name)

    @property
    def exclusions(self) -> list[Exclusion]:
        """What was left out of what was read so far."""
        return self._excluded.listed()

    def __iter__(self) -> Iterator[pl.DataFrame]:
        for part in self.parts():
            yield part.searches

    def parts(self) -> Iterator[UserEvents]:
        """Yield all that some users did, users after users."""
        self._excluded, self.events, self.began = Exclusions(), 0, math.inf
        with tempfile.TemporaryDirectory(prefix="neraca-log-") as folder:
            for events in self._by_user(Path(folder)):
                part = user_events(events, self.options, self._excluded)
                if len(part.searches):
                    yield part
        if not self.events:
            names = ", ".join(table.name for table in self._tables)
            raise InputError(f"{names}: there is no event in it{self._why()}")

    def _why(self) -> str:
        left_out = [f"{one.n:,} {one.what}: {one.remedy}" for one in self.exclusions]
        return f"; left out: {'; '.join(left_out)}" if left_out else ""

    def _by_user(self, folder: Path) -> Iterator[pl.DataFrame]:
        """Yield the events of all users at once, or those of one part after the other."""
        import polars as pl

        held: list[pl.DataFrame] = []
        rows = spills = 0
        for block in self._blocks():
            held.append(block)
            rows += len(block)
            if rows > IN_MEMORY:
                _spill(held, folder, spills)
                spills, held, rows = spills + 1, [], 0
        if not spills:
            yield pl.concat(held) if held else pl.DataFrame(schema=schema(self.options.segments))
            return
        _spill(held, folder, spills)
        yield from _read_parts(folder)

    def _blocks(self) -> Iterator[pl.DataFrame]:
        users = self._users_of_searches()
        for table, fields in self.fields:
            for block in table.blocks(fields.fields):
                self.events += len(block.frame) + block.broken
                if users is not None and fields.rows != "search" and "search" in fields.fields:
                    block = block._replace(frame=_with_users(block.frame, users))
                events = events_of(block, fields, self._excluded, first_rank=self.options.first_rank)
                self._note_start(events)
                yield events
                if self._progress:
                    self._progress(self.events)

    def _note_start(self, events: pl.DataFrame) -> None:
        import polars as pl

        named = pl.col("variant").is_not_null() & (pl.col("time") >= self.options.since)
        first = events.select(pl.col("time").filter(named).min()).item()
        self.began = min(self.began, math.inf if first is None else float(first))

    def _users_of_searches(self) -> pl.DataFrame | None:
        """Search and user of a table of queries, where that of events does not say the user (UBI)."""
        import polars as pl

        lacking = any("user" not in fields.fields for _, fields in self.fields)
        queries = [(t, f) for t, f in self.fields if f.rows == "search" and {"user", "search"} <= f.fields.keys()]
        if not lacking or not queries:
            return None
        frames = [
            block.frame.select(pl.col("search", "user").cast(pl.String))
            for table, fields in queries
            for block in table.blocks({role: fields.fields[role] for role in ("search", "user")})
        ]
        return pl.concat(frames).unique("search", keep="first")


def _with_users(frame: pl.DataFrame, users: pl.DataFrame) -> pl.DataFrame:
    """Events with the user of their search, where they have none."""
    import polars as pl

    own = frame if "user" in frame.columns else frame.with_columns(user=pl.lit(None, dtype=pl.String))
    joined = own.with_columns(pl.col("search").cast(pl.String)).join(
        users.rename({"user": "searcher"}), on="search", how="left", maintain_order="left"
    )
    return joined.with_columns(user=pl.coalesce("user", "searcher")).drop("searcher")


def _spill(held: list[pl.DataFrame], folder: Path, number: int) -> None:
    """Write events to disk, those of a user always to the same part."""
    import polars as pl

    if not held:
        return
    frame = pl.concat(held).with_columns(part=pl.col("user").hash(seed=0) % PARTS)
    for (part,), of_part in frame.partition_by("part", as_dict=True, include_key=False, maintain_order=True).items():
        of_part.write_ipc(folder / f"{part}-{number:06}.arrow", compression="lz4")


def _read_parts(folder: Path) -> Iterator[pl.DataFrame]:
    """Yield the parts again, small ones together, and delete what was read."""
    import polars as pl

    together: list[pl.DataFrame] = []
    for part in range(PARTS):
        for file in sorted(folder.glob(f"{part}-*.arrow")):
            together.append(pl.read_ipc(file))
            file.unlink()
        if sum(map(len, together)) > IN_MEMORY // 2:
            yield pl.concat(together)
            together = []
    if together:
        yield pl.concat(together)


def search_log(
    sources: Sequence[Path | str] | Path | str,
    options: LogOptions | None = None,
    progress: Callable[[int], object] | None = None,
) -> SearchLog:
    """Open a log; parameters and errors are those of `SearchLog`."""
    return SearchLog([sources] if isinstance(sources, Path | str) else sources, options, progress)
