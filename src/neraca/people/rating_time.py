"""Times of ratings: read them from files, and replace those that are missing or cannot be true."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from neraca.translation import say

#: How far the clock of a rater may be ahead of this one.
_AHEAD = timedelta(days=1)


def iso_time(at: datetime) -> str:
    """Return a time as ratings hold it: UTC, ISO 8601, in milliseconds; without a zone it is taken as UTC.

    >>> iso_time(datetime(2026, 1, 31, 9, 30))
    '2026-01-31T09:30:00.000Z'
    """
    utc = at.astimezone(UTC) if at.tzinfo else at
    return f"{utc.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def read_time(name: str, value: Any) -> tuple[str, str]:
    """Return the time of a rating and "", or "" and the reason why the value is no possible time.

    Parameters
    ----------
    name
        Name of the column or key, for the reason.
    value
        A text as a page writes it, or a time as a spreadsheet reads it.

    >>> read_time("at", "2026-01-31T10:30:00+01:00")
    ('2026-01-31T09:30:00.000Z', '')
    >>> read_time("at", "yesterday")[1]
    "at is 'yesterday', which is no time such as 2026-01-31T09:30:00Z; it is left out"
    """
    try:
        at = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
        time = iso_time(at)
    except (ValueError, OverflowError):
        template = "{name} is {value!r}, which is no time such as 2026-01-31T09:30:00Z; it is left out"
        return "", say(template, name=name, value=value)
    if time > iso_time(datetime.now(UTC) + _AHEAD):
        template = "{name} is {value!r}, which is in the future and would hide later corrections; it is left out"
        return "", say(template, name=name, value=value)
    return time, ""
