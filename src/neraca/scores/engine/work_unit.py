"""Units of work: the row groups of Parquet files, of which small neighbours are done together."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from neraca import object_stores
from neraca.datasets.parquet import PARQUET, rows_of
from neraca.datasets.row_groups import MAGIC, TAIL, Footer, RowGroup, footer_length, read_footer
from neraca.errors import InputError

if TYPE_CHECKING:
    import polars as pl

#: Row groups of fewer rows are done together, up to so many.
ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Source:
    """A Parquet file: where it is, its size and that of its footer in bytes, and its row groups."""

    address: str
    size: int
    tail: int
    footer: Footer


@dataclass(frozen=True, slots=True)
class Unit:
    """Rows that are scored together, and written together or not at all.

    Attributes
    ----------
    source, size, tail
        The file, its size and that of its footer in bytes.
    first, rows
        Number of the first row in the file, from 0, and how many.
    start, end
        Its bytes in the file.
    before
        Rows of all files before the first one: rows are numbered through all of them.
    """

    source: str
    size: int
    tail: int
    first: int
    rows: int
    start: int
    end: int
    before: int

    @property
    def name(self) -> str:
        """The file that its values are written to; by name units stand in the order of their rows."""
        return f"{self.before:012}{PARQUET}"


def sources_of(addresses: Iterable[str]) -> list[Source]:
    """Open the Parquet files at or below these addresses, by name.

    Raises
    ------
    InputError
        There is none, or one cannot be read, has no row, or has other columns than the first.
    """
    sources = []
    for address in addresses:
        files = object_stores.listed(address, PARQUET)
        if not files:
            raise InputError(f"{address}: there is no Parquet file at or below it")
        sources += [_source(*file) for file in files]
    twice = {source.address for source in sources}
    if len(twice) < len(sources):
        raise InputError("a file is named twice; name each file or folder once")
    first = sources[0]
    for source in sources[1:]:
        if missing := [name for name in first.footer.columns if name not in source.footer.columns]:
            raise InputError(
                f'{source.address}: no column "{missing[0]}", which {first.address} has; files that are scored '
                "together have the same columns"
            )
    if not sum(source.footer.rows for source in sources):
        raise InputError(f"{first.address}: there is no row in it")
    return sources


def _source(address: str, size: int) -> Source:
    length = footer_length(object_stores.read_bytes(address, -TAIL) if size >= TAIL else b"", address)
    footer = read_footer(object_stores.read_bytes(address, size - TAIL - length, size - TAIL), address)
    return Source(address, size, length + TAIL, footer)


def units_of(sources: Sequence[Source], rows: int = ROWS) -> list[Unit]:
    """All row groups of all files in their order; neighbours in a file together as long as they have few rows."""
    units = []
    before = 0
    for source in sources:
        for several in _together(source.footer.groups, rows):
            first, last = several[0], several[-1]
            n = last.first + last.rows - first.first
            start, end = min(group.start for group in several), max(group.end for group in several)
            place = (source.address, source.size, source.tail, first.first, n, start, end)
            units.append(Unit(*place, before + first.first))
        before += source.footer.rows
    return units


def _together(groups: Iterable[RowGroup], rows: int) -> Iterator[list[RowGroup]]:
    several: list[RowGroup] = []
    for group in groups:
        if several and sum(one.rows for one in several) + group.rows > rows:
            yield several
            several = []
        if group.rows:
            several.append(group)
    if several:
        yield several


def read_unit(unit: Unit, columns: Sequence[str]) -> pl.DataFrame:
    """Some columns of its rows.  Of a file in an object store only its own bytes are fetched; raises `InputError`."""
    if not object_stores.is_remote(unit.source):
        return rows_of(object_stores.local_path(unit.source), unit.first, unit.rows, columns)
    with tempfile.TemporaryDirectory(prefix="neraca-unit-") as folder:
        path = Path(folder) / f"unit{PARQUET}"
        with path.open("wb") as file:  # as long as the whole file, but with holes where nobody looks
            file.truncate(unit.size)
            for start, data in (
                (0, MAGIC),
                (unit.start, object_stores.read_bytes(unit.source, unit.start, unit.end)),
                (unit.size - unit.tail, object_stores.read_bytes(unit.source, unit.size - unit.tail, unit.size)),
            ):
                file.seek(start)
                file.write(data)
        return rows_of(path, unit.first, unit.rows, columns)
