"""Count the events, searches and users that are left out of a log, by reason, with a remedy for each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

#: Reason → description of what is left out, and remedy.
REASONS: dict[str, tuple[str, str]] = {
    "broken": (
        "lines that are no rows (half written, too many cells, no JSON)",
        "repair the program that writes the log",
    ),
    "no_action": ("events without an action", "log an action with every event"),
    "no_user": ("events without a user", "log a user or session id with every event"),
    "no_time": ("events whose time cannot be read", "write seconds since 1970, or 2026-01-31T10:00:00Z"),
    "before": ("events before the log's start or after its end", "see --since and --until"),
    "duplicate": ("repeated events", "each is counted once"),
    "repeated_search": ("searches whose id was used before", "give every search its own id"),
    "no_rank": (
        "impressions and clicks with neither a rank nor a document",
        "log the rank of what was shown or clicked",
    ),
    "bad_rank": (
        "ranks that are not whole numbers from 1",
        "ranks count from 1; if yours count from 0, pass --first-rank 0",
    ),
    "bad_number": ("values and dwell times that are not numbers", "write them as 12.5"),
    "uneven_cells": (
        "searches with more or fewer times than clicks, whose times are not used",
        "log one time or dwell time for each click",
    ),
    "contradicted": (
        "searches that are called abandoned and have a click, or the reverse; they are counted by their clicks",
        "find which of the two is right",
    ),
    "no_search": ("clicks and impressions of a search that is not in the log", "log the search before its events"),
    "early": ("clicks with a time before their search", "use one clock for searches and clicks"),
    "not_shown": ("clicks on documents that their search did not show", "log the documents shown, in order"),
    "teams": ("searches with more or fewer teams than documents shown", "log one team for each document"),
    "both_arms": ("users in more than one arm, with all of their events", "assign by user, and keep the assignment"),
    "unknown_arm": ("users in an arm that --arms does not name", "name all arms: --arms A,B"),
    "no_arm": ("users in no arm", "log the variant with every search of the experiment"),
    "bot": ("users with more searches in a day than a person makes, with all of their events", "see --most-searches"),
    "test_user": ("users named by --test-users, with all of their events", ""),
}


class Exclusion(NamedTuple):
    """The number of events, searches or users left out for one reason, with description, remedy and an example."""

    reason: str
    n: int
    what: str
    remedy: str
    example: str


@dataclass
class Exclusions:
    """Counts of exclusions by reason, each with its first example."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, reason: str, n: int, example: str = "") -> None:
        """Add `n` exclusions for a reason of `REASONS`."""
        if n:
            self.counts[reason] += n
            if example:
                self.examples.setdefault(reason, example)

    def listed(self) -> list[Exclusion]:
        """Return the exclusions of each reason that occurred, in the order of `REASONS`."""
        return [
            Exclusion(reason, self.counts[reason], *REASONS[reason], self.examples.get(reason, ""))
            for reason in REASONS
            if self.counts[reason]
        ]
