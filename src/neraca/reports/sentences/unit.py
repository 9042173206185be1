"""Describe the unit of observation: which and why, and what would make it stronger."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.counts_and_lists import count
from neraca.number_format import integer
from neraca.scores.unit import FEWEST, QUESTION, SESSION, Unit
from neraca.translation import say

#: The assumption if questions of one session count one by one.
ASSUMED = (
    "This takes it that no answer depends on the questions before it; where some do, intervals are too narrow and "
    "differences are found too often"
)


def observation(unit: Unit) -> str:
    """Describe one observation of a report's intervals and tests, why it was chosen, and what would be stronger."""
    if unit.by == QUESTION:
        return _questions(unit)
    group = say("one session") if unit.by == SESSION else say("one value of {by}", by=unit.by)
    counted_units = observations(unit, unit.groups)
    choice = "" if unit.asked == "auto" else say(" (as asked for)")
    if unit.too_few:
        return say(
            "all questions of {shared}{said}; {too_few}. {stronger}",
            shared=group,
            said=choice,
            too_few=too_few(unit, unit.groups, unit.items),
            stronger=_stronger(unit),
        )
    return say(
        "all questions of {shared}{said}, because they hang together; there are {them} of {items:,} questions",
        shared=group,
        said=choice,
        them=counted_units,
        items=unit.items,
    )


def noun(unit: Unit) -> str:
    """Return the noun for one observation."""
    return say(unit.by) if unit.by in (SESSION, QUESTION) else say("value of {by}", by=unit.by)


def observations(unit: Unit, n: int) -> str:
    """Write a number of observations, such as `12 sessions`."""
    return f"{integer(n)} {noun(unit) if n == 1 else nouns(unit)}"


def nouns(unit: Unit) -> str:
    """Return the noun for several observations."""
    return say(f"{unit.by}s") if unit.by in (SESSION, QUESTION) else say("values of {by}", by=unit.by)


def _questions(unit: Unit) -> str:
    if unit.sessions == unit.items:
        return say("each question, asked on its own")
    sessions = say("one session") if unit.sessions == 1 else count(unit.sessions, "session")
    reason = (
        say(", because all are of {where}", where=sessions)
        if unit.assumed
        else say(" (as asked for), though they are of {where}", where=sessions)
    )
    return say("each question{why}. {assumed}. {stronger}", why=reason, assumed=say(ASSUMED), stronger=_stronger(unit))


def _stronger(unit: Unit) -> str:
    if unit.by not in (SESSION, QUESTION):
        return say(
            "With {fewest} values of {by} or more, or another unit (--unit), it could be told",
            fewest=FEWEST,
            by=unit.by,
        )
    return say(
        "The same questions in {fewest} sessions or more, each a conversation of its own, would show it", fewest=FEWEST
    )


def too_few(unit: Unit, groups: int, items: int) -> str:
    """Say why so few observations cannot show how much is chance."""
    grouping = (
        say("all of one session")
        if unit.by == SESSION and groups == 1
        else say("of {groups}", groups=observations(unit, groups))
    )
    return say(
        "the {items:,} questions are {them}, and fewer than {fewest} do not show how much is chance",
        items=items,
        them=grouping,
        fewest=FEWEST,
    )


def unit_notes(unit: Unit) -> Iterator[str]:
    """Return notes to read before the numbers: an assumption that nobody chose, or that there is no interval."""
    if unit.assumed:
        yield (
            say(
                "all {items:,} questions are of one session, and each counts as one observation. "
                "{assumed}. {stronger}; --unit question says that you take it so",
                items=unit.items,
                assumed=say(ASSUMED),
                stronger=_stronger(unit),
            )
        )
    elif unit.too_few:
        yield (
            say(
                "{too_few}: no interval and no test. {stronger}; --unit question takes each question as "
                "one observation",
                too_few=too_few(unit, unit.groups, unit.items),
                stronger=_stronger(unit),
            )
        )
