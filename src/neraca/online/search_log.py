"""Read the log of a live search system of any size, and yield its searches for some users at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from neraca.datasets.log_reader import LogTable
from neraca.datasets.log_tables import all_tables
from neraca.errors import InputError
from neraca.online.event_columns import EventFields, event_fields
from neraca.online.events import events_of, schema, with_whole_ids
from neraca.online.exclusions import Exclusion, Exclusions
from neraca.online.log_contents import LogContents, ReadLog
from neraca.online.log_options import LogOptions
from neraca.online.rank_numbering import RankNumbering, from_one
from neraca.online.searches import UserEvents, user_events
from neraca.online.time_window import TimeBins, TimeWindow
from neraca.online.times import YearLastDates

if TYPE_CHECKING:
    import polars as pl

#: A log with more events than `IN_MEMORY` is divided by user into `PARTS` parts on disk.
IN_MEMORY, PARTS = 500_000, 64


class SearchLog:
    """The searches of a log; each iteration reads the log again.

    Iterating yields the data frames `UserEvents.searches`, each with all searches of some users.

    Parameters
    ----------
    sources
        Files or databases that `log_tables` accepts; together they are one log.
    options
        Options for reading the log.
    progress
        Called with the number of events read so far.

    Raises
    ------
    InputError, SpecError
        A source does not exist or cannot be read, or a required field is missing.
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
        self._bins = TimeBins(self.options)
        self._ranks = RankNumbering(self.options.first_rank)
        self._lengths_only = False
        self.events = 0
        #: Times of the events that are used, and the start of the experiment; known when all events are read.
        self.window = TimeWindow()
        self.contents = LogContents()
        _ = self.fields

    @cached_property
    def fields(self) -> list[tuple[LogTable, EventFields]]:
        """Each table with its fields by role."""
        return [(table, self._fields(table)) for table in self._tables]

    def _fields(self, table: LogTable) -> EventFields:
        columns = table.columns
        several = len(self._tables) > 1
        roles = {role: name for role, name in self.options.columns.items() if not several or name in columns}
        segments = {name: name for name in self.options.segments if not several or name in columns}
        return event_fields(columns, {**roles, **segments}, table.name, self.options.rows)

    @property
    def exclusions(self) -> list[Exclusion]:
        """Events, searches and users left out so far, by reason."""
        return self._excluded.listed()

    @property
    def unused(self) -> list[str]:
        """The columns that are not read, of all tables."""
        return [*dict.fromkeys(name for table, fields in self.fields for name in fields.unused(table.columns))]

    @property
    def read(self) -> ReadLog:
        """The contents read so far, and the exclusions."""
        return ReadLog(self.events, self.contents, tuple(self.exclusions), tuple(self.unused))

    def exclude(self, reason: str, n: int, example: str = "", searches: int = 0) -> None:
        """Count users who are left out after reading, and their searches."""
        self._excluded.add(reason, n, example)
        self._excluded.searches_by_reason[reason] += searches

    def __iter__(self) -> Iterator[pl.DataFrame]:
        for part in self.parts():
            yield part.searches

    def parts(self, lists: bool = True) -> Iterator[UserEvents]:
        """Yield the searches and actions of some users at a time.

        Without `lists`, `shown` holds zeros in place of the documents if no event names one: only the lengths of the
        lists matter then, and the events hold these alone.
        """
        self._lengths_only = not (lists or self.has("document") or self.has("clicked"))
        self._excluded, self.events = Exclusions(), 0
        self.contents = LogContents(names_sessions=self.has("session"), names_users=self.has("user"))
        self._bins, self.window = TimeBins(self.options), TimeWindow()
        self._ranks = RankNumbering(self.options.first_rank)
        with tempfile.TemporaryDirectory(prefix="neraca-log-") as folder:
            for events in self._by_user(Path(folder)):
                part = user_events(from_one(events, self._ranks.first), self.options, self._excluded, self.window)
                self.contents.add(part)
                self._forget_absent_fields()
                if len(part.searches):
                    yield part
        if not self.events:
            names = ", ".join(table.name for table in self._tables)
            raise InputError(f"{names}: the log has no events{self._list_exclusions()}")

    def has(self, role: str) -> bool:
        """Return whether a table of the log has a field for a role."""
        return any(role in fields.fields for _, fields in self.fields)

    def _forget_absent_fields(self) -> None:
        """Drop the counts of events without a session, query or flag if no table has the field for it."""
        for role, reason in (("session", "no_session"), ("query", "no_query"), ("reformulated", "no_flag")):
            if not self.has(role):
                self._excluded.counts.pop(reason, None)

    def _list_exclusions(self) -> str:
        reasons = [f"{exclusion.n:,} {exclusion.what}: {exclusion.remedy}" for exclusion in self.exclusions]
        return f"; left out: {'; '.join(reasons)}" if reasons else ""

    def _by_user(self, folder: Path) -> Iterator[pl.DataFrame]:
        """Yield the events of all users at once or, for a large log, part by part."""
        import polars as pl

        blocks: list[pl.DataFrame] = []
        columns = pl.Schema(schema(self.options.segments))
        rows = spills = 0
        for block in self._blocks():
            blocks.append(block)
            rows += len(block)
            columns = block.schema  # the same in each block
            if rows > 2 * IN_MEMORY:
                _spill(blocks, folder, spills)
                spills, blocks, rows = spills + 1, [], 0
        self.window = self._bins.window()
        self.contents.ranks_from_zero = self._ranks.option is None and self._ranks.first == 0
        if self._ranks.first == 1:
            self._excluded.add("bad_rank", self._ranks.zeros, self._ranks.example)
        if not spills and rows <= IN_MEMORY:
            yield pl.concat(blocks) if blocks else pl.DataFrame(schema=columns)
            return
        _spill(blocks, folder, spills)
        yield from _read_parts(folder, columns)

    def _blocks(self) -> Iterator[pl.DataFrame]:
        users = self._users_of_searches()
        for table, fields in self.fields:
            dates = _year_last_dates(table, fields)
            for block in table.blocks(fields.fields):
                self.events += len(block.frame) + block.broken
                block = block._replace(frame=with_whole_ids(block.frame, self._excluded))
                if users is not None and fields.rows != "search" and "search" in fields.fields:
                    block = block._replace(frame=_with_users(block.frame, users))
                events = events_of(
                    block,
                    fields,
                    self._excluded,
                    segments=self.options.segments,
                    ranks=self._ranks,
                    dates=dates,
                    lengths_only=self._lengths_only,
                )
                self._bins.add(events)
                self._ranks.add(events)
                yield events
                if self._progress:
                    self._progress(self.events)
            if dates.example and dates.day_first is not None:
                self.contents.dates[dates.example] = dates.day_first

    def _users_of_searches(self) -> pl.DataFrame | None:
        """Return the user of each search from a table of queries, for tables with events without a user (UBI)."""
        import polars as pl

        queries = [(t, f) for t, f in self.fields if f.rows == "search" and {"user", "search"} <= f.fields.keys()]
        others = [(t, f) for t, f in self.fields if f.rows != "search" and "search" in f.fields]
        if not queries or not any(_lacks_users(table, fields) for table, fields in others):
            return None
        frames = [
            with_whole_ids(block.frame, Exclusions()).select(pl.col("search", "user").cast(pl.String))
            for table, fields in queries
            for block in table.blocks({role: fields.fields[role] for role in ("search", "user")})
        ]
        return pl.concat(frames).unique("search", keep="first")


