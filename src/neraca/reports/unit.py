"""What counts as one observation, in words: which unit and why, and what would make it stronger."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.reports.number_format import count
from neraca.scores.unit import FEWEST, QUESTION, SESSION, Unit

#: What is taken for granted where questions of one session count one by one.
ASSUMED = (
    "This takes it that no answer depends on the questions before it; where some do, intervals are too narrow and "
    "differences are found too often"
)


def observation(unit: Unit) -> str:
    """What counts as one observation in the intervals and tests of a report, why, and what would be stronger."""
    if unit.by == QUESTION:
        return _questions(unit)
    shared = "one session" if unit.by == SESSION else f"one value of {unit.by}"
    them = count(unit.groups, noun(unit), nouns(unit))
    said = "" if unit.asked == "auto" else " (as asked for)"
    if unit.too_few:
        return f"all questions of {shared}{said}; {too_few(unit, unit.groups, unit.items)}. {_stronger(unit)}"
    return f"all questions of {shared}{said}, because they hang together; there are {them} of {unit.items:,} questions"


def noun(unit: Unit) -> str:
    """What one observation is called."""
    return unit.by if unit.by in (SESSION, QUESTION) else f"value of {unit.by}"


def nouns(unit: Unit) -> str:
    """What several observations are called."""
    return f"{unit.by}s" if unit.by in (SESSION, QUESTION) else f"values of {unit.by}"


def _questions(unit: Unit) -> str:
    if unit.sessions == unit.items:
        return "each question, asked on its own"
    where = "one session" if unit.sessions == 1 else count(unit.sessions, "session")
    why = f", because all are of {where}" if unit.assumed else f" (as asked for), though they are of {where}"
    return f"each question{why}. {ASSUMED}. {_stronger(unit)}"


def _stronger(unit: Unit) -> str:
    if unit.by not in (SESSION, QUESTION):
        return f"With {FEWEST} values of {unit.by} or more, or another unit (--unit), it could be told"
    return f"The same questions in {FEWEST} sessions or more, each a conversation of its own, would show it"


def too_few(unit: Unit, groups: int, items: int) -> str:
    """Why so few observations show no chance."""
    them = (
        "all of one session" if unit.by == SESSION and groups == 1 else f"of {count(groups, noun(unit), nouns(unit))}"
    )
    return f"the {items:,} questions are {them}, and fewer than {FEWEST} do not show how much is chance"


def unit_notes(unit: Unit) -> Iterator[str]:
    """What a reader must know before the numbers: an assumption that nobody asked for, or that there is no interval."""
    if unit.assumed:
        yield (
            f"all {unit.items:,} questions are of one session, and each counts as one observation. {ASSUMED}. "
            f"{_stronger(unit)}; --unit question says that you take it so"
        )
    elif unit.too_few:
        yield (
            f"{too_few(unit, unit.groups, unit.items)}: no interval and no test. {_stronger(unit)}; --unit question "
            "takes each question as one observation"
        )
