"""Days, weeks and months into which the turns of a run fall, and the reference among them.

Times are read in UTC.  A week begins on Monday.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from neraca.errors import InputError, SpecError
from neraca.nearest import nearest

Ints = NDArray[np.int64]
EVERY = ("day", "week", "month")
#: The default reference is as many of the first buckets as it takes for these numbers of sessions and of days.
REFERENCE_SESSIONS, REFERENCE_DAYS = 100, 7
#: A day without a bucket; a turn without a time has it.
NO_DAY = -1
#: Turns that a gap of more days separates from all others are strays if they are at most this share of all turns, or a
#: single one of at least so many.
GAP, FEW, FEWEST = 366, 0.01, 20
#: With more buckets a table and a picture show nothing.
MOST = 1500
_DATES = re.compile(r"(\d{4}-\d\d-\d\d)?\.\.(\d{4}-\d\d-\d\d)?")


@dataclass(frozen=True, slots=True)
class Bucket:
    """A day, week or month: its name (its first day, or its month), and its first and last day."""

    name: str
    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Reference:
    """The buckets that others are compared with.

    Attributes
    ----------
    first, last
        Their places among all buckets.
    asked
        What the user wrote; "" for the default.
    """

    first: int
    last: int
    asked: str = ""

    @property
    def size(self) -> int:
        """The number of its buckets."""
        return self.last - self.first + 1


@dataclass(frozen=True, eq=False)
class Buckets:
    """All buckets from the first turn to the last, those without a turn too.

    Attributes
    ----------
    every
        One of `EVERY`.
    buckets
        In the order of time.
    places
        Shape (n,): the place of each turn's bucket; -1 for a turn without a time.
    strays
        Turns whose time is more than a year away from all others; they count as turns without a time.
    """

    every: str
    buckets: tuple[Bucket, ...]
    places: Ints
    strays: int = 0

    @classmethod
    def of(cls, days: Ints, every: str) -> Buckets:
        """Put turns in buckets.

        Parameters
        ----------
        days
            Shape (n,): the number of each turn's day, as `date.toordinal`; `NO_DAY` without a time.

        Raises
        ------
        SpecError
            If `every` is not one of `EVERY`.
        InputError
            If there are more than `MOST` buckets.
        """
        number_of = _number_of(every)
        kept, strays = _without_strays(days)
        numbers = np.full(len(days), NO_DAY)
        distinct = np.unique(kept[kept != NO_DAY])
        number_by_day = {int(day): number_of(date.fromordinal(int(day))) for day in distinct}
        for day, number in number_by_day.items():
            numbers[kept == day] = number
        first, last = min(number_by_day.values()), max(number_by_day.values())
        if last - first >= MOST:
            start, end = (date.fromordinal(int(day)) for day in (distinct[0], distinct[-1]))
            raise InputError(
                f"the times go from {start} to {end}: {last - first + 1:,} {every}s, and at most {MOST:,} can be "
                "shown. Choose a longer --every, or look for a wrong clock in the traces"
            )
        buckets = tuple(_bucket(number, every) for number in range(first, last + 1))
        return cls(every, buckets, np.where(numbers == NO_DAY, -1, numbers - first), strays)

    def place_of(self, day: date) -> int:
        """Return the place of the bucket that holds a day; it may lie outside of all buckets."""
        number_of = _number_of(self.every)
        return number_of(day) - number_of(self.buckets[0].first)

    def within(self, first: int, last: int) -> NDArray[np.bool_]:
        """Return which turns are in buckets from one place to another, shape (n,)."""
        return (self.places >= first) & (self.places <= last)


def reference_of(buckets: Buckets, asked: str, sessions: Ints, counting: NDArray[np.bool_] | None = None) -> Reference:
    """Return the reference that the user asked for, or the default.

    Parameters
    ----------
    asked
        A number of first buckets, `FIRST..LAST` with days, of which one may be left out; "": as many of the first
        buckets as have `REFERENCE_SESSIONS` sessions and `REFERENCE_DAYS` days together.
    sessions
        Shape (n,): the number of each turn's session.
    counting
        Shape (n,): the turns whose sessions count for the default, such as those that a judge saw; None: all.

    Raises
    ------
    SpecError, InputError
        If it cannot be read, or no turn is in it or after it.
    """
    last_place = len(buckets.buckets) - 1
    first, last = _asked_places(buckets, asked) if asked else (0, _default_last(buckets, sessions, counting))
    first, last = max(first, 0), min(last, last_place)
    if first > last or not buckets.within(first, last).any():
        raise InputError(f"no turn is in the reference {asked}; the turns are from {_days(buckets)}")
    if last == last_place:
        raise InputError(
            f"nothing comes after the reference, {_words(buckets, first, last)}: the turns are from {_days(buckets)}. "
            f"Name a shorter reference (--reference 1: the first {buckets.every}), or a shorter --every"
        )
    return Reference(first, last, asked)


def _default_last(buckets: Buckets, sessions: Ints, counting: NDArray[np.bool_] | None) -> int:
    """Return the place of the bucket with which the first ones have enough sessions and days."""
    seen: set[int] = set()
    for place in range(len(buckets.buckets)):
        chosen = buckets.places == place if counting is None else (buckets.places == place) & counting
        seen.update(sessions[chosen].tolist())
        days = (buckets.buckets[place].last - buckets.buckets[0].first).days + 1
        if len(seen) >= REFERENCE_SESSIONS and days >= REFERENCE_DAYS:
            return place
    raise InputError(
        f"the turns from {_days(buckets)} have {len(seen)} sessions, and the reference is as many of the first "
        f"{buckets.every}s as have {REFERENCE_SESSIONS}, and {REFERENCE_DAYS} days. Name a shorter one: --reference 1 "
        f"is the first {buckets.every}"
    )


def _asked_places(buckets: Buckets, asked: str) -> tuple[int, int]:
    text = asked.replace(" ", "")
    if text.isdecimal() and int(text) > 0:
        return 0, int(text) - 1
    dates = _DATES.fullmatch(text)
    try:
        ends = [date.fromisoformat(end) if end else None for end in dates.groups()] if dates else [None, None]
    except ValueError:
        ends = [None, None]
    if ends == [None, None]:
        raise SpecError(
            f"cannot read --reference {asked!r}; write a number of first {buckets.every}s, such as 4, or "
            "2026-11-02..2026-11-29"
        )
    first, last = ends
    return (buckets.place_of(first) if first else 0), (buckets.place_of(last) if last else len(buckets.buckets) - 1)


def _days(buckets: Buckets) -> str:
    return f"{buckets.buckets[0].first} to {buckets.buckets[-1].last}"


def _words(buckets: Buckets, first: int, last: int) -> str:
    return f"{buckets.buckets[first].first} to {buckets.buckets[last].last}"


def day_of(time: str) -> int:
    """Return the number of the day of a time, in UTC; `NO_DAY` if it is none.

    >>> day_of("1970-01-01T23:30:00-02:00") - day_of("1970-01-01T23:30:00Z"), day_of("soon"), day_of("")
    (1, -1, -1)
    """
    try:
        moment = datetime.fromisoformat(time)
        return (moment.astimezone(UTC) if moment.tzinfo else moment).toordinal()
    except (ValueError, OverflowError):
        return NO_DAY


def _number_of(every: str) -> Callable[[date], int]:
    """Return the function from a day to the number of its bucket."""
    numbers: dict[str, Callable[[date], int]] = {
        "day": date.toordinal,
        "week": lambda day: (day.toordinal() - 1) // 7,
        "month": lambda day: day.year * 12 + day.month - 1,
    }
    if every not in numbers:
        raise SpecError(f"buckets are of a {', '.join(EVERY)}, not {every!r}; {nearest(every, EVERY)}")
    return numbers[every]


def _bucket(number: int, every: str) -> Bucket:
    if every == "month":
        first, after = (date(month // 12, month % 12 + 1, 1) for month in (number, number + 1))
        return Bucket(f"{first:%Y-%m}", first, after - timedelta(days=1))
    first = date.fromordinal(number if every == "day" else number * 7 + 1)
    return Bucket(first.isoformat(), first, first + timedelta(days=0 if every == "day" else 6))


def _without_strays(days: Ints) -> tuple[Ints, int]:
    """Return the days with `NO_DAY` for strays, and the number of strays."""
    ordered = np.sort(days[days != NO_DAY])
    first, last = int(ordered[0]), int(ordered[-1])
    most = max(1.0, FEW * len(ordered)) if len(ordered) >= FEWEST else 0.0
    for before, after in _gaps(ordered):
        if np.count_nonzero(ordered <= before) <= most:
            first = max(first, after)
        elif np.count_nonzero(ordered >= after) <= most:
            last = min(last, before)
    is_stray = (days != NO_DAY) & ((days < first) | (days > last))
    return np.where(is_stray, NO_DAY, days), int(is_stray.sum())


def _gaps(ordered: Ints) -> Sequence[tuple[int, int]]:
    """Return the days before and after each long gap."""
    return [(int(a), int(b)) for a, b in pairwise(np.unique(ordered).tolist()) if b - a > GAP]
