"""Convert blocks of any log to one schema of events: user, time, action, search, document and rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neraca.datasets.log_reader import LogBlock
from neraca.online.event_columns import ACTIONS, ROLES, EventFields
from neraca.online.exclusions import Exclusions
from neraca.online.list_cells import filled, parse_lists

if TYPE_CHECKING:
    import polars as pl

#: Formats of a time that is not a number of seconds, milliseconds, microseconds or nanoseconds since 1970.
TIMES = ("%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M%#z", "%Y-%m-%dT%H:%M", "%Y-%m-%d")
LISTS = ("shown", "teams")


def schema(segments: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the columns of events and their types."""
    import polars as pl

    types: dict[str, Any] = {role: pl.String for role in ROLES if role not in ("clicked", "event")}
    types |= {"time": pl.Float64, "rank": pl.Int64, "dwell": pl.Float64, "value": pl.Float64}
    return types | dict.fromkeys(LISTS, pl.List(pl.String)) | dict.fromkeys(segments, pl.String)


def events_of(block: LogBlock, table: EventFields, excluded: Exclusions, *, first_rank: int = 1) -> pl.DataFrame:
    """Convert a block of a log to events, with the columns of `schema`.

    Leave out and count rows that cannot be events: rows without action, user or time, rows with an invalid rank, and
    rows that repeat an event id of the block.
    """
    import polars as pl

    segments = tuple(name for name in table.fields if name not in ROLES)
    types = schema(segments)
    excluded.add("broken", block.broken)
    frame = block.frame.with_row_index("line", block.first)
    if table.rows:
        frame = frame.with_columns(action=pl.lit(table.rows))
    present = [name for name in types if name in frame.columns]
    lists = [frame[name] for name in LISTS if name in present]
    frame = frame.with_columns(filled(c) if c.dtype.is_nested() else parse_lists(c) for c in lists)
    casts = [_cast(name) for name in present]
    extra = [pl.col(name) for name in ("line", "event", "clicked") if name in frame.columns]
    missing = [pl.lit(None, dtype=types[name]).alias(name) for name in types if name not in present]
    raw_rank = pl.col("rank").is_not_null().alias("has_rank") if "rank" in present else pl.lit(False).alias("has_rank")
    if "time" in present and not frame.schema["time"].is_numeric():
        frame = frame.with_columns(_parse_times(frame["time"]))
    frame = frame.select(*casts, *extra, *missing, raw_rank)
    frame = frame.with_columns(pl.coalesce("user", "session").alias("user"), pl.col("rank") - (first_rank - 1))
    if table.rows == "impression":
        frame = _with_clicks(frame)
    invalid_rank = pl.col("has_rank") & (pl.col("rank").is_null() | (pl.col("rank") < 1))
    for reason, bad in (
        ("no_action", pl.col("action").is_null()),
        ("no_user", pl.col("user").is_null()),
        ("no_time", pl.col("time").is_null() | ~pl.col("time").is_finite()),
        ("bad_rank", invalid_rank.fill_null(False)),
    ):
        frame = _without(frame, bad, reason, excluded)
    if "event" in frame.columns:
        repeated = pl.col("event").is_not_null() & ~pl.struct("event", "action").is_first_distinct()
        frame = _without(frame, repeated, "duplicate", excluded)
    return frame.select(*types)


def _without(frame: pl.DataFrame, bad: pl.Expr, reason: str, excluded: Exclusions) -> pl.DataFrame:
    excluded_rows = frame.filter(bad)
    if not len(excluded_rows):
        return frame
    excluded.add(reason, len(excluded_rows), f"row {excluded_rows['line'][0]:,}")
    return frame.filter(~bad)


def _cast(name: str) -> pl.Expr:
    """Return the column cast to the type of its role."""
    import polars as pl

    column = pl.col(name)
    if name == "time":
        return _to_seconds(column.cast(pl.Float64))
    if name in LISTS:
        return column
    if name in ("rank", "dwell", "value"):
        number = column.cast(pl.Float64, strict=False)
        whole = pl.when(number == number.floor()).then(number).cast(pl.Int64, strict=False)
        return whole.alias(name) if name == "rank" else number
    if name == "action":
        action_by_name = {word: action for action, words in ACTIONS.items() for word in words}
        word = column.cast(pl.String).str.strip_chars().str.to_lowercase()
        return _empty_to_null(word.replace(action_by_name)).alias(name)
    return _empty_to_null(column.cast(pl.String))


def _empty_to_null(column: pl.Expr) -> pl.Expr:
    """Return the text, or null if it is empty."""
    import polars as pl

    return pl.when(column.str.len_bytes() > 0).then(column)


def _to_seconds(number: pl.Expr) -> pl.Expr:
    """Convert seconds, milliseconds, microseconds or nanoseconds since 1970 to seconds; infer the unit from size."""
    import polars as pl

    size = number.abs()
    units = pl.when(size > 1e17).then(1e9).when(size > 1e14).then(1e6).when(size > 1e11).then(1e3).otherwise(1.0)
    return number / units


def _parse_times(time: pl.Series) -> pl.Series:
    """Convert dates or texts to seconds since 1970.  A time without a zone is UTC."""
    import polars as pl

    if time.dtype.is_temporal():
        return time.cast(pl.Datetime("us")).dt.timestamp("us") / 1e6
    text = time.cast(pl.String).str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    if numbers.null_count() == text.null_count():
        return numbers.rename("time")
    text = text.str.replace(r"^(\d{4}-\d\d-\d\d) ", "${1}T")
    for form in TIMES:
        parsed = text.str.to_datetime(form, strict=False, time_unit="us").dt.timestamp("us") / 1e6
        numbers = numbers.zip_with(numbers.is_not_null(), parsed)
        if numbers.null_count() == text.null_count():
            break
    return numbers.rename("time")


def _with_clicks(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn rows of impressions with a `clicked` field into impressions and clicks."""
    import polars as pl

    clicked = pl.col("clicked").cast(pl.String).str.to_lowercase().is_in(["1", "1.0", "true", "yes", "y", "t"])
    clicks = frame.filter(clicked).with_columns(action=pl.lit("click"), event=pl.lit(None, dtype=pl.String))
    impressions = frame.with_columns(event=pl.lit(None, dtype=pl.String))
    return pl.concat([impressions, clicks])


def renamed(mapping: Mapping[str, str]) -> dict[str, str]:
    """Return the segments of a mapping: the names that are not roles."""
    return {name: column for name, column in mapping.items() if name not in ROLES}
