"""What of a log is left out: counted by its reason, and said with a remedy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

#: Reason → what is left out, and what to do about it.
REASONS: dict[str, tuple[str, str]] = {
    "broken": ("lines that are no rows (half written, too many cells, no JSON)", "mend what writes the log"),
    "no_action": ("events without an action", "every event says what happened"),
    "no_user": ("events without a user", "log a user or session id with every event"),
    "no_time": ("events whose time cannot be read", "write seconds since 1970, or 2026-01-31T10:00:00Z"),
    "before": ("events before the log's start or after its end", "see --since and --until"),
    "duplicate": ("events that stand in the log twice", "they are counted once"),
    "repeated_search": ("searches whose id was used before", "give each search an id of its own"),
    "no_rank": (
        "impressions and clicks with neither a rank nor a document",
        "log the rank of what was shown or clicked",
    ),
    "bad_rank": (
        "ranks that are no whole number from 1",
        "ranks count from 1; where yours count from 0: --first-rank 0",
    ),
    "no_search": ("clicks and impressions of a search that is not in the log", "log the search before its events"),
    "early": ("clicks with a time before their search", "take one clock for both"),
    "not_shown": ("clicks on what their search did not show", "log what was shown, in its order"),
    "teams": ("searches whose teams are not as many as the documents shown", "log one team for each document"),
    "both_arms": ("users in more than one arm, with all of their events", "assign by user, and keep the assignment"),
    "unknown_arm": ("users in an arm that was not named", "name all arms: --arms A,B"),
    "no_arm": ("users in no arm", "log the variant with every search of the experiment"),
    "bot": ("users with more searches in a day than a person makes, with all of their events", "see --most-searches"),
    "test_user": ("users named by --test-users, with all of their events", ""),
}


class Exclusion(NamedTuple):
    """What was left out for one reason: how many, what they are, what to do, and an example."""

    reason: str
    n: int
    what: str
    remedy: str
    example: str


@dataclass
class Exclusions:
    """A count for each reason, and one example each."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, reason: str, n: int, example: str = "") -> None:
        """Count some more."""
        if n:
            self.counts[reason] += n
            if example:
                self.examples.setdefault(reason, example)

    def listed(self) -> list[Exclusion]:
        """Each reason that was met, in the order in which a log is read."""
        return [
            Exclusion(reason, self.counts[reason], *REASONS[reason], self.examples.get(reason, ""))
            for reason in REASONS
            if self.counts[reason]
        ]
