"""Say in words which events were read from a log, before any result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neraca.counts_and_lists import count, listed
from neraca.number_format import integer
from neraca.online.exclusions import Exclusion
from neraca.online.log_contents import LogContents
from neraca.online.times import written_time
from neraca.reports.formats.visible_text import line
from neraca.reports.online.messages import translated
from neraca.translation import say

#: Reasons for which events lie outside the time of the experiment.
OUTSIDE = ("outside", "late")


def contents_sentences(
    contents: LogContents, exclusions: Sequence[Exclusion], unused: Sequence[str] = (), earlier: int = 0
) -> list[str]:
    """Say what was read, from when to when, and which columns were not read."""
    outside = "".join(
        say(
            "; {events} outside, left out ({example})",
            events=count(exclusion.n, "event"),
            example=line(translated(exclusion.example), 70),
        )
        for exclusion in exclusions
        if exclusion.reason in OUTSIDE
    )
    sentences = [say("Read: {counts}{outside}.", counts=", ".join(_counts(contents, exclusions)), outside=outside)]
    if earlier:
        searches = count(earlier, "search", "searches")
        sentences.append(say("Before the start: {searches} of these users.", searches=searches))
    if 0 < contents.unvalued < contents.conversions:
        sentences.append(
            say(
                "{n:,} of {conversions} have no value, and add nothing to revenue.",
                n=contents.unvalued,
                conversions=count(contents.conversions, "conversion"),
            )
        )
    if contents.negative:
        sentences.append(
            say(
                "{n:,} of {conversions} have a value below 0, which lowers revenue.",
                n=contents.negative,
                conversions=count(contents.conversions, "conversion"),
            )
        )
    if contents.others:
        others = [f"{line(name, 30)} {integer(n)}" for name, n in contents.others.most_common()]
        sentences.append(say("Other events: {events}.", events=listed(others, 8)))
    if not contents.names_sessions:
        sentences.append(say("No column holds the session: 30 minutes without an event of a user end one."))
    for example, day_first in contents.dates.items():
        form = (
            say("Dates such as {date} were read as day, month, year.", date=line(example, 30))
            if day_first
            else say("Dates such as {date} were read as month, day, year.", date=line(example, 30))
        )
        sentences.append(form)
    if contents.ranks_from_zero:
        sentences.append(say("Ranks were read as counted from 0, as in this log; --first-rank 1 says otherwise."))
    if unused:
        columns = listed([line(name, 60) for name in unused], 20)
        sentences.append(say("Columns that were not read: {columns}.", columns=columns))
    return sentences


def _counts(contents: LogContents, exclusions: Sequence[Exclusion]) -> Iterator[str]:
    """Yield the numbers of searches, clicks, reformulations, conversions and days."""
    yield _searches_of_users(contents, exclusions)
    clicks = count(contents.clicks, "click")
    unranked = say(" ({n:,} without a rank)", n=contents.unranked) if contents.unranked else ""
    yield f"{clicks}{unranked}"
    yield count(contents.reformulations, "reformulation")
    if contents.conversions:
        unvalued = ""
        if contents.unvalued == contents.conversions:
            unvalued = say(" (none has a value)")
        elif contents.unvalued:
            unvalued = say(" ({n:,} without a value)", n=contents.unvalued)
        yield f"{count(contents.conversions, 'conversion')}{unvalued}"
    if contents.searches:
        yield say(
            "{days} ({first} to {last}, UTC)",
            days=count(contents.days, "day"),
            first=_date(contents.first),
            last=_date(contents.last),
        )


def _searches_of_users(contents: LogContents, exclusions: Sequence[Exclusion]) -> str:
    """Count searches and users, and say where sessions stand for users."""
    searches, users = count(contents.searches, "search", "searches"), count(contents.users, "user")
    if not contents.names_users:
        sessions = count(contents.users, "session")
        return say("{searches} of {sessions}, each taken for a user", searches=searches, sessions=sessions)
    if n := sum(exclusion.n for exclusion in exclusions if exclusion.reason == "session_for_user"):
        return say(
            "{searches} of {users} (sessions stand for users in {rows} without one)",
            searches=searches,
            users=users,
            rows=count(n, "row"),
        )
    return say("{searches} of {users}", searches=searches, users=users)


def _date(seconds: float) -> str:
    return written_time(seconds, "%Y-%m-%d")
