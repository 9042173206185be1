"""How a log of events is read: its fields, its arms, its days, and who is no user."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from neraca.errors import SpecError
from neraca.online.event_columns import ROLES
from neraca.online.reformulation import WITHIN


@dataclass(frozen=True)
class LogOptions:
    """Options of a log.

    Attributes
    ----------
    columns
        Role → field, for fields that are not recognised by their names.
    segments
        Fields to report by, such as a device.
    query, delimiter
        Of a database and of a CSV file, as of `log_tables`.
    arms
        The arms that there are; () all.
    since, until
        Seconds since 1970 between which the experiment ran; earlier events are those before it.
    test_users
        Users that are none, with `*` for any letters.
    most_searches
        A user with more searches in one day (UTC) is no person; 0: all are.
    first_rank
        What the log calls the first rank.
    session_gap
        Where no field says the session, it ends after so many seconds without an event.
    reformulation_seconds
        Within which a reformulation comes.

    Raises
    ------
    SpecError
        A role is unknown, or a number makes no sense.
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
    first_rank: int = 1
    session_gap: float = 1800.0
    reformulation_seconds: float = WITHIN

    def __post_init__(self) -> None:
        if unknown := [role for role in self.columns if role not in ROLES]:
            raise SpecError(f"--column {unknown[0]}: no role of a log; there are: {', '.join(ROLES)}")
        if taken := [name for name in self.segments if name in ROLES]:
            raise SpecError(f"--segment {taken[0]}: this is a role of every log, and no segment")
        if not self.since < self.until:
            raise SpecError("--since is not before --until; no event would be left")
        if self.first_rank not in (0, 1):
            raise SpecError(f"--first-rank is 0 or 1, not {self.first_rank}")
        if not (self.session_gap > 0 and self.reformulation_seconds >= 0 and self.most_searches >= 0):
            raise SpecError("seconds and --most-searches are not below 0")