def _year_last_dates(table: LogTable, fields: EventFields) -> YearLastDates:
    """Return the dates with the year last in the times of a table."""
    field = fields.fields["time"]

    def column() -> Iterator[pl.Series]:
        return (block.frame["time"] for block in table.blocks({"time": field}))

    return YearLastDates(f"{table.name}, column {field!r}", column)


def _lacks_users(table: LogTable, fields: EventFields) -> bool:
    """Return whether a table has an event without a user."""
    user = {role: field for role, field in fields.fields.items() if role == "user"}
    return not user or any(block.frame["user"].null_count() for block in table.blocks(user))


def _with_users(frame: pl.DataFrame, users: pl.DataFrame) -> pl.DataFrame:
    """Fill missing users of events with the user of their search."""
    import polars as pl

    events = frame if "user" in frame.columns else frame.with_columns(user=pl.lit(None, dtype=pl.String))
    joined = events.with_columns(pl.col("search").cast(pl.String)).join(
        users.rename({"user": "searcher"}), on="search", how="left", maintain_order="left"
    )
    return joined.with_columns(user=pl.coalesce("user", "searcher")).drop("searcher")


def _spill(blocks: list[pl.DataFrame], folder: Path, number: int) -> None:
    """Write events to disk, divided into parts by user; all events of a user go to the same part.

    Leave out empty columns; a log often has many.
    """
    import polars as pl

    if not blocks:
        return
    whole = pl.concat(blocks)
    frame = whole.select(name for name in whole.columns if whole[name].null_count() < len(whole))
    frame = frame.with_columns(part=pl.col("user").hash(seed=0) % PARTS)
    for (part,), of_part in frame.partition_by("part", as_dict=True, include_key=False, maintain_order=True).items():
        of_part.write_ipc_stream(folder / f"{part}-{number:06}.arrow", compression="lz4")


def _read_parts(folder: Path, columns: pl.Schema) -> Iterator[pl.DataFrame]:
    """Read the parts from disk and yield them, several small parts at once; delete each file after reading."""
    import polars as pl

    def joined(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
        return pl.concat([pl.DataFrame(schema=columns), *frames], how="diagonal").select(columns.names())

    frames: list[pl.DataFrame] = []
    for part in range(PARTS):
        for file in sorted(folder.glob(f"{part}-*.arrow")):
            frames.append(pl.read_ipc_stream(file))
            file.unlink()
        if sum(map(len, frames)) > IN_MEMORY // 2:
            yield joined(frames)
            frames = []
    if frames:
        yield joined(frames)


def search_log(
    sources: Sequence[Path | str] | Path | str,
    options: LogOptions | None = None,
    progress: Callable[[int], object] | None = None,
) -> SearchLog:
    """Open a log; see `SearchLog` for parameters and errors."""
    return SearchLog([sources] if isinstance(sources, Path | str) else sources, options, progress)
