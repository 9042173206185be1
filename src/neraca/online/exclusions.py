"""Count the events, searches and users that are left out of a log, by reason, with a remedy for each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

#: Reason → a description of what is left out, in the singular and the plural, and the remedy.
REASONS: dict[str, tuple[str, str, str]] = {
    "broken": (
        "line that is no row (half written, too many cells, no JSON)",
        "lines that are no rows (half written, too many cells, no JSON)",
        "repair the program that writes the log",
    ),
    "not_utf8": (
        "line with bytes that are not UTF-8, which are read as �",
        "lines with bytes that are not UTF-8, which are read as �",
        "save the log as UTF-8",
    ),
    "no_action": ("event without an action", "events without an action", "log an action with every event"),
    "no_user": ("event without a user", "events without a user", "log a user or session id with every event"),
    "no_time": (
        "event whose time cannot be read",
        "events whose time cannot be read",
        "write seconds since 1970, or 2026-01-31T10:00:00Z",
    ),
    "outside": (
        "event far from the times of all others, or of an arm before its start",
        "events far from the times of all others, or of an arm before its start",
        "--since and --until say when the experiment was",
    ),
    "late": ("event after the end", "events after the end", "see --until"),
    "duplicate": ("repeated row", "repeated rows", "each is counted once"),
    "repeated_search": (
        "search whose id was used before",
        "searches whose id was used before",
        "give every search its own id",
    ),
    "reused_id": (
        "search whose id searches of other users, sessions or queries have too; its row tells it apart",
        "searches whose id searches of other users, sessions or queries have too; their rows tell them apart",
        "give every search its own id",
    ),
    "no_rank": (
        "impression or click with neither a rank nor a document",
        "impressions and clicks with neither a rank nor a document",
        "log the rank of what was shown or clicked",
    ),
    "bad_rank": (
        "rank that is not a whole number from 1",
        "ranks that are not whole numbers from 1",
        "ranks count from 1, as far as the log tells; if yours count from 0, pass --first-rank 0",
    ),
    "bad_number": (
        "value or dwell time that is not a number; its event is kept",
        "values and dwell times that are not numbers; their events are kept",
        "write them as 12.5",
    ),
    "uneven_cells": (
        "search with more or fewer times than clicks, whose times are not used",
        "searches with more or fewer times than clicks, whose times are not used",
        "log one time or dwell time for each click",
    ),
    "contradicted": (
        "search that is called abandoned and has a click, or the reverse; it is counted by its clicks",
        "searches that are called abandoned and have a click, or the reverse; they are counted by their clicks",
        "find which of the two is right",
    ),
    "no_clicks": (
        "search whose clicks are missing, where others have an empty list or 0; it counts as one without a click",
        "searches whose clicks are missing, where others have an empty list or 0; they count as ones without a click",
        "write an empty list where nobody clicked, and leave out searches whose clicks were not recorded",
    ),
    "session_for_user": (
        "event without a user; its session counts as the user",
        "events without a user; their sessions count as users",
        "log the user with every event",
    ),
    "float_id": (
        "id that is a whole number with decimals; it is read without them",
        "ids that are whole numbers with decimals; they are read without them",
        "write ids as text or as whole numbers",
    ),
    "no_session": (
        "event without a session",
        "events without a session",
        "30 minutes without an event of the user end a session",
    ),
    "no_query": (
        "search without a query, of which it is unknown whether it was put in other words",
        "searches without a query, of which it is unknown whether they were put in other words",
        "log the query with every search",
    ),
    "no_flag": (
        "search of which the column does not say whether it was put in other words; the queries tell",
        "searches of which the column does not say whether they were put in other words; the queries tell",
        "log true or false with every search",
    ),
    "moved": (
        "click whose rank is not that of its document; the document counts",
        "clicks whose rank is not that of their document; the document counts",
        "log the rank at which the document was shown; if ranks count from 0, pass --first-rank 0",
    ),
    "no_search": (
        "click or impression of a search that is not in the log",
        "clicks and impressions of a search that is not in the log",
        "log the search before its events",
    ),
    "early": (
        "click with a time before its search",
        "clicks with a time before their search",
        "use one clock for searches and clicks",
    ),
    "not_shown": (
        "click on a document that its search did not show",
        "clicks on documents that their search did not show",
        "log the documents shown, in order",
    ),
    "teams": (
        "search with more or fewer teams than documents shown",
        "searches with more or fewer teams than documents shown",
        "log one team for each document",
    ),
    "both_arms": (
        "user in more than one arm, with all events",
        "users in more than one arm, with all of their events",
        "assign by user, and keep the assignment",
    ),
    "unknown_arm": (
        "user in an arm that --arms does not name",
        "users in an arm that --arms does not name",
        "name all arms: --arms A,B",
    ),
    "only_before": (
        "user who came only before the start of the experiment",
        "users who came only before the start of the experiment",
        "",
    ),
    "no_arm": ("user in no arm", "users in no arm", "log the variant with every search of the experiment"),
    "no_arm_event": (
        "event of a user who is in no arm and did not search",
        "events of users who are in no arm and did not search",
        "name users in the same way in all tables",
    ),
    "bot": (
        "user with more searches in a day than a person makes, with all events",
        "users with more searches in a day than a person makes, with all of their events",
        "see --most-searches",
    ),
    "test_user": (
        "user named by --test-users, with all events",
        "users named by --test-users, with all of their events",
        "",
    ),
}
#: Reasons for which only a part of an event or search is not used.
NOT_LEFT_OUT = (
    *("not_utf8", "bad_number", "uneven_cells", "contradicted", "no_clicks", "reused_id", "session_for_user"),
    *("float_id", "no_session", "no_query", "no_flag", "moved"),
)


class Exclusion(NamedTuple):
    """The number of events, searches or users left out for one reason, with description, remedy and an example.

    `searches` is the number of searches of users who are left out, and `share` their share of all searches of the log.
    """

    reason: str
    n: int
    what: str
    remedy: str
    example: str
    searches: int = 0
    share: float = 0.0


@dataclass
class Exclusions:
    """Counts of exclusions by reason, each with its first example; `searches` counts all searches of the log."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    searches_by_reason: Counter[str] = field(default_factory=Counter)
    searches: int = 0

    def add(self, reason: str, n: int, example: str = "") -> None:
        """Add `n` exclusions for a reason of `REASONS`."""
        if n:
            self.counts[reason] += n
            if example:
                self.examples.setdefault(reason, example)

    def listed(self) -> list[Exclusion]:
        """Return the exclusions of each reason that occurred, in the order of `REASONS`."""
        exclusions = []
        for reason, (singular, plural, remedy) in REASONS.items():
            if n := self.counts[reason]:
                searches = self.searches_by_reason[reason]
                share = searches / self.searches if self.searches else 0.0
                description, example = singular if n == 1 else plural, self.examples.get(reason, "")
                exclusions.append(Exclusion(reason, n, description, remedy, example, searches, share))
        return exclusions
