"""Times of exports as nanoseconds: ISO 8601, or numbers of seconds, milliseconds, microseconds or nanoseconds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from neraca.traces.attributes import number

#: From these sizes on, a number of a time after 2001 is in milliseconds, microseconds and nanoseconds.
_SCALES = ((1e18, 1), (1e15, 10**3), (1e12, 10**6))


def nanoseconds(row: Mapping[str, Any], *names: str) -> int:
    """Return the first of these columns that is a time, in nanoseconds since 1970; 0 if none is.

    >>> nanoseconds({"t": "1970-01-01 00:00:01.5"}, "t"), nanoseconds({"t": "1700000000000000000"}, "t")
    (1500000000, 1700000000000000000)
    >>> nanoseconds({"t": 1700000000.5}, "t"), nanoseconds({"t": "soon"}, "t")
    (1700000000500000000, 0)
    """
    for name in names:
        value: Any = row.get(name)
        moment = _date(value.strip()) if isinstance(value, str) else 0
        amount = number(value)
        if not moment and amount is not None and 0 < amount < 1e20:
            is_whole = isinstance(value, int) or (isinstance(value, str) and value.strip().isdecimal())
            moment = int(value) * _scale(amount) if is_whole else int(amount * _scale(amount))
        if moment:
            return moment
    return 0


def _scale(amount: float) -> int:
    """Return the nanoseconds in the unit of a number that is a time after 2001."""
    return next((scale for size, scale in _SCALES if amount >= size), 10**9)


def _date(text: str) -> int:
    """Return the nanoseconds of a date in ISO 8601, in UTC if it names no zone; 0 for anything else."""
    if text.isdecimal():
        return 0
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return max(0, (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000)


def iso(moment: int) -> str:
    """Return a time in UTC, to the millisecond, ISO 8601; "" for 0.

    >>> iso(1_500_000_000), iso(0)
    ('1970-01-01T00:00:01.500Z', '')
    """
    if not moment:
        return ""
    try:
        return datetime.fromtimestamp(moment / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    except (OverflowError, ValueError, OSError):
        return ""
