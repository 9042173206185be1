"""Count the searches, users, clicks and other events that were read from a log."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from neraca.online.exclusions import Exclusion
from neraca.online.searches import UserEvents

DAY = 86_400
#: Seconds after a search beyond which a click is late.
LATE = 1800.0
#: Searches of a user with no more seconds between them belong to one session, as a rule.
SOON = 300.0
#: Fewer searches than this may all have come at midnight.
FEWEST_DATED = 20


@dataclass
class LogContents:
    """Numbers of events that are used.

    Attributes
    ----------
    searches, users
        Numbers of searches, and of users with an event.
    clicks, unranked, untimed
        Numbers of clicks; of those without a rank; of those with neither a time nor a dwell time.
    compared, reformulations
        Numbers of searches with the data to find a reformulation, and of reformulated searches.
    conversions, unvalued, negative
        Numbers of conversions, of those without a value, and of those with a value below 0.
    late, timed
        Numbers of searches with a click more than `LATE` seconds later, and of searches at a time other than midnight.
    first, last
        Time of the first and the last search.
    others
        Other actions → number of their events.
    soon, soon_in_session
        Numbers of searches that the same user follows with another within `SOON` seconds, and of those in one session.
    names_sessions, names_users
        Whether a field of the log holds the session, and the user.
    ranks_from_zero
        Whether the ranks of the log were recognised as counted from 0.
    dates
        A date with the year last, of each table that has some → whether they were read with the day first.
    """

    searches: int = 0
    users: int = 0
    clicks: int = 0
    unranked: int = 0
    untimed: int = 0
    compared: int = 0
    reformulations: int = 0
    conversions: int = 0
    unvalued: int = 0
    negative: int = 0
    late: int = 0
    timed: int = 0
    soon: int = 0
    soon_in_session: int = 0
    first: float = math.inf
    last: float = -math.inf
    others: Counter[str] = field(default_factory=Counter)
    names_sessions: bool = True
    names_users: bool = True
    ranks_from_zero: bool = False
    dates: dict[str, bool] = field(default_factory=dict)

    @property
    def days(self) -> int:
        """The number of days (UTC) from the first to the last search."""
        return int(self.last // DAY - self.first // DAY) + 1 if self.searches else 0

    @property
    def names_hours(self) -> bool:
        """Whether some time is more than a date."""
        return self.timed > 0 or self.searches < FEWEST_DATED

    def add(self, part: UserEvents) -> None:
        """Count the events of other users."""
        import polars as pl

        searches, actions = part
        soon = (pl.col("uid") == pl.col("uid").shift(-1)) & (pl.col("time").shift(-1) - pl.col("time") <= SOON)
        sums = searches.select(
            clicks=(pl.col("clicked").list.len() + pl.col("unranked")).sum(),
            unranked=pl.col("unranked").sum(),
            untimed=pl.col("untimed").sum(),
            compared=pl.col("compared").sum(),
            reformulations=pl.col("reformulated").sum(),
            first=pl.col("time").min(),
            last=pl.col("time").max(),
            late=(pl.col("clicked_at").list.max() > LATE).sum(),
            timed=(pl.col("time") % DAY != 0).sum(),
            soon=soon.sum(),
            soon_in_session=(soon & (pl.col("session") == pl.col("session").shift(-1))).sum(),
        ).row(0, named=True)
        self.searches += len(searches)
        self.users += pl.concat([searches["uid"], actions["uid"]]).n_unique()
        for name in sums.keys() - {"first", "last"}:
            setattr(self, name, getattr(self, name) + int(sums[name] or 0))
        if len(searches):
            self.first, self.last = min(self.first, sums["first"]), max(self.last, sums["last"])
        by_action = actions.filter(pl.col("action") != "click").group_by("action")
        counts = by_action.agg(n=pl.len(), unvalued=pl.col("value").null_count(), negative=(pl.col("value") < 0).sum())
        for action, n, unvalued, negative in counts.iter_rows():
            if action == "conversion":
                self.conversions += n
                self.unvalued += unvalued
                self.negative += negative
            elif action != "reformulation":
                self.others[action] += n


class ReadLog(NamedTuple):
    """The contents of a log and its exclusions.

    Attributes
    ----------
    events
        Number of events of the log.
    contents
        Numbers of events that are used.
    exclusions
        What was left out, by reason.
    unused
        The columns that were not read.
    """

    events: int
    contents: LogContents
    exclusions: tuple[Exclusion, ...] = ()
    unused: tuple[str, ...] = ()
