"""Read and write Parquet and Arrow files, slice by slice."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neraca.datasets.cells import plain_text
from neraca.datasets.compressed import check_unfolded
from neraca.datasets.row_batch import OutputColumns, RowBatch, TableFile
from neraca.errors import InputError

if TYPE_CHECKING:
    import polars as pl

PARQUET = ".parquet"
ARROW_SUFFIXES = (".arrow", ".feather", ".ipc")
#: The rows of a file may have so many bytes however small it is: columns of repeated texts pack well.
FREE_BYTES = 1 << 30
#: Number of rows in a row group that is written.
GROUP_ROWS = 10_000
#: Most rows in the first batch that is read; their length decides the size of the next ones.
_FIRST = 1_000


def read_parquet(file: TableFile) -> Iterator[RowBatch]:
    """Yield the rows of a Parquet file as data frames."""
    import polars as pl

    with _frame_errors(file.path):
        lazy = pl.scan_parquet(file.path, glob=False, hive_partitioning=False)
    yield from _slices(file, lazy)


def read_arrow(file: TableFile) -> Iterator[RowBatch]:
    """Yield the rows of an Arrow file or stream as data frames; hold a stream whole."""
    import polars as pl

    with _frame_errors(file.path):
        with file.path.open("rb") as opened:
            is_file = opened.read(6) == b"ARROW1"
        if is_file:
            lazy = pl.scan_ipc(file.path, glob=False, hive_partitioning=False)
        else:
            with file.path.open("rb") as opened:  # polars could read a file name as a glob pattern
                lazy = pl.read_ipc_stream(opened).lazy()
    yield from _slices(file, lazy)


def frames(path: Path, columns: Sequence[str], rows: int) -> Iterator[pl.DataFrame]:
    """Yield some columns of a Parquet or Arrow file, `rows` rows at a time; leave out columns that it lacks."""
    import polars as pl

    with _frame_errors(path):
        lazy = _lazy(path)
        existing = [*lazy.collect_schema().names()]
        selected = lazy.select([name for name in columns if name in existing])
        total = int(lazy.select(pl.len()).collect().item())
    for start in range(0, total, rows):  # `collect_batches` would read ahead of a slow consumer
        with _frame_errors(path):
            frame = selected.slice(start, rows).collect()
        yield frame


def first_rows(path: Path, rows: int) -> pl.DataFrame:
    """Return the first rows of a Parquet or Arrow file."""
    with _frame_errors(path):
        return _lazy(path).head(rows).collect()


def rows_of(path: Path, first: int, rows: int, columns: Sequence[str]) -> pl.DataFrame:
    """Return some columns of `rows` rows of a Parquet file, from row `first` on (counted from 0)."""
    with _frame_errors(path):
        return _lazy(path).slice(first, rows).select(columns).collect()


def _lazy(path: Path) -> pl.LazyFrame:
    import polars as pl

    scan = pl.scan_parquet if path.suffix.lower() == PARQUET else pl.scan_ipc
    return scan(path, glob=False, hive_partitioning=False)


def _slices(file: TableFile, lazy: pl.LazyFrame) -> Iterator[RowBatch]:
    import polars as pl

    with _frame_errors(file.path):
        columns = tuple(lazy.collect_schema().names())
        total = int(lazy.select(pl.len()).collect().item())
    start, step, size = 0, min(file.rows, _FIRST), 0
    while start < total or not start:
        with _frame_errors(file.path):
            frame = lazy.slice(start, step).collect()
        slice_size = _size(frame)
        size += slice_size
        if size > FREE_BYTES:
            check_unfolded(file.path, size, file.path.stat().st_size, "save it as .csv or .jsonl")
        numbers = range(start + 1, start + 1 + len(frame))
        start += max(1, len(frame))
        yield RowBatch(columns, frame, file.path, "row", numbers, share=min(1.0, start / max(total, 1)))
        row_size = slice_size / max(1, len(frame))
        step = max(1, min(file.rows, int(file.characters / max(row_size, 1))))


def _size(frame: pl.DataFrame) -> int:
    """Return the bytes of a frame as rows: a text that many rows share counts for each of them."""
    import polars as pl

    shared = [series.cast(pl.String) for series in frame if series.dtype in (pl.Categorical, pl.Enum)]
    texts = [series for series in frame if series.dtype == pl.String] + shared
    other = frame.drop([series.name for series in texts])
    return int(sum(int(series.str.len_bytes().cast(pl.Int64).sum()) for series in texts) + other.estimated_size())


@contextmanager
def _frame_errors(path: Path) -> Iterator[None]:
    """Turn errors of polars into an `InputError` that names the file."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"{path}: not a readable {path.suffix.lower()} file: {error}; write it anew") from error


def parquet_bytes(frame: pl.DataFrame, level: int | None = None, metadata: dict[str, str] | None = None) -> bytes:
    """Return a Parquet file in memory: one row group, compressed by zstd at this level, with entries for the footer."""
    file = io.BytesIO()
    rows = max(1, len(frame))
    frame.write_parquet(file, compression="zstd", compression_level=level, metadata=metadata, row_group_size=rows)
    return file.getvalue()


@contextmanager
def parquet_writer(path: Path, columns: OutputColumns) -> Iterator[Callable[[RowBatch], object]]:
    """Write each batch to a temporary file; at the end polars joins them without holding all rows."""
    import polars as pl

    kinds = columns.kinds()
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f"{path.name}.") as folder:
        numbers = count()

        def write(batch: RowBatch) -> None:
            frame = pl.DataFrame({name: _series(batch, name, kinds.get(name)) for name in columns.names})
            frame.write_parquet(Path(folder) / f"{next(numbers):08}.parquet", compression="lz4")

        yield write
        parts = sorted(Path(folder).iterdir())
        lazy = pl.scan_parquet(parts, glob=False, hive_partitioning=False)
        lazy.sink_parquet(path, row_group_size=GROUP_ROWS)


def _series(batch: RowBatch, name: str, kinds: Collection[str] | None) -> pl.Series:
    """Return a column with the common type of its values; as text if they have several types or are objects."""
    import polars as pl

    if kinds is None and isinstance(batch.data, pl.DataFrame):
        return batch.data[name]
    types: dict[str, Any] = {"bool": pl.Boolean, "int": pl.Int64, "float": pl.Float64, "list": pl.List(pl.String)}
    column_type = types.get(next(iter(kinds)), pl.String) if kinds and len(kinds) == 1 else pl.String
    values: Sequence[Any] = batch.column(name)
    if column_type == pl.String:
        values = [None if value is None else plain_text(value) for value in values]
    return pl.Series(name, values, column_type)
