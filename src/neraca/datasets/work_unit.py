"""Units of work on Parquet files: a row group, or several small neighbours together."""

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

#: Largest number of rows of neighbouring row groups that are one unit.
ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Source:
    """A Parquet file: its address, the sizes of file and footer in bytes, and its row groups."""

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
        The file, and the sizes of file and footer in bytes.
    first, rows
        The index of its first row in the file, from 0, and its number of rows.
    start, end
        Its bytes in the file; `end` is exclusive.
    before
        The number of rows before it, in this file and all earlier ones.
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
        """The name of the file for its results; sorted by name, units are in the order of their rows."""
        return f"{self.before:012}{PARQUET}"


def sources_of(addresses: Iterable[str]) -> list[Source]:
    """Read the footers of all Parquet files at or below these addresses; the files of a folder are sorted by name.

    Raise `InputError` if there is no file or no row, or if a file is named twice, cannot be read, or lacks a column of
    the first.
    """
    sources = []
    for address in addresses:
        files = object_stores.list_files(address, PARQUET)
        if not files:
            raise InputError(f"{address}: there is no Parquet file at or below it")
        sources += [_source(*file) for file in files]
    if len({source.address for source in sources}) < len(sources):
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
    """Return the units of all files in order; neighbouring row groups are one unit if they have at most `rows` rows."""
    units = []
    before = 0
    for source in sources:
        for groups in _neighbours(source.footer.groups, rows):
            first, last = groups[0], groups[-1]
            n = last.first + last.rows - first.first
            start, end = min(group.start for group in groups), max(group.end for group in groups)
            place = (source.address, source.size, source.tail, first.first, n, start, end)
            units.append(Unit(*place, before + first.first))
        before += source.footer.rows
    return units


def _neighbours(groups: Iterable[RowGroup], rows: int) -> Iterator[list[RowGroup]]:
    """Yield neighbouring row groups that have at most `rows` rows together; a larger one is alone."""
    neighbours: list[RowGroup] = []
    for group in groups:
        if neighbours and sum(neighbour.rows for neighbour in neighbours) + group.rows > rows:
            yield neighbours
            neighbours = []
        if group.rows:
            neighbours.append(group)
    if neighbours:
        yield neighbours


def read_unit(unit: Unit, columns: Sequence[str]) -> pl.DataFrame:
    """Read some columns of its rows; raise `InputError`.  Of a file in an object store, fetch only the unit's bytes."""
    if not object_stores.is_remote(unit.source):
        return rows_of(object_stores.local_path(unit.source), unit.first, unit.rows, columns)
    with tempfile.TemporaryDirectory(prefix="neraca-unit-") as folder:
        path = Path(folder) / f"unit{PARQUET}"
        with path.open("wb") as file:  # the size of the whole file, with holes for the other units
            file.truncate(unit.size)
            for start, data in (
                (0, MAGIC),
                (unit.start, object_stores.read_bytes(unit.source, unit.start, unit.end)),
                (unit.size - unit.tail, object_stores.read_bytes(unit.source, unit.size - unit.tail, unit.size)),
            ):
                file.seek(start)
                file.write(data)
        return rows_of(path, unit.first, unit.rows, columns)
