"""Writing a table block by block; it is there whole at the end, or not at all.

CSV, TSV, JSON Lines and Parquet are written as the blocks come; XLSX and JSON are held until the end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from neraca.datasets.delimited import header_line, record_lines
from neraca.datasets.table import JSON_LINES, encoded, series, writable_suffix
from neraca.datasets.table_reader import ROWS, RowBatch, TableReader
from neraca.errors import InputError
from neraca.files import replacing

if TYPE_CHECKING:
    import polars as pl

#: New column → a value for each row of a block.
Added = Mapping[str, Sequence[Any]]


class Writer(Protocol):
    """Takes one block after the other."""

    def write(self, block: RowBatch, added: Added) -> None:
        """Write the rows with their own columns as they are, and with new ones after them."""

    def finish(self) -> None:
        """Write what is still held."""


@contextmanager
def table_writer(path: Path | str, source: TableReader, added: Mapping[str, str]) -> Iterator[Writer]:
    """Write `path` with the columns of `source` and new ones; its format follows from the ending of the name.

    Of each new column `added` says the kind, see `neraca.datasets.table.kinds`.

    That it can be written is found at once.  The file is there when the block of the `with` ends without an error;
    before, and after an error, there is what was there before.

    Raises
    ------
    InputError
        The ending is not written, the place cannot be written to, or a value cannot be carried by the format.
    """
    path = Path(path)
    suffix = writable_suffix(path)
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file in it")
    if path.exists() and path.samefile(source.path):
        raise InputError(f"{path}: is the table that is read; give the new one another name")
    with replacing(path) as beside, _opened(suffix, beside, source, added) as writer:
        named = _Named(path, writer)
        yield named
        named.finish()


@contextmanager
def _opened(suffix: str, path: Path, source: TableReader, added: Mapping[str, str]) -> Iterator[Writer]:
    names = [*source.columns, *added]
    if suffix == ".parquet":
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f"{path.name}.") as folder:
            yield _Parquet(path, Path(folder), source, added)
        return
    with path.open("wb") as file:
        if suffix in (".csv", ".tsv"):
            yield _Delimited(file, names, "\t" if suffix == ".tsv" else ",")
        elif suffix in JSON_LINES:
            yield _JsonLines(file)
        else:
            yield _Held(file, names, suffix)


class _Named:
    """Says which file it is that cannot carry a value."""

    def __init__(self, path: Path, writer: Writer) -> None:
        self._path, self._writer = path, writer

    def write(self, block: RowBatch, added: Added) -> None:
        with self._told():
            self._writer.write(block, added)

    def finish(self) -> None:
        with self._told():
            self._writer.finish()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except InputError as error:
            raise InputError(f"{self._path}: {error}") from error
        except (TypeError, UnicodeError) as error:
            raise InputError(f"{self._path}: a value cannot be written: {error}") from error


class _Delimited:
    def __init__(self, file: Any, names: Sequence[str], delimiter: str) -> None:
        self._file, self._names, self._delimiter = file, names, delimiter
        file.write(header_line(names, delimiter))

    def write(self, block: RowBatch, added: Added) -> None:
        self._file.write(record_lines(self._names, rows_with(block, added), self._delimiter))

    def finish(self) -> None:
        """Nothing is held."""


class _JsonLines:
    def __init__(self, file: Any) -> None:
        self._file, self._encoder = file, msgspec.json.Encoder()

    def write(self, block: RowBatch, added: Added) -> None:
        self._file.write(self._encoder.encode_lines(rows_with(block, added)))

    def finish(self) -> None:
        """Nothing is held."""


class _Held:
    def __init__(self, file: Any, names: Sequence[str], suffix: str) -> None:
        self._file, self._names, self._suffix = file, names, suffix
        self._rows: list[dict[str, Any]] = []

    def write(self, block: RowBatch, added: Added) -> None:
        self._rows += rows_with(block, added)

    def finish(self) -> None:
        self._file.write(encoded(self._suffix, self._names, self._rows))


class _Parquet:
    """Each block is a file of its own at first; polars puts them together without holding them all."""

    def __init__(self, path: Path, folder: Path, source: TableReader, added: Mapping[str, str]) -> None:
        self._path, self._folder, self._parts, self._added = path, folder, 0, added
        self._kinds = None if source.framed else source.kinds()

    def write(self, block: RowBatch, added: Added) -> None:
        import polars as pl

        columns = self._columns(block)
        columns |= {name: series(name, values, {self._added[name]}) for name, values in added.items()}
        frame = pl.DataFrame(columns)
        frame.write_parquet(self._folder / f"{self._parts:08}.parquet", compression="lz4")
        self._parts += 1

    def _columns(self, block: RowBatch) -> dict[str, pl.Series]:
        if self._kinds is None:
            return {name: block.given[name] for name in block.columns}  # type: ignore[call-overload]
        return {name: series(name, block.column(name), kinds) for name, kinds in self._kinds.items()}

    def finish(self) -> None:
        import polars as pl

        parts = sorted(self._folder.iterdir())
        lazy = pl.scan_parquet(parts, glob=False, hive_partitioning=False)
        lazy.sink_parquet(self._path, row_group_size=ROWS)


def rows_with(block: RowBatch, added: Added) -> list[dict[str, Any]]:
    """The rows with new columns after their own."""
    names = list(added)
    if not names:
        return block.rows
    return [
        {**row, **dict(zip(names, values, strict=True))}
        for row, values in zip(block.rows, zip(*added.values(), strict=True), strict=True)
    ]
