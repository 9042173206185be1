"""Convert times of any form to seconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

#: Formats of a time that is not a number of seconds, milliseconds, microseconds or nanoseconds since 1970.
TIMES = ("%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M%#z", "%Y-%m-%dT%H:%M", "%Y-%m-%d")


#: Formats of a date that is written as one number, each with the numbers that it takes from 1900 to 2099.
COMPACT = {"%Y%m%d%H%M%S": (1.9e13, 2.1e13), "%Y%m%d%H%M": (1.9e11, 2.1e11)}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def written_time(seconds: float, form: str = "%Y-%m-%dT%H:%M:%SZ") -> str:
    """Return a time of a log as text in UTC, or as seconds if it lies outside the years 1 to 9999.

    >>> written_time(86_399.5), written_time(0, "%Y-%m-%d"), written_time(-1e11)
    ('1970-01-01T23:59:59Z', '1970-01-01', '-1e+11 s')
    """
    try:
        return (_EPOCH + timedelta(seconds=seconds)).strftime(form)
    except OverflowError:
        return f"{seconds:g} s"


def to_seconds(number: pl.Expr) -> pl.Expr:
    """Convert seconds, milliseconds, microseconds or nanoseconds since 1970 to seconds; infer the unit from size."""
    import polars as pl

    size = number.abs()
    units = pl.when(size > 1e17).then(1e9).when(size > 1e14).then(1e6).when(size > 1e11).then(1e3).otherwise(1.0)
    return number / units


def read_compact_dates(time: pl.Series) -> pl.Series:
    """Convert dates that are written as one number to seconds since 1970; leave other numbers as they are.

    >>> import polars as pl
    >>> read_compact_dates(pl.Series("time", [20260131100000, 202601311000, 1769853600])).to_list()
    [1769853600.0, 1769853600.0, 1769853600.0]
    """
    import polars as pl

    for form, limits in COMPACT.items():
        is_compact = time.is_between(*limits).fill_null(False)
        if is_compact.any():
            digits = time.zip_with(is_compact, pl.Series([None], dtype=time.dtype)).cast(pl.Int64).cast(pl.String)
            seconds = digits.str.to_datetime(form, strict=False, time_unit="us").dt.timestamp("us") / 1e6
            time = seconds.fill_null(time.cast(pl.Float64)).rename(time.name)
    return time


def parse_times(time: pl.Series) -> pl.Series:
    """Convert dates or texts to seconds since 1970.  A time without a zone is UTC."""
    import polars as pl

    if time.dtype.is_temporal():
        return time.cast(pl.Datetime("us")).dt.timestamp("us") / 1e6
    text = time.cast(pl.String).str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    if numbers.null_count() == text.null_count():
        return numbers.rename("time")
    text = text.str.replace(r"^(\d{4}-\d\d-\d\d) ", "${1}T").str.replace(r" ?(?:UTC|GMT)$", "Z")
    for form in TIMES:
        parsed = text.str.to_datetime(form, strict=False, time_unit="us").dt.timestamp("us") / 1e6
        numbers = numbers.zip_with(numbers.is_not_null(), parsed)
        if numbers.null_count() == text.null_count():
            break
    return numbers.rename("time")
