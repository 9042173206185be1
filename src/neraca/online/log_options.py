"""Options for reading a log of events: fields, arms, dates, and accounts that are not users."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from neraca.errors import SpecError
from neraca.online.event_columns import ROLES
from neraca.online.reformulation import WITHIN


@dataclass(frozen=True)
class LogOptions:
    """Options for reading a log.

    Attributes
    ----------
    columns
        Role → field, for fields that are not recognised by their names.
    segments
        Fields to report by, such as the device.
    query, delimiter
        The SQL query of a database and the delimiter of a CSV file; see `log_tables`.
    arms
        The arms to compare; (): all arms in the log.
    since, until
        Start and end of the experiment, in seconds since 1970.  Earlier events count as before the experiment.
    test_users
        Users to leave out; `*` stands for any letters.
    most_searches
        A user with more searches in one day (UTC) counts as a bot; 0: no limit.
    first_rank
        The number of the first rank in the log, 0 or 1; None: the ranks of the log tell, see `RankNumbering`.
    session_gap
        If no field holds the session, it ends after this many seconds without an event.
    reformulation_seconds
        Most seconds between a query and its reformulation.
    rows
        The kind of the rows (`search`) of a table in which no field says what happened; "": this is an error.

    Raises
    ------
    SpecError
        A role is unknown, or a number is out of range.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    segments: tuple[str, ...] = ()
    query: str = ""
    delimiter: str = ""
    arms: tuple[str, ...] = ()
    since: float = -math.inf
    until: float = math.inf
    test_users: tuple[str, ...] = ()
    most_searches: int = 500
    first_rank: int | None = None
    session_gap: float = 1800.0
    reformulation_seconds: float = WITHIN
    rows: str = ""

    def __post_init__(self) -> None:
        if unknown := [role for role in self.columns if role not in ROLES]:
            raise SpecError(f"--column {unknown[0]}: there is no such role; the roles are: {', '.join(ROLES)}")
        if roles := [name for name in self.segments if name in ROLES]:
            raise SpecError(f"--segment {roles[0]}: this is the name of a role; a segment needs another name")
        if not self.since < self.until:
            raise SpecError("--since must be before --until, or no event would be left")
        if self.first_rank not in (None, 0, 1):
            raise SpecError(f"--first-rank is 0 or 1, not {self.first_rank}")
        if not (self.session_gap > 0 and self.reformulation_seconds >= 0 and self.most_searches >= 0):
            raise SpecError("session_gap must be above 0; reformulation_seconds and --most-searches at least 0")
