"""Convert times of any form to seconds since 1970."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from neraca.errors import InputError

if TYPE_CHECKING:
    import polars as pl

#: Formats of a time that is not a number of seconds, milliseconds, microseconds or nanoseconds since 1970.
TIMES = ("%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M%#z", "%Y-%m-%dT%H:%M", "%Y-%m-%d")
#: Besides, formats of a time beside a date with the year last.
CLOCKS = ("%Y-%m-%dT%I:%M:%S %p", "%Y-%m-%dT%I:%M %p")
#: A date with the year last: two numbers, the year, and what follows.
YEAR_LAST = r"^(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:(?:,? +|T)(.*))?$"
#: Dates with the other part first are faults if they are at most this share.
FAULTS = 0.01

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


@dataclass
class YearLastDates:
    """Dates with the year last in a column of times, such as 31/12/2026: which part is the day.

    Attributes
    ----------
    name
        The table and the column, for messages.
    column
        Returns all cells of the column, in blocks.
    example
        The first such date, once `day_first` was asked for; "": there is none.
    """

    name: str
    column: Callable[[], Iterator[pl.Series]]
    example: str = ""

    @cached_property
    def day_first(self) -> bool | None:
        """Whether the day comes first; None if dates of another form are more than half of the cells and nothing tells.

        Numbers above 12 tell.  Dates with dots have the day first.

        Raises
        ------
        InputError
            No number is above 12, or both parts are.
        """
        import polars as pl

        total = 0
        counts: Counter[str] = Counter()
        for cells in self.column():
            text = cells.cast(pl.String).str.strip_chars()
            total += len(text) - text.null_count()
            dates = text.filter(text.str.contains(YEAR_LAST).fill_null(False))
            if not len(dates):
                continue
            self.example = self.example or dates[0]
            first, second = (dates.str.extract(YEAR_LAST, part).cast(pl.Int64) > 12 for part in (1, 2))
            counts["day"] += int((first & ~second).sum())
            counts["month"] += int((second & ~first).sum())
            counts["dots"] += int(dates.str.contains(r"^\d+\.").sum())
            counts["all"] += len(dates)
        day, month = counts["day"], counts["month"]
        if day or month:
            if min(day, month) <= FAULTS * max(day, month):
                return day > month
            problem = f"{day:,} with the day first, {month:,} with the month first"
        elif counts["dots"] == counts["all"]:
            return True
        else:
            problem = "the day or the month may come first, and no number above 12 tells which"
        if counts["all"] * 2 <= total:
            return None
        raise InputError(f"{self.name}: times such as {self.example!r}: {problem}; write 2026-01-31T10:00:00Z")


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


def parse_times(time: pl.Series, dates: YearLastDates | None = None) -> pl.Series:
    """Convert dates or texts to seconds since 1970.  A time without a zone is UTC.

    `dates` tells whether dates with the year last, such as 31/12/2026, have the day or the month first; without it they
    are not read.
    """
    import polars as pl

    if time.dtype.is_temporal():
        return time.cast(pl.Datetime("us")).dt.timestamp("us") / 1e6
    text = time.cast(pl.String).str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    if numbers.null_count() == text.null_count():
        return numbers.rename("time")
    text = text.str.replace(r"^(\d{4}-\d\d-\d\d) ", "${1}T").str.replace(r" ?(?:UTC|GMT)$", "Z")
    numbers = _parse_forms(text, numbers, TIMES)
    unread = text.set(numbers.is_not_null(), None)
    if dates is not None and unread.str.contains(YEAR_LAST).any() and dates.day_first is not None:
        year_first = unread.str.replace(YEAR_LAST, "${3}-${2}-${1}T${4}" if dates.day_first else "${3}-${1}-${2}T${4}")
        numbers = _parse_forms(year_first.str.strip_suffix("T"), numbers, (*TIMES, *CLOCKS))
    return numbers.rename("time")


def _parse_forms(text: pl.Series, numbers: pl.Series, forms: Sequence[str]) -> pl.Series:
    """Fill missing numbers with the seconds since 1970 of texts in one of some forms."""
    for form in forms:
        if not (numbers.is_null() & text.is_not_null()).any():
            break
        parsed = text.str.to_datetime(form, strict=False, time_unit="us").dt.timestamp("us") / 1e6
        numbers = numbers.zip_with(numbers.is_not_null(), parsed)
    return numbers
